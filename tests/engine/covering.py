"""Which rules the scenarios cover, so that "every card has a scenario" is itself checked."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import pytest

#: How many scenarios there are of each kind (card, event, ruling …) and id.
COVERED: dict[str, Counter[str]] = defaultdict(Counter)


def covers(kind: str, *ids: str) -> Callable:
    """Mark a test as a scenario of these."""
    COVERED[kind].update(ids)
    return pytest.mark.scenario


def each(kind: str, names: str, rows: Sequence[tuple[Any, ...]]) -> Callable:
    """Run a test for every row of a table, as a scenario of what the row begins with."""
    COVERED[kind].update(row[0] for row in rows)
    table = pytest.mark.parametrize(names, rows, ids=[row[0] for row in rows])

    def decorate(test: Callable) -> Callable:
        return pytest.mark.scenario(table(test))

    return decorate
