"""The luck of a study: each rotation group has its own, found by its number alone.

It depends on the study's seed and the group, never on strategies or rules, so that another study with the
same seed meets the same dice, deals and events, as far as it has the same cards and events.
"""

from collections.abc import Callable
from functools import cache
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
from khora_sim.engine.record import SEATS, new_records
from khora_sim.engine.setup import RANDOM, choose_cities
from khora_sim.rules import Rules

SOURCES = (*ENGINE_SOURCES, "simulation/seeds.py")

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
    """The compiled luck of a study."""
    folder = cache_folder(SOURCES)
    return _Compiled(
        entry(types.void(types.uint64, types.int64, RulesArray, SetUps, Games), _settle, folder),
        entry(types.void(types.uint64, types.int64, types.int64, types.int8[:, ::1]), _shuffle_rows, folder),
    )


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
