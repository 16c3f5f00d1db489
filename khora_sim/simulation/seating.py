"""Who sits where with what: line-ups and sets of cities, as they move around the table (see `rotation`).

A strategy that is tied to a city goes where its city goes.
"""

from functools import cache
from itertools import combinations, combinations_with_replacement, permutations

import numpy as np

from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.simulation.arm import Arm, Section
from khora_sim.simulation.rotation import city_choices, shifted, slots, turns
from khora_sim.simulation.seeds import CITY_ORDER, LINEUP_ORDER, dealt_rows, settle, shuffled_rows


def set_ups(arm: Arm, section: Section, first_group: int, groups: int) -> np.recarray:
    """What the games of consecutive groups are played from; groups count from 0 in their section."""
    study, players = arm.study, section.players
    number = section.first_group + first_group  # the luck of a group comes from its number in the study
    of_groups = new_records(groups, SET_UP)
    of_groups.settings = arm.settings
    of_groups.players = players
    of_groups.first_player = RANDOM if study.first_player == "random" else study.first_player - 1
    of_groups.cities = RANDOM
    if arm.swapped is not None:
        of_groups.swap, of_groups.swapped, of_groups.swap_number = arm.swapped
    of_groups["cities"][:, :players] = _cities(arm, section, first_group, groups)
    settle(study.seed, number, arm.rules, of_groups)
    lineups = _lineups(arm, section, first_group, groups)

    games = np.repeat(of_groups, section.group_size).view(np.recarray)
    games["cities"][:, :players] = of_groups["cities"][:, shifted(players, turns(study, players)[1])].reshape(
        -1, players
    )
    games["lineup"][:, :players] = lineups[:, slots(study, players)].reshape(-1, players)
    _seat_by_city(arm, games["lineup"][:, :players], games["cities"][:, :players])
    return games


def _seat_by_city(arm: Arm, lineup: np.ndarray, cities: np.ndarray) -> None:
    """Put the strategies that are tied to a city in the place of whoever would play it."""
    for place, city in enumerate(arm.study.by_city, len(arm.study.strategies)):
        lineup[cities == arm.rules.city_ids.index(city)] = place


def _cities(arm: Arm, section: Section, first_group: int, groups: int) -> np.ndarray:
    """The cities of each group by seat, RANDOM where chance decides."""
    study, players = arm.study, section.players
    if study.cities == "random":
        return np.full((groups, players), RANDOM)
    if isinstance(study.cities, tuple):
        places = [RANDOM if city == "random" else arm.rules.city_ids.index(city) for city in study.cities]
        return np.tile((places + [RANDOM] * players)[:players], (groups, 1))
    choices = _all_cities(study.cities, len(arm.rules.city_ids), players)
    turn = choices[np.arange(first_group, first_group + groups) % len(choices)]
    if study.cities == "seatings":
        return turn
    return shuffled_rows(study.seed, CITY_ORDER, section.first_group + first_group, turn)


def _lineups(arm: Arm, section: Section, first_group: int, groups: int) -> np.ndarray:
    """The strategies of each group by slot, as places in the list of strategies."""
    study, players = arm.study, section.players
    count, number = len(study.strategies), section.first_group + first_group
    if study.lineup == "same":
        return np.zeros((groups, players), np.int8)
    if study.lineup == "seats":
        return np.tile(np.arange(players), (groups, 1))
    if study.lineup == "pool":
        return dealt_rows(study.seed, number, groups, count, players)
    choices = _all_lineups(count, players)
    turns = np.arange(first_group, first_group + groups)
    turn = choices[turns // city_choices(study, len(arm.rules.city_ids), players) % len(choices)]
    return shuffled_rows(study.seed, LINEUP_ORDER, number, turn)


@cache
def _all_cities(which: str, cities: int, players: int) -> np.ndarray:
    choices = combinations if which == "all" else permutations
    return np.array(list(choices(range(cities), players)), np.int8)


@cache
def _all_lineups(strategies: int, players: int) -> np.ndarray:
    """Every line-up of different strategies; where there are too few of them, every line-up with repeats."""
    choices = combinations if strategies >= players else combinations_with_replacement
    return np.array(list(choices(range(strategies), players)), np.int8)
