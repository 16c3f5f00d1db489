"""Where played chunks go: a folder of Parquet files for each arm, sums in memory, or both."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import polars as pl

from khora_sim.common.writing import not_written
from khora_sim.errors import UserError
from khora_sim.lab.arm import Arm
from khora_sim.lab.chunk import Chunk, Wanted
from khora_sim.lab.dataset import Claim, claimed, part_path
from khora_sim.lab.design import Design, Place
from khora_sim.lab.summing import Summing, players_summed
from khora_sim.stats.sums import Sums

MANIFEST_SECONDS = 0.5  # between two manifests: a killed study loses little, and disks have other work


class Sink:
    """Takes the chunks of a design as they come; this one keeps nothing."""

    wanted = Wanted()  # what each of them is to bring

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Ready for the chunks of a design; gives those that are there already, with their games."""
        yield {}

    def keep(self, chunk: Chunk) -> None:
        """Take a chunk."""

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return 0


class Folders(Sink):
    """A folder of Parquet files for each arm. What is finished stays, whatever happens."""

    wanted = Wanted(tables=True)

    def __init__(self, folders: Sequence[str | Path], *, resume: bool = False):
        self.folders, self.resume = [Path(folder) for folder in folders], resume
        self.claims: list[Claim] = []
        self.written = 0.0

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Claim the folders; the manifests are true even after an exception."""
        try:
            with ExitStack() as stack:
                self.claims = [
                    stack.enter_context(claimed(arm, folder, self.resume))
                    for arm, folder in zip(design.arms, self.folders, strict=True)
                ]
                self.written = time.monotonic()
                with self._kept_true():
                    yield {
                        Place(one, number): part.games
                        for one, claim in enumerate(self.claims)
                        for number, part in claim.finished.items()
                    }
        except OSError as problem:
            where = problem.filename or ", ".join(map(str, self.folders))
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
            folders = ", ".join(map(str, self.folders))
            what = f"{folders}: {problem.strerror}" if isinstance(problem, OSError) else str(problem)
            raise UserError("; ".join([what, *map(_stays, self.claims)])) from None

    def keep(self, chunk: Chunk) -> None:
        """Write the parts of a chunk."""
        self.claims[chunk.place.arm].keep(chunk)
        if time.monotonic() - self.written > MANIFEST_SECONDS:
            self._write_manifests()

    def _write_manifests(self) -> None:
        for claim in self.claims:
            claim.write_manifest()
        self.written = time.monotonic()

    @property
    def size(self) -> int:
        """Bytes of all finished parts."""
        return sum(claim.size for claim in self.claims)


class InMemory(Sink):
    """The sums of every arm, where a question wants an answer and no dataset."""

    def __init__(self, summing: Summing):
        self.wanted = Wanted(summing=summing)
        self.sums: dict[int, Sums] = {}  # by arm

    def keep(self, chunk: Chunk) -> None:
        """Add the sums of a chunk."""
        assert chunk.sums is not None
        self.add(chunk.place.arm, chunk.sums)

    def add(self, arm: int, sums: Sums) -> None:
        """Add to the sums of an arm."""
        self.sums[arm] = self.sums[arm] + sums if arm in self.sums else sums


class Both(Sink):
    """Folders and sums; finished parts of the folders are in the sums too."""

    def __init__(self, folders: Folders, memory: InMemory):
        self.folders, self.memory = folders, memory
        self.wanted = Wanted(tables=True, summing=memory.wanted.summing)

    @property
    def sums(self) -> dict[int, Sums]:
        """The sums of every arm."""
        return self.memory.sums

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[Place, int]]:
        """Claim the folders, and sum what they hold."""
        with self.folders.opened(design) as finished:
            for place in sorted(finished):
                self.memory.add(place.arm, self._summed(design.arms[place.arm], place))
            yield finished

    def _summed(self, arm: Arm, place: Place) -> Sums:
        assert self.wanted.summing is not None
        part = part_path(self.folders.folders[place.arm], "players", place.number)
        return players_summed(arm, pl.scan_parquet(part), self.wanted.summing)

    def keep(self, chunk: Chunk) -> None:
        """Write the parts of a chunk and add its sums."""
        self.folders.keep(chunk)
        self.memory.keep(chunk)

    @property
    def size(self) -> int:
        """Bytes of all finished parts."""
        return self.folders.size


def _stays(claim: Claim) -> str:
    return f"{len(claim.finished)} of {claim.manifest.chunks} parts are finished and stay in {claim.folder}"
