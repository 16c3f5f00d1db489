"""The folder of a ladder: what was asked for, a study for each pair, and in the end the answer.

    plan.json                              strategies, players, games and seed
    pairings/merchant-vs-random-1f2e3d4c/  a study of one against all others of another
    ladder.json, ladder.svg, ladder.png    the answer

The name of a pair's study ends in its digest. So a ladder goes on where it was stopped, a further strategy
plays its own pairs only, and a strategy that was changed plays again.
"""

from pathlib import Path
from typing import Annotated

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
from khora_sim.analyses.ladder import GAMES, PLAYERS, SEED, SUMMING, Ladder, Plan, contenders, pairs
from khora_sim.common import commands
from khora_sim.common.files import explain_write_errors
from khora_sim.errors import UserError
from khora_sim.simulation.experiment import Arm, Design
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory

PLAN, PAIRINGS, ANSWER = "plan.json", "pairings", "ladder.json"
USUAL = {"players": PLAYERS, "games": GAMES, "seed": SEED}
UNITS = {"players": "players at a table", "games": "games a pairing", "seed": "as the seed"}


class _KeptPlan(BaseModel):
    """The plan as it is kept."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    strategies: list[Annotated[str, Field(min_length=1)]]
    players: int
    games: int
    seed: int


def plan_for(
    named: tuple[str, ...], asked: dict[str, int | None], out: Path | None = None, *, resume: bool = False
) -> Plan:
    """The plan of a ladder; one that goes on is that of its folder, with the strategies that are new."""
    given = {name: number for name, number in asked.items() if number is not None}
    if resume and out is None:
        raise UserError(f"--resume goes on in a folder; name it: {commands.resuming_ladder('DIR')}")
    if not resume or out is None:
        refuse_used(out, PLAN, "a ladder", commands.resuming_ladder(out or ""))
        return Plan(named or contenders(), **{**USUAL, **given})
    begun = read_plan(out)
    for name, number in given.items():
        there = getattr(begun, name)
        if number != there:
            raise UserError(
                f"{out}: holds a ladder with {there} {UNITS[name]}, not {number}; "
                f"leave --{name} out, or {OTHER_OUT}"
            )
    others = not_built_in(begun.strategies)
    refuse_unnamed(out, others, named, commands.resuming_ladder(out, others))
    return begun._replace(strategies=tuple(dict.fromkeys((*begun.strategies, *named))))


def read_plan(out: Path) -> Plan:
    """The plan that a folder was begun with."""
    begun = read_begun(out, PLAN, _KeptPlan, "a ladder")
    return Plan(tuple(begun.strategies), begun.players, begun.games, begun.seed)


def sink_in(out: Path, plan: Plan, design: Design) -> FoldersAndSums:
    """Where the games of a ladder go: a study for each pair, and their sums."""
    with explain_write_errors(out, OTHER_OUT):
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / PLAN, {**plan._asdict(), "strategies": list(plan.strategies)})
    folders = [
        out / PAIRINGS / folder_name(pair, arm) for pair, arm in zip(pairs(plan), design.arms, strict=True)
    ]
    return FoldersAndSums(Folders(folders, resume=True, home=out), InMemory(SUMMING))


def folder_name(pair: tuple[str, str], arm: Arm) -> str:
    """`merchant-vs-my_idea.py-1f2e3d4c`: letters that any disk takes, and whom it is about."""
    one, other = map(safe_name, pair)
    return f"{one}-vs-{other}-{arm.digest[:8]}"


def write_answer(out: Path, ladder: Ladder) -> Path:
    """Write the answer as JSON."""
    with explain_write_errors(out / ANSWER, OTHER_OUT):
        write_json(out / ANSWER, ladder.data())
    return out / ANSWER
