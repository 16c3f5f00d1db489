"""Who sits where: line-ups, cities and rotation groups."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from khora_sim.engine.match import Match
from khora_sim.simulation.experiment import Arm, slots
from khora_sim.simulation.seating import set_ups
from tests.simulation.folders import plan_for


def all_set_ups(plan: Arm) -> np.recarray:
    return set_ups(plan, plan.sections[0], 0, plan.sections[0].groups)


def by_group(plan: Arm, field: str) -> np.ndarray:
    players, size = plan.sections[0].players, plan.sections[0].group_size
    return all_set_ups(plan)[field][:, :players].reshape(-1, size, players)


def test_strategies_move_while_cities_and_luck_stay():
    plan = plan_for(rotate="strategies")
    first = all_set_ups(plan)[:4]
    assert first.lineup.tolist() == [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]]
    assert len({tuple(cities) for cities in first.cities.tolist()}) == 1
    assert len(set(first.seed.tolist())) == len(set(first.first_player.tolist())) == 1


def test_cities_move_while_strategies_and_luck_stay():
    plan = plan_for(rotate="cities", cities="corinth,thebes,miletus,sparta")
    first = all_set_ups(plan)[:4]
    assert first.cities.tolist() == [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]]
    assert first.lineup.tolist() == [[0, 1, 2, 3]] * 4


@pytest.mark.parametrize("players", [2, 3, 4])
def test_when_both_move_every_strategy_plays_every_city_in_every_seat_once(players: int):
    names = ",".join(["random", "idle", "first-legal", "random"][:players])
    plan = plan_for(players=players, rotate="both", strategies=names)
    lineups, cities = by_group(plan, "lineup"), by_group(plan, "cities")
    for lineup, city in zip(lineups, cities, strict=True):
        met = Counter(
            (int(lineup[game, seat]), int(city[game, seat]), seat)
            for game in range(players * players)
            for seat in range(players)
        )
        assert len(met) == players**3
        assert set(met.values()) == {1}


def test_nothing_moves_and_every_game_has_its_own_luck():
    plan = plan_for(rotate="none")
    assert plan.sections[0].group_size == 1
    assert len(set(all_set_ups(plan).seed.tolist())) == 400


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "strategies"),
        ({"strategies": "random"}, "cities"),
        ({"strategies": "random", "cities": "all"}, "cities"),
        ({"cities": "all"}, "strategies"),
        ({"cities": "sparta,athens,corinth,argos"}, "strategies"),
        ({"cities": "seatings"}, "strategies"),
        ({"cities": "all", "rotate": "both"}, "both"),
        ({"strategies": "random,random,random,random"}, "cities"),
        ({"cities": "all", "rotate": "none"}, "none"),
    ],
)
def test_what_is_compared_rotates(asked: dict[str, Any], expected: str):
    assert plan_for(**asked).study.rotate == expected


def test_slots_tell_who_visits_which_seat():
    study = plan_for(rotate="strategies").study
    assert slots(study, 4).tolist() == [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]]


@pytest.mark.parametrize(("players", "sets", "seatings"), [(2, 21, 42), (3, 35, 210), (4, 35, 840)])
def test_all_cities_come_equally_often(players: int, sets: int, seatings: int):
    plan = plan_for(games=1, players=players, strategies="random", cities="all", rotate="none")
    assert plan.games == sets
    assert {frozenset(one) for one in by_group(plan, "cities")[:, 0].tolist()} == {
        frozenset(one) for one in combinations(range(7), players)
    }
    plan = plan_for(games=1, players=players, strategies="random", cities="seatings", rotate="none")
    assert plan.games == seatings == len({tuple(one) for one in by_group(plan, "cities")[:, 0].tolist()})


def test_games_are_rounded_up_to_whole_turns():
    assert plan_for(games=401).games == 404
    assert plan_for(games=400, cities="all").games == 420  # 35 sets x 4 games
    assert plan_for(games=400, cities="all", rotate="both").games == 560  # 35 sets x 16 games
    assert plan_for(games=10, players="2,3", strategies="random").games == 6 + 6


def test_a_named_city_sits_at_its_seat_and_the_others_are_random():
    plan = plan_for(strategies="random", cities="random,sparta", rotate="none")
    cities = by_group(plan, "cities")[:, 0]
    assert set(cities[:, 1].tolist()) == {3}
    assert set(cities[:, 0].tolist()) == {0, 1, 2, 4, 5, 6}


@pytest.mark.parametrize(("count", "each"), [(5, {1}), (4, {1}), (2, {2}), (3, {1, 2})])
def test_a_pool_is_dealt_out_evenly(count: int, each: set[int]):
    names = ["random", "first-legal", "idle", "random", "idle"][:count]
    lineups = by_group(plan_for(strategies=names, lineup="pool"), "lineup")[:, 0]
    for lineup in lineups.tolist():
        assert set(Counter(lineup).values()) <= each
        assert len(set(lineup)) == min(count, 4)
    assert set(lineups.ravel().tolist()) == set(range(count))


def test_combinations_are_all_companies_in_turn():
    plan = plan_for(strategies="random,first-legal,idle", players=2, lineup="combinations", games=1)
    assert plan.games == 6
    assert sorted(sorted(one) for one in by_group(plan, "lineup")[:, 0].tolist()) == [[0, 1], [0, 2], [1, 2]]
    plan = plan_for(strategies="random,idle", players=3, lineup="combinations", games=1)
    assert plan.games == 12  # with repeats: 000 001 011 111, in 3 seatings each


def test_all_cities_and_all_companies_are_crossed():
    plan = plan_for(
        strategies="random,first-legal,idle", players=2, lineup="combinations", cities="all", rotate="none"
    )
    met = {
        (frozenset(lineup), frozenset(cities))
        for lineup, cities in zip(
            by_group(plan, "lineup")[:, 0].tolist(), by_group(plan, "cities")[:, 0].tolist(), strict=True
        )
    }
    assert len(met) == 3 * 21


def test_the_order_of_the_cities_does_not_tell_that_of_the_line_up():
    plan = plan_for(games=2100, cities="all", lineup="combinations", rotate="none")
    lineups, cities = (by_group(plan, field)[:, 0] for field in ("lineup", "cities"))
    ranks = cities.argsort(axis=1).argsort(axis=1)  # of a city in its set
    met = Counter(zip(lineups.ravel().tolist(), ranks.ravel().tolist(), strict=True))
    assert len(met) == 4 * 4
    assert min(met.values()) > 425  # 525 on average, less five standard deviations


def test_random_cities_and_first_player_are_the_engines_own():
    plan = plan_for(strategies="random", rotate="none")
    for given in all_set_ups(plan)[:20]:
        match = Match(plan.rules, 4, int(given.seed))
        assert match.game.city.tolist() == given.cities.tolist()
        assert match.game.first_player == given.first_player


def test_the_seat_of_the_first_player_is_counted_from_1_by_those_who_ask():
    assert set(all_set_ups(plan_for(first_player=1)).first_player.tolist()) == {0}
    assert set(all_set_ups(plan_for(first_player=4)).first_player.tolist()) == {3}


def test_another_strategy_or_rule_meets_the_same_luck():
    one = all_set_ups(plan_for())
    other = all_set_ups(
        plan_for(strategies="idle,idle,idle,first-legal", reroll=True, draft=False, rotate="strategies")
    )
    for field in ("seed", "cities", "first_player"):
        assert (one[field] == other[field]).all()


def test_another_seed_is_another_luck():
    assert set(all_set_ups(plan_for()).seed.tolist()).isdisjoint(all_set_ups(plan_for(seed=8)).seed.tolist())
