"""The change of a share from one side to another, from their sums: paired by rotation group, or not."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Estimate
from khora_sim.stats.groups import UNIT
from khora_sim.stats.intervals import mean_bounds
from khora_sim.stats.paired import welch
from khora_sim.stats.rare import unseen_variance
from khora_sim.stats.ratios import WHOLE, spread, unit_table
from khora_sim.stats.student import p_value
from khora_sim.stats.sums import COUNT, Sums

CHANGE = "change"


def share_change(
    first: Sums, second: Sums, share: str, rows_per_group: int, level: float = LEVEL
) -> Estimate:
    """Mean of a share in the second arm minus that in the first; both met the same luck, group by group."""
    row = share_changes(first, second, share, rows_per_group, (), level).row(0, named=True)
    return Estimate(row["value"], row["low"], row["high"], row["n"])


def share_changes(
    first: Sums, second: Sums, share: str, rows_per_group: int, by: Sequence[str], level: float = LEVEL
) -> pl.DataFrame:
    """The same for every combination of some keys: value, low, high, n and p_value.

    Where few groups differ or none, the interval allows for changes that were not seen: a group has so many
    rows, and a share moves by 1 at most.
    """
    sums = _changes(first, second, share, by)
    table, names = spread(sums, by, CHANGE), list(by) or [WHOLE]
    moved = unit_table(sums, by, CHANGE).with_columns(pl.col("s").abs() / sums.parts[CHANGE])
    seen = (
        moved.group_by(names).agg((pl.col("s") > 0).sum().alias("differing"), pl.col("s").max()).sort(names)
    )
    value, variance, units, n = (table[c].to_numpy() for c in ("value", "variance", "units", "n"))
    differing, largest = seen["differing"].to_numpy(), seen["s"].to_numpy()
    most = np.full(len(table), float(rows_per_group))
    variance = variance + unseen_variance(differing, largest, units, most, n, level)
    low, high = mean_bounds(value, variance, units, level)
    return table.select(
        *by,
        "value",
        pl.Series("low", low),
        pl.Series("high", high),
        pl.col("n").cast(pl.Int64),
        pl.Series("p_value", p_value(value, variance, units)),
    )


def _changes(first: Sums, second: Sums, share: str, by: Sequence[str]) -> Sums:
    """The sums of the changes in every unit; both arms hold the same rows."""
    keys = [*by, UNIT]
    one, two = (
        sums.cells.group_by(keys).agg(pl.col(COUNT, share).sum()).sort(keys) for sums in (first, second)
    )
    if not one.select(*keys, COUNT).equals(two.select(*keys, COUNT)):
        raise ValueError("pairs need the same rotation groups in both arms, and as many rows of each")
    cells = one.select(*keys, COUNT, (two[share] - pl.col(share)).alias(CHANGE))
    return Sums(tuple(by), cells, first.units, {CHANGE: first.parts.get(share, 1)})


def share_difference(
    first: Sums, second: Sums, share: str, rows_per_group: int, level: float = LEVEL
) -> Estimate:
    """Mean of a share in the second study minus that in the first, where they share no luck (Welch's t).

    Where nearly all groups show 0 or 1, the interval allows for what was not seen.
    """
    one, two = (_mean(sums, share, rows_per_group, level) for sums in (first, second))
    known_by = [np.array(side[name]) for name in ("variance", "units") for side in (one, two)]
    low, high, _ = welch(np.array(two["value"] - one["value"]), known_by, level)
    return Estimate(two["value"] - one["value"], float(low), float(high), int(one["n"] + two["n"]))


def _mean(sums: Sums, share: str, rows_per_group: int, level: float) -> dict[str, float]:
    """Mean of a share with its variance and units."""
    row = spread(sums, [], share).row(0, named=True)
    units, n = np.array(row["units"]), np.array(row["n"])
    table, parts = unit_table(sums, [], share), sums.parts.get(share, 1)
    off = [table["s"].to_numpy() / parts, (table["c"] - table["s"] / parts).to_numpy()]  # from 0, and from 1
    nearer = min(off, key=lambda ends: int((ends > 1e-9).sum()))
    differing, largest = np.array((nearer > 1e-9).sum()), np.array(nearer.max())
    unseen = unseen_variance(differing, largest, units, np.array(float(rows_per_group)), n, level)
    return {**row, "variance": row["variance"] + float(unseen)}
