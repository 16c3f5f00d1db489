"""How fast the engine is, in processor time of one thread: a shared machine disturbs that least.

Only figures of one run compare. Two commits are compared by `make compare-speed`.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import rules_array
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import GAME, new_records
from khora_sim.engine.seat import Player, Seats
from khora_sim.engine.setup import RANDOM
from khora_sim.rules import load_rules
from khora_sim.rules.terms import PLAYER_COUNTS

BLOCK = 1000  # games in one call
BEST_OF = 5  # the fastest of so many: the others were disturbed


def random_play(players: int, games: int) -> tuple[float, float]:
    """Processor seconds and decisions per game of random legal play, on one thread, views included."""
    engine = kernels()
    set_ups = new_records(games, SET_UP)
    set_ups.seed = np.arange(games)
    set_ups.settings = Setting.DRAFT
    set_ups.players = players
    set_ups.first_player = RANDOM
    set_ups.cities = RANDOM
    records = new_records(games)
    seats = Seats([Player(engine.indifferent_address)], engine.run_address)
    ledgers, tables = new_records(games + 1, LEDGER), rules_array(load_rules(None))
    began = time.process_time()
    engine.play_games(records, ledgers, tables, set_ups, np.zeros(MAX_OPTIONS, np.int16), seats.records)
    return (time.process_time() - began) / games, float(records.step.mean())


def measure_play(players: int, repeats: int) -> dict[str, float]:
    """Games a second, microseconds a game and nanoseconds a decision of compiled random play."""
    random_play(players, BLOCK)
    runs = [random_play(players, BLOCK) for _ in range(repeats)]
    seconds = min(run[0] for run in runs)
    return {
        "players": players,
        "games_per_second": 1 / seconds,
        "microseconds_per_game": seconds * 1e6,
        "decisions_per_game": runs[0][1],
        "nanoseconds_per_decision": seconds * 1e9 / runs[0][1],
    }


def measure_strategies(specs: Sequence[str]) -> dict[str, Any]:
    """What a game and a decision of each strategy cost in all four seats, the best of several runs."""
    from khora_sim.analyses.speed import speed_of
    from khora_sim.strategy import load

    rows = []
    for spec in specs:
        speed = speed_of(load(spec))
        rows.append(
            {
                "strategy": spec,
                "games_per_second": speed.games_per_second,
                "microseconds_per_game": speed.seconds * 1e6,
                "milliseconds_per_decision": speed.seconds * 1e3 / speed.decisions,
            }
        )
    return {"load_average": os.getloadavg()[0], "cores": os.cpu_count(), "strategies": rows}


def measure_copy_and_view(repeats: int) -> dict[str, float]:
    """Nanoseconds for a copy of a game and for a view, over an array of games."""
    games, seen = new_records(BLOCK * 10), new_records(BLOCK * 10)
    games.players = 4
    games.agenda_size = 1
    plain, target = games.view(np.uint8), seen.view(np.uint8)
    copies, views = [], []
    for _ in range(repeats):
        began = time.process_time()
        target[:] = plain
        copies.append(time.process_time() - began)
        began = time.process_time()
        kernels().view_all(games, seen)
        views.append(time.process_time() - began)
    return {
        "record_bytes": GAME.itemsize,
        "nanoseconds_per_copy": min(copies) * 1e9 / len(games),
        "nanoseconds_per_view": min(views) * 1e9 / len(games),
    }


def _python(code: str, **environment: str) -> tuple[str, float]:
    """What a fresh Python prints for some code, and how many seconds it took by the clock."""
    began = time.perf_counter()
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout, time.perf_counter() - began


def measure_uncompiled(players: int, games: int) -> float:
    """Microseconds a game of the same source run as plain Python."""
    code = f"from khora_sim.analyses.bench import random_play; print(random_play({players}, {games})[0])"
    return float(_python(code, NUMBA_DISABLE_JIT="1")[0]) * 1e6


def measure_start() -> dict[str, float]:
    """Seconds of waiting: to compile the engine in an empty cache, and to start from the compiled cache."""
    load = "from khora_sim.engine.kernels import kernels; kernels().compile_all()"
    with tempfile.TemporaryDirectory() as empty:
        compiling = _python(load, KHORA_CACHE=empty)[1]
        cached = min(_python(load, KHORA_CACHE=empty)[1] for _ in range(3))
    return {"compile_seconds": compiling, "start_from_cache_seconds": cached}


def measure(quick: bool = False) -> dict[str, Any]:
    """All figures of the engine; `quick` leaves out what takes long."""
    rows = []
    for players in PLAYER_COUNTS:
        row = measure_play(players, 2 if quick else BEST_OF)
        row["uncompiled_microseconds_per_game"] = measure_uncompiled(players, 2 if quick else 10)
        row["times_as_fast"] = row["uncompiled_microseconds_per_game"] / row["microseconds_per_game"]
        rows.append(row)
    return {
        "load_average": os.getloadavg()[0],
        "cores": os.cpu_count(),
        "random_play": rows,
        **measure_copy_and_view(BEST_OF * 4),
        **({} if quick else measure_start()),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
