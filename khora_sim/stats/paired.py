"""Differences between two studies, paired game by game where both met the same luck."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.errors import UserError
from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.groups import GROUP, Frame, group_indices, group_sums, ratio_variance
from khora_sim.stats.intervals import mean_bounds
from khora_sim.stats.multiple import holm
from khora_sim.stats.rare import most_of, rows_in_a_group, unseen_variance
from khora_sim.stats.ratios import spread, unit_table
from khora_sim.stats.student import p_value, t_quantile, two_sided_p
from khora_sim.stats.sums import HIGHEST, LOWEST, PARTS, Sums, number, sums_of


@dataclass(frozen=True)
class Difference:
    """Second minus first, its p-value, and what pairing was worth.

    A pairing gain of 5 means that unpaired studies would have needed 5 times the games for the same interval;
    it is None where nothing was paired.
    """

    estimate: Estimate
    p_value: float
    pairing_gain: float | None = None


def paired_difference(
    first: npt.ArrayLike, second: npt.ArrayLike, groups: npt.ArrayLike | None = None, level: float = LEVEL
) -> Difference:
    """Mean of second minus first, game by game; the games of a group hang together.

    Where few groups differ or none, the interval allows for changes that were not seen.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if len(a) != len(b):
        raise ValueError(f"pairs need two values each, got {len(a)} and {len(b)}")
    if len(a) == 0:
        return Difference(Estimate(math.nan, -math.inf, math.inf, 0), 1.0)
    labels, units = group_indices(groups, len(a))
    sums, counts = group_sums(b - a, labels, units)
    reach = max(a.max(), b.max()) - min(a.min(), b.min())
    size, n = np.array(units), np.array(len(a))
    variance = ratio_variance(sums, counts) + float(
        unseen_variance((sums != 0).sum(), np.abs(sums).max(), size, counts.max() * reach, n, level)
    )
    apart = sum(ratio_variance(*group_sums(x, labels, units)) for x in (a, b))
    mean = float((b - a).mean())
    low, high = mean_bounds(np.array(mean), np.array(variance), size, level)
    estimate = Estimate(mean, float(low), float(high), len(a))
    return Difference(estimate, float(p_value(mean, variance, units)), _gain(apart, variance))


def unpaired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    first_groups: npt.ArrayLike | None = None,
    second_groups: npt.ArrayLike | None = None,
    level: float = LEVEL,
) -> Difference:
    """Mean of second minus mean of first for studies that share no luck (Welch's t, by groups)."""
    means, variances, units, n = [], [], [], 0
    for values, groups in ((first, first_groups), (second, second_groups)):
        x = np.asarray(values, dtype=float)
        sums, counts = group_sums(x, *group_indices(groups, len(x)))
        means.append(float(x.mean()) if len(x) else math.nan)
        variances.append(ratio_variance(sums, counts))
        units.append(len(sums))
        n += len(x)
    difference = means[1] - means[0]
    low, high, p = welch(np.array(difference), [np.array(x) for x in (*variances, *units)], level)
    return Difference(Estimate(difference, float(low), float(high), n), float(p))


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
    differ or none, the interval allows for changes that were not seen.
    """
    sums = _sums_of_pairs(first, second, by, value, keys, group)
    one, two, change = (spread(sums, [by], name) for name in ("first", "second", "change"))
    units, n = (change[c].to_numpy() for c in ("units", "n"))
    reach = _reach(sums)
    most = most_of(change[by], rows_in_a_group(first, by, group), reach[1] - reach[0])
    variance = change["variance"].to_numpy() + _unseen(sums, by, "change", 0.0, units, most, n, level)[1]
    low, high = mean_bounds(change["value"].to_numpy(), variance, units, level)
    p = p_value(change["value"].to_numpy(), variance, units)
    table = _comparison(change[by], one["value"], two["value"], change["value"], low, high, p)
    apart = (one["variance"] + two["variance"]).to_numpy()
    gains = [_gain(a, v) for a, v in zip(apart, variance, strict=True)]
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
        _with_unseen(frame, own, by, value, group, ends, level)
        for frame, own in zip((first, second), sums, strict=True)
    )
    if one.schema[by] != two.schema[by]:  # studies of different strategies list different names
        one, two = (table.with_columns(pl.col(by).cast(pl.String)) for table in (one, two))
    both = one.join(two, on=by).sort(by)
    difference = both["value_right"] - both["value"]
    columns = ("variance", "variance_right", "units", "units_right")
    bounds = welch(difference.to_numpy(), [both[c].to_numpy() for c in columns], level)
    table = _comparison(both[by], both["value"], both["value_right"], difference, *bounds)
    return table.with_columns((both["n"] + both["n_right"]).cast(pl.Int64).alias("n"))


def _with_unseen(
    frame: Frame,
    sums: Sums,
    by: str,
    value: str,
    group: str,
    ends: tuple[float, float],
    level: float,
) -> pl.DataFrame:
    """Means and variances of one study; hardly ever off either end of the values, more than was seen."""
    table = spread(sums, [by], value)
    units, n = (table[c].to_numpy() for c in ("units", "n"))
    most = most_of(table[by], rows_in_a_group(frame, by, group), ends[1] - ends[0])
    found = [_unseen(sums, by, value, end, units, most, n, level) for end in ends]
    # Counted from the end that most units show.
    added = np.where(found[0][0] <= found[1][0], found[0][1], found[1][1])
    return table.with_columns(pl.Series("variance", table["variance"].to_numpy() + added))


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
    names: pl.Series,
    first: pl.Series,
    second: pl.Series,
    difference: pl.Series,
    low: Array,
    high: Array,
    p: Array,
) -> pl.DataFrame:
    bounds = (pl.Series("low", low), pl.Series("high", high))
    corrected = (pl.Series("p_value", p), pl.Series("p_holm", holm(p)))
    means = (first.alias("first"), second.alias("second"))
    return pl.DataFrame([names, *means, difference.alias("value"), *bounds, *corrected])


def welch(difference: Array, known_by: Sequence[Array], level: float) -> tuple[Array, Array, Array]:
    """Bounds and p-values of differences; known_by holds both variances, then both numbers of units."""
    var_a, var_b, units_a, units_b = known_by
    known = (units_a > 1) & (units_b > 1) & np.isfinite(difference)
    var_a, var_b = np.where(known, var_a, 0.0), np.where(known, var_b, 0.0)
    variance = var_a + var_b
    weight = var_a**2 / np.maximum(units_a - 1, 1) + var_b**2 / np.maximum(units_b - 1, 1)
    flat = weight <= 0
    degrees = np.where(flat, units_a + units_b - 2, variance**2 / np.where(flat, 1.0, weight))
    margin = t_quantile(level, degrees) * np.sqrt(variance)
    t = difference / np.sqrt(np.where(variance > 0, variance, 1.0))
    no_spread = p_value(difference, 0.0, np.minimum(units_a, units_b))
    p = np.where(variance > 0, two_sided_p(t, degrees), no_spread)
    low, high = difference - margin, difference + margin
    return np.where(known, low, -np.inf), np.where(known, high, np.inf), np.where(known, p, 1.0)


def _gain(apart: float, paired: float) -> float | None:
    if not math.isfinite(apart) or not math.isfinite(paired):
        return None
    if paired == 0:
        return math.inf if apart > 0 else 1.0
    return float(apart / paired)
