"""The folder of a study: parts are written aside and renamed, so that what has a name is whole."""

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from khora_sim.common.files import write_atomically
from khora_sim.errors import UserError
from khora_sim.simulation import manifest as manifests
from khora_sim.simulation.chunk import Chunk
from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.manifest import FinishedPart, Manifest, PartFile, read_manifest

ASIDE = "aside"  # files on their way; none of them counts
STUDIES = "studies"  # the folder of an answer that holds the studies it was made of


class Claim(NamedTuple):
    """A folder that this process alone writes to."""

    folder: Path
    manifest: Manifest  # without its parts
    finished: dict[int, FinishedPart]  # sound parts by number
    promised: dict[int, FinishedPart]  # parts that were finished once and must come out the same again

    def keep(self, chunk: Chunk) -> None:
        """Write the parts of a chunk."""
        number, tables = chunk.place.number, {}
        for table, part in chunk.parts.items():
            _write(self.folder, part_path(self.folder, table, number), part.data)
            tables[table] = PartFile(rows=part.rows, bytes=len(part.data), sha256=part.sha256)
        entry = FinishedPart(part=number, first_game=chunk.first_game, games=chunk.games, tables=tables)
        if self.promised.get(entry.part, entry) != entry:
            raise UserError(
                f"{self.folder}: part {entry.part} came out differently than before; some strategy does "
                "not play the same game twice"
            )
        self.finished[entry.part] = entry

    @property
    def size(self) -> int:
        """Bytes of all finished parts."""
        return sum(file.bytes for part in self.finished.values() for file in part.tables.values())

    def write_manifest(self) -> None:
        """Write the manifest with the parts that are finished, in their order."""
        parts = [self.finished[number] for number in sorted(self.finished)]
        listed = self.manifest.model_copy(update={"parts": parts})
        _write(self.folder, self.folder / manifests.NAME, manifests.to_bytes(listed))


class Damage(NamedTuple):
    """A part that is not as the manifest says."""

    number: int
    table: str
    what: str  # missing or damaged


def part_path(folder: Path, table: str, number: int) -> Path:
    """The path of a part."""
    return folder / table / f"part-{number:05d}.parquet"


def study_folder(home: Path, arm: Arm) -> Path:
    """A folder among others for the study of an arm, such as `sage-vs-expert-4-players-5a6b7c8d`.

    Its name ends in the digest: a strategy that was changed plays into another one.
    """
    names = [Path(spec).name for spec in dict.fromkeys(arm.study.strategies)]
    who = "-vs-".join(re.sub(r"[^\w.=,-]+", "_", name)[:40] for name in names)  # letters that any disk takes
    path = home / f"{who}-{arm.sections[0].players}-players-{arm.digest[:8]}"
    if path.is_symlink():
        raise linked(path, "study")
    return path


def _write(folder: Path, path: Path, data: bytes) -> None:
    """Write a file of a study so that it survives whatever happens."""
    write_atomically(path, data, aside=folder / ASIDE / f"{path.parent.name}-{path.name}", lasting=True)


@contextmanager
def claimed(arm: Arm, folder: Path, resume: bool, *, lock: bool = True) -> Iterator[Claim]:
    """Claim a folder for a study: a new one, or with `resume` one that holds some of it.

    Without a `lock` the caller sees to it that nobody else writes there.
    """
    wanted = manifests.manifest_of(arm)
    begun = (folder / manifests.NAME).exists()
    if not begun and folder.exists():
        if not folder.is_dir():
            raise UserError(f"{folder}: is a file; --out should name a folder that is new or empty")
        if any(file.name != ASIDE for file in folder.iterdir()):
            raise UserError(f"{folder}: is not empty and holds no study; choose another --out")
    if begun:
        _check_same_study(folder, read_manifest(folder), wanted, resume)
    _refuse_links(folder, arm.tables)
    (folder / ASIDE).mkdir(parents=True, exist_ok=True)
    with _alone(folder) if lock else nullcontext():
        promised = {part.part: part for part in read_manifest(folder).parts} if begun else {}
        broken = {damage.number for damage in damages(folder, promised.values())}
        finished = {number: entry for number, entry in promised.items() if number not in broken}
        claim = Claim(folder, wanted, finished, promised)
        try:
            claim.write_manifest()  # first of all: whoever is killed now leaves a folder that says what it is
            for table in arm.tables:
                (folder / table).mkdir(exist_ok=True)
            yield claim
        finally:
            shutil.rmtree(folder / ASIDE, ignore_errors=True)


@contextmanager
def held(home: Path) -> Iterator[None]:
    """Hold a folder of studies, so that this process alone writes to any of them."""
    _refuse_links(home, ())
    (home / ASIDE).mkdir(parents=True, exist_ok=True)
    with _alone(home):
        try:
            yield
        finally:
            shutil.rmtree(home / ASIDE, ignore_errors=True)


def _refuse_links(folder: Path, tables: Iterable[str]) -> None:
    """Refuse to write through a link that a folder from elsewhere brought along: it may lead anywhere."""
    aside = folder / ASIDE
    written = [aside, *(folder / table for table in tables)]
    if aside.is_dir() and not aside.is_symlink():
        written += aside.iterdir()
    for path in written:
        if path.is_symlink():
            raise linked(path, "study")


def linked(path: Path, what: str) -> UserError:
    """The error about a link in the folder of a study or a run."""
    return UserError(f"{path}: is a link, and a {what} is written to no place but its folder; remove it")


def _check_same_study(folder: Path, manifest: Manifest, wanted: Manifest, resume: bool) -> None:
    """Refuse to go on with anything but the same study, and that only with `resume`."""
    other = manifests.difference(manifest, wanted)
    if other:
        raise UserError(f"{folder}: holds another study ({other}); choose another --out")
    elsewhere = manifests.made_elsewhere(manifest)
    if elsewhere:
        raise UserError(f"{folder}: {elsewhere}. Finish it with the same version, or choose another --out")
    if not resume:
        done = f"{len(manifest.parts)} of {manifest.chunks} parts"
        raise UserError(f"{folder}: holds this study already, {done}; go on with --resume")


def damages(folder: Path, parts: Iterable[FinishedPart]) -> list[Damage]:
    """The parts that are missing or whose checksums do not match, of those a manifest lists."""
    found = []
    for part in parts:
        for table, expected in part.tables.items():
            path = part_path(folder, table, part.part)
            if not path.is_file():
                found.append(Damage(part.part, table, "missing"))
            elif path.stat().st_size != expected.bytes or _checksum(path) != expected.sha256:
                found.append(Damage(part.part, table, "damaged"))
    return found


def _checksum(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a lock while writing; it goes with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # not every system has it; then nobody checks
        yield
        return
    with open(folder / ASIDE / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"{folder}: another khora is writing here; wait for it to end") from None
        yield
