"""Tables of shares and means with intervals, one row per combination of columns, in one lazy pass."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Estimate
from khora_sim.stats.groups import UNIT, Frame, collect, unit_of
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
    low, high = share_bounds(share, variance, units, n, level)
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
    s, c = pl.col("s"), pl.col("c")
    mean = s.sum() / c.sum()
    table = collect(
        per_unit.group_by(names).agg(
            mean.alias("value"),
            (((s - mean * c) ** 2).sum() / c.sum().cast(pl.Float64) ** 2).alias("raw"),
            c.sum().alias("n"),
            pl.col(UNIT).len().cast(pl.Int64).alias("units"),
            pl.col("q").sum(),
        )
    ).sort(names)
    raw, units, n, total = (table[name].to_numpy() for name in ("raw", "units", "n", "q"))
    squares = np.maximum(total - n * table["value"].to_numpy() ** 2, 0.0)
    return table.drop("raw", "q").with_columns(
        pl.Series("variance", np.where(units > 1, raw * units / np.maximum(units - 1, 1), np.inf)),
        pl.Series("sd", np.sqrt(squares / np.maximum(n - 1, 1))),
    )


def _names(by: str | Sequence[str]) -> list[str]:
    return [by] if isinstance(by, str) else list(by)
