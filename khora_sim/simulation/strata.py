"""Strata: sets of cities and line-ups of strategies that take turns are each played equally often.

What differs between them is then no chance but the design. Intervals know it by two columns that are worked
out from the number of a group when a study is opened: its stratum, and the bundle of groups (unit) of that
stratum it belongs to.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import polars as pl

from khora_sim.simulation.arm import sections
from khora_sim.simulation.rotation import city_choices, lineup_choices
from khora_sim.simulation.study_file import Study
from khora_sim.stats.groups import GROUP, MOST_UNITS, dealt

MOST_STRATA = MOST_UNITS // 2  # each has at least two units


@dataclass(frozen=True)
class Turn:
    """How the groups of a section take turns: the stratum of each group of a turn."""

    first_group: int
    groups: int
    strata: np.ndarray  # by place in the turn; each stratum comes equally often

    @property
    def count(self) -> int:
        """Strata of the section."""
        return _count(self.strata)


def with_units(frame: pl.LazyFrame, study: Study, cities: int) -> pl.LazyFrame:
    """A table of a study, of so many cities to play, with the columns `stratum` and `unit`."""
    turns = turns_of(study, cities)
    each = MOST_UNITS // sum(turn.count for turn in turns)
    strata, units = pl.lit(0), pl.lit(0)
    before = 0
    for turn in turns:
        place = (pl.col(GROUP).cast(pl.Int64) - turn.first_group).clip(lower_bound=0)
        stratum, number = _stratum(turn, place)
        here = pl.col(GROUP) >= turn.first_group
        strata = pl.when(here).then(before + stratum).otherwise(strata)
        units = pl.when(here).then((before + stratum) * each + dealt(number, each)).otherwise(units)
        before += turn.count
    return frame.with_columns(strata.cast(pl.UInt16).alias("stratum"), units.cast(pl.UInt16).alias("unit"))


def _stratum(turn: Turn, place: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """The stratum of the group at a place of its section, and the group's number in that stratum."""
    period = len(turn.strata)
    if period == 1:
        return pl.lit(0), place
    each = period // turn.count
    rank = np.zeros(period, np.int64)  # of a group among those of its stratum in the turn
    rank[np.argsort(turn.strata, kind="stable")] = np.arange(period) % each
    now = place % period
    of_place = pl.lit(pl.Series(turn.strata.astype(np.int64))).gather(now)
    return of_place, place // period * each + pl.lit(pl.Series(rank)).gather(now)


def turns_of(study: Study, cities: int) -> list[Turn]:
    """The strata of every section, as fine as the study can tell: each needs several groups."""
    planned = sections(study, cities)
    for choice in (_cities_and_lineups, _cities, _none):
        strata = [choice(study, cities, one.players) for one in planned]
        if sum(_count(one) for one in strata) > MOST_STRATA:
            continue
        turns = [Turn(one.first_group, one.groups, own) for one, own in zip(planned, strata, strict=True)]
        if all(turn.groups >= 2 * turn.count for turn in turns):
            return turns
    return [Turn(0, sum(one.groups for one in planned), np.zeros(1, np.int64))]


def _none(study: Study, cities: int, players: int) -> np.ndarray:
    return np.zeros(1, np.int64)


def _cities(study: Study, cities: int, players: int) -> np.ndarray:
    """A set of cities is a stratum; all seatings of a set are that set."""
    if study.cities != "seatings":
        return np.arange(city_choices(study, cities, players))
    sets = [sorted(seating) for seating in permutations(range(cities), players)]
    return np.unique(np.array(sets), axis=0, return_inverse=True)[1].ravel()


def _cities_and_lineups(study: Study, cities: int, players: int) -> np.ndarray:
    """A set of cities with a line-up of strategies is a stratum."""
    sets = _cities(study, cities, players)
    lineups = min(lineup_choices(study, players), MOST_STRATA + 1)  # more are too many anyway
    return (sets + _count(sets) * np.arange(lineups)[:, None]).ravel()


def _count(strata: np.ndarray) -> int:
    return int(strata.max()) + 1
