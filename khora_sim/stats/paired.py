"""Differences between two studies, paired game by game where both met the same luck."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.errors import UserError
from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.groups import UNIT, Frame, collect, group_indices, group_sums, ratio_variance, unit_of
from khora_sim.stats.intervals import mean_bounds
from khora_sim.stats.multiple import holm
from khora_sim.stats.student import p_value, t_quantile, two_sided_p
from khora_sim.stats.tables import spread, spread_by_unit


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
    """Mean of second minus first, game by game; the games of a group hang together."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if len(a) != len(b):
        raise ValueError(f"pairs need two values each, got {len(a)} and {len(b)}")
    if len(a) == 0:
        return Difference(Estimate(math.nan, -math.inf, math.inf, 0), 1.0)
    labels, units = group_indices(groups, len(a))
    sums, counts = group_sums(b - a, labels, units)
    variance = ratio_variance(sums, counts)
    apart = sum(ratio_variance(*group_sums(x, labels, units)) for x in (a, b))
    mean = float((b - a).mean())
    low, high = mean_bounds(np.array(mean), np.array(variance), np.array(units), level)
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
    low, high, p = _welch(np.array(difference), [np.array(x) for x in (*variances, *units)], level)
    return Difference(Estimate(difference, float(low), float(high), n), float(p))


def paired_table(
    first: Frame,
    second: Frame,
    by: str,
    *,
    value: str = "score",
    keys: Sequence[str] = ("game", "seat"),
    group: str = "group",
    level: float = LEVEL,
) -> pl.DataFrame:
    """Paired differences for every city (or another column, as the first study has it), Holm corrected.

    Rows are pairs when their keys are the same: the same game and seat met the same luck.
    """
    cells = _sums_of_pairs(first, second, by, value, keys, group)
    s = (pl.col("s"), pl.col("s_second"), pl.col("s_second") - pl.col("s"))
    one, two, change = (spread(cells.with_columns(sums.alias("s")), [by]) for sums in s)
    difference, variance, units = (change[c].to_numpy() for c in ("value", "variance", "units"))
    low, high = mean_bounds(difference, variance, units, level)
    p = p_value(difference, variance, units)
    table = _comparison(change[by], one["value"], two["value"], low, high, p)
    apart = (one["variance"] + two["variance"]).to_numpy()
    gains = [_gain(a, v) for a, v in zip(apart, variance, strict=True)]
    return table.with_columns(change["n"], pl.Series("pairing_gain", gains, dtype=pl.Float64))


def _sums_of_pairs(
    first: Frame, second: Frame, by: str, value: str, keys: Sequence[str], group: str
) -> pl.DataFrame:
    """Sums of both values (s, s_second) and the number of pairs (c) in every unit.

    Two runs of one plan hold the same rows, and then sums need no row-by-row join; equal checksums of the
    keys show it. Otherwise the rows are joined, and those without a partner are left out.
    """
    x, names = pl.col(value).cast(pl.Float64), [by, UNIT]
    check = pl.struct(keys).hash().sum().alias("check")
    sums = [
        collect(
            frame.lazy()
            .filter(pl.col(value).is_not_null())
            .group_by(by, unit_of(group))
            .agg(x.sum().alias("s"), pl.len().cast(pl.Int64).alias("c"), check)
        ).sort(names)
        for frame in (first, second)
    ]
    if len(sums[0]) and sums[0].drop("s").equals(sums[1].drop("s")):
        return sums[0].with_columns(sums[1]["s"].alias("s_second"))
    left = first.lazy().select(*dict.fromkeys([*keys, by, group]), x.alias("one"))
    right = second.lazy().select(*keys, x.alias("two"))
    pairs = left.join(right, on=list(keys), how="inner", validate="1:1").drop_nulls(["one", "two"])
    both = (pl.col("one").sum().alias("s"), pl.col("two").sum().alias("s_second"))
    cells = collect(pairs.group_by(by, unit_of(group)).agg(*both, pl.len().cast(pl.Int64).alias("c")))
    if cells.is_empty():
        shared = " and ".join(keys)
        raise UserError(
            f"the studies share no {shared}: give both the same seed and plan, or compare unpaired"
        )
    return cells


def unpaired_table(
    first: Frame, second: Frame, by: str, *, value: str = "score", group: str = "group", level: float = LEVEL
) -> pl.DataFrame:
    """Differences for every city between studies that share no luck, Holm corrected; n counts both."""
    one, two = (spread_by_unit(frame, by, value, group) for frame in (first, second))
    if one.schema[by] != two.schema[by]:  # studies of different strategies list different names
        one, two = (table.with_columns(pl.col(by).cast(pl.String)) for table in (one, two))
    both = one.join(two, on=by).sort(by)
    difference = (both["value_right"] - both["value"]).to_numpy()
    columns = ("variance", "variance_right", "units", "units_right")
    low, high, p = _welch(difference, [both[c].to_numpy() for c in columns], level)
    table = _comparison(both[by], both["value"], both["value_right"], low, high, p)
    return table.with_columns((both["n"] + both["n_right"]).alias("n"))


def _comparison(
    names: pl.Series, first: pl.Series, second: pl.Series, low: Array, high: Array, p: Array
) -> pl.DataFrame:
    difference = (second - first).alias("value")
    bounds = (pl.Series("low", low), pl.Series("high", high))
    corrected = (pl.Series("p_value", p), pl.Series("p_holm", holm(p)))
    means = (first.alias("first"), second.alias("second"))
    return pl.DataFrame([names, *means, difference, *bounds, *corrected])


def _welch(difference: Array, known_by: Sequence[Array], level: float) -> tuple[Array, Array, Array]:
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
