"""Numbers of the rules over ranges, as they are typed: `cards.lighthouse.cost=0..4`, `0..6:2` or `0,2,4`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from khora_sim.common.ranges import whole_numbers
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.rules.variant import KNOWN, SETS

SHAPE = "cards.lighthouse.cost=0..4"
AMOUNTS = ("gain", "needs", "choices")  # tables in which what is not named is 0


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


def number_of(typed: str, rules: Rules, option: str = "--vary") -> Number:
    """The number and the values that were typed."""
    left, equals, right = typed.partition("=")
    path = [part.strip() for part in left.split(".")]
    if not equals or not all(path):
        raise UserError(
            f"{option} {typed}: should be a path into the rules and whole numbers, such as {SHAPE}"
        )
    base = _value_of(rules, path, f"{option} {typed}")
    return Number(".".join(path), base, whole_numbers(right, f"{option} {typed}"))


def numbers_of(typed: Sequence[str], rules: Rules, option: str = "--vary") -> tuple[Number, ...]:
    """All numbers that were typed, each once."""
    found = [number_of(one, rules, option) for one in typed]
    for place, number in enumerate(found):
        if number.path in [one.path for one in found[:place]]:
            raise UserError(f"{option} {typed[place]}: {number.path} is given twice; give it once")
    return tuple(found)


def _value_of(rules: Rules, path: Sequence[str], where: str) -> int:
    """The whole number that stands at a path; what a gain or a need does not name is 0."""
    whole = rules.model.model_dump(by_alias=True)
    inner: Any = {key: whole[key] for key in KNOWN if key not in ("name", "text", "remove")}
    for place, key in enumerate(path):
        if isinstance(inner, list) and key.isdigit() and 1 <= int(key) <= len(inner):
            inner = inner[int(key) - 1]
        elif isinstance(inner, dict) and key in inner:
            inner = inner[key]
        elif place == len(path) - 1 and isinstance(inner, dict) and set(path[-3:-1]) & set(AMOUNTS):
            return 0
        else:
            raise UserError(f"{where}: {_unknown(inner, key, path[:place])}")
    if isinstance(inner, dict | list):
        inside = _whole_numbers(inner)
        more = f", such as {'.'.join(path)}.{inside[0]}" if inside else ""
        raise UserError(f"{where}: {'.'.join(path)} is a table; name a whole number in it{more}")
    if isinstance(inner, bool) or not isinstance(inner, int):
        raise UserError(f"{where}: {'.'.join(path)} is not a whole number; only whole numbers can be varied")
    return inner


def _unknown(inner: Any, key: str, before: Sequence[str]) -> str:
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
    return f'no "{key}" in {where}; {nearest(key, _whole_numbers(inner) or inner)}'


def _whole_numbers(inner: dict[str, Any] | list[Any]) -> list[str]:
    """The keys of a table that hold whole numbers."""
    if isinstance(inner, list):
        return []
    return [key for key, one in inner.items() if isinstance(one, int) and not isinstance(one, bool)]
