"""Means and shares with their intervals, made from `Sums`.

`khora data show`, the tables of a report and the ladder estimate by these functions, so that the same share
has the same interval wherever it is printed.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.intervals import mean_bounds, share_bounds, share_p_value
from khora_sim.stats.sums import (
    CLUSTER,
    COUNT,
    GROUP,
    ROWS,
    STRATUM,
    Frame,
    Measured,
    Sums,
    collect,
    number,
    sums_of,
)

WHOLE = "__whole"  # the one row of a table that is not split by anything
# What an interval needs to know of a cluster's stratum: rows, squares of the clusters' rows, and clusters.
STRATUM_ROWS, STRATUM_SQUARES, STRATUM_CLUSTERS = ("__stratum_n", "__stratum_nn", "__stratum_units")
_WEIGHTS = (STRATUM, ROWS, STRATUM_ROWS, STRATUM_SQUARES, STRATUM_CLUSTERS)
_CANCELLED = 1e-12  # of squares that cancel each other, what rounding leaves is smaller than this share
_ROUNDING = 1e-24  # squares of sums that are this small beside the sums' own squares are what rounding left


def means(sums: Sums, by: Sequence[str], top: str, bottom: str = COUNT) -> pl.DataFrame:
    """Mean of a sum over a count (or another sum): value, low, high, n, units."""
    table = spread(sums, by, top, bottom)
    value, variance, clusters = (table[c].to_numpy() for c in ("value", "variance", "units"))
    return _with_bounds(table, by, *mean_bounds(value, variance, clusters))


def shares(
    sums: Sums,
    by: Sequence[str],
    top: str,
    bottom: str = COUNT,
    *,
    scale: float = 1.0,
    null: float | None = None,
    rows_per_group: int | None = None,
    level: float = LEVEL,
) -> pl.DataFrame:
    """The same for shares, whose bounds stay between 0 and 1; with a null also its p-value.

    `scale` multiplies the result (wins against the fair share). What was never or always so is bounded by the
    number of groups behind it, of which there are at least rows / rows_per_group.
    """
    table = spread(sums, by, top, bottom)
    groups = least_groups(table, rows_per_group)
    return shares_of(table, by, groups, scale=scale, null=null, level=level)


def shares_of(
    table: pl.DataFrame,
    by: Sequence[str],
    groups: Array | None,
    *,
    scale: float = 1.0,
    null: float | None = None,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Shares with bounds, from their means, variances, clusters and n, and from the groups behind them."""
    share, variance, clusters, n = (table[c].to_numpy() for c in ("value", "variance", "units", "n"))
    low, high = share_bounds(share, variance, clusters, n, level, groups)
    bounded = _with_bounds(table, by, low * scale, high * scale).with_columns(pl.col("value") * scale)
    if null is None:
        return bounded
    p = share_p_value(share, null / scale, variance, clusters, n)
    return bounded.with_columns(pl.Series("p_value", p))


def least_groups(table: pl.DataFrame, rows_per_group: int | None) -> Array | None:
    """Least number of groups behind each row; None where the size of a group is not known."""
    if not rows_per_group:
        return None
    return np.maximum(table["units"].to_numpy(), table["n"].to_numpy() // rows_per_group).astype(np.int64)


def measured(
    sums: Sums, item: str, top: str, bottom: str = COUNT, *, rows_per_group: int | None = None
) -> Measured:
    """Means of the items of one column, ready for tiers, with the same intervals as in tables."""
    table = spread(sums, [item], top, bottom)
    values, n, clusters = (table[c].to_numpy() for c in ("value", "n", "units"))
    of_cluster = _weights(sums).join(sums.cells, on=CLUSTER, how="semi").sort(CLUSTER)
    place = {cluster: row for row, cluster in enumerate(of_cluster[CLUSTER])}
    column = {name: i for i, name in enumerate(table[item])}
    pulls = np.zeros((len(of_cluster), len(table)))
    parts = sums.parts.get(top, 1)
    by_item = sums.cells.group_by(CLUSTER, item).agg(pl.col(top, bottom).sum().cast(pl.Float64))
    for cluster, name, added, count in by_item.iter_rows():
        if count > 0:
            at = column[name]
            pulls[place[cluster], at] = (added / parts - values[at] * count) / n[at]
    if of_cluster[STRATUM].n_unique() > 1:
        pulls = _centred(pulls, of_cluster)
    return Measured(
        tuple(table[item].cast(pl.String)),
        values,
        pulls,
        n.astype(np.int64),
        clusters,
        table["variance"].to_numpy(),
        least_groups(table, rows_per_group),
    )


def measure(frame: Frame, value: str, item: str) -> Measured:
    """The mean of a value for every item (the win share of every city), ready for tiers and comparisons."""
    known = frame.lazy().filter(pl.col(value).is_not_null() & pl.col(item).is_not_null())
    named = known.with_columns(pl.col(item).cast(pl.String))
    return measured(sums_of(named, [item], {value: pl.col(value)}), item, value)


def spread(sums: Sums, by: Sequence[str], top: str, bottom: str = COUNT) -> pl.DataFrame:
    """Mean, its cluster-robust variance inside the strata, n and clusters, for every combination of columns.

    Each cluster's residual is its sum minus the mean times its count. Inside a stratum their own mean, for as
    many rows as the cluster has, is no chance but the design, and is taken off. `units` is one more than
    the degrees of freedom.
    """
    names = list(by) or [WHOLE]
    # In a fixed order: floating-point numbers add up to the same bits in the same order only.
    clusters = cluster_table(sums, by, top, bottom).join(_weights(sums), on=CLUSTER).sort(*names, CLUSTER)
    s, c = pl.col("s"), pl.col("c")
    rest = s - s.sum().over(names) / c.sum().over(names) * c
    own = pl.col("rest")
    strata = (
        clusters.with_columns(rest.alias("rest"))
        .group_by(*names, STRATUM, maintain_order=True)
        .agg(
            s.sum(),
            c.sum(),
            (s**2).sum().alias("size"),
            (own**2).sum().alias("squares"),
            own.sum().alias("sum"),
            (own * pl.col(ROWS)).sum().alias("product"),
            pl.len().cast(pl.Int64).alias("seen"),
            pl.col(STRATUM_ROWS, STRATUM_SQUARES, STRATUM_CLUSTERS).first(),
        )
    )
    # The residuals of a single stratum sum to zero as they are.
    alone = pl.len().over(names) == 1
    mean = pl.col("sum") / pl.col(STRATUM_ROWS)
    inside = pl.col("squares") - 2 * mean * pl.col("product") + mean**2 * pl.col(STRATUM_SQUARES)
    freedom = pl.when(alone).then(pl.col("seen")).otherwise(pl.col(STRATUM_CLUSTERS)) - 1
    known = pl.when(freedom > 0)
    left = pl.when(inside > _CANCELLED * pl.col("squares")).then(inside).otherwise(0.0)
    scatter = pl.when(alone).then(pl.col("squares")).otherwise(left)
    strata = strata.with_columns(
        known.then(scatter * (freedom + 1) / freedom).otherwise(float("inf")).alias("scatter"),
        freedom.alias("freedom"),
    )
    parts = sums.parts.get(top, 1)
    table = strata.group_by(names, maintain_order=True).agg(
        (s.sum() / (c.sum() * parts)).alias("value"),
        pl.col("scatter", "size").sum(),
        c.sum().alias("n"),
        pl.min_horizontal(pl.col("seen").sum(), pl.col("freedom").sum() + 1).alias("units"),
    )
    return _with_variance(table, parts).sort(names)


def cluster_table(sums: Sums, by: Sequence[str], top: str, bottom: str = COUNT) -> pl.DataFrame:
    """Sum `s` (in its parts) and count `c` of every cluster for every combination of columns."""
    names = list(by) or [WHOLE]
    rows = sums.cells if by else sums.cells.with_columns(pl.lit(True).alias(WHOLE))
    s, c = (pl.col(name).sum().cast(pl.Float64) for name in (top, bottom))
    return rows.group_by(*names, CLUSTER).agg(s.alias("s"), c.alias("c")).filter(pl.col("c") > 0)


def _weights(sums: Sums) -> pl.DataFrame:
    """Rows of every cluster, and rows, squares and clusters of its stratum."""
    clusters = sums.clusters.with_columns(pl.col(ROWS).cast(pl.Float64))
    if clusters[STRATUM].value_counts()["count"].min() == 1:
        # One cluster does not say how its stratum scatters. Without strata intervals are wider, not wrong.
        clusters = clusters.with_columns(pl.lit(0, clusters.schema[STRATUM]).alias(STRATUM))
    strata = clusters.group_by(STRATUM).agg(
        pl.col(ROWS).sum().alias(STRATUM_ROWS),
        (pl.col(ROWS) ** 2).sum().alias(STRATUM_SQUARES),
        pl.len().cast(pl.Int64).alias(STRATUM_CLUSTERS),
    )
    return clusters.join(strata, on=STRATUM).select(CLUSTER, *_WEIGHTS)


def _with_variance(table: pl.DataFrame, parts: int) -> pl.DataFrame:
    """Variances of means, from the scatter of sums that were counted in parts."""
    scatter = pl.when(pl.col("scatter") > _ROUNDING * pl.col("size")).then(pl.col("scatter")).otherwise(0.0)
    variance = scatter / (pl.col("n").cast(pl.Float64) * parts) ** 2
    return table.with_columns(variance.alias("variance")).drop("scatter", "size")


def _centred(pulls: Array, of_cluster: pl.DataFrame) -> Array:
    """Pulls without what differs between strata, as large as the spread inside them says."""
    centred, rows = pulls.copy(), of_cluster[ROWS].to_numpy()
    stratum = of_cluster[STRATUM].to_numpy()
    for one in np.unique(stratum):
        own = stratum == one
        size = int(own.sum())
        centred[own] -= rows[own, None] * pulls[own].sum(axis=0) / rows[own].sum()
        centred[own] *= np.sqrt(size / (size - 1) * (len(pulls) - 1) / len(pulls))
    return centred


def _with_bounds(table: pl.DataFrame, by: Sequence[str], low: Array, high: Array) -> pl.DataFrame:
    table = table.with_columns(pl.Series("low", low), pl.Series("high", high), pl.col("n").cast(pl.Int64))
    return table.select(*by, "value", "low", "high", "n", "units")


def share_table(
    frame: Frame,
    by: str | Sequence[str],
    *,
    value: str = "win_share",
    null: float | None = None,
    rows_per_group: int | None = None,
) -> pl.DataFrame:
    """Mean share by city, seat or any columns: value, low, high, n, units; with a null also its p-value.

    What was never or always so is bounded by the number of its groups; they are counted, or there are
    at least rows / rows_per_group of them.
    """
    names = _names(by)
    known = frame.lazy().filter(pl.col(value).is_not_null())
    table = spread(sums_of(known, names, {value: pl.col(value)}), names, value)
    groups = least_groups(table, rows_per_group)
    if groups is None:
        groups = _groups_of_sure(known, table, names)
    return shares_of(table, names, groups, null=null)


def mean_table(frame: Frame, by: str | Sequence[str], *, value: str = "score") -> pl.DataFrame:
    """Mean by any columns: value, low, high, n, units, and sd, the spread of single observations."""
    names, x = _names(by), number(frame, value)
    known = frame.lazy().filter(pl.col(value).is_not_null())
    sums = sums_of(known, names, {value: x, "square": x * x})
    table = means(sums, names, value)
    squares = sums.totals(names)["square"].to_numpy()
    rest = np.maximum(squares - (table["n"] * table["value"] ** 2).to_numpy(), 0.0)
    sd = np.sqrt(rest / np.maximum(table["n"].to_numpy() - 1, 1))
    return table.with_columns(pl.Series("sd", sd))


def estimates(table: pl.DataFrame) -> list[Estimate]:
    """The rows of such a table as estimates, for writing them down."""
    return [Estimate(*row) for row in table.select("value", "low", "high", "n").iter_rows()]


def _groups_of_sure(known: pl.LazyFrame, table: pl.DataFrame, names: list[str]) -> Array:
    """Number of groups behind shares that were always 0 or always 1 (the only ones that ask for it)."""
    sure = table.filter((pl.col("value") <= 0) | (pl.col("value") >= 1)).select(names)
    if sure.is_empty():
        return table["units"].to_numpy()
    rows = known.join(sure.lazy(), on=names, how="semi", nulls_equal=True)
    groups = collect(rows.group_by(names).agg(pl.col(GROUP).n_unique().cast(pl.Int64).alias("groups")))
    joined = table.join(groups, on=names, how="left", nulls_equal=True, maintain_order="left")
    return joined.select(pl.coalesce("groups", "units")).to_series().to_numpy()


def _names(by: str | Sequence[str]) -> list[str]:
    return [by] if isinstance(by, str) else list(by)
