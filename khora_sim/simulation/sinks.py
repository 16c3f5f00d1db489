"""Sinks for played chunks: a folder of Parquet files for each arm, sums in memory, both, or some rows."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar, cast

import polars as pl

from khora_sim.common.files import not_written
from khora_sim.errors import UserError
from khora_sim.simulation.chunk import Chunk, ChunkContents, place_of
from khora_sim.simulation.dataset import Claim, claimed, held, part_path
from khora_sim.simulation.experiment import ChunkId, Design
from khora_sim.simulation.run_dir import ChunkCache
from khora_sim.simulation.summing import Summing, players_summed, with_clusters
from khora_sim.stats.sums import CLUSTER, PARTS, Sums, from_cells

TABLE = "__table"  # whose rows they are, where a frame holds several
MANIFEST_SECONDS = 0.5  # between two manifests: a killed study loses little, and disks have other work


class Sink:
    """Takes the chunks of a design as they come; this one keeps nothing."""

    wanted = ChunkContents()  # what each of them is to bring

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[ChunkId, int]]:
        """Make ready for the chunks of a design; gives those that are there already, with their games."""
        yield {}

    def keep(self, chunk: Chunk) -> None:
        """Take a chunk."""

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return 0


class Folders(Sink):
    """A folder of Parquet files for each arm. What is finished stays, whatever happens."""

    wanted = ChunkContents(tables=True)

    def __init__(
        self, folders: Sequence[str | Path], *, resume: bool = False, home: str | Path | None = None
    ):
        """`home` holds all folders, and is locked in their place: a process may open only so many files."""
        self.folders, self.resume = [Path(folder) for folder in folders], resume
        self.home = None if home is None else Path(home)
        self.claims: list[Claim] = []
        self.changed: set[int] = set()  # arms with parts that their manifest does not list yet
        self.written = 0.0

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[ChunkId, int]]:
        """Claim the folders; the manifests are true even after an exception."""
        try:
            with ExitStack() as stack:
                if self.home is not None:
                    stack.enter_context(held(self.home))
                self.claims = [
                    stack.enter_context(claimed(arm, folder, self.resume, lock=self.home is None))
                    for arm, folder in zip(design.arms, self.folders, strict=True)
                ]
                self.written = time.monotonic()
                with self._kept_true():
                    yield {
                        ChunkId(one, number): part.games
                        for one, claim in enumerate(self.claims)
                        for number, part in claim.finished.items()
                    }
        except OSError as problem:
            where = problem.filename or self._where
            raise not_written(where, problem, "choose another --out") from None

    @contextmanager
    def _kept_true(self) -> Iterator[None]:
        """Write the manifests when all is done, and when something goes wrong say what stays."""
        try:
            yield
            self._write_manifests()
        except BaseException as problem:
            with suppress(OSError):  # a full disk: the manifests that are there stay true
                self._write_manifests()
            if not isinstance(problem, (UserError, OSError)):
                raise
            what = f"{self._where}: {problem.strerror}" if isinstance(problem, OSError) else str(problem)
            raise UserError("; ".join([what, *self._what_stays()])) from None

    @property
    def _where(self) -> str:
        return ", ".join(map(str, self.folders)) if self.home is None else str(self.home)

    def _what_stays(self) -> list[str]:
        parts = [(len(one.finished), one.manifest.chunks, one.folder) for one in self.claims]
        if self.home is not None:
            parts = [(sum(one[0] for one in parts), sum(one[1] for one in parts), self.home)]
        return [f"{done} of {all_} parts are finished and stay in {folder}" for done, all_, folder in parts]

    def keep(self, chunk: Chunk) -> None:
        """Write the parts of a chunk."""
        self.claims[chunk.place.arm].keep(chunk)
        self.changed.add(chunk.place.arm)
        if time.monotonic() - self.written > MANIFEST_SECONDS:
            self._write_manifests()

    def _write_manifests(self) -> None:
        while self.changed:
            arm = min(self.changed)
            self.claims[arm].write_manifest()
            self.changed.discard(arm)
        self.written = time.monotonic()

    @property
    def size(self) -> int:
        """Bytes of all finished parts."""
        return sum(claim.size for claim in self.claims)


class InMemory(Sink):
    """The sums of every arm, where an analysis wants an answer and no dataset."""

    def __init__(self, summing: Summing):
        self.wanted = ChunkContents(summing=summing)
        self.sums: dict[int, Sums] = {}  # by arm

    def keep(self, chunk: Chunk) -> None:
        """Add the sums of a chunk."""
        assert chunk.sums is not None
        self.add(chunk.place.arm, chunk.sums)

    def add(self, arm: int, sums: Sums) -> None:
        """Add to the sums of an arm."""
        self.sums[arm] = self.sums[arm] + sums if arm in self.sums else sums


class FoldersAndSums(Sink):
    """Folders and sums; finished parts of the folders are in the sums too."""

    def __init__(self, folders: Folders, memory: InMemory):
        self.folders, self.memory = folders, memory
        self.wanted = ChunkContents(tables=True, summing=memory.wanted.summing)

    @property
    def sums(self) -> dict[int, Sums]:
        """The sums of every arm."""
        return self.memory.sums

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[ChunkId, int]]:
        """Claim the folders, and sum what they hold."""
        assert self.wanted.summing is not None
        with self.folders.opened(design) as finished:
            for place in sorted(finished):
                part = pl.scan_parquet(part_path(self.folders.folders[place.arm], "players", place.number))
                sums = players_summed(design.arms[place.arm], part, self.wanted.summing)
                self.memory.add(place.arm, sums)
            yield finished

    def keep(self, chunk: Chunk) -> None:
        """Write the parts of a chunk and add its sums."""
        self.folders.keep(chunk)
        self.memory.keep(chunk)

    @property
    def size(self) -> int:
        """Bytes of all finished parts."""
        return self.folders.size


Kept = TypeVar("Kept")  # what a chunk is reduced to


class KeptChunks(Sink, Generic[Kept]):
    """A sink that keeps little of each chunk; with a cache, finished chunks are found again.

    A subclass says what is kept (`reduced`), how that is stored as a frame and read back, and takes it.
    """

    def __init__(self, cache: ChunkCache | None = None):
        self.cache = cache

    @property
    def contents(self) -> str:
        """The kind of what is kept of a chunk, as a text that changes whenever it does."""
        return repr(self.wanted)

    def reduced(self, chunk: Chunk) -> Kept:
        """The part of a chunk that is kept."""
        raise NotImplementedError

    def stored(self, kept: Kept) -> pl.DataFrame:
        """The same as a frame; a frame is stored as it is."""
        assert isinstance(kept, pl.DataFrame)
        return kept

    def read(self, frame: pl.DataFrame) -> Kept:
        """The same from a frame."""
        return cast(Kept, frame)

    def take(self, place: ChunkId, kept: Kept) -> None:
        """Take what is kept of a chunk that was played, now or earlier."""
        raise NotImplementedError

    def begin(self, design: Design) -> None:
        """Make ready for the chunks of a design."""
        self.design = design

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[ChunkId, int]]:
        """Take over the chunks that the cache has."""
        self.begin(design)
        finished: dict[ChunkId, int] = {}
        for place in (place for row in design.rows() for place in row):
            arm = design.arms[place.arm]
            frame = None if self.cache is None else self.cache.find(arm, place.number, self.contents)
            if frame is not None:
                self.take(place, self.read(frame))
                section, _, groups = place_of(arm, place.number)
                finished[place] = groups * section.group_size
        yield finished

    def keep(self, chunk: Chunk) -> None:
        """Reduce a chunk, store it, and take it."""
        kept = self.reduced(chunk)
        if self.cache is not None:
            arm = self.design.arms[chunk.place.arm]
            self.cache.store(arm, chunk.place.number, self.contents, self.stored(kept))
        self.take(chunk.place, kept)

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return 0 if self.cache is None else self.cache.size


class ArmSums(KeptChunks[Sums]):
    """The sums of all arms, equally far at any time, as a stopping rule wants to see them.

    Rows (see `Design.rows`) are added one after another, each when its last chunk is there.
    """

    def __init__(self, summing: Summing, cache: ChunkCache | None = None):
        super().__init__(cache)
        self.summing = summing
        self.wanted = ChunkContents(summing=summing)
        self.sums: dict[int, Sums] = {}  # by arm

    def begin(self, design: Design) -> None:
        """Make ready for the chunks of a design."""
        super().begin(design)
        self.missing = [len(row) for row in design.rows()]  # chunks, by row
        self.waiting: list[dict[int, Sums]] = [{} for _ in self.missing]  # by row and arm
        self.added = 0  # rows

    def reduced(self, chunk: Chunk) -> Sums:
        """The sums of a chunk."""
        assert chunk.sums is not None
        return chunk.sums

    def stored(self, kept: Sums) -> pl.DataFrame:
        """Sums with the strata of their clusters."""
        return kept.cells.join(kept.clusters.drop("__rows"), on=CLUSTER, maintain_order="left")

    def read(self, frame: pl.DataFrame) -> Sums:
        """Sums from a frame."""
        return from_cells(frame, self.summing.keys, PARTS)

    def take(self, place: ChunkId, kept: Sums) -> None:
        """Add the sums of a row once it is whole."""
        self.waiting[place.number][place.arm] = kept
        self.missing[place.number] -= 1
        while self.added < len(self.missing) and not self.missing[self.added]:
            for arm, more in self.waiting[self.added].items():
                self.sums[arm] = self.sums[arm] + more if arm in self.sums else more
            self.waiting[self.added] = {}
            self.added += 1


class Columns(KeptChunks[dict[str, pl.DataFrame]]):
    """Some columns of the tables of a single arm, where an analysis wants rows and no dataset."""

    def __init__(self, columns: Mapping[str, tuple[str, ...]], cache: ChunkCache | None = None):
        super().__init__(cache)
        self.columns, self.wanted = columns, ChunkContents(columns=columns)
        self.frames: dict[int, dict[str, pl.DataFrame]] = {}  # by number of the chunk

    def reduced(self, chunk: Chunk) -> dict[str, pl.DataFrame]:
        """The columns of a chunk."""
        return chunk.frames

    def stored(self, kept: dict[str, pl.DataFrame]) -> pl.DataFrame:
        """All tables one below another."""
        named = [frame.with_columns(pl.lit(name).alias(TABLE)) for name, frame in kept.items()]
        return pl.concat(named, how="diagonal")

    def read(self, frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """The tables from a frame."""
        return {name: frame.filter(pl.col(TABLE) == name).select(own) for name, own in self.columns.items()}

    def take(self, place: ChunkId, kept: dict[str, pl.DataFrame]) -> None:
        """Keep the columns."""
        self.frames[place.number] = kept

    def table(self, name: str) -> pl.LazyFrame:
        """A table as an opened study has it, the same whatever the order in which chunks came."""
        (arm,) = self.design.arms
        parts = [self.frames[number][name] for number in sorted(self.frames)]
        return with_clusters(pl.concat(parts).lazy(), arm.study, len(arm.rules.city_ids))
