"""The rows of a what-if: of every game of every arm only what the answer is made of."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import polars as pl

from khora_sim.analyses.answer_folder import OTHER_OUT
from khora_sim.analyses.what_if_things import Thing, columns_of, needs_rounds, unlocked_column
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.simulation.chunk import Chunk, ChunkContents
from khora_sim.simulation.dataset import held
from khora_sim.simulation.experiment import Arm, Design, Place
from khora_sim.simulation.sinks import Sink
from khora_sim.simulation.summing import with_units

OF_GAMES = ("seed", "first_seat", "winning_score", "margin")
OF_PLAYERS = ("game", "rotation_group", "seat", "score", "win_share")


class Rows(Sink):
    """A row for each player of each game, in memory: the result, and whether the changed things came up.

    With a folder every finished chunk is kept there as Parquet, by the digest of its arm, and is not played
    again.
    """

    wanted = ChunkContents(tables=True)

    def __init__(self, things: Sequence[Thing], folder: Path | None = None):
        self.things, self.folder = things, folder
        self.arms: tuple[Arm, ...] = ()
        self.parts: dict[Place, pl.DataFrame] = {}

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Read the chunks that are there."""
        self.arms = design.arms
        with nullcontext() if self.folder is None else held(self.folder):
            places = [place for row in design.rows() for place in row]
            kept = ((place, self._kept(place)) for place in places)
            self.parts = {place: rows for place, rows in kept if rows is not None}
            yield {place: rows["game"].n_unique() for place, rows in self.parts.items()}

    def keep(self, chunk: Chunk) -> None:
        """Take what is wanted of a chunk."""
        tables = {name: pl.scan_parquet(io.BytesIO(part.data)) for name, part in chunk.parts.items()}
        rows = _rows(self.arms[chunk.place.arm], tables, self.things)
        self.parts[chunk.place] = rows
        path = self._path(chunk.place)
        if path is not None:
            data = io.BytesIO()
            rows.write_parquet(data)
            with explain_write_errors(path, OTHER_OUT):
                path.parent.mkdir(exist_ok=True)
                write_atomically(path, data.getvalue(), lasting=True)

    def _path(self, place: Place) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / self.arms[place.arm].digest[:16] / f"part-{place.number:05d}.parquet"

    def _kept(self, place: Place) -> pl.DataFrame | None:
        """A chunk that was kept; None where it is not there or cannot be read, and is played again."""
        path = self._path(place)
        if path is None or not path.is_file():
            return None
        try:
            return pl.read_parquet(path.read_bytes())
        except pl.exceptions.PolarsError:
            return None

    @property
    def equally_far(self) -> set[int]:
        """The numbers of the chunks that all arms have played."""
        numbers = [
            {place.number for place in self.parts if place.arm == one} for one in range(len(self.arms))
        ]
        return set.intersection(*numbers)

    def of(self, arm: int, equally_far: bool = False) -> pl.DataFrame:
        """The rows of an arm, the same whatever the order in which chunks came.

        `equally_far` leaves out what some other arm has not played yet.
        """
        numbers = self.equally_far if equally_far else {at.number for at in self.parts if at.arm == arm}
        parts = pl.concat([self.parts[Place(arm, number)] for number in sorted(numbers)])
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
