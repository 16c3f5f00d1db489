"""Differences between two studies, paired game by game where both have common random numbers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from khora_sim.errors import UserError
from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.intervals import (
    holm,
    mean_bounds,
    most_of,
    p_value,
    rows_in_a_group,
    share_bounds,
    t_quantile,
    two_sided_p,
    zero_event_variance,
)
from khora_sim.stats.ratios import WHOLE, cluster_table, estimates, means, measured, shares, spread
from khora_sim.stats.sums import (
    CLUSTER,
    COUNT,
    GROUP,
    HIGHEST,
    LOWEST,
    PARTS,
    ROWS,
    STRATUM,
    Frame,
    Measured,
    Sums,
    collect,
    number,
    sums_of,
)


def welch(difference: Array, known_by: Sequence[Array], level: float = LEVEL) -> tuple[Array, Array, Array]:
    """Bounds and p-values of differences; known_by holds both variances, then both numbers of clusters."""
    var_a, var_b, clusters_a, clusters_b = known_by
    known = (clusters_a > 1) & (clusters_b > 1) & np.isfinite(difference)
    var_a, var_b = np.where(known, var_a, 0.0), np.where(known, var_b, 0.0)
    variance = var_a + var_b
    weight = var_a**2 / np.maximum(clusters_a - 1, 1) + var_b**2 / np.maximum(clusters_b - 1, 1)
    flat = weight <= 0
    degrees = np.where(flat, clusters_a + clusters_b - 2, variance**2 / np.where(flat, 1.0, weight))
    margin = t_quantile(level, degrees) * np.sqrt(variance)
    t = difference / np.sqrt(np.where(variance > 0, variance, 1.0))
    no_spread = p_value(difference, 0.0, np.minimum(clusters_a, clusters_b))
    p = np.where(variance > 0, two_sided_p(t, degrees), no_spread)
    low, high = difference - margin, difference + margin
    return np.where(known, low, -np.inf), np.where(known, high, np.inf), np.where(known, p, 1.0)


def pairing_gain(apart: float, paired: float) -> float | None:
    """Number of times the games that unpaired studies need, from the variances of both ways; None: not known.

    A gain of 5 means that unpaired studies would need 5 times the games for the same interval.
    """
    if not math.isfinite(apart) or not math.isfinite(paired):
        return None
    if paired == 0:
        return math.inf if apart > 0 else 1.0
    return float(apart / paired)


CHANGE = "change"


def share_change(
    first: Sums, second: Sums, share: str, rows_per_group: int, level: float = LEVEL
) -> Estimate:
    """Mean of a share in the second arm minus that in the first; both have the same seeds, group by group."""
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
    moved = cluster_table(sums, by, CHANGE).with_columns(pl.col("s").abs() / sums.parts[CHANGE])
    seen = (
        moved.group_by(names).agg((pl.col("s") > 0).sum().alias("differing"), pl.col("s").max()).sort(names)
    )
    value, variance, clusters, n = (table[c].to_numpy() for c in ("value", "variance", "units", "n"))
    differing, largest = seen["differing"].to_numpy(), seen["s"].to_numpy()
    most = np.full(len(table), float(rows_per_group))
    variance = variance + zero_event_variance(differing, largest, clusters, most, n, level)
    low, high = mean_bounds(value, variance, clusters, level)
    return table.select(
        *by,
        "value",
        pl.Series("low", low),
        pl.Series("high", high),
        pl.col("n").cast(pl.Int64),
        pl.Series("p_value", p_value(value, variance, clusters)),
    )


def _changes(first: Sums, second: Sums, share: str, by: Sequence[str]) -> Sums:
    """The sums of the changes in every cluster; both arms hold the same rows."""
    keys = [*by, CLUSTER]
    one, two = (
        sums.cells.group_by(keys).agg(pl.col(COUNT, share).sum()).sort(keys) for sums in (first, second)
    )
    if not one.select(*keys, COUNT).equals(two.select(*keys, COUNT)):
        raise ValueError("pairs need the same rotation groups in both arms, and as many rows of each")
    cells = one.select(*keys, COUNT, (two[share] - pl.col(share)).alias(CHANGE))
    return Sums(tuple(by), cells, first.clusters, {CHANGE: first.parts.get(share, 1)})


def share_difference(
    first: Sums, second: Sums, share: str, rows_per_group: int, level: float = LEVEL
) -> Estimate:
    """Mean of a share in the second study minus that in the first, where they share no seeds (Welch's t).

    Where nearly all groups show 0 or 1, the interval allows for what was not seen.
    """
    one, two = (_mean(sums, share, rows_per_group, level) for sums in (first, second))
    known_by = [np.array(side[name]) for name in ("variance", "units") for side in (one, two)]
    low, high, _ = welch(np.array(two["value"] - one["value"]), known_by, level)
    return Estimate(two["value"] - one["value"], float(low), float(high), int(one["n"] + two["n"]))


def _mean(sums: Sums, share: str, rows_per_group: int, level: float) -> dict[str, float]:
    """Mean of a share with its variance and clusters."""
    row = spread(sums, [], share).row(0, named=True)
    clusters, n = np.array(row["units"]), np.array(row["n"])
    table, parts = cluster_table(sums, [], share), sums.parts.get(share, 1)
    off = [table["s"].to_numpy() / parts, (table["c"] - table["s"] / parts).to_numpy()]  # from 0, and from 1
    nearer = min(off, key=lambda ends: int((ends > 1e-9).sum()))
    differing, largest = np.array((nearer > 1e-9).sum()), np.array(nearer.max())
    added = zero_event_variance(differing, largest, clusters, np.array(float(rows_per_group)), n, level)
    return {**row, "variance": row["variance"] + float(added)}


SIDE = "__side"
SIDES = ("first", "second", "change")
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class MeanChange:
    """A mean before and after, and its change; None where one side has no rows."""

    before: Estimate | None
    after: Estimate | None
    change: Estimate | None


def mean_change(first: Frame, second: Frame, value: str, *, share: bool, rows_per_group: int) -> MeanChange:
    """Change of a mean whose rows are not the same before and after, such as wins of those who played a card.

    Rows have no partners, but rotation groups do: both sides have the same seeds in them. So the two means
    are paired by cluster. `share` says that values lie between 0 and 1. Where few clusters differ or none,
    the interval allows for changes that were not seen.
    """
    sums, found = {}, {}
    for side, frame in ((BEFORE, first), (AFTER, second)):
        named = frame.lazy().with_columns(pl.lit(side, pl.Enum([BEFORE, AFTER])).alias(SIDE))
        own = sums_of(named, [SIDE], {value: number(frame, value)})
        if own.rows:
            table = shares(own, [], value, rows_per_group=rows_per_group) if share else means(own, [], value)
            sums[side], found[side] = own, estimates(table)[0]
    if len(sums) < 2:
        return MeanChange(found.get(BEFORE), found.get(AFTER), None)
    before, after = sums.values()
    cells, clusters = pl.concat([before.cells, after.cells]), clusters_of_both(before, after)
    sides = measured(replace(before, cells=cells, clusters=clusters), SIDE, value)
    reach = 1.0 if share else _reach([first, second], value)
    return MeanChange(found[BEFORE], found[AFTER], _difference(sides, rows_per_group * reach))


def clusters_of_both(first: Sums, second: Sums) -> pl.DataFrame:
    """All clusters of both sides; a stratum is weighted by the rows of both."""
    both = pl.concat([first.clusters, second.clusters])
    return both.group_by(CLUSTER, STRATUM).agg(pl.col(ROWS).sum()).sort(CLUSTER, STRATUM)


def _reach(frames: list[Frame], value: str) -> float:
    values = [collect(frame.lazy().select(pl.col(value).cast(pl.Float64))) for frame in frames]
    both = pl.concat(values).to_series()
    return float(both.max() - both.min())  # type: ignore[operator, arg-type]


def _difference(sides: Measured, most: float) -> Estimate:
    """After minus before, from how far each cluster pulls both."""
    change = float(sides.values[1] - sides.values[0])
    pulls = sides.pulls[:, 1] - sides.pulls[:, 0]
    clusters, n = np.array(len(pulls)), np.array(sides.counts.min())
    variance = float(pulls @ pulls) * len(pulls) / max(len(pulls) - 1, 1)
    differing, largest = (np.abs(pulls) > 1e-12).sum(), np.abs(pulls).max() * int(n)
    added = zero_event_variance(differing, largest, clusters, np.array(most), n)
    low, high = mean_bounds(np.array(change), np.array(variance + float(added)), clusters)
    return Estimate(change, float(low), float(high), int(n))


def paired_table(
    first: Frame, second: Frame, by: str, *, value: str = "score", keys: Sequence[str] = ("game", "seat")
) -> pl.DataFrame:
    """Paired differences for every city (or another column, as the first study has it), Holm corrected.

    Rows are pairs when their keys are the same: the same game and seat have the same seed. Where few groups
    differ or none, the interval allows for changes that were not seen, unless the design settles both sides.
    """
    return paired_tables(first, second, by, [value], keys=keys)[value]


def paired_tables(
    first: Frame, second: Frame, by: str, values: Sequence[str], *, keys: Sequence[str] = ("game", "seat")
) -> dict[str, pl.DataFrame]:
    """The same for several values, which are summed together; rows that lack one of them are left out."""
    pairs = _sums_of_pairs(first, second, by, values, keys)
    spreads, rows = _spreads(pairs, by), rows_in_a_group(first, by)
    return {value: _paired(pairs[value], spreads[value], by, rows) for value in values}


@dataclass(frozen=True)
class _Pairs:
    """Sums of a value on both sides and of its change, and the least and the most that it was."""

    sums: Sums
    ends: tuple[float, float]


def _paired(pairs: _Pairs, spreads: Sequence[pl.DataFrame], by: str, rows: dict) -> pl.DataFrame:
    one, two, change = spreads
    clusters, n = (change[c].to_numpy() for c in ("units", "n"))
    most = most_of(change[by], rows, pairs.ends[1] - pairs.ends[0])
    sides = [_bounded(side, by, rows, pairs.ends) for side in (one, two)]
    added = _zero_event(pairs.sums, by, "change", 0.0, clusters, most, n)[1]
    variance = change["variance"].to_numpy() + np.where(_settled(sides, pairs.ends), 0.0, added)
    low, high = mean_bounds(change["value"].to_numpy(), variance, clusters)
    p = p_value(change["value"].to_numpy(), variance, clusters)
    table = _comparison(change[by], sides, change["value"], low, high, p)
    apart = (one["variance"] + two["variance"]).to_numpy()
    gains = [pairing_gain(a, v) for a, v in zip(apart, variance, strict=True)]
    return table.with_columns(change["n"].cast(pl.Int64), pl.Series("pairing_gain", gains, dtype=pl.Float64))


def _spreads(pairs: Mapping[str, _Pairs], by: str) -> dict[str, list[pl.DataFrame]]:
    """The spread of both sides and of the change of every value; those that are counted alike in one pass."""
    alike: dict[object, list[str]] = {}
    for value, one in pairs.items():
        alike.setdefault((one.sums.parts.get("first", 1), one.sums.cells.schema["first"]), []).append(value)
    found: dict[str, list[pl.DataFrame]] = {}
    for values in alike.values():
        which = pl.Enum([f"{value} {side}" for value in values for side in SIDES])
        cells = [
            pairs[value].sums.cells.select(
                pl.lit(f"{value} {side}", which).alias(SIDE), by, CLUSTER, COUNT, pl.col(side).alias("value")
            )
            for value in values
            for side in SIDES
        ]
        sums = pairs[values[0]].sums
        both = Sums((SIDE, by), pl.concat(cells), sums.clusters, {"value": sums.parts.get("first", 1)})
        parts = spread(both, [SIDE, by], "value").partition_by(SIDE, as_dict=True, include_key=False)
        found |= {value: [parts[(f"{value} {side}",)] for side in SIDES] for value in values}
    return found


def _sums_of_pairs(
    first: Frame, second: Frame, by: str, values: Sequence[str], keys: Sequence[str]
) -> dict[str, _Pairs]:
    """Sums of all values (first, second), of their change, and the number of pairs in every cluster.

    Two runs of one plan hold the same rows, and then sums need no row-by-row join; equal checksums of the
    keys show it. Otherwise the rows are joined, and those without a partner are left out.
    """
    one, two = (_checked_sums(frame, by, values, keys) for frame in (first, second))
    if not len(one.cells) or not one.cells.drop(values).equals(two.cells.drop(values)):
        return {value: _joined(first, second, by, value, keys) for value in values}
    reached = pl.concat([_reached(frame, values) for frame in (first, second)])
    found = {}
    for value in values:
        sides = (one.cells[value].alias("first"), two.cells[value].alias("second"))
        cells = one.cells.select(by, CLUSTER, COUNT, *sides)
        cells = cells.with_columns((pl.col("second") - pl.col("first")).alias("change"))
        ends = float(reached[f"{value} {LOWEST}"].min()), float(reached[f"{value} {HIGHEST}"].max())  # type: ignore[arg-type]
        found[value] = _Pairs(Sums(one.keys, cells, one.clusters, _parts(value)), ends)
    return found


def _parts(value: str) -> dict[str, int]:
    return dict.fromkeys(SIDES, PARTS[value]) if value in PARTS else {}


def _reached(frame: Frame, values: Sequence[str]) -> pl.DataFrame:
    """The least and the most that each value was."""
    ends = [
        end
        for value in values
        for x in [number(frame, value).cast(pl.Float64)]
        for end in (x.min().alias(f"{value} {LOWEST}"), x.max().alias(f"{value} {HIGHEST}"))
    ]
    return collect(_known(frame, *values).select(ends))


def _joined(first: Frame, second: Frame, by: str, value: str, keys: Sequence[str]) -> _Pairs:
    """Sums of the rows that have a partner."""
    named = [pl.col(name) for name in ("unit", "stratum") if name in first.lazy().collect_schema()]
    left = first.lazy().select(*dict.fromkeys([*keys, by, GROUP]), *named, number(first, value).alias("one"))
    right = second.lazy().select(*keys, number(second, value).alias("two"))
    pairs = left.join(right, on=list(keys), how="inner", validate="1:1").drop_nulls(["one", "two"])
    a, b = pl.col("one"), pl.col("two")
    summed = {"first": a, "second": b, "change": b - a}
    ends = (pl.min_horizontal(a, b), pl.max_horizontal(a, b))
    sums = sums_of(pairs, [by], summed, parts=_parts(value), ends=ends)
    if sums.cells.is_empty():
        shared = " and ".join(keys)
        raise UserError(
            f"the studies share no {shared}: give both the same seed and plan, or compare unpaired"
        )
    return _Pairs(sums, _reach_of_sums(sums))


def _checked_sums(frame: Frame, by: str, values: Sequence[str], keys: Sequence[str]) -> Sums:
    """Sums of some values, and of a checksum of the keys: the same for the same rows in any order."""
    summed = {value: number(frame, value) for value in values} | {"check": pl.struct(keys).hash()}
    return sums_of(_known(frame, *values), [by], summed)


def _known(frame: Frame, *values: str) -> pl.LazyFrame:
    return frame.lazy().filter(pl.all_horizontal(pl.col(values).is_not_null()))


def unpaired_table(first: Frame, second: Frame, by: str, *, value: str = "score") -> pl.DataFrame:
    """Differences for every city between studies that share no seeds, Holm corrected; n counts both.

    Where nearly all groups show the least or the most that a value can be (who hardly ever wins), the
    interval allows for what was not seen.
    """
    sums = [
        sums_of(_known(frame, value), [by], {value: x}, ends=(x, x))
        for frame, x in ((frame, number(frame, value)) for frame in (first, second))
    ]
    ends = _reach_of_sums(*sums)
    pairs = zip((first, second), sums, strict=True)
    one, two = (_one_side(frame, own, by, value, ends) for frame, own in pairs)
    if one.schema[by] != two.schema[by]:  # studies of different strategies list different names
        one, two = (table.with_columns(pl.col(by).cast(pl.String)) for table in (one, two))
    names = one.join(two, on=by, how="semi").select(by).sort(by)
    one, two = (names.join(side, on=by, how="left", maintain_order="left") for side in (one, two))
    difference = two["value"] - one["value"]
    known_by = [side[column].to_numpy() for column in ("variance", "units") for side in (one, two)]
    table = _comparison(names[by], (one, two), difference, *welch(difference.to_numpy(), known_by))
    return table.with_columns((one["n"] + two["n"]).cast(pl.Int64).alias("n"))


def _one_side(frame: Frame, sums: Sums, by: str, value: str, ends: tuple[float, float]) -> pl.DataFrame:
    """Means of one study, their bounds and variances; hardly ever off either end, more than was seen."""
    rows = rows_in_a_group(frame, by)
    table = _bounded(spread(sums, [by], value), by, rows, ends)
    clusters, n = (table[c].to_numpy() for c in ("units", "n"))
    most = most_of(table[by], rows, ends[1] - ends[0])
    found = [_zero_event(sums, by, value, end, clusters, most, n) for end in ends]
    # Counted from the end that most clusters show.
    added = np.where(found[0][0] <= found[1][0], found[0][1], found[1][1])
    return table.with_columns(pl.Series("variance", table["variance"].to_numpy() + added))


def _bounded(side: pl.DataFrame, by: str, rows: dict, ends: tuple[float, float]) -> pl.DataFrame:
    """The means of one side with bounds of their own; values from 0 to 1 are shares, and stay there."""
    value, variance, clusters, n = (side[c].to_numpy() for c in ("value", "variance", "units", "n"))
    if _are_shares(ends):
        groups = np.maximum(clusters, n // most_of(side[by], rows, 1))
        low, high = share_bounds(value, variance, clusters, n, groups=groups)
    else:
        low, high = mean_bounds(value, variance, clusters)
    return side.with_columns(pl.Series("low", low), pl.Series("high", high))


def _settled(sides: Sequence[pl.DataFrame], ends: tuple[float, float]) -> Array:
    """Mark the shares without an interval on any side, as where the design fixes how often a city plays.

    Other values that were the same everywhere may still differ in a game that was not played.
    """
    exact = [(side["low"] == side["high"]).to_numpy() & _are_shares(ends) for side in sides]
    return np.logical_and.reduce(exact)


def _are_shares(ends: tuple[float, float]) -> bool:
    return ends[0] >= 0 and ends[1] <= 1


def _zero_event(
    sums: Sums, by: str, value: str, usual: float, clusters: Array, most: Array, n: Array
) -> tuple[Array, Array]:
    """Number of clusters of each item that deviate from a usual value, and the zero-event variance."""
    parts = sums.parts.get(value, 1)
    off = ((pl.col("s") - usual * parts * pl.col("c")) / parts).abs()
    deviations = ((off > 1e-9).sum().alias("k"), off.max().alias("largest"))
    found = cluster_table(sums, [by], value).group_by(by).agg(*deviations).sort(by)
    differing = found["k"].to_numpy()
    return differing, zero_event_variance(differing, found["largest"].to_numpy(), clusters, most, n)


def _reach_of_sums(*many: Sums) -> tuple[float, float]:
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


def corrected(
    tables: Mapping[str, pl.DataFrame], *more: float
) -> tuple[dict[str, pl.DataFrame], list[float]]:
    """Tables with `p_holm`, and some more p-values, corrected over all of them together: one family."""
    known = [table["p_value"].to_numpy() for table in tables.values() if len(table)]
    adjusted = holm(np.concatenate([*known, np.array(more)]))
    found, at = {}, 0
    for name, table in tables.items():
        p = pl.Series("p_holm", adjusted[at : at + len(table)])
        found[name] = table.with_columns(p) if len(table) else table
        at += len(table)
    return found, adjusted[at:].tolist()
