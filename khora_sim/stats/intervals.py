"""Intervals for shares and means, for plain observations and for observations in rotation groups."""

import math

import numpy as np
import numpy.typing as npt

from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.groups import group_indices, group_sums, ratio_variance
from khora_sim.stats.student import t_quantile, two_sided_p

# With fewer units than this their spread is a guess itself: the interval is then never narrower than
# that of as many independent games.
FEW_UNITS = 20


def wilson(wins: float, n: int, level: float = LEVEL) -> Estimate:
    """Wilson's score interval for a share of n independent trials."""
    if not 0 <= wins <= n:
        raise ValueError(f"wins must lie between 0 and n, got {wins} of {n}")
    if n == 0:
        return Estimate(math.nan, 0.0, 1.0, 0)
    low, high = _wilson_bounds(np.array(wins / n), np.array(1 / n), t_quantile(level, math.inf))
    return Estimate(wins / n, float(low), float(high), n)


def share_interval(
    shares: npt.ArrayLike, groups: npt.ArrayLike | None = None, level: float = LEVEL
) -> Estimate:
    """Interval for a mean of win shares (0, 1, or 1/k in a shared victory) that come in rotation groups."""
    values = np.asarray(shares, dtype=float)
    if len(values) == 0:
        return Estimate(math.nan, 0.0, 1.0, 0)
    sums, counts = group_sums(values, *group_indices(groups, len(values)))
    share, units, n = np.array(values.mean()), np.array(len(sums)), np.array(len(values))
    low, high = share_bounds(share, np.array(ratio_variance(sums, counts)), units, n, level)
    return Estimate(float(share), float(low), float(high), len(values))


def mean_interval(
    values: npt.ArrayLike, groups: npt.ArrayLike | None = None, level: float = LEVEL
) -> Estimate:
    """Student's t interval for a mean; with groups, their spread takes the place of that of single games."""
    x = np.asarray(values, dtype=float)
    if len(x) == 0:
        return Estimate(math.nan, -math.inf, math.inf, 0)
    sums, counts = group_sums(x, *group_indices(groups, len(x)))
    mean = np.array(x.mean())
    low, high = mean_bounds(mean, np.array(ratio_variance(sums, counts)), np.array(len(sums)), level)
    return Estimate(float(mean), float(low), float(high), len(x))


def difference(first: Estimate, second: Estimate, level: float = LEVEL, units: float = math.inf) -> Estimate:
    """Second minus first of two estimates with luck of their own, each known by its 95 % interval.

    The spread of single observations is taken from both together: whoever hardly ever won by chance shows too
    little of it. At another level the interval allows for how well so many units tell the spread.
    """
    counts = max(first.n, 1), max(second.n, 1)
    spread = sum(one.margin**2 * n**2 for one, n in zip((first, second), counts, strict=True)) / sum(counts)
    reach = float(t_quantile(level, units - 1) / t_quantile(LEVEL, units - 1))
    value, margin = second.value - first.value, reach * math.sqrt(sum(spread / n for n in counts))
    return Estimate(value, value - margin, value + margin, first.n + second.n)


def mean_bounds(mean: Array, variance: Array, units: Array, level: float = LEVEL) -> tuple[Array, Array]:
    """Bounds of means from their variances between units; one unit bounds nothing."""
    known = units > 1
    margin = t_quantile(level, units - 1) * np.sqrt(np.where(known, variance, 0.0))
    return np.where(known, mean - margin, -np.inf), np.where(known, mean + margin, np.inf)


def share_bounds(
    share: Array,
    variance: Array,
    units: Array,
    n: Array,
    level: float = LEVEL,
    groups: Array | None = None,
) -> tuple[Array, Array]:
    """Wilson bounds of shares, with the number of independent games that their variance is worth.

    A share that was always 0 or always 1 shows no spread; it counts one game per group, or per unit where the
    number of groups is not given.
    """
    known = units > 1
    per_game = _per_game(share, variance, units, n)
    if groups is not None:
        per_game = np.where((share <= 0) | (share >= 1), 1 / groups, per_game)
    low, high = _wilson_bounds(share, per_game, t_quantile(level, np.maximum(units - 1, 1)))
    return np.where(known, low, 0.0), np.where(known, high, 1.0)


def share_p_value(share: Array, null: Array | float, variance: Array, units: Array, n: Array) -> Array:
    """Two-sided p-value of shares against a null such as 1/N, at odds with the bounds in no case."""
    spread = np.asarray(null) * (1 - np.asarray(null)) * _per_game(share, variance, units, n)
    flat = spread <= 0
    away = np.where(np.abs(share - null) < 1e-12, 0.0, share - null)  # on the null but for rounding
    p = np.where(flat, np.where(away == 0, 1.0, 0.0), 1.0)
    p = np.where(flat, p, two_sided_p(away / np.sqrt(np.where(flat, 1.0, spread)), units - 1))
    return np.where(units > 1, p, 1.0)


def _per_game(share: Array, variance: Array, units: Array, n: Array) -> Array:
    """One over the number of independent games that would give this variance."""
    binomial = share * (1 - share)
    sure = binomial <= 1e-12
    worth = np.where(sure, 1 / units, variance / np.where(sure, 1.0, binomial))
    worth = np.where(units > 1, worth, 1.0)
    return np.where(units < FEW_UNITS, np.maximum(worth, 1 / n), worth)


def _wilson_bounds(share: Array, per_game: Array, quantile: Array) -> tuple[Array, Array]:
    a = quantile**2 * per_game
    centre = (share + a / 2) / (1 + a)
    half = np.sqrt(share * (1 - share) * a + a**2 / 4) / (1 + a)
    low = np.where(share <= 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(share >= 1, 1.0, np.minimum(centre + half, 1.0))
    return low, high
