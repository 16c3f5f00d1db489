"""Decisions of a teacher as a policy sees them: the lists of `learned/sight.py`, ready for fitting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import types

from khora_sim.engine.agenda import FIRST_DECISION, Task
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Games, Options, Seats, i8
from khora_sim.engine.calling import Rules as RulesArray
from khora_sim.engine.compiling import entry, inlined, rule
from khora_sim.engine.memory import scratch
from khora_sim.engine.play import show_decision
from khora_sim.engine.seat import tidy_up
from khora_sim.rules import Rules
from khora_sim.strategy import load
from khora_sim.strategy.decorators import SOURCES
from khora_sim.strategy.learned.policy_net import TILE_SETS, tile_set
from khora_sim.strategy.learned.sight import new_sight, no_before, see_before, see_option, see_state
from khora_sim.strategy.player_view import view_of
from khora_sim.strategy.reading.tiles import citizens_for
from khora_sim.strategy.table import Table
from khora_sim.training.imitation import Decisions

STATE_ENTRIES, OPTION_ENTRIES = 200, 30  # of a decision or option, on average at most; more end a part early
_Whole, _Columns, _Amounts, _Flags = (
    types.int64[::1],
    types.int16[::1],
    types.float32[::1],
    types.boolean[::1],
)


@dataclass(frozen=True)
class Rows:
    """Lists of columns and amounts, one after another."""

    ends: np.ndarray  # of each list
    columns: np.ndarray
    amounts: np.ndarray

    def __len__(self) -> int:
        return len(self.ends)


@dataclass(frozen=True)
class Sights:
    """Decisions as a policy sees them, with what the teacher thinks of the options."""

    tasks: np.ndarray  # Task - FIRST_DECISION of each decision
    cities: np.ndarray
    states: Rows
    counts: np.ndarray  # options of each decision
    options: Rows
    values: np.ndarray  # of the options; NaN: the teacher did not look at it

    def __len__(self) -> int:
        return len(self.tasks)


@inlined
def _write(sight, ends, columns, amounts, number, at):
    """Copy a list to the end of others; returns where the next one begins, -1 if there is no room."""
    if at + sight.count > len(columns):
        return -1
    for place in range(sight.count):
        columns[at + place] = sight.column[place]
        amounts[at + place] = sight.amount[place]
    ends[number] = at + sight.count
    return at + sight.count


@inlined
def _mark_placements(view, options, count, seen, chosen):
    """Choose the placements that the teacher looked at, and the cheapest of every other set of tiles."""
    cheapest = scratch(TILE_SETS)
    for place in range(count):
        used = tile_set(view, options[place])
        if seen[place]:
            cheapest[used] = -1.0
        cost = 1.0 + citizens_for(view, np.int64(options[place]))
        if cheapest[used] == 0 or cost < cheapest[used]:
            cheapest[used] = cost
    for place in range(count):
        used = tile_set(view, options[place])
        chosen[place] = seen[place]
        if cheapest[used] > 0 and 1.0 + citizens_for(view, np.int64(options[place])) == cheapest[used]:
            cheapest[used] = -1.0
            chosen[place] = True


@rule
def _describe(
    kept, rules, counts, options, seen, seats, out, chosen,
    state_ends, state_columns, state_amounts, option_ends, option_columns, option_amounts,
):  # fmt: skip
    """List all decisions and their options; returns how many there was room for."""
    first, state_at, option_at, listed = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for number in range(len(counts)):
        count = counts[number]
        game = kept[number]
        seat = seats[np.int64(game.agenda[game.agenda_size - 1, 1])]
        for place in range(count):
            out[place] = options[first + place]
        show_decision(seat, game, out, count)
        view = view_of(seat, rules[0])
        sight, before = new_sight(), no_before()
        see_state(view, sight)
        state_at = _write(sight, state_ends, state_columns, state_amounts, number, state_at)
        if state_at < 0:
            return number
        see_before(view, before)
        for place in range(count):
            chosen[first + place] = True
        if view.decision == Task.PLACE_TILES:
            _mark_placements(view, out, count, seen[first : first + count], chosen[first : first + count])
        for place in range(count):
            if chosen[first + place]:
                see_option(view, np.int64(out[place]), before, sight)
                option_at = _write(sight, option_ends, option_columns, option_amounts, listed, option_at)
                if option_at < 0:
                    return number
                listed += 1
        tidy_up(seat)
        first += count
    return len(counts)


@cache
def compile_describing() -> Callable[..., Any]:
    """The compiled describing."""
    rows = (_Whole, _Columns, _Amounts)
    kind = i8(Games, RulesArray, _Whole, Options, _Flags, Seats, Options, _Flags, *rows, *rows)
    return entry(kind, _describe, cache_folder((*SOURCES, "training/policy_sights.py")))


def sights_of(rules: Rules, decisions: Decisions) -> Sights:
    """Some decisions as a policy sees them."""
    table, count = Table(rules, [load("steward")]), len(decisions)
    chosen = np.zeros(len(decisions.options), bool)
    states, options = _room(count, STATE_ENTRIES), _room(len(decisions.options), OPTION_ENTRIES)
    done = compile_describing()(
        decisions.games, table.tables, decisions.counts, decisions.options, decisions.seen,
        table.seats.records, table.out, chosen, *states, *options,
    )  # fmt: skip
    assert done == count, "a list is longer than any should be"
    begins = np.cumsum(decisions.counts) - decisions.counts
    values = np.where(decisions.seen, decisions.values, np.nan)[chosen].astype(np.float32)
    return Sights(
        (decisions.kinds - FIRST_DECISION).astype(np.int8),
        decisions.cities.astype(np.int8),
        _cut(states, count),
        np.add.reduceat(chosen, begins).astype(np.int16) if count else np.zeros(0, np.int16),
        _cut(options, int(chosen.sum())),
        values,
    )


def _room(count: int, entries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    length = count * entries
    return np.zeros(count, np.int64), np.zeros(length, np.int16), np.zeros(length, np.float32)


def _cut(room: tuple[np.ndarray, ...], count: int) -> Rows:
    ends = room[0][:count].copy()
    last = int(ends[-1]) if count else 0
    return Rows(ends, room[1][:last].copy(), room[2][:last].copy())


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """The lists of several parts together."""
    shifts = np.cumsum([0, *(len(one.columns) for one in parts)])
    ends = [one.ends + shift for one, shift in zip(parts, shifts, strict=False)]
    return Rows(
        np.concatenate(ends),
        np.concatenate([one.columns for one in parts]),
        np.concatenate([one.amounts for one in parts]),
    )


def joined_sights(parts: Sequence[Sights]) -> Sights:
    """The decisions of several parts together."""
    return Sights(
        np.concatenate([one.tasks for one in parts]),
        np.concatenate([one.cities for one in parts]),
        joined_rows([one.states for one in parts]),
        np.concatenate([one.counts for one in parts]),
        joined_rows([one.options for one in parts]),
        np.concatenate([one.values for one in parts]),
    )
