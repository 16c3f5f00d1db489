"""What a study has not seen: a change so rare that few groups or none show it may still be there."""

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.groups import Frame, collect
from khora_sim.stats.student import t_quantile

BLOCK = 4096  # groups that say how many rows of an item one group has at most


def unseen_variance(
    differing: Array, largest: Array, units: Array, most: Array, n: Array, level: float = LEVEL
) -> Array:
    """What to add to the variance of a mean where most units show no deviation at all.

    `differing` of the units deviate, by `largest` at most, where one group could by `most`. With none the
    interval then reaches as far as Wilson's does for a share that was never seen, times that largest
    deviation. Each unit that deviates makes it less likely that the next one exceeds the largest so far.
    The term fades out as half of the units deviate: from there on their own spread says enough.
    """
    seen = np.minimum(largest, most)
    size = seen**2 + (most**2 - seen**2) / (differing + 1)
    weight = np.clip(1 - 2 * differing / np.maximum(units, 1), 0.0, 1.0)
    reach = t_quantile(level, np.maximum(units - 1, 1))
    return weight * reach**2 * size / np.asarray(n, dtype=float) ** 2


def rows_in_a_group(frame: Frame, by: str, group: str) -> dict:
    """The most rows that each item has in one group, among the first groups of a frame."""
    first = collect(frame.lazy().select(pl.col(group)).head(1)).to_series()
    if first.is_empty():
        return {}
    block = frame.lazy().filter(pl.col(group) < first.item() + BLOCK)
    sizes = collect(block.group_by(by, group).agg(pl.len().alias("rows")))
    return dict(sizes.group_by(by).agg(pl.col("rows").max()).iter_rows())


def most_of(names: pl.Series, rows: dict, reach: float) -> Array:
    """How far one group can move the sum of each item: its rows in a group times the reach of a value."""
    usual = max(rows.values(), default=1)
    return np.array([rows.get(name, usual) for name in names], dtype=float) * reach
