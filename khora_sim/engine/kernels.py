"""The compiled engine: entry points with fixed signatures, compiled once and kept in the cache."""

import sys
import time
import warnings
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numba
from numba import types

from khora_sim.engine import machine, play, setup
from khora_sim.engine import view as views
from khora_sim.engine.compiling import CACHE, UNCOMPILED, entry
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.record import GAME
from khora_sim.rules.tables import TABLES

warnings.filterwarnings("ignore", message="First-class function type feature is experimental")

Game = numba.from_dtype(GAME)
Ledger = numba.from_dtype(LEDGER)
Tables = numba.from_dtype(TABLES)
Games = types.Array(Game, 1, "C")
Options = types.int16[::1]
Scores = types.float64[::1]
i8 = types.int64

RUN = i8(Game, Tables, Ledger, Options, i8, i8)
Run = types.FunctionType(RUN)
#: How a player is called: view, tables, seat, options, how many, ratings to write, parameters, luck, and for
#: look-ahead a desk of spare records, a ledger nobody reads, and the machine.
RATE = types.void(Game, Tables, i8, Options, i8, Scores, Scores, types.uint64, Games, Ledger, Run)
Rate = types.FunctionType(RATE)
Pool = types.UniTuple(Rate, play.POOL)
Seats = types.int8[::1]
Parameters = types.float64[:, ::1]
PLAY = i8(
    Game, Tables, Ledger, Games, Ledger, Options, Scores, i8, Run, Pool, Seats, Parameters, types.int8[::1]
)
PLAY_GAMES = i8(
    Games,
    types.Array(Ledger, 1, "C"),
    types.Array(Tables, 1, "C"),
    types.Array(numba.from_dtype(play.SET_UP), 1, "C"),
    i8,
    Games,
    types.Array(Ledger, 1, "C"),
    Options,
    Scores,
    Run,
    Pool,
    Parameters,
    types.int8[::1],
)
NEW_GAME = types.void(Game, Tables, Ledger, types.uint64, i8, i8, types.int8[::1], i8)
VIEW = types.void(Game, i8, Games, i8)
DETERMINIZE = types.void(Game, Tables, i8, types.uint64)


class Kernels(NamedTuple):
    """The entry points of the engine."""

    run: Callable
    new_game: Callable
    view: Callable
    determinize: Callable
    play: Callable
    play_games: Callable


@cache
def kernels() -> Kernels:
    """The compiled engine; the first call on a machine compiles it and says so."""
    if UNCOMPILED:
        return Kernels(
            machine.run, setup.new_game, views.view, views.determinize, play.play, play.play_games
        )
    marker = CACHE / "compiled"
    cold = not marker.exists()
    began = time.perf_counter()
    if cold:
        print(
            "Compiling the game engine: this happens once for this version, about half a minute …",
            file=sys.stderr,
        )
    compiled = Kernels(
        entry(RUN)(machine.run.py_func),
        entry(NEW_GAME)(setup.new_game.py_func),
        entry(VIEW)(views.view.py_func),
        entry(DETERMINIZE)(views.determinize.py_func),
        entry(PLAY)(play.play.py_func),
        entry(PLAY_GAMES)(play.play_games.py_func),
    )
    if cold:
        seconds = time.perf_counter() - began
        CACHE.mkdir(parents=True, exist_ok=True)
        marker.write_text(f"{seconds:.1f}\n")
        print(f"Compiled in {seconds:.0f} s.", file=sys.stderr)
    return compiled
