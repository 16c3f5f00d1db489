"""Values of the rules as they are typed: `cards.lighthouse.cost=2`, several of them one variant; and numbers
over ranges: `cards.lighthouse.cost=0..4`, `0..6:2` or `0,2,4`.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from khora_sim.common.files import parse_toml
from khora_sim.common.ranges import whole_numbers
from khora_sim.errors import UserError, nearest
from khora_sim.rules.describe import toml_text
from khora_sim.rules.schema import Game
from khora_sim.rules.variant import KNOWN, NUMBERS, SETS, SETTINGS, base_data, lay_over

RANGE = "cards.lighthouse.cost=0..4"
AMOUNTS = ("gain", "needs", "choices")  # tables in which what is not named is 0
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
    raise UserError(f"--set {typed}: {_unknown(inner, key, before)}")


def _unknown(inner: Any, key: str, before: Sequence[str], among: Sequence[str] = ()) -> str:
    """Error about a part of a path, with the nearest names."""
    where = ".".join(before)
    if not before:
        return f'the rules have no "{key}"; {nearest(key, inner)}'
    if isinstance(inner, list):
        return f'no "{key}" in {where}; its places are 1 to {len(inner)}'
    if not isinstance(inner, dict):
        return f"{where} is a value; nothing is inside it"
    if len(before) == 1 and before[0] in SETS:
        return f'no {SETS[before[0]][0]} is called "{key}"; {nearest(key, inner)}'
    return f'no "{key}" in {where}; {nearest(key, among or inner)}'


def _at(data: Any, path: Sequence[str], copied: bool = True) -> Any:
    for key in path:
        data = data[key]
    return deepcopy(data) if copied else data


def _put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for key in path[:-1]:
        data = data.setdefault(key, {})
    data[path[-1]] = value


@dataclass(frozen=True)
class Number:
    """A number of the rules and the values that it is given."""

    path: str
    base: int  # its value in the game that is changed
    values: tuple[int, ...]  # ascending

    @property
    def city(self) -> str | None:
        """The city that it belongs to, if it belongs to one."""
        parts = self.path.split(".")
        return parts[1] if parts[0] == "cities" else None

    def typed(self, value: int) -> str:
        """A value as it is assigned."""
        return f"{self.path}={value}"


def number_of(typed: str, game: Game, option: str = "--vary") -> Number:
    """The number and the values that were typed."""
    left, equals, right = typed.partition("=")
    path = [part.strip() for part in left.split(".")]
    if not equals or not all(path):
        raise UserError(
            f"{option} {typed}: should be a path into the rules and whole numbers, such as {RANGE}"
        )
    base = _value_of(game, path, f"{option} {typed}")
    return Number(".".join(path), base, whole_numbers(right, f"{option} {typed}"))


def numbers_of(typed: Sequence[str], game: Game, option: str = "--vary") -> tuple[Number, ...]:
    """All numbers that were typed, each once."""
    found = [number_of(one, game, option) for one in typed]
    for place, number in enumerate(found):
        if number.path in [one.path for one in found[:place]]:
            raise UserError(f"{option} {typed[place]}: {number.path} is given twice; give it once")
    return tuple(found)


def _value_of(game: Game, path: Sequence[str], where: str) -> int:
    """The whole number that stands at a path; what a gain or a need does not name is 0."""
    whole = game.model_dump(by_alias=True)
    inner: Any = {key: whole[key] for key in KNOWN if key not in ("name", "text", "remove")}
    for place, key in enumerate(path):
        if isinstance(inner, list) and key.isdigit() and 1 <= int(key) <= len(inner):
            inner = inner[int(key) - 1]
        elif isinstance(inner, dict) and key in inner:
            inner = inner[key]
        elif place == len(path) - 1 and isinstance(inner, dict) and set(path[-3:-1]) & set(AMOUNTS):
            return 0
        else:
            numbers = _whole_numbers(inner) if isinstance(inner, dict) else []
            raise UserError(f"{where}: {_unknown(inner, key, path[:place], numbers)}")
    if isinstance(inner, dict | list):
        inside = _whole_numbers(inner)
        more = f", such as {'.'.join(path)}.{inside[0]}" if inside else ""
        raise UserError(f"{where}: {'.'.join(path)} is a table; name a whole number in it{more}")
    if isinstance(inner, bool) or not isinstance(inner, int):
        raise UserError(f"{where}: {'.'.join(path)} is not a whole number; only whole numbers can be varied")
    return inner


def _whole_numbers(inner: dict[str, Any] | list[Any]) -> list[str]:
    """The keys of a table that hold whole numbers."""
    if isinstance(inner, list):
        return []
    return [key for key, one in inner.items() if isinstance(one, int) and not isinstance(one, bool)]
