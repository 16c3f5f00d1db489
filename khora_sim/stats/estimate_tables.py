"""Tables of shares and means with intervals, one row per combination of columns, in one lazy pass."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.groups import GROUP, Frame, collect
from khora_sim.stats.ratios import least_groups, means, shares_of, spread
from khora_sim.stats.sums import number, sums_of


def share_table(
    frame: Frame,
    by: str | Sequence[str],
    *,
    value: str = "win_share",
    group: str = GROUP,
    null: float | None = None,
    rows_per_group: int | None = None,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Mean share by city, seat or any columns: value, low, high, n, units; with a null also its p-value.

    What was never or always so is bounded by the number of its groups; they are counted, or there are
    at least rows / rows_per_group of them.
    """
    names = _names(by)
    known = frame.lazy().filter(pl.col(value).is_not_null())
    table = spread(sums_of(known, names, {value: pl.col(value)}, group=group), names, value)
    groups = least_groups(table, rows_per_group)
    if groups is None:
        groups = _groups_of_sure(known, table, names, group)
    return shares_of(table, names, groups, null=null, level=level)


def mean_table(
    frame: Frame, by: str | Sequence[str], *, value: str = "score", group: str = GROUP, level: float = LEVEL
) -> pl.DataFrame:
    """Mean by any columns: value, low, high, n, units, and sd, the spread of single observations."""
    names, x = _names(by), number(frame, value)
    known = frame.lazy().filter(pl.col(value).is_not_null())
    sums = sums_of(known, names, {value: x, "square": x * x}, group=group)
    table = means(sums, names, value, level=level)
    squares = sums.totals(names)["square"].to_numpy()
    rest = np.maximum(squares - (table["n"] * table["value"] ** 2).to_numpy(), 0.0)
    sd = np.sqrt(rest / np.maximum(table["n"].to_numpy() - 1, 1))
    return table.with_columns(pl.Series("sd", sd))


def estimates(table: pl.DataFrame) -> list[Estimate]:
    """The rows of such a table as estimates, for writing them down."""
    return [Estimate(*row) for row in table.select("value", "low", "high", "n").iter_rows()]


def _groups_of_sure(known: pl.LazyFrame, table: pl.DataFrame, names: list[str], group: str) -> Array:
    """Number of groups behind shares that were always 0 or always 1 (the only ones that ask for it)."""
    sure = table.filter((pl.col("value") <= 0) | (pl.col("value") >= 1)).select(names)
    if sure.is_empty():
        return table["units"].to_numpy()
    rows = known.join(sure.lazy(), on=names, how="semi", nulls_equal=True)
    groups = collect(rows.group_by(names).agg(pl.col(group).n_unique().cast(pl.Int64).alias("groups")))
    joined = table.join(groups, on=names, how="left", nulls_equal=True, maintain_order="left")
    return joined.select(pl.coalesce("groups", "units")).to_series().to_numpy()


def _names(by: str | Sequence[str]) -> list[str]:
    return [by] if isinstance(by, str) else list(by)
