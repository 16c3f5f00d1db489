"""Strata: what takes turns in a plan, seen from the numbers of the groups alone."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.summing import with_clusters
from khora_sim.stats.sums import MOST_CLUSTERS, cluster_of
from tests.simulation.folders import plan_for

POOL = "random,first-legal,idle"


def units_of(plan: Arm) -> pl.DataFrame:
    """Group, stratum and unit of all groups of a plan."""
    groups = pl.LazyFrame({"rotation_group": np.arange(plan.groups, dtype=np.uint32)})
    return with_clusters(groups, plan.study, len(plan.rules.city_ids)).collect()


def played(plan: Arm, field: str) -> list[tuple[int, ...]]:
    """The set of cities, or of strategies, of every group."""
    found = []
    for section in plan.sections:
        games = set_ups(plan, section, 0, section.groups)[field][:: section.group_size, : section.players]
        found += [tuple(sorted(row)) for row in games.tolist()]
    return found


@pytest.mark.parametrize(
    "asked",
    [
        {"games": 560, "cities": "all", "strategies": "random"},
        {"games": 3000, "cities": "seatings", "players": 3, "strategies": "random"},
        {"games": 300, "cities": "all", "players": 2, "strategies": "random"},
    ],
)
def test_a_set_of_cities_is_a_stratum_whatever_its_seating(asked: dict[str, Any]):
    plan = plan_for(**asked)
    strata = units_of(plan)["stratum"].to_list()
    sets = played(plan, "cities")
    assert len(set(zip(sets, strata, strict=True))) == len(set(sets)) == len(set(strata)) > 20
    assert len(set(Counter(strata).values())) == 1


def test_a_line_up_of_strategies_that_takes_turns_is_part_of_the_stratum():
    plan = plan_for(
        games=600, players=2, cities="all", strategies=POOL, lineup="combinations", rotate="cities"
    )
    strata = units_of(plan)["stratum"].to_list()
    both = list(zip(played(plan, "cities"), played(plan, "lineup"), strict=True))
    assert len(set(zip(both, strata, strict=True))) == len(set(both)) == len(set(strata)) == 21 * 3


def test_where_strata_would_be_too_many_or_too_small_they_are_coarser():
    many = plan_for(games=10_000, cities="all", strategies=POOL, lineup="combinations")
    assert units_of(many)["stratum"].n_unique() == 35  # not 35 sets of cities times 15 line-ups
    small = plan_for(games=100, cities="all", strategies="random")
    assert small.groups == 35  # one of each set says nothing of the spread inside it
    assert units_of(small)["stratum"].n_unique() == 1


def test_a_unit_holds_groups_of_one_stratum_and_there_are_at_most_1024():
    found = units_of(plan_for(games=40_000, cities="all", strategies="random"))
    assert found["unit"].n_unique() == 35 * 29 <= MOST_CLUSTERS
    assert found.group_by("unit").agg(pl.col("stratum").n_unique())["stratum"].max() == 1
    sizes = found["unit"].value_counts()["count"]
    assert sizes.max() - sizes.min() <= 1


def test_sizes_of_table_are_strata_too():
    plan = plan_for(games=600, players="2,3,4", strategies="random")
    found = units_of(plan)
    bounds = [section.first_group for section in plan.sections] + [plan.groups]
    assert [found["stratum"][a:b].unique().to_list() for a, b in pairwise(bounds)] == [[0], [1], [2]]
    assert found["unit"].n_unique() == plan.groups


def test_without_turns_units_are_what_they_are_for_any_frame():
    found = units_of(plan_for(games=8000, strategies="random"))
    assert found["stratum"].unique().to_list() == [0]
    assert found["unit"].to_list() == found.select(cluster_of("rotation_group")).to_series().to_list()
