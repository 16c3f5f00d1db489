"""The rows of a what-if: of every game of every arm only what the answer is made of."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import polars as pl

from khora_sim.lab.arm import Arm
from khora_sim.lab.chunk import Chunk, Wanted
from khora_sim.lab.design import Design, Place
from khora_sim.lab.sinks import Sink
from khora_sim.lab.strata import with_units
from khora_sim.questions.what_if_things import Thing, columns_of, needs_rounds, unlocked_column
from khora_sim.rules.terms import DEVELOPMENTS

OF_GAMES = ("seed", "first_seat", "winning_score", "margin")
OF_PLAYERS = ("game", "rotation_group", "seat", "score", "win_share")


class Rows(Sink):
    """A row for each player of each game, in memory: the result, and whether the changed things came up."""

    wanted = Wanted(tables=True)

    def __init__(self, things: Sequence[Thing]):
        self.things = things
        self.arms: tuple[Arm, ...] = ()
        self.parts: dict[Place, pl.DataFrame] = {}

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Nothing is there yet."""
        self.arms = design.arms
        yield {}

    def keep(self, chunk: Chunk) -> None:
        """Take what is wanted of a chunk."""
        tables = {name: pl.scan_parquet(io.BytesIO(part.data)) for name, part in chunk.parts.items()}
        self.parts[chunk.place] = _rows(self.arms[chunk.place.arm], tables, self.things)

    def of(self, arm: int) -> pl.DataFrame:
        """The rows of an arm, the same whatever the order in which chunks came."""
        parts = pl.concat([self.parts[place] for place in sorted(self.parts) if place.arm == arm])
        one = self.arms[arm]
        return with_units(parts.lazy(), one.study, len(one.rules.city_ids)).collect()


def _rows(arm: Arm, tables: dict[str, pl.LazyFrame], things: Sequence[Thing]) -> pl.DataFrame:
    players = tables["players"].join(
        tables["games"].drop("rotation_group", "players"), on="game", maintain_order="left"
    )
    if needs_rounds(things):
        players = players.join(_unlocked(tables["rounds"]), on=["game", "seat"], maintain_order="left")
    found: dict[str, pl.Expr] = {}
    for thing in things:
        found |= columns_of(thing, arm.rules)
    names = [pl.col("city", "strategy").cast(pl.String)]
    return players.select(*OF_PLAYERS, *names, *OF_GAMES, **found).collect()


def _unlocked(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """The round in which each player unlocked each development after the first; null where never."""
    first = {
        unlocked_column(place): pl.col("round").filter(pl.col("development") >= place).min()
        for place in range(2, DEVELOPMENTS + 1)
    }
    return rounds.group_by("game", "seat").agg(**first)
