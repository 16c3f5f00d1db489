"""How uneven shares are: their typical distance from the fair share, without what chance adds to it."""

from dataclasses import dataclass

import numpy as np

from khora_sim.stats.bootstrap import percentile_bounds, resampled_totals
from khora_sim.stats.estimate import LEVEL, Array, Estimate
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
    """The unevenness of the first items, of the rest, and what changes; units are drawn for both at once.

    Measured shares lie farther from the fair share than true ones: each squared distance holds the share's
    sampling variance, which is taken off. A bootstrap draw holds it twice.
    """
    values, noise = both.values, both.variances()
    draws = values + resampled_totals(both.pulls)
    sides = (slice(None, first), slice(first, None))
    found = [_typical(values[None, side] - fair, noise[side])[0] for side in sides]
    drawn = [_typical(draws[:, side] - fair, 2 * noise[side]) for side in sides]
    units = len(both.pulls)
    bounds = [percentile_bounds(one, units, level) for one in (*drawn, drawn[1] - drawn[0])]
    counts = [int(both.counts[side].sum()) for side in sides]
    numbers = zip((*found, found[1] - found[0]), bounds, (*counts, min(counts)), strict=True)
    before, after, change = (
        Estimate(float(value), float(low), float(high), n) for value, (low, high), n in numbers
    )
    p = p_value(change.value, float((drawn[1] - drawn[0]).var()), units)
    return Unevenness(before, after, change, float(p))


def _typical(distance: Array, noise: Array) -> Array:
    """Root mean squared distance of each row, without the noise; 0 where noise explains it all."""
    return np.sqrt(np.maximum((distance**2 - noise).mean(axis=1), 0.0))
