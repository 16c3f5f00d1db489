"""Many means in one pass: sums per unit are read once, and every table of a section is made from them."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from khora_sim.stats import Measured, from_sums, unit_of
from khora_sim.stats.groups import UNIT, collect
from khora_sim.stats.intervals import mean_bounds, share_bounds, share_p_value
from khora_sim.stats.student import p_value
from khora_sim.stats.tables import spread

WHOLE = "__whole"  # the one row of a table that is not split by anything


def unit_sums(frame: pl.LazyFrame, by: Sequence[str], sums: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """Sums of expressions for every combination of columns and every unit; `c` counts the rows."""
    totals = [expression.sum().alias(name) for name, expression in sums.items()]
    return collect(frame.group_by(*by, unit_of("group")).agg(pl.len().cast(pl.Int64).alias("c"), *totals))


def means(
    cells: pl.DataFrame, by: Sequence[str], top: str, bottom: str = "c", *, null: float | None = None
) -> pl.DataFrame:
    """Mean of a sum over a count (or another sum): value, low, high, n, units; with a null its p-value."""
    table = _spread(cells, by, top, bottom)
    value, variance, units = (table[c].to_numpy() for c in ("value", "variance", "units"))
    low, high = mean_bounds(value, variance, units)
    told = _told(table, by, low, high)
    if null is None:
        return told
    return told.with_columns(pl.Series("p_value", p_value(value - null, variance, units)))


def shares(
    cells: pl.DataFrame,
    by: Sequence[str],
    top: str,
    bottom: str = "c",
    *,
    scale: float = 1.0,
    null: float | None = None,
    rows_per_group: int | None = None,
) -> pl.DataFrame:
    """The same for shares, whose bounds stay between 0 and 1; with a null also its p-value.

    `scale` multiplies the result (wins against the fair share). What was never or always so is bounded by the
    number of groups behind it, of which there are at least rows / rows_per_group.
    """
    table = _spread(cells, by, top, bottom)
    share, variance, units, n = (table[c].to_numpy() for c in ("value", "variance", "units", "n"))
    groups = np.maximum(units, n // rows_per_group) if rows_per_group else None
    low, high = share_bounds(share, variance, units, n, groups=groups)
    told = _told(table, by, low * scale, high * scale).with_columns(pl.col("value") * scale)
    if null is None:
        return told
    p = share_p_value(share, null / scale, variance, units, n)
    return told.with_columns(pl.Series("p_value", p))


def measured(cells: pl.DataFrame, item: str, top: str, bottom: str = "c") -> Measured:
    """Means of the items of one column, ready for tiers."""
    sums = _matrix(cells, item, top)
    return from_sums(sums.columns[1:], *(_values(x) for x in (sums, _matrix(cells, item, bottom))))


def _matrix(cells: pl.DataFrame, item: str, value: str) -> pl.DataFrame:
    """Units by items."""
    items = cells[item].unique().sort().cast(pl.String)
    table = cells.group_by(UNIT, pl.col(item).cast(pl.String)).agg(pl.col(value).sum().cast(pl.Float64))
    return table.pivot(item, index=UNIT, values=value).select(UNIT, *items).fill_null(0.0).sort(UNIT)


def _values(matrix: pl.DataFrame) -> np.ndarray:
    return matrix.drop(UNIT).to_numpy()


def _spread(cells: pl.DataFrame, by: Sequence[str], top: str, bottom: str) -> pl.DataFrame:
    names = list(by) or [WHOLE]
    rows = cells if by else cells.with_columns(pl.lit(True).alias(WHOLE))
    s, c = (pl.col(name).sum().cast(pl.Float64) for name in (top, bottom))
    per_unit = rows.group_by(*names, UNIT).agg(s.alias("s"), c.alias("c")).filter(pl.col("c") > 0)
    return spread(per_unit, names)


def _told(table: pl.DataFrame, by: Sequence[str], low: np.ndarray, high: np.ndarray) -> pl.DataFrame:
    table = table.with_columns(pl.Series("low", low), pl.Series("high", high), pl.col("n").cast(pl.Int64))
    return table.select(*by, "value", "low", "high", "n", "units")


def quantiles(frame: pl.LazyFrame, by: str, value: str, levels: Sequence[float]) -> pl.DataFrame:
    """Quantiles (q5, q50, ...), mean and n of a whole number, from how often each value occurs."""
    counted = collect(frame.group_by(by, value).agg(pl.len().cast(pl.Int64).alias("n"))).sort(by, value)
    below = (pl.col("n").cum_sum() / pl.col("n").sum()).over(by).alias("below")
    x = pl.col(value).cast(pl.Float64)
    found = [x.filter(pl.col("below") >= level).first().alias(f"q{round(100 * level)}") for level in levels]
    mean = (x * pl.col("n")).sum() / pl.col("n").sum()
    return (
        counted.with_columns(below).group_by(by).agg(*found, mean.alias("mean"), pl.col("n").sum()).sort(by)
    )
