"""The parts of a question about power: a few columns of each chunk, counted as soon as all sides have it.

With a folder they are kept there, so that a run goes on where it was stopped: chunk 17 of side 3 is
`parts/03-1f2e3d4c5b6a-00017.parquet`. The name holds the digest of the side, so that a side that was changed
plays again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from khora_sim.analyses.answer_folder import OTHER_OUT
from khora_sim.analyses.power_counts import EVENTS, POINTS, WINS, Counts
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.simulation.chunk import Chunk, ChunkContents, place_of
from khora_sim.simulation.dataset import held
from khora_sim.simulation.experiment import Design, Place
from khora_sim.simulation.frames import parquet
from khora_sim.simulation.sinks import Sink
from khora_sim.stats.groups import GROUP

PARTS = "parts"
COLUMNS = (GROUP, "city", POINTS, WINS)
OF_CARDS = ("dealt", "drafted")


class Parts(Sink):
    """Takes chunks, keeps what is wanted of them, and counts them."""

    def __init__(self, counts: Counts, out: Path | None = None):
        self.counts, self.out = counts, out
        self.rounds = counts.sides[0].arm.rules.model.rounds
        self.waiting: dict[int, dict[int, pl.DataFrame]] = {}  # by number of the chunk and side
        columns = {"players": COLUMNS + (OF_CARDS if counts.kind == "cards" else ())}
        if counts.kind == "events":
            columns["games"] = self._events
        self.wanted = ChunkContents(columns=columns)

    @property
    def _events(self) -> tuple[str, ...]:
        return tuple(f"event_{number}" for number in range(1, self.rounds + 1))

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Count what the folder holds already."""
        if self.out is None:
            yield {}
            return
        with explain_write_errors(self.out, OTHER_OUT), held(self.out):
            (self.out / PARTS).mkdir(exist_ok=True)
            finished = {}
            for place in (place for row in design.rows() for place in row):
                path = self._path(place)
                if path.exists():
                    games = place_of(design.arms[place.arm], place.number)
                    finished[place] = games[2] * games[0].group_size
                    self._take(place, pl.read_parquet(path))
            yield finished

    def keep(self, chunk: Chunk) -> None:
        """Take a chunk."""
        part = self._part(chunk)
        if self.out is not None:
            write_atomically(self._path(chunk.place), parquet(part))
        self._take(chunk.place, part)

    def _path(self, place: Place) -> Path:
        assert self.out is not None
        digest = self.counts.sides[place.arm].arm.digest[:12]
        return self.out / PARTS / f"{place.arm:02}-{digest}-{place.number:05}.parquet"

    def _part(self, chunk: Chunk) -> pl.DataFrame:
        """What is wanted of a chunk: of one seat, or of all; of events, the set of those that came."""
        part, seat = chunk.frames["players"], self.counts.sides[chunk.place.arm].seat
        if seat is not None:
            return part.gather_every(self.counts.players, seat)
        if self.counts.kind != "events":
            return part
        sets = [2 ** pl.col(name).to_physical().cast(pl.UInt64) for name in self._events]
        came = chunk.frames["games"].select(pl.sum_horizontal(sets).cast(pl.UInt64).alias(EVENTS))
        return part.with_columns(came.to_series().repeat_by(self.counts.players).explode())

    def _take(self, place: Place, part: pl.DataFrame) -> None:
        waiting = self.waiting.setdefault(place.number, {})
        waiting[place.arm] = part
        if len(waiting) == len(self.counts.sides):
            self.counts.add(self.waiting.pop(place.number))

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        if self.out is None:
            return 0
        return sum(path.stat().st_size for path in (self.out / PARTS).glob("*.parquet"))
