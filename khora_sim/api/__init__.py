"""The functions of `khora_sim`: what the commands do, for Python.

What a user can put right is a `UserError` of one line. Nothing is printed unless `progress` asks for it.
"""

from khora_sim.api.gates import gate
from khora_sim.api.making_players import learn, tune
from khora_sim.api.players import (
    check_strategy,
    exploit,
    grade,
    habits,
    panel,
    play_habits,
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
from khora_sim.api.sweeps import balance, sweep
from khora_sim.errors import UserError

__all__ = [
    "Asked",
    "Prepared",
    "UserError",
    "balance",
    "check_strategy",
    "compare",
    "exploit",
    "forecast",
    "gate",
    "grade",
    "habits",
    "learn",
    "load_rules",
    "open_study",
    "panel",
    "play",
    "play_habits",
    "plot",
    "prepare",
    "report",
    "show_decision",
    "simulate",
    "sweep",
    "tune",
    "what_if",
]
