"""Rotation groups: the unit of everything that has an interval here.

All seatings of one line-up are played with the same luck, so the games of a rotation group hang together;
only whole groups are independent of each other. Sums per group are all that is kept. Many groups are bundled
at random into at most 1,024 units: a bundle of independent groups is again independent of the others, so
every interval stays right, and time and memory do not grow with the number of games.

Where a plan lets line-ups take turns, each of them is played equally often by design. Such a line-up is a
stratum, and a unit holds groups of one stratum only. The frames of an opened study say which (`unit` and
`stratum`); any other frame has one stratum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.stats.estimate import Array

Frame = pl.DataFrame | pl.LazyFrame
# An interval from 1,024 units is as wide as it should be within some 2 %, which no digit shown depends on.
MOST_UNITS = 1024
GROUP = "rotation_group"  # the column of the dataset
UNIT = "__unit"
STRATUM = "__stratum"
_GOLDEN = 0x9E3779B97F4A7C15
_MIXER = 0xD6E8FEB86659FD93


@dataclass(frozen=True)
class Measured:
    """Values of several items from the same units, and how far each unit pulls each value.

    The pulls of an item sum to zero. Their cross products are the covariance of the values (cluster-robust),
    and resampling units moves a value by the resampled pulls. What differs between strata is not in them.
    """

    items: tuple[str, ...]
    values: Array  # (items,)
    pulls: Array  # (units, items)
    counts: npt.NDArray[np.int64]  # (items,) observations behind each value
    units: npt.NDArray[np.int64]  # (items,) units in which the item was seen
    spread: Array | None = None  # (items,) variances of the values, where known better than by the pulls
    groups: npt.NDArray[np.int64] | None = None  # (items,) rotation groups behind each value, at least

    def covariance(self) -> Array:
        """Covariance of the values, estimated from the spread between units."""
        units = len(self.pulls)
        return self.pulls.T @ self.pulls * (units / max(units - 1, 1))

    def variances(self) -> Array:
        """Variances of the values, each from the units in which its item was seen."""
        return np.diag(self.covariance()) if self.spread is None else self.spread


def unit_of(group: str) -> pl.Expr:
    """The unit (0 to 1,023) of a rotation group, a fixed hash of its number."""
    return dealt(pl.col(group), MOST_UNITS).alias(UNIT)


def dealt(number: pl.Expr, units: int) -> pl.Expr:
    """Deal what is numbered onto so many units.

    The first ones are units of their own; as many further ones are dealt onto them from another start, so
    that nothing periodic in the plan survives.
    """
    number = number.cast(pl.UInt64)
    start = (number // units) * pl.lit(_GOLDEN, dtype=pl.UInt64)
    start = (start ^ (start // 2**32)) * pl.lit(_MIXER, dtype=pl.UInt64)
    return ((number % units + start // 2**32) % units).cast(pl.UInt16)


def unit_keys(frame: Frame, group: str) -> list[pl.Expr]:
    """What rows are summed by: their unit, and its stratum where the frame says so."""
    if {"unit", "stratum"} <= set(frame.lazy().collect_schema()):
        return [pl.col("unit").alias(UNIT), pl.col("stratum").alias(STRATUM)]
    return [unit_of(group)]


def collect(frame: Frame) -> pl.DataFrame:
    """Run a query without holding all its rows at once."""
    return frame.lazy().collect(engine="streaming")


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
    units = len(sums)
    if units < 2:
        return float("inf")
    rest = sums - sums.sum() / counts.sum() * counts
    return float(rest @ rest / counts.sum() ** 2 * units / (units - 1))


def from_sums(items: Sequence[str], sums: Array, counts: Array) -> Measured:
    """Means of several items from their sums and counts in each unit (units by items)."""
    total = counts.sum(axis=0)
    values = sums.sum(axis=0) / total
    pulls = (sums - values * counts) / total
    seen = (counts > 0).sum(axis=0)
    spread = np.where(seen > 1, (pulls**2).sum(axis=0) * seen / np.maximum(seen - 1, 1), np.inf)
    return Measured(tuple(items), values, pulls, total.astype(np.int64), seen, spread)
