"""Tables of shares and means with intervals, one row per combination of columns, in one lazy pass."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Estimate
from khora_sim.stats.groups import Frame, collect, unit_of
from khora_sim.stats.intervals import mean_bounds, share_bounds, share_p_value


def share_table(
    frame: Frame,
    by: str | Sequence[str],
    *,
    value: str = "win_share",
    group: str = "group",
    null: float | None = None,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Mean share by city, seat or any columns: value, low, high, n, units; with a null also its p-value."""
    table = spread_by_unit(frame, by, value, group)
    share, variance, units, n = (table[c].to_numpy() for c in ("value", "variance", "units", "n"))
    low, high = share_bounds(
        share, variance, units, n, level, _groups_of_sure(frame, table, by, value, group)
    )
    table = table.with_columns(pl.Series("low", low), pl.Series("high", high))
    shown = [*_names(by), "value", "low", "high", "n", "units"]
    if null is not None:
        table = table.with_columns(pl.Series("p_value", share_p_value(share, null, variance, units, n)))
        shown.append("p_value")
    return table.select(shown)


def mean_table(
    frame: Frame, by: str | Sequence[str], *, value: str = "score", group: str = "group", level: float = LEVEL
) -> pl.DataFrame:
    """Mean by any columns: value, low, high, n, units, and sd, the spread of single observations."""
    table = spread_by_unit(frame, by, value, group)
    mean, variance, units = (table[c].to_numpy() for c in ("value", "variance", "units"))
    low, high = mean_bounds(mean, variance, units, level)
    table = table.with_columns(pl.Series("low", low), pl.Series("high", high))
    return table.select(*_names(by), "value", "low", "high", "n", "units", "sd")


def estimates(table: pl.DataFrame) -> list[Estimate]:
    """The rows of such a table as estimates, for writing them down."""
    return [Estimate(*row) for row in table.select("value", "low", "high", "n").iter_rows()]


def spread_by_unit(frame: Frame, by: str | Sequence[str], value: str, group: str) -> pl.DataFrame:
    """Mean, its cluster-robust variance, n, units and sd of a value for every combination of columns."""
    names = _names(by)
    x = pl.col(value).cast(pl.Float64)
    per_unit = (
        frame.lazy()
        .filter(pl.col(value).is_not_null())
        .group_by(*names, unit_of(group))
        .agg(x.sum().alias("s"), (x * x).sum().alias("q"), pl.len().cast(pl.Int64).alias("c"))
    )
    table = spread(collect(per_unit), names, pl.col("q").sum())
    squares = np.maximum(table["q"].to_numpy() - (table["n"] * table["value"] ** 2).to_numpy(), 0.0)
    sd = np.sqrt(squares / np.maximum(table["n"].to_numpy() - 1, 1))
    return table.drop("q").with_columns(pl.Series("sd", sd))


def spread(per_unit: pl.DataFrame, names: Sequence[str], *more: pl.Expr) -> pl.DataFrame:
    """Mean, its cluster-robust variance, n and units from the sums s and counts c of each unit."""
    s, c = pl.col("s"), pl.col("c")
    mean = s.sum() / c.sum()
    rest = ((s - mean * c) ** 2).sum() / c.sum().cast(pl.Float64) ** 2
    units = pl.len().cast(pl.Int64)
    table = per_unit.group_by(names).agg(
        mean.alias("value"), rest.alias("rest"), c.sum().alias("n"), units.alias("units"), *more
    )
    correction = pl.col("units") / (pl.col("units") - 1)
    variance = pl.when(pl.col("units") > 1).then(pl.col("rest") * correction).otherwise(float("inf"))
    return table.with_columns(variance.alias("variance")).drop("rest").sort(names)


def _groups_of_sure(
    frame: Frame, table: pl.DataFrame, by: str | Sequence[str], value: str, group: str
) -> np.ndarray:
    """Number of groups behind shares that were always 0 or always 1 (the only ones that ask for it)."""
    names = _names(by)
    sure = table.filter((pl.col("value") <= 0) | (pl.col("value") >= 1)).select(names)
    if sure.is_empty():
        return table["units"].to_numpy()
    rows = frame.lazy().filter(pl.col(value).is_not_null())
    rows = rows.join(sure.lazy(), on=names, how="semi", nulls_equal=True)
    groups = collect(rows.group_by(names).agg(pl.col(group).n_unique().cast(pl.Int64).alias("groups")))
    joined = table.join(groups, on=names, how="left", nulls_equal=True, maintain_order="left")
    return joined.select(pl.coalesce("groups", "units")).to_series().to_numpy()


def _names(by: str | Sequence[str]) -> list[str]:
    return [by] if isinstance(by, str) else list(by)
