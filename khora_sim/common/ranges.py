"""The notation of ranges, the same in every option.

Whole numbers   `3`, a range `0..4`, a range with a step `0..6:2`, or a list `0,2,4`
Shares          a share in per cent `25`, how far from it is near enough `25+-2`, or limits `23..27`
"""

import re
from decimal import Decimal
from typing import NamedTuple

from khora_sim.errors import UserError

MOST_VALUES = 100  # of one number
_WHOLE = re.compile(r"(-?\d+)(?:\.\.(-?\d+)(?::(\d+))?)?")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)(?:(\+-|\+/-|±|\.\.)(\d+(?:\.\d+)?))?")


class Share(NamedTuple):
    """A share in per cent, exactly as it was typed."""

    centre: Decimal
    within: Decimal | None = None  # how far from it is near enough; None where nothing is said

    @property
    def limits(self) -> tuple[Decimal, Decimal]:
        """The lowest and the highest share that is near enough."""
        return self.centre - (self.within or 0), self.centre + (self.within or 0)


def whole_numbers(text: str, where: str) -> tuple[int, ...]:
    """The whole numbers of ranges and single values, ascending; `where` begins an error."""
    found: set[int] = set()
    for part in text.split(","):
        match = _WHOLE.fullmatch(part.strip())
        if match is None:
            raise UserError(
                f"{where}: {part.strip()!r} is not a range of whole numbers; try 0..4, 0..6:2 or 0,2,4"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UserError(f"{where}: {part.strip()} runs downwards; try {last}..{first}")
        if match[3] == "0":
            raise UserError(f"{where}: a step of 0 never ends; try {first}..{last}")
        found |= set(range(first, last + 1, int(match[3] or 1))[: MOST_VALUES + 1])
    if len(found) > MOST_VALUES:
        raise UserError(f"{where}: more than {MOST_VALUES} values; take a larger step, such as 0..200:10")
    return tuple(sorted(found))


def share(text: str) -> Share | None:
    """The share of a text, or None where it is none from 0 to 100."""
    match = _SHARE.fullmatch(text.replace(" ", "").removesuffix("%"))
    if match is None:
        return None
    first, last = Decimal(match[1]), Decimal(match[3] or 0)
    if match[2] == "..":
        return Share((first + last) / 2, (last - first) / 2) if first <= last <= 100 else None
    return Share(first, last if match[2] else None) if first <= 100 else None
