"""Reading files that a user names, which may be anything: an error says in one line what is wrong with one.

The line says which file, where in it, what was found and what was expected. `checking` says the same of
what a file holds.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from khora_sim.errors import UserError

MOST_BYTES = 10_000_000  # of a file that somebody writes by hand
MOST_BYTES_KEPT = 1_000_000_000  # of one that a program has written


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
