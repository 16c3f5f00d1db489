"""The file of a panel: NumPy arrays in a zip archive (.npz), its origin as JSON, and no code.

Chances are kept in steps of 0.01 percentage points. `docs/players.md` describes the format. What does not fit
is refused in one line, and no option of a file is tried that the rules do not offer.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from khora_sim.analyses.panel import Frozen, Panel
from khora_sim.common.checking import first_problem
from khora_sim.common.commands import making_panel
from khora_sim.common.files import Arrays, explain_write_errors, packed, read_packed, write_atomically
from khora_sim.common.options import Setting
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.errors import UserError
from khora_sim.rules.terms import PLAYER_COUNTS

FORMAT = 1
MOST_BYTES = 64_000_000  # of a file, and of all it holds
MOST_DECISIONS = 10_000
STEPS = 10_000  # of a chance, from 0 to 1
UNFINISHED = "unfinished"  # in the origin of one that is being made: how far it has come
BUILT_IN = Path(__file__).with_name("panel.npz")

#: The arrays of a file and the numbers in them. The first four have one number for each decision.
PARTS = {
    "seed": np.uint64,
    "players": np.int8,
    "taken_count": np.int16,
    "option_count": np.int16,
    "taken": np.int16,
    "options": np.int16,
    "first": np.uint16,
    "second": np.uint16,
    "errors": np.uint16,
}
BY_DECISION = tuple(PARTS)[:4]
BY_OPTION = tuple(PARTS)[5:]
INSTEAD = f"make one with: {making_panel()}"


def in_steps(chances: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Chances as they are kept."""
    return np.asarray(np.rint(np.clip(chances, 0, 1) * STEPS), np.uint16)


def as_kept(decision: Frozen) -> Frozen:
    """A decision with its chances rounded as a file keeps them."""
    first, second, errors = (in_steps(one) / STEPS for one in decision[4:])
    return decision._replace(first=first, second=second, errors=errors)


def write_panel(decisions: Sequence[Frozen], origin: dict[str, Any], path: Path) -> None:
    """Write a panel as a whole file."""
    columns: dict[str, Any] = {
        "seed": [one.seed for one in decisions],
        "players": [one.players for one in decisions],
        "taken_count": [len(one.taken) for one in decisions],
        "option_count": [len(one.options) for one in decisions],
        "taken": [option for one in decisions for option in one.taken],
        "options": [option for one in decisions for option in one.options],
    }
    for name in ("first", "second", "errors"):
        columns[name] = in_steps(np.concatenate([getattr(one, name) for one in decisions] or [np.zeros(0)]))
    arrays = {name: np.asarray(columns[name], kind) for name, kind in PARTS.items()}
    with explain_write_errors(path, "name another file with --out"):
        write_atomically(path, packed(arrays, {"format": FORMAT, **origin}))


def read_panel(path: Path | None = None, unfinished: bool = False) -> Panel:
    """A panel from a file, or the built-in one; one that is damaged or of another kind is refused."""
    asked, path = path, path or BUILT_IN
    data, found, origin = read_packed(path, "a panel", MOST_BYTES, INSTEAD)
    version = origin.pop("format", None)
    if version != FORMAT:
        raise UserError(f"{path.name}: has format {version}; this khora reads format {FORMAT}; {INSTEAD}")
    problem = _problem(found) or _problem_of_origin(origin)
    if problem:
        raise UserError(f"{path.name}: {problem}; it is damaged, or no panel; {INSTEAD}")
    if UNFINISHED in origin and not unfinished:
        raise UserError(f"{path.name}: is not finished; go on with: {making_panel(resume=True)}")
    if not len(found["seed"]) and not unfinished:
        raise UserError(f"{path.name}: holds no decision; {INSTEAD}")
    digest = hashlib.sha256(data).hexdigest()[:16]
    return Panel(tuple(_decisions(found)), origin, path.name, asked, digest)


def _problem(found: Arrays) -> str:
    """What is wrong with the arrays of a file; nothing if they fit together."""
    for name, kind in PARTS.items():
        if name not in found or found[name].dtype != kind or found[name].ndim != 1:
            return f"{name} should be a row of {np.dtype(kind).name} numbers"
    if len({len(found[name]) for name in BY_DECISION}) > 1 or len(found["seed"]) > MOST_DECISIONS:
        return "its parts tell different numbers of decisions"
    taken, options = found["taken_count"].astype(np.int64), found["option_count"].astype(np.int64)
    if not np.isin(found["players"], PLAYER_COUNTS).all():
        return f"players should be {PLAYER_COUNTS[0]} to {PLAYER_COUNTS[-1]}"
    if (taken < 0).any() or (options < 2).any() or (options > MAX_OPTIONS).any():
        return f"a decision should have 2 to {MAX_OPTIONS} options"
    if taken.sum() != len(found["taken"]) or any(len(found[name]) != options.sum() for name in BY_OPTION):
        return "its parts have other lengths than it says"
    if max(found["first"].max(initial=0), found["second"].max(initial=0)) > STEPS:
        return "a chance is more than 1"
    return ""


class RulesPlayed(BaseModel):
    """The rules in the origin of a panel."""

    hash: str
    version: str


class Searcher(BaseModel):
    """The searcher in the origin of a panel."""

    name: str
    worlds: int


class Origin(BaseModel):
    """What the origin of a panel must say; the rest is for those who look."""

    model_config = ConfigDict(strict=True)

    rules: RulesPlayed
    settings: Annotated[
        int, Field(ge=0, lt=Setting.OPEN_DICE)
    ]  # where chance is set from outside, no seed repeats a game
    searcher: Searcher
    decisions_a_game: dict[str, float] = {}


def _problem_of_origin(origin: dict[str, Any]) -> str:
    """What is wrong with the origin of a file; nothing if it says what is needed."""
    try:
        Origin.model_validate(origin)
    except ValidationError as problem:
        return f"its origin: {first_problem(Origin, problem, origin)}"
    return ""


def _decisions(found: Arrays) -> list[Frozen]:
    taken = np.split(found["taken"], np.cumsum(found["taken_count"].astype(np.int64))[:-1])
    ends = np.cumsum(found["option_count"].astype(np.int64))[:-1]
    options, first, second, errors = (np.split(found[name], ends) for name in BY_OPTION)
    return [
        Frozen(
            int(found["seed"][place]),
            int(found["players"][place]),
            taken[place].tolist(),
            options[place].tolist(),
            first[place] / STEPS,
            second[place] / STEPS,
            errors[place] / STEPS,
        )
        for place in range(len(found["seed"]))
    ]
