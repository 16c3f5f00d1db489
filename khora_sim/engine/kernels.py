"""The compiled engine: entry points with fixed signatures, compiled when needed and kept in the cache.

Python passes arrays and a place in them, never single records: that is what makes a call cheap.
"""

from collections.abc import Callable
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

from khora_sim.engine import machine, play
from khora_sim.engine import view as views
from khora_sim.engine.agenda import next_up
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import RATE, RUN, Games, Ledgers, Options, Rules, Seats, call_run, handle, i8
from khora_sim.engine.compiling import ENGINE_SOURCES, address, entry, inlined

SetUps = types.Array(numba.from_dtype(play.SET_UP), 1, "C")
RUN_ALL = types.void(i8, Games, Ledgers, Rules, Options, types.int16[:, ::1], types.int64[::1], i8)


@inlined
def run_at(run, games, ledgers, rules, index, out, option, until):
    """`machine.run`, by its address, on one game of an array."""
    return call_run(run, games[index], rules[0], ledgers[index], out, option, until)


@inlined
def view_at(games, index, player, seen, seen_index):
    """Write what a player may see of one game of an array."""
    views.show(games[index], player, seen[seen_index])


@inlined
def determinize_at(seen, index, rules, player, seed):
    """`determinize` one view of an array."""
    views.determinize(seen[index], rules[0], player, seed)


@inlined
def run_all(run, games, ledgers, rules, chosen, outs, counts, until):
    """`machine.run` on every game of an array, each with its own option."""
    for index in range(len(games)):
        counts[index] = call_run(
            run, games[index], rules[0], ledgers[index], outs[index], np.int64(chosen[index]), until
        )


@inlined
def view_all(games, seen):
    """Write what the player who must decide may see, for every game of an array."""
    for index in range(len(games)):
        if games[index].agenda_size > 0:
            _, seat, _ = next_up(games[index])
            views.show(games[index], seat, seen[index])


@inlined
def ask_at(games, index, rules, out, count, seats, number):
    """Have a compiled player decide in one game of an array; returns the place of its option, or -1."""
    return play.ask(seats[number], games[index], rules[0], out, count)


@inlined
def show_at(games, index, out, count, seats, number):
    """Put the decision of one game of an array before a seat."""
    play.show_decision(seats[number], games[index], out, count)


class Kernels:
    """The entry points of the engine, each compiled or loaded when it is first asked for."""

    @cached_property
    def run_address(self) -> Any:
        """`machine.run`, for compiled code to call: all the rules of the game."""
        return address(RUN, machine.run, self._folder, what="the rules of the game", wait="15 seconds")

    @cached_property
    def indifferent_address(self) -> Any:
        """The player of random legal play, for compiled code to call."""
        return address(RATE, play.indifferent, self._folder)

    @cached_property
    def run(self) -> Callable:
        """(games, ledgers, rules, place, out, option, until) -> number of options"""
        kind = i8(i8, Games, Ledgers, Rules, i8, Options, i8, i8)
        return partial(entry(kind, run_at, self._folder), handle(self.run_address))

    @cached_property
    def set_up(self) -> Callable:
        """(games, ledgers, rules, set_ups, place)"""
        return entry(types.void(Games, Ledgers, Rules, SetUps, i8), play.set_up, self._folder)

    @cached_property
    def view(self) -> Callable:
        """(games, place, player, views, place among the views)"""
        return entry(types.void(Games, i8, i8, Games, i8), view_at, self._folder)

    @cached_property
    def determinize(self) -> Callable:
        """(views, place, rules, player, seed)"""
        return entry(types.void(Games, i8, Rules, i8, types.uint64), determinize_at, self._folder)

    @cached_property
    def ask(self) -> Callable:
        """(games, place, rules, options, how many, seats, number of the seat) -> place among the options"""
        return entry(i8(Games, i8, Rules, Options, i8, Seats, i8), ask_at, self._folder)

    @cached_property
    def show(self) -> Callable:
        """(games, place, options, how many, seats, number of the seat)"""
        return entry(types.void(Games, i8, Options, i8, Seats, i8), show_at, self._folder)

    @cached_property
    def play_on(self) -> Callable:
        """(games, ledgers, rules, set_ups, place, option, where to list, seats) -> options, or -Outcome"""
        kind = i8(Games, Ledgers, Rules, SetUps, i8, i8, Options, Seats)
        return entry(kind, play.play_on, self._folder)

    @cached_property
    def run_all(self) -> Callable:
        """(games, ledgers, rules, options, outs, counts, until)"""
        return partial(entry(RUN_ALL, run_all, self._folder), handle(self.run_address))

    @cached_property
    def view_all(self) -> Callable:
        """(games, views)"""
        return entry(types.void(Games, Games), view_all, self._folder)

    @cached_property
    def play_games(self) -> Callable:
        """(games, ledgers, rules, set_ups, where to list options, seats) -> games that ended well"""
        return entry(i8(Games, Ledgers, Rules, SetUps, Options, Seats), play.play_games, self._folder)

    @cached_property
    def _folder(self) -> Path:
        return cache_folder(ENGINE_SOURCES)

    def compile_all(self) -> None:
        """Compile what is not compiled yet."""
        for name, kind in vars(Kernels).items():
            if isinstance(kind, cached_property):
                getattr(self, name)


@cache
def kernels() -> Kernels:
    """The compiled engine."""
    return Kernels()
