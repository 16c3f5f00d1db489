"""The functions of `khora_sim`: what the commands do, for Python.

What a user can put right is a `UserError` of one line. Nothing is printed unless `progress` asks for it.
"""

from khora_sim.api.city_ladder import cities, play_cities, published_cities
from khora_sim.api.gates import gate
from khora_sim.api.making_players import learn, tune
from khora_sim.api.players import (
    check_strategy,
    exploit,
    grade,
    habits,
    ladder,
    panel,
    play_habits,
    play_ladder,
    show_decision,
)
from khora_sim.api.rule_changes import what_if
from khora_sim.api.studies import (
    Asked,
    Prepared,
    compare,
    forecast,
    load_rules,
    open_study,
    play,
    plot,
    prepare,
    report,
    simulate,
)
from khora_sim.errors import UserError

__all__ = [
    "Asked",
    "Prepared",
    "UserError",
    "check_strategy",
    "cities",
    "compare",
    "exploit",
    "forecast",
    "gate",
    "grade",
    "habits",
    "ladder",
    "learn",
    "load_rules",
    "open_study",
    "panel",
    "play",
    "play_cities",
    "play_habits",
    "play_ladder",
    "plot",
    "prepare",
    "published_cities",
    "report",
    "show_decision",
    "simulate",
    "tune",
    "what_if",
]
