"""The folder of a study: parts are written aside and renamed, so that what has a name is whole."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from khora_sim.errors import UserError
from khora_sim.lab import manifest as manifests
from khora_sim.lab.chunk import Chunk
from khora_sim.lab.manifest import Manifest
from khora_sim.lab.plan import Plan

ASIDE = "aside"  # files on their way; none of them counts
Entry = dict[str, Any]  # a finished part as the manifest lists it


class Damage(NamedTuple):
    """A part that is not as the manifest says."""

    number: int
    table: str
    what: str  # missing or damaged


def part_path(folder: Path, table: str, number: int) -> Path:
    """Where a part lies."""
    return folder / table / f"part-{number:05d}.parquet"


def write_whole(folder: Path, path: Path, data: bytes) -> None:
    """Write a file so that it is there completely or not at all, whatever happens."""
    aside = folder / ASIDE / f"{path.parent.name}-{path.name}"
    try:
        with open(aside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_chunk(folder: Path, chunk: Chunk) -> Entry:
    """Write the parts of a chunk; returns how the manifest lists them."""
    for table, part in chunk.parts.items():
        write_whole(folder, part_path(folder, table, chunk.number), part.data)
    tables = {
        table: {"rows": part.rows, "bytes": len(part.data), "sha256": part.sha256}
        for table, part in chunk.parts.items()
    }
    return {"part": chunk.number, "first_game": chunk.first_game, "games": chunk.games, "tables": tables}


def write_manifest(folder: Path, manifest: Manifest, finished: dict[int, Entry]) -> None:
    """Write the manifest with the parts that are finished, in their order."""
    listed = manifest | {"parts": [finished[number] for number in sorted(finished)]}
    write_whole(folder, folder / manifests.NAME, manifests.to_bytes(listed))


@contextmanager
def opened_for_writing(plan: Plan, folder: Path, resume: bool) -> Iterator[dict[int, Entry]]:
    """Claim a folder for a study; gives the parts that are finished and sound."""
    wanted = manifests.manifest_of(plan)
    begun = (folder / manifests.NAME).exists()
    if not begun and folder.exists():
        if not folder.is_dir():
            raise UserError(f"{folder}: is a file; --out should name a folder that is new or empty")
        if any(file.name != ASIDE for file in folder.iterdir()):
            raise UserError(f"{folder}: is not empty and holds no study; choose another --out")
    finished = _finished(wanted, folder, resume) if begun else {}
    for table in (*plan.tables, ASIDE):
        (folder / table).mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if not begun:
            write_manifest(folder, wanted, finished)
        yield finished
    shutil.rmtree(folder / ASIDE, ignore_errors=True)


def _finished(wanted: Manifest, folder: Path, resume: bool) -> dict[int, Entry]:
    """The sound parts of a folder that this study may go on with."""
    manifest = manifests.read_manifest(folder)
    other = manifests.difference(manifest, wanted)
    if other:
        raise UserError(f"{folder}: holds another study ({other}); choose another --out")
    for library, version in wanted["versions"].items():
        there = manifest["versions"].get(library)
        if there != version:
            raise UserError(
                f"{folder}: was begun with {library} {there}, and this is {version}; the parts would not "
                "match. Finish it with the same version, or choose another --out"
            )
    if not resume:
        done = f"{len(manifest['parts'])} of {manifest['chunks']} parts"
        raise UserError(f"{folder}: holds this study already, {done}; go on with --resume")
    broken = {damage.number for damage in damages(folder, manifest)}
    return {entry["part"]: entry for entry in manifest["parts"] if entry["part"] not in broken}


def damages(folder: Path, manifest: Manifest) -> list[Damage]:
    """The parts that are missing or whose checksums do not match, of those the manifest lists."""
    found = []
    for entry in manifest["parts"]:
        for table, expected in entry["tables"].items():
            path = part_path(folder, table, entry["part"])
            if not path.is_file():
                found.append(Damage(entry["part"], table, "missing"))
            elif path.stat().st_size != expected["bytes"] or checksum(path) != expected["sha256"]:
                found.append(Damage(entry["part"], table, "damaged"))
    return found


def checksum(path: Path) -> str:
    """The sha256 of a file."""
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
