"""Items against the others of their stratum: an event against others of the same round, and so on."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.groups import UNIT
from khora_sim.stats.intervals import mean_bounds
from khora_sim.stats.multiple import holm
from khora_sim.stats.student import p_value
from khora_sim.stats.sums import COUNT, Sums


def against_strata(
    sums: Sums,
    item: str,
    strata: Sequence[str],
    top: str,
    bottom: str = COUNT,
    *,
    without_itself: bool = False,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Mean of each item minus the mean of its strata, weighted as the item is spread over them.

    Item and strata are keys of the sums. `without_itself` compares with the rest of the stratum only; strata
    in which an item is alone are then left out. Both means come from the same units, so the interval is that
    of their difference: each unit's part of the one is taken together with its part of the other.
    """
    cells, parts = sums.cells, sums.parts.get(top, 1)
    items = cells[item].unique().sort()
    units = cells[UNIT].unique().sort()
    shape = (len(units), len(items))
    total, counted = np.zeros(len(items)), np.zeros(len(items))
    moved, weights, seen = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
    for _, rows in cells.group_by(strata, maintain_order=True) if strata else [((), cells)]:
        won, counts = np.zeros(shape), np.zeros(shape)
        place = (
            units.search_sorted(rows[UNIT]).to_numpy(),
            _plain(items).search_sorted(_plain(rows[item])).to_numpy(),
        )
        np.add.at(won, place, rows[top].cast(pl.Float64).to_numpy() / parts)
        np.add.at(counts, place, rows[bottom].cast(pl.Float64).to_numpy())
        difference, pulls, own = _in_stratum(won, counts, without_itself)
        total += own * difference
        counted += own
        # A unit moves the difference inside the stratum, and how much of the item lies in the stratum.
        moved += own * pulls + counts * (own > 0) * difference
        weights += counts * (own > 0)
        seen |= (counts > 0) & (own > 0)
    there = counted > 0
    number = np.where(there, counted, 1.0)
    value = total / number
    pull = (moved - weights * value) / number
    count = len(units)
    variance = (pull**2).sum(axis=0) * count / max(count - 1, 1)
    seen_in = seen.sum(axis=0)
    low, high = mean_bounds(value, variance, seen_in, level)
    p = p_value(value, variance, seen_in)
    table = pl.DataFrame(
        {
            item: items,
            "value": value,
            "low": low,
            "high": high,
            "n": counted.astype(np.int64),
            "units": seen_in.astype(np.int64),
            "p_value": p,
        }
    ).filter(pl.Series(there))
    return table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))


def _plain(names: pl.Series) -> pl.Series:
    """Numbers in the place of the names of an Enum, which cannot be searched."""
    return names.to_physical() if isinstance(names.dtype, pl.Enum) else names


def _in_stratum(sums: Array, counts: Array, without_itself: bool) -> tuple[Array, Array, Array]:
    """Difference of every item to its stratum, each unit's pull on it, and the item's rows that count."""
    own, whole = counts.sum(axis=0), counts.sum()
    others = (whole - own) if without_itself else np.full(len(own), whole)
    usable = (own > 0) & (others > 0)
    n, m = np.where(usable, own, 1.0), np.where(usable, others, 1.0)
    rest_sums = sums.sum(axis=1, keepdims=True) - (sums if without_itself else 0.0)
    rest_counts = counts.sum(axis=1, keepdims=True) - (counts if without_itself else 0.0)
    mean, rest = sums.sum(axis=0) / n, rest_sums.sum(axis=0) / m
    pulls = (sums - mean * counts) / n - (rest_sums - rest * rest_counts) / m
    return np.where(usable, mean - rest, 0.0), np.where(usable, pulls, 0.0), np.where(usable, own, 0.0)
