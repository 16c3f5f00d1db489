"""Lists of names and counts of things in a sentence."""

from collections.abc import Sequence

RARE = 0.02  # what happens in a smaller share of cases happens hardly ever


def listed(names: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 game`, `2 games`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
