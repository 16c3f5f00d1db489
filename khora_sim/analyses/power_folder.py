"""The folder of an answer about power: what was asked for, what was played, the answer and its page.

plan.json       kind, players, games or precision, seed, rules
parts/          what is kept of the games, so that a run goes on where it was stopped
power.json      the answer
index.html      the page, with figures/, tables/ (CSV and Parquet) and summary.md
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
    write_json,
)
from khora_sim.analyses.games_asked import games_asked
from khora_sim.analyses.power import GAMES, Plan, check_plan
from khora_sim.analyses.power_answer import Power
from khora_sim.common import commands
from khora_sim.common.files import explain_write_errors
from khora_sim.errors import UserError

PLAN, ANSWER = "plan.json", "power.json"


class _KeptPlan(BaseModel):
    """The plan as it is kept."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    strategies: tuple[Annotated[str, Field(min_length=1)], ...]
    players: int
    games: int | None
    precision: float | None
    seed: int
    rules: str | None


def plan_for(asked: dict[str, Any], out: Path | None = None, *, resume: bool = False) -> Plan:
    """The plan as asked for; one that goes on is that of its folder."""
    given = {name: value for name, value in asked.items() if value not in (None, ())}
    games = games_asked(given.get("games"), given.get("precision"), GAMES)
    kind = given["kind"]
    if resume and out is None:
        raise UserError(f"--resume goes on in a folder; name it: {commands.resuming_power(kind, 'DIR')}")
    if resume and out is not None:
        plan = _again(out, given)
    else:
        refuse_used(out, PLAN, "an answer", commands.resuming_power(kind, out or ""))
        plan = Plan(**{**given, "games": games})
    check_plan(plan)
    return plan


def _again(out: Path, given: dict[str, Any]) -> Plan:
    """The plan that a folder was begun with; what is given beside it should be the same."""
    begun = read_begun(out, PLAN, _KeptPlan, "an answer about power")
    for name, value in given.items():
        there = getattr(begun, name)
        if value != there:
            was = "no" if there is None else ",".join(there) if isinstance(there, tuple) else there
            raise UserError(f"{out}: was begun with {was} {name}; go on without naming it, or {OTHER_OUT}")
    again = commands.resuming_power(begun.kind, out, begun.strategies)
    refuse_unnamed(out, not_built_in(begun.strategies), given.get("strategies", ()), again)
    return Plan(**{name: getattr(begun, name) for name in _KeptPlan.model_fields})


def begin(out: Path, plan: Plan) -> None:
    """Keep the plan."""
    with explain_write_errors(out, OTHER_OUT):
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / PLAN, plan._asdict())


def write_answer(out: Path, answer: Power) -> None:
    """Keep the answer."""
    with explain_write_errors(out, OTHER_OUT):
        write_json(out / ANSWER, answer.data())
