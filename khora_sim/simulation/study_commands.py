"""Commands on a study, made from its plan."""

from typing import Any

from khora_sim.common import commands
from khora_sim.common.options import as_arguments
from khora_sim.common.user_files import parse_toml
from khora_sim.errors import UserError
from khora_sim.simulation.manifest import PlayedRules
from khora_sim.simulation.study_file import Study
from khora_sim.strategy.finding import is_built_in


def simulating(plan: Study, rules: PlayedRules, out: str) -> str:
    """The command that plays a study from its beginning."""
    asked: dict[str, Any] = {"games": plan.games, "players": plan.players, **_who(plan), "seed": plan.seed}
    for option in ("lineup", "cities", "rotate", "first_player"):
        value = getattr(plan, option)
        asked[option] = None if value in ("auto", "random") else value
    asked |= _options(plan, rules)
    asked["rounds"] = plan.rounds or None
    asked["rules"] = rules.file or (None if rules.name == "base" else "FILE")
    return commands.simulating(asked, out)


def _options(plan: Study, rules: PlayedRules) -> dict[str, bool]:
    """The options of the game that are not as the rules of the study say."""
    try:
        usual: dict[str, Any] = parse_toml(rules.toml, "rules")["options"]
    except (KeyError, TypeError, UserError):
        usual = {}
    chosen = as_arguments(plan)
    return {name: on for name, on in chosen.items() if on is not None and on != usual.get(name)}


def with_strategies(command: str, plan: Study) -> str:
    """A command on a study as it is typed: with its strategies where they are not all built in."""
    return command if all(map(is_built_in, plan.specs)) else commands.with_players(command, _who(plan))


def _who(plan: Study) -> dict[str, Any]:
    """The options that say who plays."""
    return {"strategies": plan.strategies, "by_city": plan.by_city}
