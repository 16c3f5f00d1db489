"""Chance and seats of a study: each rotation group has its own dice and deals, found by its number alone.

It depends on the study's seed and the group, never on strategies or rules, so that another study with the
same seed meets the same dice, deals and events, as far as it has the same cards and events.
"""

from collections.abc import Callable
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any, NamedTuple

import numpy as np
from numba import types

from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Games
from khora_sim.engine.calling import Rules as RulesArray
from khora_sim.engine.chance import Stream, draw, random_bits, shuffle
from khora_sim.engine.compiling import ENGINE_SOURCES, entry, rule
from khora_sim.engine.kernels import SetUps
from khora_sim.engine.match import rules_array
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import SEATS, new_records
from khora_sim.engine.setup import RANDOM, choose_cities
from khora_sim.rules import Rules
from khora_sim.simulation.experiment import Arm, Section, city_choices, shifted, slots, turns

SOURCES = (*ENGINE_SOURCES, "simulation/seating.py")

# What the random numbers of a group are for: addresses within Stream.STUDY.
GAME_SEED = 0
CITY_ORDER = 1
LINEUP_ORDER = 2  # and the next ones, where a small pool is dealt out more than once


@rule
def _settle(study_seed, first_group, rules, set_ups, games):
    """Give every group its seed, and settle its random cities and first player as the engine would."""
    game = games[0]
    for index in range(len(set_ups)):
        given = set_ups[index]
        given.seed = random_bits(study_seed, Stream.STUDY, GAME_SEED, 0, first_group + index)
        game.seed = given.seed
        game.players = given.players
        choose_cities(game, rules[0], given.cities)
        for seat in range(given.players):
            given.cities[seat] = game.city[seat]
        if given.first_player == RANDOM:
            given.first_player = draw(given.seed, Stream.FIRST_PLAYER, 0, 0, 0, given.players)


@rule
def _shuffle_rows(study_seed, purpose, first_group, rows):
    """Shuffle one row of items for each group."""
    for index in range(len(rows)):
        seed = random_bits(study_seed, Stream.STUDY, purpose, 0, first_group + index)
        shuffle(rows[index], rows.shape[1], seed, Stream.STUDY)


class _Compiled(NamedTuple):
    settle: Callable[..., Any]
    shuffle_rows: Callable[..., Any]


@cache
def compile_now() -> _Compiled:
    """The compiled chance of a study."""
    folder = cache_folder(SOURCES)
    return _Compiled(
        entry(types.void(types.uint64, types.int64, RulesArray, SetUps, Games), _settle, folder),
        entry(types.void(types.uint64, types.int64, types.int64, types.int8[:, ::1]), _shuffle_rows, folder),
    )


def random_set_ups(count: int, players: int, settings: int) -> np.recarray:
    """Set-ups with these options of the game, in which cities and the first player are left to chance."""
    found = new_records(count, SET_UP)
    found.players, found.settings = players, settings
    found.first_player = found.cities = RANDOM
    return found


def settle(seed: int, first_group: int, rules: Rules, set_ups: np.ndarray) -> None:
    """Fill in the seeds of consecutive groups, and their cities and first players where left to chance."""
    compile_now().settle(np.uint64(seed), first_group, rules_array(rules), set_ups, new_records(1))


def shuffled_rows(seed: int, purpose: int, first_group: int, rows: np.ndarray) -> np.ndarray:
    """A copy of the rows, one for each of consecutive groups, each in its group's random order."""
    shuffled = np.ascontiguousarray(rows, np.int8).copy()
    compile_now().shuffle_rows(np.uint64(seed), purpose, first_group, shuffled)
    return shuffled


def dealt_rows(seed: int, first_group: int, groups: int, items: int, places: int) -> np.ndarray:
    """Items drawn for each group; none comes again before all have come."""
    assert places <= SEATS
    deals = [
        shuffled_rows(seed, LINEUP_ORDER + time, first_group, np.tile(np.arange(items), (groups, 1)))
        for time in range(-(-places // items))
    ]
    return np.hstack(deals)[:, :places]


def set_ups(arm: Arm, section: Section, first_group: int, groups: int) -> np.recarray:
    """The set-ups of the games of consecutive groups; groups count from 0 in their section.

    Line-ups and sets of cities move around the table; a strategy that is tied to a city goes with it.
    """
    study, players = arm.study, section.players
    number = section.first_group + first_group  # the chance of a group comes from its number in the study
    of_groups = random_set_ups(groups, players, arm.settings)
    if study.first_player != "random":
        of_groups.first_player = study.first_player - 1
    if arm.swapped is not None:
        of_groups.swap, of_groups.swapped, of_groups.swap_number = arm.swapped
    of_groups["cities"][:, :players] = _cities(arm, section, first_group, groups)
    settle(study.seed, number, arm.rules, of_groups)
    lineups = _lineups(arm, section, first_group, groups)

    games = np.repeat(of_groups, section.group_size).view(np.recarray)
    cities, lineup = games["cities"][:, :players], games["lineup"][:, :players]
    cities[:] = of_groups["cities"][:, shifted(players, turns(study, players)[1])].reshape(-1, players)
    lineup[:] = lineups[:, slots(study, players)].reshape(-1, players)
    for place, city in enumerate(study.by_city, len(study.strategies)):
        lineup[cities == arm.rules.city_ids.index(city)] = place
    return games


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
