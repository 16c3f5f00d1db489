"""Sums in memory that are kept in a folder too, so that a question that was stopped goes on.

A file holds the sums of one arm, and is there when all games of the arm are played. Its name is the digest
of the arm, which decides every game: what fits is found again, and nothing else is ever taken for it. Where a
stopping rule may end the games, a file holds the sums of one chunk: `1f2e...-00017.parquet`.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from khora_sim.common.user_files import MOST_BYTES_KEPT, read_bytes
from khora_sim.common.writing import explain_write_errors, write_atomically
from khora_sim.errors import UserError
from khora_sim.simulation.arm import Arm
from khora_sim.simulation.chunk import Chunk, place_of
from khora_sim.simulation.design import Design, Place
from khora_sim.simulation.sinks import InMemory
from khora_sim.simulation.summing import Summing
from khora_sim.stats.groups import UNIT
from khora_sim.stats.sums import PARTS, Sums, from_cells

LETTERS = 20  # of a digest that name a file
WANTED = "sums that were kept"


class KeptSums(InMemory):
    """The sums of every arm; with a folder, those of finished arms are read from there and written there."""

    def __init__(self, summing: Summing, folder: Path | None = None):
        super().__init__(summing)
        self.summing, self.folder = summing, folder

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Take over what the folder has of these arms."""
        self.design = design
        finished: dict[Place, int] = {}
        self.left = {place: arm.chunks for place, arm in enumerate(design.arms)}
        for place, arm in enumerate(design.arms):
            if self.folder is not None and self._file(arm).exists():
                self.sums[place] = read_sums(self._file(arm), self.summing)
                finished |= {Place(place, number): _games(arm, number) for number in range(arm.chunks)}
        yield finished

    def keep(self, chunk: Chunk) -> None:
        """Add the sums of a chunk, and write those of its arm once it is whole."""
        super().keep(chunk)
        place = chunk.place.arm
        self.left[place] -= 1
        if self.folder is not None and self.left[place] == 0:
            write_sums(self._file(self.design.arms[place]), self.sums[place])

    def _file(self, arm: Arm) -> Path:
        assert self.folder is not None
        return self.folder / f"{arm.digest[:LETTERS]}.parquet"


class KeptRows(InMemory):
    """The sums of all arms, equally far at any time, as a stopping rule wants to see them.

    Rows (see `Design.rows`) are added one after another, each when its last chunk is there. With a folder
    every chunk is kept at once, so that a run that was stopped in the middle of a row goes on there.
    """

    def __init__(self, summing: Summing, folder: Path | None = None):
        super().__init__(summing)
        self.summing, self.folder = summing, folder

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Take over the chunks that the folder has."""
        self.design = design
        self.missing = [len(row) for row in design.rows()]  # chunks, by row
        self.waiting: list[dict[int, Sums]] = [{} for _ in self.missing]  # by row and arm
        self.added = 0  # rows
        finished: dict[Place, int] = {}
        for place in (place for row in design.rows() for place in row):
            if self.folder is not None and self._file(place).exists():
                self._take(place, read_sums(self._file(place), self.summing))
                finished[place] = _games(design.arms[place.arm], place.number)
        yield finished

    def keep(self, chunk: Chunk) -> None:
        """Write the sums of a chunk, and add those of its row once it is whole."""
        assert chunk.sums is not None
        if self.folder is not None:
            write_sums(self._file(chunk.place), chunk.sums)
        self._take(chunk.place, chunk.sums)

    def _take(self, place: Place, sums: Sums) -> None:
        self.waiting[place.number][place.arm] = sums
        self.missing[place.number] -= 1
        while self.added < len(self.missing) and not self.missing[self.added]:
            for arm, more in self.waiting[self.added].items():
                self.add(arm, more)
            self.waiting[self.added] = {}
            self.added += 1

    def _file(self, place: Place) -> Path:
        assert self.folder is not None
        digest = self.design.arms[place.arm].digest[:LETTERS]
        return self.folder / f"{digest}-{place.number:05}.parquet"


def _games(arm: Arm, number: int) -> int:
    section, _, groups = place_of(arm, number)
    return groups * section.group_size


def write_sums(path: Path, sums: Sums) -> None:
    """Write sums with the strata of their units, the file whole or not at all."""
    data = io.BytesIO()
    sums.cells.join(sums.units.drop("__rows"), on=UNIT, maintain_order="left").write_parquet(data)
    with explain_write_errors(path, "choose another --out"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data.getvalue())


def read_sums(path: Path, summing: Summing) -> Sums:
    """The sums of a file."""
    try:
        cells = pl.read_parquet(read_bytes(path, WANTED, str(path), MOST_BYTES_KEPT))
    except pl.exceptions.ComputeError:
        raise UserError(f"{path}: damaged; remove it, and its games are played again") from None
    return from_cells(cells, summing.keys, PARTS)
