"""Bootstrap over whole rotation groups, from sums per group."""

import math
from collections.abc import Callable

import numpy as np

from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.groups import MOST_UNITS
from khora_sim.stats.student import t_quantile

REPLICATES = 2000
_CELLS_AT_ONCE = 1 << 20


def resampled_totals(sums: Array, replicates: int = REPLICATES, seed: int = 0) -> Array:
    """Totals (replicates by columns) over groups drawn with replacement, from sums (groups by columns).

    Each replicate is a row of counts (how often a group was drawn); a block of rows is one matrix product.
    More groups than 1,024 are bundled first, so neither time nor memory grows with them.
    """
    sums = np.asarray(sums, dtype=float)
    if len(sums) > MOST_UNITS:
        # A shuffle settles which groups share a bundle, so that nothing periodic in their order survives.
        labels = np.random.default_rng(len(sums)).permutation(len(sums)) % MOST_UNITS
        sums = np.stack([np.bincount(labels, column, MOST_UNITS) for column in sums.T], axis=1)
    units = len(sums)
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS_AT_ONCE // max(units, 1))
    totals = np.empty((replicates, sums.shape[1]))
    for start in range(0, replicates, block):
        stop = min(start + block, replicates)
        drawn = rng.integers(units, size=(stop - start, units)) + units * np.arange(stop - start)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        totals[start:stop] = counts.astype(float) @ sums
    return totals


def percentile_bounds(draws: Array, units: int, level: float = LEVEL) -> tuple[Array, Array]:
    """Percentile interval of bootstrap draws (replicates by columns), widened for few units.

    With few units plain percentiles are too narrow, as a normal interval is where a t interval is due; the
    percentiles are moved out to match (the expanded percentile interval of Hesterberg 2015).
    """
    if units < 2:
        shape = draws.shape[1:]
        return np.full(shape, -np.inf), np.full(shape, np.inf)
    from scipy.special import ndtr

    reach = math.sqrt(units / (units - 1)) * float(t_quantile(level, units - 1))
    tail = float(ndtr(-reach))
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return low, high


def bootstrap_interval(
    sums: Array,
    statistic: Callable[[Array], Array],
    *,
    n: int,
    replicates: int = REPLICATES,
    seed: int = 0,
    level: float = LEVEL,
) -> Estimate:
    """Estimate of a statistic of column totals (last axis), such as a ratio of two, by resampling groups."""
    sums = np.asarray(sums, dtype=float)
    value = float(statistic(sums.sum(axis=0)))
    draws = statistic(resampled_totals(sums, replicates, seed))
    low, high = percentile_bounds(draws, min(len(sums), MOST_UNITS), level)
    return Estimate(value, float(low), float(high), n)
