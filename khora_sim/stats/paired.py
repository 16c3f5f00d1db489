"""Differences between two studies, paired game by game where both met the same luck."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.groups import group_indices, group_sums, ratio_variance
from khora_sim.stats.intervals import mean_bounds
from khora_sim.stats.rare import unseen_variance
from khora_sim.stats.student import p_value, t_quantile, two_sided_p


@dataclass(frozen=True)
class Difference:
    """Second minus first, its p-value, and what pairing was worth.

    A pairing gain of 5 means that unpaired studies would have needed 5 times the games for the same interval;
    it is None where nothing was paired.
    """

    estimate: Estimate
    p_value: float
    pairing_gain: float | None = None


def paired_difference(
    first: npt.ArrayLike, second: npt.ArrayLike, groups: npt.ArrayLike | None = None, level: float = LEVEL
) -> Difference:
    """Mean of second minus first, game by game; the games of a group hang together.

    Where few groups differ or none, the interval allows for changes that were not seen.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if len(a) != len(b):
        raise ValueError(f"pairs need two values each, got {len(a)} and {len(b)}")
    if len(a) == 0:
        return Difference(Estimate(math.nan, -math.inf, math.inf, 0), 1.0)
    labels, units = group_indices(groups, len(a))
    sums, counts = group_sums(b - a, labels, units)
    reach = max(a.max(), b.max()) - min(a.min(), b.min())
    size, n = np.array(units), np.array(len(a))
    variance = ratio_variance(sums, counts) + float(
        unseen_variance((sums != 0).sum(), np.abs(sums).max(), size, counts.max() * reach, n, level)
    )
    apart = sum(ratio_variance(*group_sums(x, labels, units)) for x in (a, b))
    mean = float((b - a).mean())
    low, high = mean_bounds(np.array(mean), np.array(variance), size, level)
    estimate = Estimate(mean, float(low), float(high), len(a))
    return Difference(estimate, float(p_value(mean, variance, units)), pairing_gain(apart, variance))


def unpaired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    first_groups: npt.ArrayLike | None = None,
    second_groups: npt.ArrayLike | None = None,
    level: float = LEVEL,
) -> Difference:
    """Mean of second minus mean of first for studies that share no luck (Welch's t, by groups)."""
    means, variances, units, n = [], [], [], 0
    for values, groups in ((first, first_groups), (second, second_groups)):
        x = np.asarray(values, dtype=float)
        sums, counts = group_sums(x, *group_indices(groups, len(x)))
        means.append(float(x.mean()) if len(x) else math.nan)
        variances.append(ratio_variance(sums, counts))
        units.append(len(sums))
        n += len(x)
    difference = means[1] - means[0]
    low, high, p = welch(np.array(difference), [np.array(x) for x in (*variances, *units)], level)
    return Difference(Estimate(difference, float(low), float(high), n), float(p))


def welch(difference: Array, known_by: Sequence[Array], level: float) -> tuple[Array, Array, Array]:
    """Bounds and p-values of differences; known_by holds both variances, then both numbers of units."""
    var_a, var_b, units_a, units_b = known_by
    known = (units_a > 1) & (units_b > 1) & np.isfinite(difference)
    var_a, var_b = np.where(known, var_a, 0.0), np.where(known, var_b, 0.0)
    variance = var_a + var_b
    weight = var_a**2 / np.maximum(units_a - 1, 1) + var_b**2 / np.maximum(units_b - 1, 1)
    flat = weight <= 0
    degrees = np.where(flat, units_a + units_b - 2, variance**2 / np.where(flat, 1.0, weight))
    margin = t_quantile(level, degrees) * np.sqrt(variance)
    t = difference / np.sqrt(np.where(variance > 0, variance, 1.0))
    no_spread = p_value(difference, 0.0, np.minimum(units_a, units_b))
    p = np.where(variance > 0, two_sided_p(t, degrees), no_spread)
    low, high = difference - margin, difference + margin
    return np.where(known, low, -np.inf), np.where(known, high, np.inf), np.where(known, p, 1.0)


def pairing_gain(apart: float, paired: float) -> float | None:
    """How many times the games unpaired studies need, from the variances of both ways; None: not known."""
    if not math.isfinite(apart) or not math.isfinite(paired):
        return None
    if paired == 0:
        return math.inf if apart > 0 else 1.0
    return float(apart / paired)
