"""The compiled engine: entry points with fixed signatures, compiled once and kept in the cache.

Python passes arrays and a place in them, never single records: that is what makes a call cheap.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from khora_sim.engine import machine, play
from khora_sim.engine import view as views
from khora_sim.engine.agenda import next_up
from khora_sim.engine.calling import RATE, RUN, Games, Ledgers, Numbers, Options, Rules, call_run, i8
from khora_sim.engine.chance import own_luck
from khora_sim.engine.compiling import CACHE, address, announced, entry, inlined

SetUps = types.Array(numba.from_dtype(play.SET_UP), 1, "C")
Parameters = types.float64[:, ::1]
#: desk, scraps, where to list options, where to write ratings, address of `run`, pool, parameters, ties
TABLE = (Games, Ledgers, Options, Numbers, i8, types.int64[::1], Parameters, types.int8[::1])
RUN_ALL = types.void(i8, Games, Ledgers, Rules, Options, types.int16[:, ::1], types.int64[::1], i8)


@inlined
def run_at(run, games, ledgers, rules, place, out, option, reach):
    """`machine.run`, by its address, on one game of an array."""
    return call_run(run, games[place], rules[0], ledgers[place], out, option, reach)


@inlined
def view_at(games, place, player, seen, seen_place):
    """What a player may see of one game of an array."""
    views.show(games[place], player, seen, seen_place)


@inlined
def determinize_at(seen, place, rules, player, seed):
    """`determinize` one view of an array."""
    views.determinize(seen[place], rules[0], player, seed)


@inlined
def run_all(run, games, ledgers, rules, chosen, outs, counts, reach):
    """`machine.run` on every game of an array, each with its own option."""
    for place in range(len(games)):
        counts[place] = call_run(
            run, games[place], rules[0], ledgers[place], outs[place], np.int64(chosen[place]), reach
        )


@inlined
def view_all(games, seen):
    """What whoever must decide may see, for every game of an array."""
    for place in range(len(games)):
        if games[place].agenda_size > 0:
            _, seat, _ = next_up(games[place])
            views.show(games[place], seat, seen, place)


@inlined
def luck_at(games, place):
    """The luck that whoever must decide may see."""
    game = games[place]
    _, seat, _ = next_up(game)
    return own_luck(game.seed, seat, game.round_number, game.step)


class Kernels(NamedTuple):
    """The entry points of the engine."""

    run_address: Any  # for compiled code to call
    indifferent_address: Any  # the player of random legal play
    run: Callable  # (games, ledgers, rules, place, out, option, reach) -> number of options
    set_up: Callable  # (games, ledgers, rules, set_ups, place)
    view: Callable  # (games, place, player, views, place among the views)
    determinize: Callable  # (views, place, rules, player, seed)
    luck: Callable  # (games, place) -> 64 bits
    play_on: Callable  # (games, ledgers, rules, set_ups, place, option, *table) -> Outcome
    run_all: Callable  # (games, ledgers, rules, options, outs, counts, reach)
    view_all: Callable  # (games, views)
    play_games: Callable  # (games, ledgers, rules, set_ups, *table) -> games that ended well


def _source(function) -> Callable:
    """The plain function behind a rule."""
    return getattr(function, "py_func", function)


@cache
def kernels() -> Kernels:
    """The compiled engine; the first call on a machine compiles it and says so."""
    with announced("the game engine", "half a minute", CACHE):
        return _compiled()


def _compiled() -> Kernels:
    run = address(RUN, _source(machine.run))
    return Kernels(
        run,
        address(RATE, play.indifferent),
        partial(entry(i8(i8, Games, Ledgers, Rules, i8, Options, i8, i8), _source(run_at)), run),
        entry(types.void(Games, Ledgers, Rules, SetUps, i8), _source(play.set_up)),
        entry(types.void(Games, i8, i8, Games, i8), _source(view_at)),
        entry(types.void(Games, i8, Rules, i8, types.uint64), _source(determinize_at)),
        entry(types.uint64(Games, i8), _source(luck_at)),
        entry(i8(Games, Ledgers, Rules, SetUps, i8, i8, *TABLE), _source(play.play_on)),
        partial(entry(RUN_ALL, _source(run_all)), run),
        entry(types.void(Games, Games), _source(view_all)),
        entry(i8(Games, Ledgers, Rules, SetUps, *TABLE), _source(play.play_games)),
    )
