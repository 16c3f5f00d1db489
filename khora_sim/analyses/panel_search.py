"""Deep search at one decision: what every option is worth, in many worlds and with several plans.

It is how `sage` looks ahead, with its policies and its learned value: each option is tried in worlds that the
player cannot tell from the real one, the same ones for all options, and played on to the start of the next
round. But here no option is left out, and the value in every world is kept, so that its error is known.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Games, Options, Seats, i8
from khora_sim.engine.calling import Rules as RulesArray
from khora_sim.engine.compiling import entry, rule
from khora_sim.engine.match import Match
from khora_sim.engine.play import show_decision
from khora_sim.engine.record import new_records
from khora_sim.engine.seat import Failure, tidy_up
from khora_sim.errors import UserError
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.decorators import SOURCES
from khora_sim.strategy.learned.net import win_chance
from khora_sim.strategy.player_view import view_of
from khora_sim.strategy.reading.decisions import in_spare, look_ahead
from khora_sim.strategy.reading.playouts import End, determinize, place_hidden_tiles, play_on
from khora_sim.strategy.table import Table

FAST = 0  # the policy that plays for everybody else
TRIAL, WORLD = 1, 2  # spare games
FIRST_WORLD = 1_000_000  # players count their worlds from 0: they never look into those of the search


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
def compile_now() -> Callable[..., Any]:
    """The compiled search."""
    kind = i8(Games, RulesArray, Options, i8, Seats, i8, i8, i8, i8, types.float64[:, :, ::1])
    folder = cache_folder((*SOURCES, "analyses/panel_search.py"))
    return entry(kind, _search, folder, what="the search", wait="20 seconds")


class Values(NamedTuple):
    """What the options of a decision are worth, as chances to win."""

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
    with catching_failures():
        failed = compile_now()(
            games,
            table.tables,
            table.out,
            len(options),
            table.seats.records,
            match.seat,
            worlds,
            plans,
            int(until),
            values,
        )
    if failed != Failure.NONE:
        raise UserError(f"{table.strategies[0].name}: a policy gave no answer in seed {match.game.seed}")
    return summed_up(values)


def summed_up(values: np.ndarray) -> Values:
    """What each option is worth with the plan that suits it best, from its values by plan and world."""
    best_plan = values.mean(axis=2).argmax(axis=1)
    by_world = values[np.arange(len(values)), best_plan]
    worlds = by_world.shape[1]
    behind = by_world[by_world.mean(axis=1).argmax()] - by_world
    errors = behind.std(axis=1, ddof=1) / np.sqrt(worlds)
    half = worlds // 2
    return Values(by_world[:, :half].mean(axis=1), by_world[:, half:].mean(axis=1), errors)
