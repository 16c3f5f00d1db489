"""The compiled engine: entry points with fixed signatures, compiled once and kept in the cache.

Python passes arrays and a place in them, never single records: that is what makes a call cheap.
"""

import sys
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numba
from numba import types

from khora_sim.engine import machine, play
from khora_sim.engine import view as views
from khora_sim.engine.calling import RUN, Games, Ledgers, Numbers, Options, Rules, call_run, i8
from khora_sim.engine.compiling import CACHE, UNCOMPILED, address, entry, inlined

SetUps = types.Array(numba.from_dtype(play.SET_UP), 1, "C")
Parameters = types.float64[:, ::1]
#: desk, scraps, where to list options, where to write ratings, address of `run`, pool, parameters, ties
TABLE = (Games, Ledgers, Options, Numbers, i8, types.int64[::1], Parameters, types.int8[::1])


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


class Kernels(NamedTuple):
    """The entry points of the engine."""

    run_address: Any  # for compiled code to call
    run: Callable  # (games, ledgers, rules, place, out, option, reach) -> number of options
    set_up: Callable  # (games, ledgers, rules, set_ups, place)
    view: Callable  # (games, place, player, views, place among the views)
    determinize: Callable  # (views, place, rules, player, seed)
    play_on: Callable  # (games, ledgers, rules, set_ups, place, option, *table) -> Outcome
    play_games: Callable  # (games, ledgers, rules, set_ups, *table) -> games that ended well


@cache
def kernels() -> Kernels:
    """The compiled engine; the first call on a machine compiles it and says so."""
    marker = CACHE / "compiled"
    cold = not UNCOMPILED and not marker.exists()
    began = time.perf_counter()
    if cold:
        print("Compiling the game engine, once for this version: about half a minute …", file=sys.stderr)
    functions = (machine.run, run_at, play.set_up, view_at, determinize_at, play.play_on, play.play_games)
    sources = [getattr(function, "py_func", function) for function in functions]
    run = address(RUN, sources[0])
    compiled = Kernels(
        run,
        partial(entry(i8(i8, Games, Ledgers, Rules, i8, Options, i8, i8), sources[1]), run),
        entry(types.void(Games, Ledgers, Rules, SetUps, i8), sources[2]),
        entry(types.void(Games, i8, i8, Games, i8), sources[3]),
        entry(types.void(Games, i8, Rules, i8, types.uint64), sources[4]),
        entry(i8(Games, Ledgers, Rules, SetUps, i8, i8, *TABLE), sources[5]),
        entry(i8(Games, Ledgers, Rules, SetUps, *TABLE), sources[6]),
    )
    if cold:
        seconds = time.perf_counter() - began
        CACHE.mkdir(parents=True, exist_ok=True)
        marker.write_text(f"{seconds:.1f}\n")
        print(f"Compiled in {seconds:.0f} s.", file=sys.stderr)
    return compiled
