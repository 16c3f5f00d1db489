"""Reading a record file; what is wrong with it is told in one line."""

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from khora_sim.common.commands import recording
from khora_sim.errors import UserError
from khora_sim.records.schema import FORMAT, Record


def read_record(path: str | Path) -> Record:
    """A record from its file; what is wrong with the file is told in one line."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise UserError(f"{path}: cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is no text file; a record is JSON, see docs/records.md") from None
    except (ValueError, RecursionError) as problem:
        raise UserError(f"{path}: is no JSON ({problem})") from None
    if not isinstance(data, dict) or "format" not in data:
        raise UserError(f'{path}: is no record: it should be a table with "format": {FORMAT}')
    if data["format"] == 1:
        raise UserError(
            f"{path}: format 1 is of khora 0.1, whose payments and glory sales were other decisions; "
            f"this khora reads format {FORMAT}: record the game anew ({recording()})"
        )
    if data["format"] != FORMAT:
        raise UserError(f"{path}: format {data['format']} is not known; this khora reads format {FORMAT}")
    try:
        return Record.model_validate(data)
    except ValidationError as problem:
        first = problem.errors()[0]
        where = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"]).lstrip(".")
        raise UserError(f"{path}: {where}: {_told(first)}") from None


def _told(error: Any) -> str:
    kind = error["type"]
    if kind == "extra_forbidden":
        return "unknown key; docs/records.md lists them"
    if kind == "missing":
        return "is missing"
    return f"{error['msg'][0].lower()}{error['msg'][1:]}"
