"""Tables of differences between two studies: every city (or another column), with both sides beside it."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from khora_sim.errors import UserError
from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.groups import GROUP, Frame
from khora_sim.stats.intervals import mean_bounds, share_bounds
from khora_sim.stats.multiple import holm
from khora_sim.stats.paired import pairing_gain, welch
from khora_sim.stats.rare import most_of, rows_in_a_group, unseen_variance
from khora_sim.stats.ratios import spread, unit_table
from khora_sim.stats.student import p_value
from khora_sim.stats.sums import HIGHEST, LOWEST, PARTS, Sums, number, sums_of


def paired_table(
    first: Frame,
    second: Frame,
    by: str,
    *,
    value: str = "score",
    keys: Sequence[str] = ("game", "seat"),
    group: str = GROUP,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Paired differences for every city (or another column, as the first study has it), Holm corrected.

    Rows are pairs when their keys are the same: the same game and seat met the same luck. Where few groups
    differ or none, the interval allows for changes that were not seen, unless the design settles both sides.
    """
    sums = _sums_of_pairs(first, second, by, value, keys, group)
    one, two, change = (spread(sums, [by], name) for name in ("first", "second", "change"))
    units, n = (change[c].to_numpy() for c in ("units", "n"))
    ends, rows = _reach(sums), rows_in_a_group(first, by, group)
    most = most_of(change[by], rows, ends[1] - ends[0])
    sides = [_bounded(side, by, rows, ends, level) for side in (one, two)]
    unseen = _unseen(sums, by, "change", 0.0, units, most, n, level)[1]
    variance = change["variance"].to_numpy() + np.where(_settled(sides, ends), 0.0, unseen)
    low, high = mean_bounds(change["value"].to_numpy(), variance, units, level)
    p = p_value(change["value"].to_numpy(), variance, units)
    table = _comparison(change[by], sides, change["value"], low, high, p)
    apart = (one["variance"] + two["variance"]).to_numpy()
    gains = [pairing_gain(a, v) for a, v in zip(apart, variance, strict=True)]
    return table.with_columns(change["n"].cast(pl.Int64), pl.Series("pairing_gain", gains, dtype=pl.Float64))


def _sums_of_pairs(first: Frame, second: Frame, by: str, value: str, keys: Sequence[str], group: str) -> Sums:
    """Sums of both values (first, second), of their change, and the number of pairs in every unit.

    Two runs of one plan hold the same rows, and then sums need no row-by-row join; equal checksums of the
    keys show it. Otherwise the rows are joined, and those without a partner are left out.
    """
    one, two = (_checked_sums(frame, by, value, keys, group) for frame in (first, second))
    own = [value, LOWEST, HIGHEST]
    parts = dict.fromkeys(("first", "second", "change"), PARTS[value]) if value in PARTS else {}
    if len(one.cells) and one.cells.drop(own).equals(two.cells.drop(own)):
        cells = one.cells.drop("check").rename({value: "first"})
        cells = cells.with_columns(
            two.cells[value].alias("second"),
            pl.min_horizontal(LOWEST, two.cells[LOWEST]),
            pl.max_horizontal(HIGHEST, two.cells[HIGHEST]),
        )
        cells = cells.with_columns((pl.col("second") - pl.col("first")).alias("change"))
        return Sums(one.keys, cells, one.units, parts)
    named = [pl.col(name) for name in ("unit", "stratum") if name in first.lazy().collect_schema()]
    left = first.lazy().select(*dict.fromkeys([*keys, by, group]), *named, number(first, value).alias("one"))
    right = second.lazy().select(*keys, number(second, value).alias("two"))
    pairs = left.join(right, on=list(keys), how="inner", validate="1:1").drop_nulls(["one", "two"])
    a, b = pl.col("one"), pl.col("two")
    summed = {"first": a, "second": b, "change": b - a}
    ends = (pl.min_horizontal(a, b), pl.max_horizontal(a, b))
    sums = sums_of(pairs, [by], summed, parts=parts, ends=ends, group=group)
    if sums.cells.is_empty():
        shared = " and ".join(keys)
        raise UserError(
            f"the studies share no {shared}: give both the same seed and plan, or compare unpaired"
        )
    return sums


def _checked_sums(frame: Frame, by: str, value: str, keys: Sequence[str], group: str) -> Sums:
    """Sums of a value, and of a checksum of the keys: the same for the same rows in any order."""
    x = number(frame, value)
    summed = {value: x, "check": pl.struct(keys).hash()}
    return sums_of(_known(frame, value), [by], summed, ends=(x, x), group=group)


def _known(frame: Frame, value: str) -> pl.LazyFrame:
    return frame.lazy().filter(pl.col(value).is_not_null())


def unpaired_table(
    first: Frame, second: Frame, by: str, *, value: str = "score", group: str = GROUP, level: float = LEVEL
) -> pl.DataFrame:
    """Differences for every city between studies that share no luck, Holm corrected; n counts both.

    Where nearly all groups show the least or the most that a value can be (who hardly ever wins), the
    interval allows for what was not seen.
    """
    sums = [
        sums_of(_known(frame, value), [by], {value: x}, ends=(x, x), group=group)
        for frame, x in ((frame, number(frame, value)) for frame in (first, second))
    ]
    ends = _reach(*sums)
    one, two = (
        _one_side(frame, own, by, value, group, ends, level)
        for frame, own in zip((first, second), sums, strict=True)
    )
    if one.schema[by] != two.schema[by]:  # studies of different strategies list different names
        one, two = (table.with_columns(pl.col(by).cast(pl.String)) for table in (one, two))
    names = one.join(two, on=by, how="semi").select(by).sort(by)
    one, two = (names.join(side, on=by, how="left", maintain_order="left") for side in (one, two))
    difference = two["value"] - one["value"]
    known_by = [side[column].to_numpy() for column in ("variance", "units") for side in (one, two)]
    table = _comparison(names[by], (one, two), difference, *welch(difference.to_numpy(), known_by, level))
    return table.with_columns((one["n"] + two["n"]).cast(pl.Int64).alias("n"))


def _one_side(
    frame: Frame, sums: Sums, by: str, value: str, group: str, ends: tuple[float, float], level: float
) -> pl.DataFrame:
    """Means of one study, their bounds and variances; hardly ever off either end, more than was seen."""
    rows = rows_in_a_group(frame, by, group)
    table = _bounded(spread(sums, [by], value), by, rows, ends, level)
    units, n = (table[c].to_numpy() for c in ("units", "n"))
    most = most_of(table[by], rows, ends[1] - ends[0])
    found = [_unseen(sums, by, value, end, units, most, n, level) for end in ends]
    # Counted from the end that most units show.
    added = np.where(found[0][0] <= found[1][0], found[0][1], found[1][1])
    return table.with_columns(pl.Series("variance", table["variance"].to_numpy() + added))


def _bounded(
    side: pl.DataFrame, by: str, rows: dict, ends: tuple[float, float], level: float
) -> pl.DataFrame:
    """The means of one side with bounds of their own; values from 0 to 1 are shares, and stay there."""
    value, variance, units, n = (side[c].to_numpy() for c in ("value", "variance", "units", "n"))
    if _are_shares(ends):
        groups = np.maximum(units, n // most_of(side[by], rows, 1))
        low, high = share_bounds(value, variance, units, n, level, groups)
    else:
        low, high = mean_bounds(value, variance, units, level)
    return side.with_columns(pl.Series("low", low), pl.Series("high", high))


def _settled(sides: Sequence[pl.DataFrame], ends: tuple[float, float]) -> Array:
    """Which shares have no interval on any side, as where the design says in how many games a city plays.

    Other values that were the same everywhere may still differ in a game that was not played.
    """
    exact = [(side["low"] == side["high"]).to_numpy() & _are_shares(ends) for side in sides]
    return np.logical_and.reduce(exact)


def _are_shares(ends: tuple[float, float]) -> bool:
    return ends[0] >= 0 and ends[1] <= 1


def _unseen(
    sums: Sums,
    by: str,
    value: str,
    usual: float,
    units: Array,
    most: Array,
    n: Array,
    level: float,
) -> tuple[Array, Array]:
    """How many units of each item deviate from a usual value, and the variance of what was not seen."""
    parts = sums.parts.get(value, 1)
    off = ((pl.col("s") - usual * parts * pl.col("c")) / parts).abs()
    deviations = ((off > 1e-9).sum().alias("k"), off.max().alias("largest"))
    found = unit_table(sums, [by], value).group_by(by).agg(*deviations).sort(by)
    differing = found["k"].to_numpy()
    return differing, unseen_variance(differing, found["largest"].to_numpy(), units, most, n, level)


def _reach(*many: Sums) -> tuple[float, float]:
    """The least and the most that any value was, over all items."""
    cells = pl.concat([sums.cells.select(pl.col(LOWEST, HIGHEST).cast(pl.Float64)) for sums in many])
    low, high = cells.select(pl.col(LOWEST).min(), pl.col(HIGHEST).max()).row(0)
    return (0.0, 0.0) if low is None else (low, high)


def _comparison(
    names: pl.Series, sides: Sequence[pl.DataFrame], difference: pl.Series, low: Array, high: Array, p: Array
) -> pl.DataFrame:
    bounds = (pl.Series("low", low), pl.Series("high", high))
    corrected = (pl.Series("p_value", p), pl.Series("p_holm", holm(p)))
    means = [
        side[column].alias(name if column == "value" else f"{name}_{column}")
        for name, side in zip(("first", "second"), sides, strict=True)
        for column in ("value", "low", "high")
    ]
    return pl.DataFrame([names, *means, difference.alias("value"), *bounds, *corrected])
