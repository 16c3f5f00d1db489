"""A panel: frozen decisions of many games, the value of every option of each by deep search, and their file.

A decision is kept as the seed of its game and the options that were taken before it. Played again, the game
stands where it stood, whatever the record of a game looks like in a later version. The file has NumPy arrays
in a zip archive (.npz), its origin as JSON, and no code. Chances are kept in steps of 0.01 percentage points.
`docs/players.md` describes the format. What does not fit is refused in one line, and no option of a file is
tried that the rules do not offer.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from khora_sim.common.checking import first_problem
from khora_sim.common.commands import making_panel
from khora_sim.common.files import Arrays, explain_write_errors, packed, read_packed, write_atomically
from khora_sim.common.options import Setting
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import Match
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.rules.terms import PLAYER_COUNTS

Array = np.ndarray[Any, Any]
SURE = 1.96  # standard errors: a difference below that may be luck of the search
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

MAKE = making_panel()
INSTEAD = f"make one with: {MAKE}"
STALE = f"the panel is damaged, or of another khora; make it again: {MAKE}"


class Frozen(NamedTuple):
    """A decision, and the chance to win after each of its options."""

    seed: int
    players: int
    taken: list[int]  # options that were taken before it, where there was more than one
    options: list[int]
    first: Array  # the chance by the first half of the worlds
    second: Array  # by the second half
    errors: Array  # standard error of the difference to the best option; 0 if a teacher valued them

    @property
    def values(self) -> Array:
        """The chance to win after each option, by all worlds."""
        return np.asarray((self.first + self.second) / 2)

    @property
    def losses(self) -> Array:
        """The loss of each option against the best one.

        One half of the worlds chooses the best option and the other half says what it is worth, and the other
        way round: an option that was only lucky in the search is not counted as better. So the loss of an
        option as good as the best is 0 on average, and may be less.
        """
        by_second = self.second[self.first.argmax()] - self.second
        by_first = self.first[self.second.argmax()] - self.first
        return np.asarray((by_first + by_second) / 2)


@dataclass(frozen=True)
class Panel:
    """Decisions in a fixed order, and where they come from."""

    decisions: tuple[Frozen, ...]
    origin: dict[str, Any]
    name: str = ""  # what to call it in a message
    path: Path | None = None  # as it was given; None: the built-in one
    digest: str = ""  # of its file

    @property
    def settings(self) -> int:
        """The options of the game that all games were played with, as bits."""
        return int(self.origin["settings"])

    @property
    def is_taught(self) -> bool:
        """True if a teacher valued the options, and not a search of them all."""
        return self.origin.get("teacher") is not None

    @property
    def valued_by(self) -> str:
        """Who valued the options, in words."""
        if self.is_taught:
            return str(self.origin["teacher"]["name"])
        return f"{self.origin['searcher']['name']} in {self.origin['searcher']['worlds']} worlds"

    def check(self, rules: Rules, only: int | None = None) -> None:
        """Refuse rules other than those of the games, and a decision that is not there."""
        made = self.origin["rules"]
        if (made["hash"], made["version"]) != (rules.hash, rules.version):
            raise UserError(
                f"{self.name}: was made with rules {made['hash'][:12]} of version {made['version']}; "
                f"these are {rules.short_hash} of version {rules.version}; make it again: {MAKE}"
            )
        if only is not None and not 1 <= only <= len(self.decisions):
            raise UserError(
                f"{self.name}: has no decision {only}; they count from 1 to {len(self.decisions)}"
            )

    def matches(self, rules: Rules, only: int | None = None) -> Iterator[tuple[int, Frozen, Match]]:
        """All decisions, or `only` one: its number, from 1, and its game, played again up to it."""
        self.check(rules, only)
        numbers = range(1, len(self.decisions) + 1) if only is None else [only]
        for number in numbers:
            one = self.decisions[number - 1]
            where = f"{self.name}: decision {number}"
            match, options = replay(rules, one.players, one.seed, self.settings, one.taken, where)
            if options != one.options:
                raise UserError(f"{where}: has other options than it was kept with; {STALE}")
            yield number, one, match


def replay(
    rules: Rules, players: int, seed: int, settings: int, taken: Sequence[int], where: str
) -> tuple[Match, list[int]]:
    """A game played again, and the options it stands before; one that is not there is never tried."""
    match = Match(rules, players, seed, settings)
    options = match.advance()
    for step, option in enumerate(taken, start=1):
        if option not in options:
            raise UserError(
                f"{where}: step {step} of its game takes {option}, which is not among the options; {STALE}"
            )
        options = match.choose(option)
    return match, options


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
    given, path = path, path or BUILT_IN
    data, found, origin = read_packed(path, "a panel", MOST_BYTES, INSTEAD)
    version = origin.pop("format", None)
    if version != FORMAT:
        raise UserError(f"{path.name}: has format {version}; this khora reads format {FORMAT}; {INSTEAD}")
    problem = _problem(found)
    try:
        made = Origin.model_validate(origin)
        if (made.searcher is None) == (made.teacher is None):
            problem = problem or "its origin should name a searcher or a teacher"
    except ValidationError as wrong:
        problem = problem or f"its origin: {first_problem(Origin, wrong, origin)}"
    if problem:
        raise UserError(f"{path.name}: {problem}; it is damaged, or no panel; {INSTEAD}")
    if UNFINISHED in origin and not unfinished:
        raise UserError(f"{path.name}: is not finished; continue with: {MAKE} --resume")
    if not len(found["seed"]) and not unfinished:
        raise UserError(f"{path.name}: holds no decision; {INSTEAD}")
    digest = hashlib.sha256(data).hexdigest()[:16]
    return Panel(tuple(_decisions(found)), origin, path.name, given, digest)


def _problem(found: Arrays) -> str:
    """The first fault in the arrays of a file; nothing if they fit together."""
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


class Teacher(BaseModel):
    """The teacher in the origin of a panel."""

    name: str


class Origin(BaseModel):
    """The part of a panel's origin that must be there; the rest is for those who look."""

    model_config = ConfigDict(strict=True)

    rules: RulesPlayed
    #: Where chance is set from outside, no seed repeats a game.
    settings: Annotated[int, Field(ge=0, lt=Setting.OPEN_DICE)]
    searcher: Searcher | None = None  # either it
    teacher: Teacher | None = None  # or a teacher
    decisions_a_game: dict[str, float] = {}


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
