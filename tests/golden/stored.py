"""Stored answers: drop what depends on the version, write and read files, list differences."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "answers"

#: Keys that depend on the version, the machine or the wording of commands.
IDENTITY = frozenset(
    {"khora", "format", "version", "hash", "digest", "learned", "file", "rules_file", "command"}
)
HASH = re.compile(r"[0-9a-f]{16}|[0-9a-f]{64}")
DIGITS = 10  # significant ones that are stored
LONG = 10  # longer lists are stored as a table, one row a line


def without_identity(data: Any) -> Any:
    """Drop keys of IDENTITY and hashes at any depth; keep only the file name of an absolute path."""
    if isinstance(data, dict):
        return {
            key: without_identity(value)
            for key, value in data.items()
            if key not in IDENTITY and not (isinstance(value, str) and HASH.fullmatch(value))
        }
    if isinstance(data, list):
        return [without_identity(one) for one in data]
    return Path(data).name if isinstance(data, str) and Path(data).is_absolute() else data


def rounded(data: Any) -> Any:
    """Round every float to 10 significant digits."""
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list):
        return [rounded(one) for one in data]
    return float(f"{data:.{DIGITS}g}") if isinstance(data, float) else data


def to_store(data: Any) -> Any:
    """Return an answer as its file has it."""
    return rounded(without_identity(json.loads(json.dumps(data))))


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def read(name: str) -> Any:
    return json.loads(path_of(name).read_text(encoding="utf-8"), object_hook=unpacked)


def write(name: str, answer: Any) -> None:
    FOLDER.mkdir(exist_ok=True)
    path_of(name).write_text(f"{laid_out(answer)}\n", encoding="utf-8")


def laid_out(data: Any, depth: int = 0) -> str:
    """Return JSON with an indent of 1; rows of long tables and lists of plain values take one line."""
    if isinstance(data, list) and _is_table(data):
        data = {"columns": list(data[0]), "rows": [list(row.values()) for row in data]}
    if isinstance(data, dict) and data:
        inner = [f"{_in_line(key)}: {laid_out(value, depth + 1)}" for key, value in data.items()]
        first, last = "{}"
    elif isinstance(data, list) and any(isinstance(one, dict | list) for one in data):
        inner = [_in_line(one) if len(data) > LONG else laid_out(one, depth + 1) for one in data]
        first, last = "[]"
    else:
        return _in_line(data)
    lines = ",\n".join(f"{' ' * (depth + 1)}{line}" for line in inner)
    return f"{first}\n{lines}\n{' ' * depth}{last}"


def _is_table(rows: list[Any]) -> bool:
    return len(rows) > LONG and all(isinstance(row, dict) and list(row) == list(rows[0]) for row in rows)


def unpacked(data: dict[str, Any]) -> Any:
    """Return the rows of a table as they were before `laid_out`."""
    if data.keys() != {"columns", "rows"}:
        return data
    return [dict(zip(data["columns"], row, strict=True)) for row in data["rows"]]


def _in_line(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each place where two answers differ: `cities[2].win_share: 0.25 -> 0.26`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before | after:
            inner = f"{path}.{key}" if path else key
            if key not in after:
                yield f"{inner}: {_short(before[key])} -> missing"
            elif key not in before:
                yield f"{inner}: missing -> {_short(after[key])}"
            else:
                yield from differences(before[key], after[key], inner)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{path}: {len(before)} items -> {len(after)} items"
        for place, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{path}[{place}]")
    elif not _alike(before, after):
        yield f"{path}: {_short(before)} -> {_short(after)}"


def _alike(before: Any, after: Any) -> bool:
    """Compare two plain values; numbers may differ in their last stored digit."""
    if not (_is_number(before) and _is_number(after)):
        return type(before) is type(after) and before == after
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) and math.isnan(after)
    return math.isclose(before, after, rel_tol=10.0 ** (1 - DIGITS), abs_tol=1e-12)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = _in_line(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
