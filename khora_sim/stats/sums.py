"""Sums per unit, and every share and mean that is made from them.

Sums are read once; every table of a report, `khora data show` and the ladder estimate from them by the same
functions, so that the same share has the same interval wherever it is printed.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.groups import GROUP, STRATUM, UNIT, Frame, Measured, collect, unit_keys
from khora_sim.stats.intervals import mean_bounds, share_bounds, share_p_value
from khora_sim.stats.student import p_value

WHOLE = "__whole"  # the one row of a table that is not split by anything
#: Wins are summed in whole parts, so that no rounding is left of them: a victory shared by up to five is a
#: whole number of sixtieths, and against the fair share at tables of up to five one of 1/3600.
WINS = ("win_share", "success")
PARTS = 3600
# What an interval needs to know of a unit's stratum: rows in the unit; in the stratum, rows, squares of the
# units' rows, and units.
ROWS, STRATUM_ROWS, STRATUM_SQUARES, STRATUM_UNITS = (
    "__rows",
    "__stratum_n",
    "__stratum_nn",
    "__stratum_units",
)
_WEIGHTS = (STRATUM, ROWS, STRATUM_ROWS, STRATUM_SQUARES, STRATUM_UNITS)
_ROUNDING = 1e-24  # squares of sums that are this small beside the sums' own squares are what rounding left


def unit_sums(
    frame: Frame,
    by: Sequence[str],
    sums: Mapping[str, pl.Expr],
    more: Mapping[str, pl.Expr] | None = None,
    *,
    group: str = GROUP,
) -> pl.DataFrame:
    """Sums of expressions for every combination of columns and every unit; `c` counts the rows.

    `more` holds other aggregates, such as the least value.
    """
    totals = [
        (_in_parts(expression.sum()) / PARTS if name in WINS else expression.sum()).alias(name)
        for name, expression in sums.items()
    ]
    others = [expression.alias(name) for name, expression in (more or {}).items()]
    keys = unit_keys(frame, group)
    rows = pl.len().cast(pl.Int64).alias("c")
    return weighed(collect(frame.lazy().group_by(*by, *keys).agg(rows, *totals, *others)))


def weighed(cells: pl.DataFrame) -> pl.DataFrame:
    """Sums beside what is known of the strata of their units, where there are any."""
    if STRATUM not in cells.columns:
        return cells
    units = cells.group_by(UNIT).agg(pl.col(STRATUM).first(), pl.col("c").sum().cast(pl.Float64).alias(ROWS))
    if units[STRATUM].value_counts()["count"].min() == 1:
        # One unit does not say how its stratum scatters. Without strata intervals are wider, not wrong.
        units = units.with_columns(pl.lit(0, dtype=units.schema[STRATUM]).alias(STRATUM))
    strata = units.group_by(STRATUM).agg(
        pl.col(ROWS).sum().alias(STRATUM_ROWS),
        (pl.col(ROWS) ** 2).sum().alias(STRATUM_SQUARES),
        pl.len().cast(pl.Int64).alias(STRATUM_UNITS),
    )
    return cells.drop(STRATUM).join(units.join(strata, on=STRATUM), on=UNIT)


def means(
    cells: pl.DataFrame,
    by: Sequence[str],
    top: str,
    bottom: str = "c",
    *,
    null: float | None = None,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Mean of a sum over a count (or another sum): value, low, high, n, units; with a null its p-value."""
    table = spread(cells, by, top, bottom)
    value, variance, units = (table[c].to_numpy() for c in ("value", "variance", "units"))
    low, high = mean_bounds(value, variance, units, level)
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
    level: float = LEVEL,
) -> pl.DataFrame:
    """The same for shares, whose bounds stay between 0 and 1; with a null also its p-value.

    `scale` multiplies the result (wins against the fair share). What was never or always so is bounded by the
    number of groups behind it, of which there are at least rows / rows_per_group.
    """
    table = spread(cells, by, top, bottom)
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
    """Shares with bounds, from their means, variances, units and n, and from the groups behind them."""
    share, variance, units, n = (table[c].to_numpy() for c in ("value", "variance", "units", "n"))
    low, high = share_bounds(share, variance, units, n, level, groups)
    told = _told(table, by, low * scale, high * scale).with_columns(pl.col("value") * scale)
    if null is None:
        return told
    p = share_p_value(share, null / scale, variance, units, n)
    return told.with_columns(pl.Series("p_value", p))


def least_groups(table: pl.DataFrame, rows_per_group: int | None) -> Array | None:
    """How many groups are behind each row at least; None where nobody knows how large a group is."""
    if not rows_per_group:
        return None
    return np.maximum(table["units"].to_numpy(), table["n"].to_numpy() // rows_per_group).astype(np.int64)


def measured(
    cells: pl.DataFrame, item: str, top: str, bottom: str = "c", *, rows_per_group: int | None = None
) -> Measured:
    """Means of the items of one column, ready for tiers, with the same intervals as in tables."""
    table = spread(cells, [item], top, bottom)
    values, n, units = (table[c].to_numpy() for c in ("value", "n", "units"))
    of_unit = cells.group_by(UNIT).agg(pl.col(c).first() for c in _WEIGHTS if c in cells.columns).sort(UNIT)
    place = {unit: row for row, unit in enumerate(of_unit[UNIT])}
    column = {name: i for i, name in enumerate(table[item])}
    pulls = np.zeros((len(of_unit), len(table)))
    sums = cells.group_by(UNIT, item).agg(pl.col(top, bottom).sum().cast(pl.Float64))
    for unit, name, total, count in sums.iter_rows():
        if count > 0:
            pulls[place[unit], column[name]] = (total - values[column[name]] * count) / n[column[name]]
    if STRATUM in of_unit.columns and of_unit[STRATUM].n_unique() > 1:
        pulls = _centred(pulls, of_unit)
    return Measured(
        tuple(table[item].cast(pl.String)),
        values,
        pulls,
        n.astype(np.int64),
        units,
        table["variance"].to_numpy(),
        least_groups(table, rows_per_group),
    )


def measure(frame: Frame, value: str, item: str, group: str = GROUP) -> Measured:
    """The mean of a value for every item (the win share of every city), ready for tiers and comparisons."""
    known = frame.lazy().filter(pl.col(value).is_not_null() & pl.col(item).is_not_null())
    named = known.with_columns(pl.col(item).cast(pl.String))
    return measured(unit_sums(named, [item], {value: pl.col(value)}, group=group), item, value)


def spread(cells: pl.DataFrame, by: Sequence[str], top: str, bottom: str = "c") -> pl.DataFrame:
    """Mean, its cluster-robust variance inside the strata, n and units, for every combination of columns.

    Each unit's residual is its sum minus the mean times its count. Inside a stratum their own mean, for as
    many rows as the unit has, is no chance but the design, and is taken off. `units` is one more than
    the degrees of freedom.
    """
    units = unit_table(cells, by, top, bottom)
    names = list(by) or [WHOLE]
    s, c = pl.col("s"), pl.col("c")
    rest = s - s.sum().over(names) / c.sum().over(names) * c
    own = pl.col("rest")
    strata = (
        units.with_columns(rest.alias("rest"))
        .group_by(*names, STRATUM)
        .agg(
            s.sum(),
            c.sum(),
            (s**2).sum().alias("size"),
            (own**2).sum().alias("squares"),
            own.sum().alias("sum"),
            (own * pl.col(ROWS)).sum().alias("product"),
            pl.len().cast(pl.Int64).alias("seen"),
            pl.col(STRATUM_ROWS, STRATUM_SQUARES, STRATUM_UNITS).first(),
        )
    )
    # The residuals of a single stratum sum to zero as they are.
    alone = pl.len().over(names) == 1
    mean = pl.col("sum") / pl.col(STRATUM_ROWS)
    inside = pl.col("squares") - 2 * mean * pl.col("product") + mean**2 * pl.col(STRATUM_SQUARES)
    freedom = pl.when(alone).then(pl.col("seen")).otherwise(pl.col(STRATUM_UNITS)) - 1
    known = pl.when(freedom > 0)
    scatter = pl.when(alone).then(pl.col("squares")).otherwise(inside.clip(lower_bound=0.0))
    strata = strata.with_columns(
        known.then(scatter * (freedom + 1) / freedom).otherwise(float("inf")).alias("scatter"),
        freedom.alias("freedom"),
    )
    table = strata.group_by(names).agg(
        (s.sum() / c.sum()).alias("value"),
        pl.col("scatter", "size").sum(),
        c.sum().alias("n"),
        pl.min_horizontal(pl.col("seen").sum(), pl.col("freedom").sum() + 1).alias("units"),
    )
    return _finished(table, top).sort(names)


def unit_table(cells: pl.DataFrame, by: Sequence[str], top: str, bottom: str = "c") -> pl.DataFrame:
    """Sum `s` and count `c` of every unit for every combination of columns; wins in whole parts."""
    names = list(by) or [WHOLE]
    rows = cells if by else cells.with_columns(pl.lit(True).alias(WHOLE))
    if STRATUM not in cells.columns:
        blank = {STRATUM: 0, ROWS: 0.0, STRATUM_ROWS: 1.0, STRATUM_SQUARES: 0.0, STRATUM_UNITS: 0}
        rows = rows.with_columns(pl.lit(value).alias(name) for name, value in blank.items())
    s, c = (pl.col(name).sum().cast(pl.Float64) for name in (top, bottom))
    s = _in_parts(s) if top in WINS else s
    found = rows.group_by(*names, UNIT).agg(s.alias("s"), c.alias("c"), pl.col(_WEIGHTS).first())
    return found.filter(pl.col("c") > 0)


def parts_of(top: str) -> int:
    """How many of the parts that a sum is counted in make one."""
    return PARTS if top in WINS else 1


def _finished(table: pl.DataFrame, top: str) -> pl.DataFrame:
    parts = parts_of(top)
    scatter = pl.when(pl.col("scatter") > _ROUNDING * pl.col("size")).then(pl.col("scatter")).otherwise(0.0)
    variance = scatter / (pl.col("n").cast(pl.Float64) * parts) ** 2
    return table.with_columns(pl.col("value") / parts, variance.alias("variance")).drop("scatter", "size")


def _in_parts(wins: pl.Expr) -> pl.Expr:
    return (wins * PARTS).round()


def _centred(pulls: Array, of_unit: pl.DataFrame) -> Array:
    """Pulls without what differs between strata, as large as the spread inside them says."""
    centred, rows = pulls.copy(), of_unit[ROWS].to_numpy()
    stratum = of_unit[STRATUM].to_numpy()
    for one in np.unique(stratum):
        own = stratum == one
        size = int(own.sum())
        centred[own] -= rows[own, None] * pulls[own].sum(axis=0) / rows[own].sum()
        centred[own] *= np.sqrt(size / (size - 1) * (len(pulls) - 1) / len(pulls))
    return centred


def _told(table: pl.DataFrame, by: Sequence[str], low: Array, high: Array) -> pl.DataFrame:
    table = table.with_columns(pl.Series("low", low), pl.Series("high", high), pl.col("n").cast(pl.Int64))
    return table.select(*by, "value", "low", "high", "n", "units")
