"""A variant that is typed and not kept in a file: `cards.lighthouse.cost=2`, several of them one variant."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from khora_sim.common.files import parse_toml
from khora_sim.errors import UserError, nearest
from khora_sim.rules.describe import toml_text
from khora_sim.rules.variant import KNOWN, NUMBERS, SETS, SETTINGS, base_data, lay_over

SHAPE, TYPED = "cards.lighthouse.cost=2", "typed with --set"
SHOWN = 60  # letters of what was typed that name the variant
REWORDED = ("effects", "effect", "lowest")  # with these a text that a variant gave is no longer true
MERGED = {"tracks": 4, "cities": 5}  # keys down to what a variant file replaces as a whole, such as `effects`


def variant_of(assignments: Sequence[str], start: dict[str, Any] | None = None) -> dict[str, Any]:
    """The data of a variant file that says the same as some assignments, made on top of a variant or none."""
    variant: dict[str, Any] = deepcopy(start or {})
    changed = deepcopy(lay_over(base_data(), start, "the variant")) if start else base_data()
    variant |= {"name": ", ".join(assignments)[:SHOWN], "text": TYPED}
    seen: set[str] = set()
    for typed in assignments:
        path, value = _parsed(typed)
        if ".".join(path) in seen:
            raise UserError(f"--set {typed}: {'.'.join(path)} is given twice; give it once")
        seen.add(".".join(path))
        if path[0] == "remove":
            _put(variant, path, value)
            continue
        _assign(changed, path, value, typed)
        replaced = path[: _depth(path)]
        _put(variant, replaced, _at(changed, replaced))
        if replaced[-1] in REWORDED:
            _at(variant, replaced[:-1], copied=False).pop("text", None)
    return variant


def variant_text(assignments: Sequence[str], start: dict[str, Any] | None = None) -> str:
    """The same as the text of a variant file."""
    return toml_text(variant_of(assignments, start))


def _parsed(typed: str) -> tuple[list[str], Any]:
    """The path and the value of an assignment."""
    left, equals, right = typed.partition("=")
    path = [part.strip() for part in left.split(".")]
    if not equals or not right.strip() or not all(path):
        raise UserError(f"--set {typed}: should be a path into the rules and a value, such as {SHAPE}")
    known = [one for one in KNOWN if one not in ("name", "text")]
    if path[0] not in known:
        raise UserError(f'--set {typed}: the rules have no "{path[0]}"; {nearest(path[0], known)}')
    try:
        return path, parse_toml(f"value = {right}", "--set")["value"]
    except UserError:
        return path, right.strip()  # a word, as in scope=all; the checks of the rules say what fits


def _depth(path: Sequence[str]) -> int:
    """Number of keys that lead to what a variant file replaces as a whole."""
    if path[0] in NUMBERS:
        return 1
    if path[0] in SETTINGS:
        return 2
    return MERGED.get(path[0], 3) if "developments" in path or path[0] == "tracks" else 3


def _assign(data: dict[str, Any], path: Sequence[str], value: Any, typed: str) -> None:
    """Put a value in its place; all keys but the last have to be there already."""
    if len(path) < _depth(path):
        raise UserError(f"--set {typed}: {'.'.join(path)} is a table; name one of its values, as in {SHAPE}")
    inner: Any = data
    for place, key in enumerate(path[:-1]):
        inner = inner[_key(inner, key, path[:place], typed)]
    if not isinstance(inner, dict | list):
        raise UserError(f"--set {typed}: {'.'.join(path[:-1])} is a value; nothing is inside it")
    last: Any = path[-1] if isinstance(inner, dict) else _key(inner, path[-1], path[:-1], typed)
    inner[last] = value


def _key(inner: Any, key: str, before: Sequence[str], typed: str) -> Any:
    """The key or the place in a list that a part of a path means."""
    if isinstance(inner, dict) and key in inner:
        return key
    if isinstance(inner, list) and key.isdigit() and 1 <= int(key) <= len(inner):
        return int(key) - 1
    where = ".".join(before)
    if isinstance(inner, list):
        raise UserError(f'--set {typed}: no "{key}" in {where}; its places are 1 to {len(inner)}')
    if not isinstance(inner, dict):
        raise UserError(f"--set {typed}: {where} is a value; nothing is inside it")
    if len(before) == 1 and before[0] in SETS:
        raise UserError(f'--set {typed}: no {SETS[before[0]][0]} is called "{key}"; {nearest(key, inner)}')
    raise UserError(f'--set {typed}: no "{key}" in {where}; {nearest(key, inner)}')


def _at(data: Any, path: Sequence[str], copied: bool = True) -> Any:
    for key in path:
        data = data[key]
    return deepcopy(data) if copied else data


def _put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for key in path[:-1]:
        data = data.setdefault(key, {})
    data[path[-1]] = value
