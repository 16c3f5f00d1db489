"""Games that a panel takes its decisions from: who decided what, step by step."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types

from khora_sim.engine.agenda import next_up
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Games, Ledgers, Options, Seats, call_run, i8
from khora_sim.engine.calling import Rules as RulesArray
from khora_sim.engine.compiling import ENGINE_SOURCES, entry, rule
from khora_sim.engine.kernels import SetUps
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.play import SET_UP, ask, seat_of, set_up, start
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.rules import Rules
from khora_sim.simulation.seating import dealt_rows
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.games import memory_for
from khora_sim.strategy.table import Table

MOST_STEPS = 1000  # decisions of a game that are noted; a game of the base rules has some 300

#: A decision with more than one option, as it was taken.
STEP = np.dtype([("option", "i2"), ("task", "i1"), ("round", "i1"), ("city", "i1")])
Steps = types.Array(numba.from_dtype(STEP), 2, "C")


@rule
def _play(games, ledgers, rules, set_ups, out, seats, steps, counts):
    """Play all games and note every decision; returns how many ended well before one did not."""
    for index in range(len(games)):
        set_up(games, ledgers, rules, set_ups, index)
        game, lineup = games[index], set_ups[index].lineup
        start(seats, lineup, game.players)
        run = seats[0].run_at
        count = call_run(run, game, rules[0], ledgers[index], out, NO_OPTION, Until.DECISION)
        while count > 0 and game.fault == 0 and counts[index] < MOST_STEPS:
            task, me, _ = next_up(game)
            best = ask(seat_of(seats, lineup, me), game, rules[0], out, count)
            if best < 0:
                return index
            step = steps[index, counts[index]]
            step.option, step.task, step.round, step.city = out[best], task, game.round_number, game.city[me]
            counts[index] += 1
            count = call_run(run, game, rules[0], ledgers[index], out, np.int64(out[best]), Until.DECISION)
        if game.fault != 0:
            return index
    return len(games)


@cache
def compile_now() -> Callable[..., Any]:
    """The compiled playing."""
    kind = i8(Games, Ledgers, RulesArray, SetUps, Options, Seats, Steps, types.int64[::1])
    return entry(kind, _play, cache_folder((*ENGINE_SOURCES, "analyses/panel_games.py")))


def play_noted(
    rules: Rules, pool: Sequence[Strategy], players: int, seeds: Sequence[int], settings: int
) -> list[np.ndarray]:
    """The decisions of one game for each seed, its players dealt from a pool."""
    set_ups = new_records(len(seeds), SET_UP)
    set_ups.seed, set_ups.settings, set_ups.players = seeds, settings, players
    set_ups.first_player = set_ups.cities = RANDOM
    for place, seed in enumerate(seeds):
        set_ups["lineup"][place, :players] = dealt_rows(seed, 0, 1, len(pool), players)
    table = Table(rules, pool)
    games, ledgers = memory_for(len(seeds))
    steps = np.zeros((len(seeds), MOST_STEPS), STEP)
    counts = np.zeros(len(seeds), np.int64)
    with catching_failures():
        done = compile_now()(
            games,
            ledgers,
            table.tables,
            set_ups,
            table.out,
            table.seats.records,
            steps.view(np.recarray),
            counts,
        )
    if done < len(seeds):
        table.check_fault(games[done], done)
        raise StrategyError(f"a player gave no answer in the game of seed {seeds[done]}", done)
    return [one[:count].copy() for one, count in zip(steps, counts, strict=True)]
