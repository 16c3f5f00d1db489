"""Association of results with what happened in a game: a card played, a card dealt, high dice."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array, Estimate
from khora_sim.stats.intervals import holm, mean_bounds, p_value, t_quantile
from khora_sim.stats.sums import CLUSTER, COUNT, PARTS, Frame, Sums, from_sums, number, sums_of


def flag_table(frame: Frame, flags: Mapping[str, pl.Expr], *, value: str = "win_share") -> pl.DataFrame:
    """Mean of a value with and without each flag (card played, card dealt), and their difference.

    All flags are read in one pass. `value` is with minus without. Where players chose the flag this is
    association; where chance dealt it, it is an effect.
    """
    x = number(frame, value)
    summed = {"s": x}
    for i, flag in enumerate(flags.values()):
        is_set = flag.fill_null(False).cast(pl.Int64)
        summed |= {f"s{i}": x * is_set, f"n{i}": is_set}
    known = frame.lazy().filter(pl.col(value).is_not_null())
    parts = {name: PARTS[value] for name in summed if name.startswith("s")} if value in PARTS else {}
    sums = sums_of(known, [], summed, parts=parts)
    ones = [pl.col(name) / part for name, part in parts.items()]
    clusters = sums.cells.with_columns(pl.col(COUNT).cast(pl.Float64).alias("n"), *ones)
    rows = [_contrast(name, clusters, i) for i, name in enumerate(flags)]
    table = pl.DataFrame(rows, schema=_FLAG_COLUMNS, orient="row")
    return table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))


_FLAG_COLUMNS = {
    "name": pl.String,
    **dict.fromkeys(("n_with", "n_without"), pl.Int64),
    **dict.fromkeys(("with", "without", "value", "low", "high", "p_value"), pl.Float64),
}


def _contrast(name: str, clusters: pl.DataFrame, i: int) -> tuple:
    sums = np.stack([clusters[f"s{i}"].to_numpy(), (clusters["s"] - clusters[f"s{i}"]).to_numpy()], axis=1)
    counts = np.stack([clusters[f"n{i}"].to_numpy(), (clusters["n"] - clusters[f"n{i}"]).to_numpy()], axis=1)
    n_with, n_without = (int(n) for n in counts.sum(axis=0))
    if not n_with or not n_without:
        means = [s / n if n else math.nan for s, n in zip(sums.sum(axis=0), counts.sum(axis=0), strict=True)]
        return name, n_with, n_without, *means, math.nan, -math.inf, math.inf, 1.0
    measured = from_sums(("with", "without"), sums, counts)
    difference = float(measured.values[0] - measured.values[1])
    pulls = measured.pulls[:, 0] - measured.pulls[:, 1]
    seen = int(measured.clusters.min())
    variance = float(pulls @ pulls) * len(pulls) / max(len(pulls) - 1, 1)
    low, high = mean_bounds(np.array(difference), np.array(variance), np.array(seen))
    p = float(p_value(difference, variance, seen))
    return name, n_with, n_without, *measured.values, difference, float(low), float(high), p


def correlation(frame: Frame, x: str, y: str) -> Estimate:
    """Pearson's correlation of two columns; the interval is Fisher's, with the spread between groups."""
    a, b = pl.col(x).cast(pl.Float64), pl.col(y).cast(pl.Float64)
    moments = {"x": a, "y": b, "xx": a * a, "yy": b * b, "xy": a * b}
    sums = sums_of(frame.lazy().filter(a.is_not_null() & b.is_not_null()), [], moments)
    clusters = sums.cells.with_columns(pl.col(COUNT).cast(pl.Float64).alias("n"))
    n = float(sums.rows)
    unknown = Estimate(math.nan, -1.0, 1.0, int(n))
    if n == 0:
        return unknown
    parts = {k: clusters[k].to_numpy() for k in ("n", *moments)}
    mean_x, mean_y = parts["x"].sum() / n, parts["y"].sum() / n
    # Sums around the means, cluster by cluster.
    xx = parts["xx"] - 2 * mean_x * parts["x"] + mean_x**2 * parts["n"]
    yy = parts["yy"] - 2 * mean_y * parts["y"] + mean_y**2 * parts["n"]
    xy = parts["xy"] - mean_x * parts["y"] - mean_y * parts["x"] + mean_x * mean_y * parts["n"]
    if xx.sum() <= 0 or yy.sum() <= 0:
        return unknown
    r = float(np.clip(xy.sum() / math.sqrt(xx.sum() * yy.sum()), -1, 1))
    low, high = _fisher_bounds(r, xx / xx.sum(), yy / yy.sum(), xy / math.sqrt(xx.sum() * yy.sum()))
    return Estimate(r, low, high, int(n))


def _fisher_bounds(r: float, xx: Array, yy: Array, xy: Array) -> tuple[float, float]:
    """Bounds of a correlation from each cluster's part of the sums; its pull is what r does not explain."""
    clusters = len(xx)
    if clusters < 3:
        return -1.0, 1.0
    if abs(r) >= 1 - 1e-12:
        return r, r
    pulls = (xy - r * (xx + yy) / 2) / (1 - r**2)
    margin = float(t_quantile(LEVEL, clusters - 1)) * math.sqrt(
        float(pulls @ pulls) * clusters / (clusters - 1)
    )
    return math.tanh(math.atanh(r) - margin), math.tanh(math.atanh(r) + margin)


def against_strata(
    sums: Sums,
    item: str,
    strata: Sequence[str],
    top: str,
    bottom: str = COUNT,
    *,
    without_itself: bool = False,
) -> pl.DataFrame:
    """Mean of each item minus the mean of its strata, weighted as the item is spread over them.

    Item and strata are keys of the sums. `without_itself` compares with the rest of the stratum only; strata
    in which an item is alone are then left out. Both means come from the same clusters, so the interval is
    that of their difference: each cluster's part of the one is taken together with its part of the other.
    """
    cells, parts = sums.cells, sums.parts.get(top, 1)
    items = cells[item].unique().sort()
    clusters = cells[CLUSTER].unique().sort()
    shape = (len(clusters), len(items))
    total, counted = np.zeros(len(items)), np.zeros(len(items))
    moved, weights, seen = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
    for _, rows in cells.group_by(strata, maintain_order=True) if strata else [((), cells)]:
        won, counts = np.zeros(shape), np.zeros(shape)
        place = (
            clusters.search_sorted(rows[CLUSTER]).to_numpy(),
            _plain(items).search_sorted(_plain(rows[item])).to_numpy(),
        )
        np.add.at(won, place, rows[top].cast(pl.Float64).to_numpy() / parts)
        np.add.at(counts, place, rows[bottom].cast(pl.Float64).to_numpy())
        difference, pulls, own = _in_stratum(won, counts, without_itself)
        total += own * difference
        counted += own
        # A cluster moves the difference inside the stratum, and how much of the item lies in the stratum.
        moved += own * pulls + counts * (own > 0) * difference
        weights += counts * (own > 0)
        seen |= (counts > 0) & (own > 0)
    there = counted > 0
    number = np.where(there, counted, 1.0)
    value = total / number
    pull = (moved - weights * value) / number
    count = len(clusters)
    variance = (pull**2).sum(axis=0) * count / max(count - 1, 1)
    seen_in = seen.sum(axis=0)
    low, high = mean_bounds(value, variance, seen_in)
    table = pl.DataFrame(
        {
            item: items,
            "value": value,
            "low": low,
            "high": high,
            "n": counted.astype(np.int64),
            "units": seen_in.astype(np.int64),
            "p_value": p_value(value, variance, seen_in),
        }
    ).filter(pl.Series(there))
    return table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))


def _plain(names: pl.Series) -> pl.Series:
    """Numbers in the place of the names of an Enum, which cannot be searched."""
    return names.to_physical() if isinstance(names.dtype, pl.Enum) else names


def _in_stratum(sums: Array, counts: Array, without_itself: bool) -> tuple[Array, Array, Array]:
    """Difference of every item to its stratum, each cluster's pull on it, and the item's rows that count."""
    own, whole = counts.sum(axis=0), counts.sum()
    others = (whole - own) if without_itself else np.full(len(own), whole)
    usable = (own > 0) & (others > 0)
    n, m = np.where(usable, own, 1.0), np.where(usable, others, 1.0)
    rest_sums = sums.sum(axis=1, keepdims=True) - (sums if without_itself else 0.0)
    rest_counts = counts.sum(axis=1, keepdims=True) - (counts if without_itself else 0.0)
    mean, rest = sums.sum(axis=0) / n, rest_sums.sum(axis=0) / m
    pulls = (sums - mean * counts) / n - (rest_sums - rest * rest_counts) / m
    return np.where(usable, mean - rest, 0.0), np.where(usable, pulls, 0.0), np.where(usable, own, 0.0)
