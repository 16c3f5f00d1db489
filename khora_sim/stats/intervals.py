"""Intervals for shares and means: plain observations, rotation groups, rare changes, the bootstrap, and many
comparisons at once.
"""

import math

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.sums import GROUP, MOST_CLUSTERS, Frame, collect


def t_quantile(level: float, degrees: Array | float) -> Array:
    """Number of standard errors that an interval of this level reaches to each side."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(degrees, 1e-9), 0.5 + level / 2))


def two_sided_p(t: Array | float, degrees: Array | float) -> Array:
    """The chance of a value at least this far from zero, on either side, when nothing is there."""
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(np.maximum(degrees, 1e-9), -np.abs(t)))


def p_value(difference: Array | float, variance: Array | float, clusters: Array | float) -> Array:
    """Two-sided p-value of a difference whose variance was estimated from so many clusters.

    Without any spread the t statistic says nothing; there the p-value is that of the sign test (all clusters
    point the same way), which is as much as so many clusters can show.
    """
    difference, variance, clusters = (np.asarray(x, dtype=float) for x in (difference, variance, clusters))
    flat = variance <= 0
    t = difference / np.sqrt(np.where(flat, 1.0, variance))
    sign_test = np.where(difference == 0, 1.0, np.exp2(1 - np.maximum(clusters, 1)))
    p = np.where(flat, sign_test, two_sided_p(t, clusters - 1))
    return np.where(clusters < 2, 1.0, p)


def holm(p_values: npt.ArrayLike) -> Array:
    """Holm's adjusted p-values: below 0.05 a finding is significant although many things were compared."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def group_indices(groups: npt.ArrayLike | None, n: int) -> tuple[npt.NDArray[np.int64], int]:
    """Number the groups of n observations from 0; without groups every observation is one of its own."""
    if groups is None:
        return np.arange(n), n
    found, labels = np.unique(np.asarray(groups), return_inverse=True)
    if len(labels) != n:
        raise ValueError(f"{len(labels)} groups were given for {n} observations")
    return labels.astype(np.int64), len(found)


def group_sums(values: Array, labels: npt.NDArray[np.int64], groups: int) -> tuple[Array, Array]:
    """Sum and number of the values in each group."""
    return np.bincount(labels, values, groups), np.bincount(labels, minlength=groups).astype(float)


def ratio_variance(sums: Array, counts: Array) -> float:
    """Cluster-robust variance of a mean whose observations come in groups."""
    clusters = len(sums)
    if clusters < 2:
        return float("inf")
    rest = sums - sums.sum() / counts.sum() * counts
    return float(rest @ rest / counts.sum() ** 2 * clusters / (clusters - 1))


# With fewer clusters than this their spread is a guess itself: the interval is then never narrower than
# that of as many independent games.
FEW_CLUSTERS = 20


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
    share, clusters, n = np.array(values.mean()), np.array(len(sums)), np.array(len(values))
    low, high = share_bounds(share, np.array(ratio_variance(sums, counts)), clusters, n, level)
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


def difference(
    first: Estimate, second: Estimate, level: float = LEVEL, clusters: float = math.inf
) -> Estimate:
    """Second minus first of two estimates with seeds of their own, each known by its 95 % interval.

    The spread of single observations is taken from both together: whoever hardly ever won by chance shows too
    little of it. At another level the interval allows for how well so many clusters tell the spread.
    """
    counts = max(first.n, 1), max(second.n, 1)
    spread = sum(one.margin**2 * n**2 for one, n in zip((first, second), counts, strict=True)) / sum(counts)
    reach = float(t_quantile(level, clusters - 1) / t_quantile(LEVEL, clusters - 1))
    value, margin = second.value - first.value, reach * math.sqrt(sum(spread / n for n in counts))
    return Estimate(value, value - margin, value + margin, first.n + second.n)


def mean_bounds(mean: Array, variance: Array, clusters: Array, level: float = LEVEL) -> tuple[Array, Array]:
    """Bounds of means from their variances between clusters; one cluster bounds nothing."""
    known = clusters > 1
    margin = t_quantile(level, clusters - 1) * np.sqrt(np.where(known, variance, 0.0))
    return np.where(known, mean - margin, -np.inf), np.where(known, mean + margin, np.inf)


def share_bounds(
    share: Array,
    variance: Array,
    clusters: Array,
    n: Array,
    level: float = LEVEL,
    groups: Array | None = None,
) -> tuple[Array, Array]:
    """Wilson bounds of shares, with the number of independent games that their variance is worth.

    A share that was always 0 or always 1 shows no spread; it counts one game per group, or per cluster where
    the number of groups is not given.
    """
    known = clusters > 1
    per_game = _per_game(share, variance, clusters, n)
    if groups is not None:
        per_game = np.where((share <= 0) | (share >= 1), 1 / groups, per_game)
    low, high = _wilson_bounds(share, per_game, t_quantile(level, np.maximum(clusters - 1, 1)))
    return np.where(known, low, 0.0), np.where(known, high, 1.0)


def share_p_value(share: Array, null: Array | float, variance: Array, clusters: Array, n: Array) -> Array:
    """Two-sided p-value of shares against a null such as 1/N, at odds with the bounds in no case."""
    spread = np.asarray(null) * (1 - np.asarray(null)) * _per_game(share, variance, clusters, n)
    flat = spread <= 0
    away = np.where(np.abs(share - null) < 1e-12, 0.0, share - null)  # on the null but for rounding
    p = np.where(flat, np.where(away == 0, 1.0, 0.0), 1.0)
    p = np.where(flat, p, two_sided_p(away / np.sqrt(np.where(flat, 1.0, spread)), clusters - 1))
    return np.where(clusters > 1, p, 1.0)


def _per_game(share: Array, variance: Array, clusters: Array, n: Array) -> Array:
    """One over the number of independent games that would give this variance."""
    binomial = share * (1 - share)
    sure = binomial <= 1e-12
    worth = np.where(sure, 1 / clusters, variance / np.where(sure, 1.0, binomial))
    worth = np.where(clusters > 1, worth, 1.0)
    return np.where(clusters < FEW_CLUSTERS, np.maximum(worth, 1 / n), worth)


def _wilson_bounds(share: Array, per_game: Array, quantile: Array) -> tuple[Array, Array]:
    a = quantile**2 * per_game
    centre = (share + a / 2) / (1 + a)
    half = np.sqrt(share * (1 - share) * a + a**2 / 4) / (1 + a)
    low = np.where(share <= 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(share >= 1, 1.0, np.minimum(centre + half, 1.0))
    return low, high


BLOCK = 4096  # groups that say how many rows of an item one group has at most


def zero_event_variance(
    differing: Array, largest: Array, clusters: Array, most: Array, n: Array, level: float = LEVEL
) -> Array:
    """Variance to add to that of a mean where most clusters show no deviation at all.

    A change so rare that few groups or none show it may still be there. `differing` of the clusters deviate,
    by `largest` at most, where one group could by `most`. With none the interval then reaches as far as
    Wilson's does for a share that was never seen, times that largest deviation. Each cluster that deviates
    makes it less likely that the next one exceeds the largest so far. The term fades out as half of the
    clusters deviate: from there on their own spread says enough.
    """
    seen = np.minimum(largest, most)
    size = seen**2 + (most**2 - seen**2) / (differing + 1)
    weight = np.clip(1 - 2 * differing / np.maximum(clusters, 1), 0.0, 1.0)
    reach = t_quantile(level, np.maximum(clusters - 1, 1))
    return weight * reach**2 * size / np.asarray(n, dtype=float) ** 2


def rows_in_a_group(frame: Frame, by: str) -> dict:
    """The most rows that each item has in one group, among the first groups of a frame."""
    first = collect(frame.lazy().select(pl.col(GROUP)).head(1)).to_series()
    if first.is_empty():
        return {}
    block = frame.lazy().filter(pl.col(GROUP) < first.item() + BLOCK)
    sizes = collect(block.group_by(by, GROUP).agg(pl.len().alias("rows")))
    return dict(sizes.group_by(by).agg(pl.col("rows").max()).iter_rows())


def most_of(names: pl.Series, rows: dict, reach: float) -> Array:
    """Most that one group can move the sum of each item: its rows in a group times the reach of a value."""
    usual = max(rows.values(), default=1)
    return np.array([rows.get(name, usual) for name in names], dtype=float) * reach


REPLICATES = 2000
_CELLS_AT_ONCE = 1 << 20


def resampled_totals(sums: Array, replicates: int = REPLICATES, seed: int = 0) -> Array:
    """Totals (replicates by columns) over groups drawn with replacement, from sums (groups by columns).

    Each replicate is a row of counts (how often a group was drawn); a block of rows is one matrix product.
    More groups than 1,024 are bundled first, so neither time nor memory grows with them.
    """
    sums = np.asarray(sums, dtype=float)
    if len(sums) > MOST_CLUSTERS:
        # A shuffle settles which groups share a bundle, so that nothing periodic in their order survives.
        labels = np.random.default_rng(len(sums)).permutation(len(sums)) % MOST_CLUSTERS
        sums = np.stack([np.bincount(labels, column, MOST_CLUSTERS) for column in sums.T], axis=1)
    clusters = len(sums)
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS_AT_ONCE // max(clusters, 1))
    totals = np.empty((replicates, sums.shape[1]))
    for start in range(0, replicates, block):
        stop = min(start + block, replicates)
        drawn = (
            rng.integers(clusters, size=(stop - start, clusters))
            + clusters * np.arange(stop - start)[:, None]
        )
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        totals[start:stop] = counts.astype(float) @ sums
    return totals


def percentile_bounds(draws: Array, clusters: int, level: float = LEVEL) -> tuple[Array, Array]:
    """Percentile interval of bootstrap draws (replicates by columns), widened for few clusters.

    With few clusters plain percentiles are too narrow, as a normal interval is where a t interval is due; the
    percentiles are moved out to match (the expanded percentile interval of Hesterberg 2015).
    """
    if clusters < 2:
        shape = draws.shape[1:]
        return np.full(shape, -np.inf), np.full(shape, np.inf)
    from scipy.special import ndtr

    reach = math.sqrt(clusters / (clusters - 1)) * float(t_quantile(level, clusters - 1))
    tail = float(ndtr(-reach))
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return low, high
