"""Compiled parts of making a panel: games whose decisions are noted, and deep search at one decision.

The search looks ahead as `sage` does, with its policies and its learned value: each option is tried in worlds
that the player cannot tell from the real one, the same ones for all options, and played on to the start of
the next round. But here no option is left out, and the value in every world is kept, so that its error is
known.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

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
from khora_sim.engine.match import Match
from khora_sim.engine.play import SET_UP, ask, seat_of, set_up, show_decision, start
from khora_sim.engine.record import new_records
from khora_sim.engine.seat import Failure, tidy_up
from khora_sim.engine.setup import RANDOM
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.seating import dealt_rows
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.decorators import SOURCES
from khora_sim.strategy.games import memory_for
from khora_sim.strategy.learned.net import win_chance
from khora_sim.strategy.player_view import view_of
from khora_sim.strategy.reading.decisions import in_spare, look_ahead
from khora_sim.strategy.reading.playouts import End, determinize, place_hidden_tiles, play_on
from khora_sim.strategy.table import Table

MOST_STEPS = 1000  # decisions of a game that are noted; a game of the base rules has about 300

#: A decision with more than one option, as it was taken.
STEP = np.dtype([("option", "i2"), ("task", "i1"), ("round", "i1"), ("city", "i1")])
Steps = types.Array(numba.from_dtype(STEP), 2, "C")

FAST = 0  # the policy that plays for everybody else
TRIAL, WORLD = 1, 2  # spare games
FIRST_WORLD = 1_000_000  # players count their worlds from 0: they never look into those of the search


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
def compile_playing() -> Callable[..., Any]:
    """The compiled playing."""
    kind = i8(Games, Ledgers, RulesArray, SetUps, Options, Seats, Steps, types.int64[::1])
    return entry(kind, _play, cache_folder((*ENGINE_SOURCES, "analyses/grade/searching.py")))


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
    seats, noted = table.seats.records, steps.view(np.recarray)
    with catching_failures():
        done = compile_playing()(games, ledgers, table.tables, set_ups, table.out, seats, noted, counts)
    if done < len(seeds):
        table.check_fault(games[done], done)
        raise StrategyError(f"a player gave no answer in the game of seed {seeds[done]}", done)
    return [one[:count].copy() for one, count in zip(steps, counts, strict=True)]


@rule
def _search(games, rules, options, count, seats, number, worlds, plans, until, values):
    """Fill in the chance to win by option, plan and world."""
    seat, tables = seats[number], rules[0]
    show_decision(seat, games[0], options, count)
    view = view_of(seat, tables)
    for world in range(worlds):
        determinize(view, WORLD, FIRST_WORLD + world)
        place_hidden_tiles(view, WORLD, FAST)
        for place in range(count):
            for plan in range(plans):
                look_ahead(in_spare(view, WORLD), np.int64(options[place]), TRIAL)
                play_on(view, TRIAL, plan, FAST, until)
                values[place, plan, world] = win_chance(in_spare(view, TRIAL))
    tidy_up(seat)
    return seat.failed


@cache
def compile_search() -> Callable[..., Any]:
    """The compiled search."""
    kind = i8(Games, RulesArray, Options, i8, Seats, i8, i8, i8, i8, types.float64[:, :, ::1])
    folder = cache_folder((*SOURCES, "analyses/grade/searching.py"))
    return entry(kind, _search, folder, what="the search", wait="20 seconds")


class Values(NamedTuple):
    """Values of the options of a decision, as chances to win."""

    first: np.ndarray  # by the first half of the worlds
    second: np.ndarray  # by the second half
    errors: np.ndarray  # standard error of the difference to the best option, over all worlds


def search(
    match: Match, options: list[int], table: Table, worlds: int, plans: int, until: End = End.ROUND
) -> Values:
    """The values of the options of a decision; the first player of the table is the searcher."""
    games = new_records(1)
    games[0] = match.game
    table.out[: len(options)] = options
    values = np.zeros((len(options), plans, worlds))
    decision = (table.out, len(options), table.seats.records, match.seat)
    with catching_failures():
        failed = compile_search()(games, table.tables, *decision, worlds, plans, int(until), values)
    if failed != Failure.NONE:
        raise UserError(f"{table.strategies[0].name}: a policy gave no answer in seed {match.game.seed}")
    return summed_up(values)


def summed_up(values: np.ndarray) -> Values:
    """Values of the options, each with the plan that suits it best, from those by plan and world."""
    best_plan = values.mean(axis=2).argmax(axis=1)
    by_world = values[np.arange(len(values)), best_plan]
    worlds = by_world.shape[1]
    behind = by_world[by_world.mean(axis=1).argmax()] - by_world
    errors = behind.std(axis=1, ddof=1) / np.sqrt(worlds)
    half = worlds // 2
    return Values(by_world[:, :half].mean(axis=1), by_world[:, half:].mean(axis=1), errors)
