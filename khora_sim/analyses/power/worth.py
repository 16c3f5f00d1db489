"""The labels of things, and the rules by which they are given.

They go by the win share that a thing is worth against the fair share, which is 25 % at a table of four. A
difference is *significant* where its p-value, corrected by Holm for all things and cities that were measured
in the same way, is below 5 %.

A card is measured against a random card, so 0 is a card of middling worth. Everything else is measured
against being without it, so 0 is a thing that is not needed; below 0, its player wins more often without it.
An event meets everyone, and what one city wins another loses: over all cities its label says whom it helps.
"""

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from khora_sim import __version__
from khora_sim.common.wording import listed
from khora_sim.simulation.result import EstimateJson, KnownNumber, Result, RulesPlayed, estimate_columns
from khora_sim.stats import Estimate

ALL = "all"  # of all cities, each with the same weight
KINDS = ("cards", "events", "developments", "actions", "tracks", "spaces")
#: How a thing is given or taken; cards have two ways, all other kinds one.
DEALT, GIVEN, HAPPENS, ALLOWED = "dealt", "given", "happens", "allowed"
WAYS = {"cards": (DEALT, GIVEN), "events": (HAPPENS,)}
ALPHA = 0.05
MUCH, SOME, NOTHING = 1 / 5, 1 / 20, 1 / 50  # of the fair share
MOST_CITIES = 2  # that "only with" names
MUST_HAVE, STRONG, FAIR, WEAK, DEAD, OPEN = "must-have", "strong", "fair", "weak", "dead", "open"
ONLY = "only with"
#: The rules in words, in the order in which they are tried; points are those of a table of four.
RULES = (
    (MUST_HAVE, "significant, and at least a fifth of the fair share (5 percentage points)"),
    (STRONG, "significant, and at least a twentieth of the fair share (1.25 points)"),
    (
        DEAD,
        "a card: significant, and at most minus a fifth of the fair share; anything else: the whole interval "
        "lies within a fiftieth of it (0.5 points); an event over all cities: no result of any game differs",
    ),
    (WEAK, "significant, and at most minus a twentieth of the fair share"),
    (
        FAIR,
        "none of these, and the whole interval lies within a twentieth of the fair share, "
        "or it is significant",
    ),
    (OPEN, "none of these: the games do not tell"),
    (f"{ONLY} C", "over all cities neither must-have nor strong, but so with one or two of them"),
    ("for C, against D", "an event: strong or must-have for C, weak for D"),
)


def label_of(wins: Estimate, p: float, fair: float, *, card: bool) -> str:
    """The label of a thing with one city, or over all cities as far as they are alike."""
    sure, some = p < ALPHA, SOME * fair
    if sure and wins.value >= some:
        return MUST_HAVE if wins.value >= MUCH * fair else STRONG
    if (sure and wins.value <= -MUCH * fair) if card else _within(wins, NOTHING * fair):
        return DEAD
    if sure and wins.value <= -some:
        return WEAK
    return FAIR if sure or _within(wins, some) else OPEN


def _within(wins: Estimate, limit: float) -> bool:
    return -limit <= wins.low and wins.high <= limit


def overall_label(own: str, by_city: Sequence[tuple[str, str]]) -> str:
    """The label over all cities, from the one that its mean has and those with each city by name."""
    if own in (MUST_HAVE, STRONG):
        return own
    cities = [city for city, label in by_city if label in (MUST_HAVE, STRONG)]
    return f"{ONLY} {listed(cities)}" if 1 <= len(cities) <= MOST_CITIES else own


def event_label(by_city: Sequence[tuple[str, str]], *, moved: bool) -> str:
    """The label of an event over all cities, from those with each city by name."""
    if not moved:
        return DEAD
    helped = [city for city, label in by_city if label in (MUST_HAVE, STRONG)]
    hurt = [city for city, label in by_city if label == WEAK]
    parts = [f"{word} {listed(cities)}" for word, cities in (("for", helped), ("against", hurt)) if cities]
    if parts:
        return ", ".join(parts)
    return FAIR if all(label in (FAIR, DEAD) for _, label in by_city) else OPEN


def ways_of(kind: str) -> tuple[str, ...]:
    """The ways in which things of a kind are measured, the main one first."""
    return WAYS.get(kind, (ALLOWED,))


class Worth(Result):
    """The worth of a thing to the player of one city, or of all: with it, minus without it."""

    thing: str  # id
    city: str  # id, or ALL
    way: str
    points: EstimateJson
    wins: EstimateJson  # win share: 0.01 is one percentage point
    p_points: float  # corrected by Holm for all rows of its way
    p_wins: float
    shrunken: KnownNumber  # win share, moved to the thing's own mean as far as chance explains the distance
    label: str


class Power(Result):
    """The answer."""

    format: Literal[1] = 1
    khora: str = __version__
    rules: RulesPlayed
    kind: str
    strategies: tuple[str, ...]
    players: int
    seed: int
    precision: float | None  # given, in percentage points
    games: int  # of each side
    sides: int  # the games as they are, and each way of changing them
    things: dict[str, str]  # names by id
    cities: dict[str, str]
    rows: tuple[Worth, ...]

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways in which things were measured, the main one first."""
        return ways_of(self.kind)

    def of(self, thing: str, city: str = ALL, way: str | None = None) -> Worth:
        """One row; the main way unless another is named."""
        wanted = (thing, city, way or self.ways[0])
        return next(row for row in self.rows if (row.thing, row.city, row.way) == wanted)

    def overall(self, way: str | None = None) -> list[Worth]:
        """The rows over all cities, the largest win share first; of events, the most points."""
        rows = [row for row in self.rows if row.city == ALL and row.way == (way or self.ways[0])]
        return sorted(rows, key=lambda row: -(row.points if row.way == HAPPENS else row.wins).value)

    def reached(self, way: str | None = None, *, overall: bool = False) -> float:
        """The widest half interval of a win share, in percentage points: of all cells, or of all means."""
        rows = [row for row in self.rows if row.way == (way or self.ways[0]) and (row.city == ALL) == overall]
        return 100 * max(row.wins.margin for row in rows)


def frame_of(rows: Sequence[Worth]) -> pl.DataFrame:
    """Rows as a frame."""
    found = []
    for row in rows:
        one: dict[str, Any] = {"thing": row.thing, "city": row.city, "way": row.way}
        for name, value in (("points", row.points), ("wins", row.wins)):
            one |= {**estimate_columns(name, value), f"{name}_n": value.n}
        rest = {name: getattr(row, name) for name in ("p_points", "p_wins", "shrunken", "label")}
        found.append(one | rest)
    return pl.DataFrame(found, infer_schema_length=None)
