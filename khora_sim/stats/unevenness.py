"""How uneven shares are: their typical distance from the fair share, without what chance adds to it."""

from dataclasses import dataclass

from khora_sim.stats.distances import distances
from khora_sim.stats.estimate import LEVEL, Estimate
from khora_sim.stats.groups import Measured
from khora_sim.stats.student import p_value


@dataclass(frozen=True)
class Unevenness:
    """The root mean squared distance of shares from the fair share, before and after a change."""

    before: Estimate
    after: Estimate
    change: Estimate
    p_value: float  # of the change, from the spread of the bootstrap


def unevenness(both: Measured, first: int, fair: float, level: float = LEVEL) -> Unevenness:
    """The unevenness of the first items, of the rest, and what changes; units are drawn for both at once."""
    sides = [_part(both, slice(None, first)), _part(both, slice(first, None))]
    found = distances(sides, [fair, fair])
    change = found.change(0, 1, level)
    p = p_value(change.value, float(found.moved(0, 1).var()), found.units)
    return Unevenness(found.distance(0, level), found.distance(1, level), change, float(p))


def _part(both: Measured, side: slice) -> Measured:
    """Some of the items."""
    return Measured(
        both.items[side],
        both.values[side],
        both.pulls[:, side],
        both.counts[side],
        both.units[side],
        both.variances()[side],
    )
