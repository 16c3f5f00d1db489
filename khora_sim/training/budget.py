"""How much a tuning may take: so many games, or so much time."""

import re
from typing import NamedTuple

from khora_sim.errors import UserError

SECONDS = {"s": 1, "min": 60, "h": 3600}


class Budget(NamedTuple):
    """Games or seconds: one of the two is None."""

    games: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.games}games" if self.games is not None else f"{self.seconds:g}s"


def budget_of(text: str, option: str = "--budget") -> Budget:
    """A budget as it is typed: `700000games`, `90s`, `10min` or `2h`."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *(games|s|min|h)", text.strip())
    if not found or not float(found[1]) or (found[2] == "games" and "." in found[1]):
        raise UserError(f"{option} {text}: expected games or time: 700000games, 90s, 10min or 2h")
    if found[2] == "games":
        return Budget(games=int(found[1]))
    return Budget(seconds=float(found[1]) * SECONDS[found[2]])
