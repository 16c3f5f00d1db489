"""Sums by cluster, which all estimates are made from.

All seatings of one line-up are played with the same seed, so the games of a rotation group hang together;
only whole groups are independent of each other. Many groups are bundled at random into at most 1,024
clusters: a bundle of independent groups is again independent of the others, so every interval stays right,
and time and memory do not grow with the number of games. Whole numbers are summed as such and wins in whole
parts: sums then add up to the same bits in any order.

Where a plan lets line-ups take turns, each of them is played equally often by design. Such a line-up is a
stratum, and a cluster holds groups of one stratum only. The frames of an opened study say which (`unit` and
`stratum`); any other frame has one stratum.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

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


#: Wins are summed in whole parts: a victory shared by up to five is a whole number of sixtieths, and against
#: the fair share at tables of up to five one of 1/3600. Leads are rounded to thousandths.
PARTS = {"win_share": 60, "success": 3600, "lead": 1000}
COUNT, ROWS = "c", "__rows"
LOWEST, HIGHEST = "lowest", "highest"  # of a value, where wanted: they are kept, not added


@dataclass(frozen=True)
class Sums:
    """Sums and counts by keys and cluster."""

    keys: tuple[str, ...]
    cells: pl.DataFrame  # the keys, the cluster, c (rows) and the sums
    clusters: pl.DataFrame  # cluster, its stratum, and its rows, whichever cells are left
    parts: Mapping[str, int]  # how many make one, of sums that are counted in parts

    def __add__(self, other: "Sums") -> "Sums":
        """The sums of both; the same bits in any order."""
        return total([self, other])

    @property
    def rows(self) -> int:
        """Number of rows that were summed."""
        return int(self.cells[COUNT].sum())

    def only(self, *which: pl.Expr, **equal: object) -> "Sums":
        """The cells of some keys; every cluster is still known with all its rows."""
        return replace(self, cells=self.cells.filter(*which, **equal))

    def with_sum(self, name: str, sum_: pl.Expr) -> "Sums":
        """With one more sum, made of those that are there."""
        return replace(self, cells=self.cells.with_columns(sum_.alias(name)))

    def totals(self, by: Sequence[str]) -> pl.DataFrame:
        """Counts and sums over all clusters, by every combination of some keys; sums in parts as they are."""
        return self.cells.group_by(by).agg(_added(self._sums)).sort(by)

    @property
    def _sums(self) -> list[str]:
        """The columns of counts and sums."""
        return [name for name in self.cells.columns if name not in (*self.keys, CLUSTER)]


def sums_of(
    frame: Frame,
    keys: Sequence[str],
    sums: Mapping[str, pl.Expr],
    *,
    parts: Mapping[str, int] | None = None,
    ends: tuple[pl.Expr, pl.Expr] | None = None,
) -> Sums:
    """Sum expressions over the rows of a frame; `parts` says which are summed in whole parts of one.

    Of `ends` the least of the first and the most of the second are kept too.
    """
    parts = {**PARTS, **(parts or {})}
    added = [
        ((one * parts[name]).round().cast(pl.Int64) if name in parts else one).sum().alias(name)
        for name, one in sums.items()
    ]
    kept = [] if ends is None else [ends[0].min().alias(LOWEST), ends[1].max().alias(HIGHEST)]
    rows = pl.len().cast(pl.Int64).alias(COUNT)
    found = collect(frame.lazy().group_by(*keys, *cluster_keys(frame)).agg(rows, *added, *kept))
    return from_cells(found, keys, parts)


def number(frame: Frame, column: str) -> pl.Expr:
    """A column as it is summed: whole numbers as such, all others as floating-point numbers."""
    kind = frame.lazy().collect_schema()[column]
    return pl.col(column).cast(pl.Int64 if kind.is_integer() or kind == pl.Boolean else pl.Float64)


def from_cells(cells: pl.DataFrame, keys: Sequence[str], parts: Mapping[str, int] | None = None) -> Sums:
    """Sums of cells (keys, cluster, c and sums, with the stratum of the cluster where there are strata)."""
    if STRATUM not in cells.columns:
        cells = cells.with_columns(pl.lit(0, pl.UInt16).alias(STRATUM))
    clusters = cells.group_by(CLUSTER).agg(
        pl.col(STRATUM).first().cast(pl.UInt16), pl.col(COUNT).sum().cast(pl.Int64).alias(ROWS)
    )
    whole = cs.integer() - cs.by_name(*keys, CLUSTER, require_all=False) - cs.by_dtype(pl.UInt64)
    cells = cells.drop(STRATUM).with_columns(whole.cast(pl.Int64))
    return Sums(tuple(keys), cells.sort(*keys, CLUSTER), clusters.sort(CLUSTER), parts or {})


def total(many: Iterable[Sums]) -> Sums:
    """All of some sums of the same keys, added up."""
    sums = list(many)
    first = sums[0]
    by = [*first.keys, CLUSTER]
    cells = pl.concat([one.cells for one in sums]).group_by(by).agg(_added(first._sums))
    clusters = pl.concat([one.clusters for one in sums]).group_by(CLUSTER, STRATUM).agg(pl.col(ROWS).sum())
    return Sums(first.keys, cells.sort(by), clusters.sort(CLUSTER), first.parts)


def _added(names: Sequence[str]) -> list[pl.Expr]:
    """Expressions that add up cells; of the ends of a value the outermost are kept."""
    kept = {LOWEST: pl.col(LOWEST).min(), HIGHEST: pl.col(HIGHEST).max()}
    return [kept.get(name, pl.col(name).sum()) for name in names]
