"""The folder of an answer about cities: what was asked for, a study for each player, and the answer.

    plan.json                             players, sizes of table, games or precision, seed
    studies/sage-4-players-1f2e3d4c/      one player in every seat, as a study of its own
    studies/sage-vs-expert-4-players-5a6b7c8d/   the strongest player at a table of the next one
    cities.json, cities-4.svg, cities-4.png   the answer

The name of a study ends in its digest. So a run goes on where it was stopped, a further player plays its own
games only, and one that was changed plays again.
"""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from khora_sim.analyses.answer_folder import (
    OTHER_OUT,
    not_built_in,
    read_begun,
    refuse_unnamed,
    refuse_used,
    safe_name,
    write_json,
)
from khora_sim.analyses.cities import GAMES, Plan, check_plan
from khora_sim.analyses.games_asked import games_asked
from khora_sim.common import commands
from khora_sim.common.files import explain_write_errors
from khora_sim.errors import UserError
from khora_sim.simulation.experiment import Arm

PLAN, STUDIES, ANSWER = "plan.json", "studies", "cities.json"
Name = Annotated[str, Field(min_length=1)]


class _KeptPlan(BaseModel):
    """The plan as it is kept."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    strategies: tuple[Name, ...]
    peers: tuple[Name, ...]
    players: tuple[int, ...]
    games: int | None
    precision: float | None
    seed: int
    rules: str | None


def plan_for(asked: dict[str, Any], out: Path | None = None, *, resume: bool = False) -> Plan:
    """The plan as asked for; one that goes on is that of its folder, with players and tables that are new."""
    given = {name: value for name, value in asked.items() if value not in (None, ())}
    games = games_asked(given.get("games"), given.get("precision"), GAMES)
    if resume and out is None:
        raise UserError(f"--resume goes on in a folder; name it: {commands.resuming_cities('DIR')}")
    if not resume or out is None:
        refuse_used(out, PLAN, "an answer", commands.resuming_cities(out or ""))
        plan = Plan(**{**given, "games": games})
    else:
        plan = _extended(out, read_plan(out), given)
    check_plan(plan)
    return plan


def read_plan(out: Path) -> Plan:
    """The plan that a folder was begun with."""
    begun = read_begun(out, PLAN, _KeptPlan, "an answer about cities")
    return Plan(**{name: getattr(begun, name) for name in _KeptPlan.model_fields})


def _extended(out: Path, begun: Plan, given: dict[str, Any]) -> Plan:
    for name in ("games", "precision", "seed", "rules"):
        there = getattr(begun, name)
        if name in given and given[name] != there:
            other = "no" if there is None else there
            raise UserError(
                f"{out}: was begun with {other} {name}, not {given[name]}; leave --{name} out, or {OTHER_OUT}"
            )
    named = {*given.get("strategies", ()), *given.get("peers", ())}
    others = not_built_in(begun.everyone)
    ladder = [name for name in others if name in begun.strategies]
    peers = [name for name in others if name in begun.peers]
    refuse_unnamed(out, others, named, commands.resuming_cities(out, ladder, peers))
    strategies = given.get("strategies", ())
    in_order = strategies if set(begun.strategies) <= set(strategies) else (*begun.strategies, *strategies)
    return begun._replace(
        strategies=tuple(dict.fromkeys(in_order)),
        peers=tuple(dict.fromkeys((*begun.peers, *given.get("peers", ())))),
        players=tuple(dict.fromkeys((*begun.players, *given.get("players", ())))),
    )


def begin(out: Path, plan: Plan) -> None:
    """Keep the plan."""
    with explain_write_errors(out, OTHER_OUT):
        (out / STUDIES).mkdir(parents=True, exist_ok=True)
        write_json(out / PLAN, plan._asdict())


def study_folder(out: Path, arm: Arm) -> Path:
    """`sage-4-players-1f2e3d4c`, or `sage-vs-expert-4-players-5a6b7c8d`."""
    names = "-vs-".join(map(safe_name, dict.fromkeys(arm.study.strategies)))
    return out / STUDIES / f"{names}-{arm.sections[0].players}-players-{arm.digest[:8]}"
