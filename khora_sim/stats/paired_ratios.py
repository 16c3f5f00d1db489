"""Changes of means whose rows are not the same before and after, such as wins of those who played a card.

Rows have no partners, but rotation groups do: both sides met the same luck in them. So the two means are
paired by unit, which takes off what luck does to both.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Estimate
from khora_sim.stats.estimate_tables import estimates
from khora_sim.stats.groups import Frame, Measured, collect
from khora_sim.stats.intervals import mean_bounds
from khora_sim.stats.rare import unseen_variance
from khora_sim.stats.ratios import means, measured, shares
from khora_sim.stats.sums import Sums, number, sums_of

SIDE = "__side"
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class MeanChange:
    """A mean before and after, and its change; None where one side has no rows."""

    before: Estimate | None
    after: Estimate | None
    change: Estimate | None


def mean_change(
    first: Frame, second: Frame, value: str, *, share: bool, rows_per_group: int, level: float = LEVEL
) -> MeanChange:
    """The mean of a value in both frames and its change, paired by unit.

    `share` says that values lie between 0 and 1. Where few units differ or none, the interval allows for
    changes that were not seen.
    """
    sides = {BEFORE: first, AFTER: second}
    sums = {side: _sums(frame, value, side) for side, frame in sides.items()}
    here = {side: one for side, one in sums.items() if one.rows}
    found = {side: _estimate(one, value, share, rows_per_group, level) for side, one in here.items()}
    if len(here) < len(sides):
        return MeanChange(found.get(BEFORE), found.get(AFTER), None)
    reach = 1.0 if share else _reach([first, second], value)
    both = Sums(
        sums[BEFORE].keys,
        pl.concat([one.cells for one in sums.values()]),
        _units(sums[BEFORE], sums[AFTER]),
        sums[BEFORE].parts,
    )
    change = _difference(measured(both, SIDE, value), rows_per_group * reach, level)
    return MeanChange(found[BEFORE], found[AFTER], change)


def _sums(frame: Frame, value: str, side: str) -> Sums:
    x = number(frame, value)
    named = frame.lazy().with_columns(pl.lit(side, pl.Enum([BEFORE, AFTER])).alias(SIDE))
    return sums_of(named, [SIDE], {value: x})


def _units(first: Sums, second: Sums) -> pl.DataFrame:
    """All units of both sides; what weighs in a stratum are the rows of both."""
    names = first.units.columns
    rows = names[-1]
    return (
        pl.concat([first.units, second.units]).group_by(names[:-1]).agg(pl.col(rows).sum()).sort(names[:-1])
    )


def _estimate(sums: Sums, value: str, share: bool, rows: int, level: float) -> Estimate:
    if share:
        return estimates(shares(sums, [], value, rows_per_group=rows, level=level))[0]
    return estimates(means(sums, [], value, level=level))[0]


def _reach(frames: list[Frame], value: str) -> float:
    values = [collect(frame.lazy().select(pl.col(value).cast(pl.Float64))) for frame in frames]
    both = pl.concat(values).to_series()
    return float(both.max() - both.min())  # type: ignore[operator, arg-type]


def _difference(sides: Measured, most: float, level: float) -> Estimate:
    """After minus before, from how far each unit pulls both."""
    change = float(sides.values[1] - sides.values[0])
    pulls = sides.pulls[:, 1] - sides.pulls[:, 0]
    units, n = len(pulls), int(sides.counts.min())
    variance = float(pulls @ pulls) * units / max(units - 1, 1)
    differing = np.array((np.abs(pulls) > 1e-12).sum())
    largest = np.array(np.abs(pulls).max() * n)
    unseen = unseen_variance(differing, largest, np.array(units), np.array(most), np.array(n), level)
    low, high = mean_bounds(np.array(change), np.array(variance + float(unseen)), np.array(units), level)
    return Estimate(change, float(low), float(high), n)
