"""Clusters: bundles of rotation groups, which all intervals are made of.

All seatings of one line-up are played with the same seed, so the games of a rotation group hang together;
only whole groups are independent of each other. Many groups are bundled at random into at most 1,024
clusters: a bundle of independent groups is again independent of the others, so every interval stays right,
and time and memory do not grow with the number of games.

Where a plan lets line-ups take turns, each of them is played equally often by design. Such a line-up is a
stratum, and a cluster holds groups of one stratum only. The frames of an opened study say which (`unit` and
`stratum`); any other frame has one stratum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.stats.estimate import Array

Frame = pl.DataFrame | pl.LazyFrame
# An interval from 1,024 clusters is as wide as it should be within some 2 %, which no digit shown depends on.
MOST_CLUSTERS = 1024
GROUP = "rotation_group"  # the column of the dataset
CLUSTER, STRATUM = "__unit", "__stratum"  # columns of sums, also in saved files
_GOLDEN = 0x9E3779B97F4A7C15
_MIXER = 0xD6E8FEB86659FD93


@dataclass(frozen=True)
class Measured:
    """Values of several items from the same clusters, and how far each cluster pulls each value.

    The pulls of an item sum to zero. Their cross products are the covariance of the values (cluster-robust),
    and resampling clusters moves a value by the resampled pulls. What differs between strata is not in them.
    """

    items: tuple[str, ...]
    values: Array  # (items,)
    pulls: Array  # (clusters, items)
    counts: npt.NDArray[np.int64]  # (items,) observations behind each value
    clusters: npt.NDArray[np.int64]  # (items,) clusters in which the item was seen
    spread: Array | None = None  # (items,) variances of the values, where known better than by the pulls
    groups: npt.NDArray[np.int64] | None = None  # (items,) rotation groups behind each value, at least

    def covariance(self) -> Array:
        """Covariance of the values, estimated from the spread between clusters."""
        clusters = len(self.pulls)
        return self.pulls.T @ self.pulls * (clusters / max(clusters - 1, 1))

    def variances(self) -> Array:
        """Variances of the values, each from the clusters in which its item was seen."""
        return np.diag(self.covariance()) if self.spread is None else self.spread


def cluster_of(group: str = GROUP) -> pl.Expr:
    """The cluster (0 to 1,023) of a rotation group, a fixed hash of its number."""
    return dealt(pl.col(group), MOST_CLUSTERS).alias(CLUSTER)


def dealt(number: pl.Expr, clusters: int) -> pl.Expr:
    """Deal what is numbered onto so many clusters.

    The first ones are clusters of their own; as many further ones are dealt onto them from another start, so
    that nothing periodic in the plan survives.
    """
    number = number.cast(pl.UInt64)
    start = (number // clusters) * pl.lit(_GOLDEN, dtype=pl.UInt64)
    start = (start ^ (start // 2**32)) * pl.lit(_MIXER, dtype=pl.UInt64)
    return ((number % clusters + start // 2**32) % clusters).cast(pl.UInt16)


def cluster_keys(frame: Frame) -> list[pl.Expr]:
    """The keys that rows are summed by: their cluster, and its stratum where the frame has it."""
    if {"unit", "stratum"} <= set(frame.lazy().collect_schema()):
        return [pl.col("unit").alias(CLUSTER), pl.col("stratum").alias(STRATUM)]
    return [cluster_of()]


def collect(frame: Frame) -> pl.DataFrame:
    """Run a query without holding all its rows at once."""
    return frame.lazy().collect(engine="streaming")


def from_sums(items: Sequence[str], sums: Array, counts: Array) -> Measured:
    """Means of several items from their sums and counts in each cluster (clusters by items)."""
    total = counts.sum(axis=0)
    values = sums.sum(axis=0) / total
    pulls = (sums - values * counts) / total
    seen = (counts > 0).sum(axis=0)
    spread = np.where(seen > 1, (pulls**2).sum(axis=0) * seen / np.maximum(seen - 1, 1), np.inf)
    return Measured(tuple(items), values, pulls, total.astype(np.int64), seen, spread)
