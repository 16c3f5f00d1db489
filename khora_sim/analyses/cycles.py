"""Cycles: A beats B, B beats C, and C beats A."""

from collections.abc import Mapping, Set


def cycles(beaten: Mapping[str, Set[str]]) -> list[tuple[str, ...]]:
    """The shortest cycle through everyone who is in one, each listed once; `beaten` has whom each beats.

    A cycle begins with the first of its names in the alphabet.
    """
    found = {_turned(cycle) for one in sorted(beaten) if (cycle := _shortest(one, beaten))}
    return sorted(found, key=lambda cycle: (len(cycle), cycle))


def _shortest(start: str, beaten: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """The shortest way from one back to itself, found breadth first; empty if there is none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen = set()
    for way in ways:  # grows meanwhile
        for other in sorted(beaten.get(way[-1], ())):
            if other == start:
                return way
            if other not in seen:
                seen.add(other)
                ways.append((*way, other))
    return ()


def _turned(cycle: tuple[str, ...]) -> tuple[str, ...]:
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]
