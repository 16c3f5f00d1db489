"""Reading files that a user names, which may be anything, and writing files whole or not at all.

An error is one line: which file, where in it, what was found and what was expected. `checking` says the same
of what a file holds. NumPy arrays (.npz) with their origin as JSON are data without code: Python objects are
never read from them.
"""

import io
import json
import os
import re
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.errors import UserError

MOST_BYTES = 10_000_000  # of a file that somebody writes by hand
MOST_BYTES_KEPT = 1_000_000_000  # of one that a program has written
ENDING, ORIGIN = ".npz", "origin"
Arrays = dict[str, np.ndarray[Any, Any]]


@contextmanager
def atomic_file(path: Path, aside: Path | None = None, lasting: bool = False) -> Iterator[Path]:
    """Give a path to write a file to, then move it to its place; nothing is left of it if that fails.

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


def read_text(path: str | Path, wanted: str, where: str = "", most: int = MOST_BYTES) -> str:
    """The text of a file; `wanted` is what it should be, `where` is what to call it, its path as a rule."""
    where = where or str(path)
    try:
        return read_bytes(path, wanted, where, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{where}: not UTF-8 text; expected {wanted}, saved as UTF-8") from None


def read_bytes(path: str | Path, wanted: str, where: str, most: int) -> bytes:
    """All that a file holds, if it can be read and is not too long."""
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as problem:
        raise unreadable(problem, where, wanted) from None
    if len(data) > most:
        raise UserError(f"{where}: more than {most // 1_000_000} MB; expected {wanted}")
    return data


def unreadable(problem: Exception, where: str, wanted: str) -> UserError:
    """The error about a file that cannot be opened."""
    if isinstance(problem, FileNotFoundError):
        return UserError(f"{where}: no such file; expected the path of {wanted}")
    if isinstance(problem, IsADirectoryError):
        return UserError(f"{where}: a folder; expected the path of {wanted}")
    reason = problem.strerror if isinstance(problem, OSError) else problem
    return UserError(f"{where!r}: cannot be read ({reason}); expected {wanted}")


def read_toml(path: str | Path, wanted: str, where: str = "") -> dict[str, Any]:
    """The data of a TOML file."""
    return parse_toml(read_text(path, wanted, where), where or str(path))


def read_json(path: str | Path, wanted: str) -> Any:
    """The data of a JSON file."""
    return parse_json(read_text(path, wanted, most=MOST_BYTES_KEPT), str(path))


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The data in a TOML text."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        twice = re.match(r"Cannot declare \((.*)\) twice \(at line (\d+)", str(error))
        if twice:
            key = ".".join(re.findall(r"'([^']*)'", twice[1]))
            raise UserError(f"{where}: {key}: given twice, again in line {twice[2]}; expected once") from None
        if str(error).startswith("Cannot overwrite a value"):
            raise UserError(f"{where}: a key is given twice: {_lowered(error)}") from None
        raise UserError(f"{where}: not valid TOML: {_lowered(error)}") from None
    except RecursionError:
        raise UserError(f"{where}: not valid TOML: nested too deep") from None


def parse_json(text: str, where: str) -> Any:
    """The data in a JSON text."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise UserError(f"{where}: not valid JSON: {_lowered(error)}") from None
    except RecursionError:
        raise UserError(f"{where}: not valid JSON: nested too deep") from None


def _lowered(error: Exception) -> str:
    text = str(error)
    return text[:1].lower() + text[1:]


def packed(arrays: Arrays, origin: dict[str, Any]) -> bytes:
    """Arrays and where they come from, as the bytes of a file."""
    packed_origin = np.frombuffer(json.dumps(origin, sort_keys=True).encode(), np.uint8)
    memory = io.BytesIO()
    np.savez_compressed(memory, **{ORIGIN: packed_origin, **arrays})  # type: ignore[arg-type]
    return memory.getvalue()


def read_packed(path: Path, wanted: str, most: int, instead: str) -> tuple[bytes, Arrays, dict[str, Any]]:
    """The bytes of a file, its arrays, and where they come from.

    `wanted` is what it should be (`a panel`), `most` are the bytes it may unpack to, and `instead` is what to
    do about one that is no good.
    """
    data = read_bytes(path, f"{wanted}, a {ENDING} file", str(path), most)
    what = wanted.partition(" ")[2]
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(one.file_size for one in archive.infolist()) > most:
                raise UserError(f"{path.name}: holds more than {wanted} can; {instead}")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        if not all(isinstance(one, np.ndarray) for one in found.values()):
            raise ValueError("a part is no array")
    except UserError:
        raise
    except Exception:  # the head of an array is parsed as Python's text: a damaged one raises anything
        raise UserError(f"{path.name}: is damaged, or no {what}; {instead}") from None
    try:
        origin = json.loads(found.pop(ORIGIN, np.zeros(0, np.uint8)).tobytes())
    except (ValueError, RecursionError):
        origin = None
    if not isinstance(origin, dict):
        raise UserError(f"{path.name}: does not say where it comes from; it is no {what}")
    return data, found, origin
