"""Writing files atomically: a file is there completely or not at all, whatever happens meanwhile.

Nothing else in the package writes a file to its place; a test looks for that.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from khora_sim.errors import UserError


@contextmanager
def atomic_file(path: Path, aside: Path | None = None, lasting: bool = False) -> Iterator[Path]:
    """Where to write a file, which is then moved to its place; nothing is left of it if that fails.

    It is written beside its place, or to `aside` on the same disk; `lasting` lets it survive a power cut too.
    """
    aside = aside or path.with_name(f".{path.name}.{os.getpid()}")
    aside.unlink(missing_ok=True)  # a folder from elsewhere may hold a link of that name
    try:
        yield aside
        if lasting:
            _sync(aside)
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    if lasting and os.name == "posix":  # elsewhere a folder cannot be synced
        _sync(path.parent)


def write_atomically(path: Path, data: bytes, aside: Path | None = None, lasting: bool = False) -> None:
    """Write a file; `aside` and `lasting` as above."""
    with atomic_file(path, aside, lasting) as file:
        file.write_bytes(data)


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDWR if os.name != "posix" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def explain_write_errors(path: Path, instead: str) -> Iterator[None]:
    """Say in one line why a file or a folder cannot be written, and what to do instead."""
    try:
        yield
    except OSError as problem:
        raise not_written(path, problem, instead) from None


def not_written(path: str | Path, problem: OSError, instead: str) -> UserError:
    """The error that says so."""
    return UserError(f"{path}: cannot be written ({problem.strerror or problem}); {instead}")
