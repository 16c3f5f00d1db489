"""What `power` answers: what each thing is worth in points and in win share, overall and with each city."""

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from khora_sim.analyses.cities_answer import RulesPlayed
from khora_sim.stats import Estimate

FORMAT = 1
ALL = "all"  # of all cities, each with the same weight
KINDS = ("cards", "events", "developments", "actions", "tracks", "spaces")
#: How a thing is given or taken; cards have two ways, all other kinds one.
DEALT, GIVEN, HAPPENS, ALLOWED = "dealt", "given", "happens", "allowed"
WAYS = {"cards": (DEALT, GIVEN), "events": (HAPPENS,)}


def ways_of(kind: str) -> tuple[str, ...]:
    """In which ways the things of a kind are measured, the main one first."""
    return WAYS.get(kind, (ALLOWED,))


@dataclass(frozen=True)
class Worth:
    """What one thing is worth to whoever plays one city, or to all: with it, minus without it."""

    thing: str  # id
    city: str  # id, or ALL
    way: str
    points: Estimate
    wins: Estimate  # win share: 0.01 is one percentage point
    p_points: float  # corrected by Holm for all rows of its way
    p_wins: float
    shrunken: float  # win share, moved to the thing's own mean as far as chance explains the distance
    label: str


@dataclass(frozen=True)
class Power:
    """The answer."""

    khora: str
    rules: RulesPlayed
    kind: str
    strategies: tuple[str, ...]
    players: int
    seed: int
    precision: float | None  # asked for, in percentage points
    games: int  # of each side
    sides: int  # the games as they are, and each way of changing them
    things: dict[str, str]  # names by id
    cities: dict[str, str]
    rows: tuple[Worth, ...]

    @property
    def ways(self) -> tuple[str, ...]:
        """In which ways things were measured, the main one first."""
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

    def table(self) -> pl.DataFrame:
        """All rows as a frame."""
        return pl.DataFrame(
            [
                {
                    "thing": row.thing,
                    "city": row.city,
                    "way": row.way,
                    **_columns("points", row.points),
                    **_columns("wins", row.wins),
                    "p_points": row.p_points,
                    "p_wins": row.p_wins,
                    "shrunken": row.shrunken,
                    "label": row.label,
                }
                for row in self.rows
            ],
            infer_schema_length=None,
        )

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return {
            "format": FORMAT,
            "khora": self.khora,
            "rules": self.rules.model_dump(),
            "kind": self.kind,
            "strategies": list(self.strategies),
            "players": self.players,
            "seed": self.seed,
            "precision": self.precision,
            "games": self.games,
            "sides": self.sides,
            "things": self.things,
            "cities": self.cities,
            "rows": [
                asdict(row) | {"points": row.points.data(), "wins": row.wins.data()} for row in self.rows
            ],
        }


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
        f"{name}_n": estimate.n,
    }
