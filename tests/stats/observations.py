"""Differences and intervals from single observations: what the tables made from sums are compared with."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from khora_sim.stats import LEVEL, Estimate
from khora_sim.stats.estimate import Array
from khora_sim.stats.intervals import (
    REPLICATES,
    group_indices,
    group_sums,
    mean_bounds,
    p_value,
    percentile_bounds,
    ratio_variance,
    resampled_totals,
    zero_event_variance,
)
from khora_sim.stats.paired import pairing_gain, welch
from khora_sim.stats.sums import MOST_CLUSTERS


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
    labels, clusters = group_indices(groups, len(a))
    sums, counts = group_sums(b - a, labels, clusters)
    reach = max(a.max(), b.max()) - min(a.min(), b.min())
    size, n = np.array(clusters), np.array(len(a))
    variance = ratio_variance(sums, counts) + float(
        zero_event_variance((sums != 0).sum(), np.abs(sums).max(), size, counts.max() * reach, n, level)
    )
    apart = sum(ratio_variance(*group_sums(x, labels, clusters)) for x in (a, b))
    mean = float((b - a).mean())
    low, high = mean_bounds(np.array(mean), np.array(variance), size, level)
    estimate = Estimate(mean, float(low), float(high), len(a))
    return Difference(estimate, float(p_value(mean, variance, clusters)), pairing_gain(apart, variance))


def unpaired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    first_groups: npt.ArrayLike | None = None,
    second_groups: npt.ArrayLike | None = None,
    level: float = LEVEL,
) -> Difference:
    """Mean of second minus mean of first for studies that share no seeds (Welch's t, by groups)."""
    means, variances, clusters, n = [], [], [], 0
    for values, groups in ((first, first_groups), (second, second_groups)):
        x = np.asarray(values, dtype=float)
        sums, counts = group_sums(x, *group_indices(groups, len(x)))
        means.append(float(x.mean()) if len(x) else math.nan)
        variances.append(ratio_variance(sums, counts))
        clusters.append(len(sums))
        n += len(x)
    difference = means[1] - means[0]
    low, high, p = welch(np.array(difference), [np.array(x) for x in (*variances, *clusters)], level)
    return Difference(Estimate(difference, float(low), float(high), n), float(p))


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
    low, high = percentile_bounds(draws, min(len(sums), MOST_CLUSTERS), level)
    return Estimate(value, float(low), float(high), n)
