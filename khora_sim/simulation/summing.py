"""Strata: sets of cities and line-ups of strategies that take turns are each played equally often.

What differs between them is then no chance but the design. Intervals know it by two columns that are worked
out from the number of a group when a study is opened: its stratum, and the cluster of groups of that stratum
that it belongs to (the column `unit`).
"""

from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
import polars as pl

from khora_sim.rules import Rules
from khora_sim.simulation.experiment import Arm, city_choices, lineup_choices, resolve_study, sections
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.stats import Estimate, estimates, shares
from khora_sim.stats.sums import GROUP, MOST_CLUSTERS, PARTS, Frame, Sums, dealt, sums_of

MOST_STRATA = MOST_CLUSTERS // 2  # each has at least two clusters
LEAD = "lead"  # a column that is worked out: see `_lead`
MARGIN = 30  # points, by which a lead counts three quarters of the most that it can
#: Columns that the players' table lacks but follow from it: how many players share a place.
DERIVED = {"sharing": pl.len().over("game", "place").cast(pl.UInt8)}


@dataclass(frozen=True)
class Turn:
    """The groups of a section that take turns: the stratum of each group of a turn."""

    first_group: int
    groups: int
    strata: np.ndarray  # by place in the turn; each stratum comes equally often

    @property
    def count(self) -> int:
        """Strata of the section."""
        return _count(self.strata)


def with_clusters(frame: pl.LazyFrame, study: Study, cities: int) -> pl.LazyFrame:
    """A table of a study, of so many cities to play, with the columns `stratum` and `unit`."""
    turns = turns_of(study, cities)
    each = MOST_CLUSTERS // sum(turn.count for turn in turns)
    strata, clusters = pl.lit(0), pl.lit(0)
    before = 0
    for turn in turns:
        place = (pl.col(GROUP).cast(pl.Int64) - turn.first_group).clip(lower_bound=0)
        stratum, number = _stratum(turn, place)
        here = pl.col(GROUP) >= turn.first_group
        strata = pl.when(here).then(before + stratum).otherwise(strata)
        cluster = (before + stratum) * each + dealt(number, each)
        clusters = pl.when(here).then(cluster).otherwise(clusters)
        before += turn.count
    return frame.with_columns(strata.cast(pl.UInt16).alias("stratum"), clusters.cast(pl.UInt16).alias("unit"))


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
    for choice in (_cities_and_lineups, _cities, lambda *_: np.zeros(1, np.int64)):
        strata = [choice(study, cities, one.players) for one in planned]
        if sum(_count(one) for one in strata) > MOST_STRATA:
            continue
        turns = [Turn(one.first_group, one.groups, own) for one, own in zip(planned, strata, strict=True)]
        if all(turn.groups >= 2 * turn.count for turn in turns):
            return turns
    return [Turn(0, sum(one.groups for one in planned), np.zeros(1, np.int64))]


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


class Summing(NamedTuple):
    """The sums of the players' table that an analysis wants: keys, columns, and products of two columns.

    A key is a column of the table or of `DERIVED`.
    """

    keys: tuple[str, ...]
    columns: tuple[str, ...] = ("win_share", "score")
    products: tuple[tuple[str, str], ...] = ()  # such as ("score", "score"), whose sum is `score*score`


def players_summed(arm: Arm, players: Frame, what: Summing) -> Sums:
    """The sums of some rows of an arm's players' table; the same bits for the same rows in any order."""
    used = {*what.columns, *(one for pair in what.products for one in pair)}
    players = players.lazy().with_columns(_lead()) if LEAD in used else players.lazy()
    kinds = players.collect_schema()
    broken = sorted(name for name in used if name not in PARTS and not kinds[name].is_integer())
    if broken:
        raise ValueError(f"only whole numbers and wins are summed, to the same bits, not {', '.join(broken)}")
    numbers = {name: pl.col(name) if name in PARTS else pl.col(name).cast(pl.Int64) for name in used}
    summed = {name: numbers[name] for name in what.columns}
    parts = {}
    for one, other in what.products:
        summed[f"{one}*{other}"] = numbers[one] * numbers[other]
        if one in PARTS or other in PARTS:
            parts[f"{one}*{other}"] = PARTS.get(one, 1) * PARTS.get(other, 1)
    derived = [DERIVED[key].alias(key) for key in what.keys if key in DERIVED]
    frame = with_clusters(players.lazy().with_columns(derived), arm.study, len(arm.rules.city_ids))
    return sums_of(frame, what.keys, summed, parts=parts)


def _lead() -> pl.Expr:
    """The lead of a player over the best other one, below 0 if behind: tanh of the margin, -1 to 1."""
    score = pl.col("score").cast(pl.Int64)
    most, second = score.max().over("game"), score.top_k(2).min().over("game")
    margin = score - pl.when(score == most).then(second).otherwise(most)
    return (margin / MARGIN).tanh().alias(LEAD)


SUMMING = Summing(("slot",))  # of one strategy against all others of a kind


def one_against(
    one: str, other: str, players: int, games: int, seed: int, rules: Rules, rules_file: str | None = None
) -> Arm:
    """An arm with the one in slot 1, moving around the table, and the other in all other seats."""
    table = (one, *[other] * (players - 1))
    study = {"games": games, "players": players, "strategies": table, "seed": seed}
    return resolve_study(study_of({**study, "lineup": "seats", "rotate": "strategies"}), rules, rules_file)


def share_won(sums: Sums, players: int, slot: int = 1) -> Estimate:
    """The share of games won from a slot, as an opened study gives it for the same games."""
    table = shares(sums.only(slot=slot), ["slot"], "win_share", rows_per_group=players * players)
    return estimates(table)[0]
