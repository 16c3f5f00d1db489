"""What a strategy gets to see: the view, and the way from the engine's call to the author's function."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from khora_sim.engine.agenda import next_up
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.play import DESK, MAX_PARAMETERS
from khora_sim.strategy.compiling import rule, short
from khora_sim.strategy.memory import array_at, flat, uncounted


class View(NamedTuple):
    """All that a player knows when it must decide.

    A function that returns a view must be `short`: compiled code cannot hand records back.
    """

    game: Any  # the record (engine/record.py), with what the player cannot know blanked out
    tables: Any  # the rules as numbers (rules/tables.py)
    me: int  # the player's seat
    decision: int  # Task: what must be decided
    value: int  # the number that goes with it, see Task
    parameters: Any  # the strategy's own numbers
    luck: int  # 64 random bits, new for every decision
    notes: Any  # room for NOTES numbers while deciding, 0 at first
    desk: Any  # spare records for look-ahead: places 1-9
    scrap: Any  # a ledger nobody reads
    run: int  # where the machine is


NOTES = 40


@short
def view_of(game, tables, seat, scores, count, parameters, luck, desk, scrap, run):
    """The view of the decision at the top of the agenda; the ratings' unused end serves as notes."""
    task, _, value = next_up(game)
    notes = uncounted(scores[count : count + NOTES])
    for place in range(NOTES):
        notes[place] = 0.0
    parameters, desk = array_at(parameters, MAX_PARAMETERS), array_at(desk, DESK)
    return View(game, tables, seat, task, value, parameters, luck, notes, desk, scrap, run)


@short
def room_for_options(scrap):
    """Where the machine may list options that nobody reads: in the ledger that nobody reads."""
    return flat(scrap.after_round)[:MAX_OPTIONS]


@short
def _own_options(scrap, out, count):
    """A copy of the options for the author, who may scribble on it."""
    copy = flat(scrap.after_round)[MAX_OPTIONS : MAX_OPTIONS + count]
    for place in range(count):
        copy[place] = out[place]
    return copy


def wipe(record):
    """Set a whole record to 0."""
    for name in record.dtype.names:
        record[name] = 0


@intrinsic
def _memset(typing_context, record):
    def build(context, builder, signature, arguments):
        size = context.get_constant(types.intp, signature.args[0].size)
        cgutils.memset(builder, arguments[0], size, 0)
        return context.get_dummy_value()

    return types.void(record), build


@overload(wipe)
def _wipe(record):
    return lambda record: _memset(record)


@rule
def _tidy_up(desk, scrap):
    """Leave nothing on the desk that the next player could learn from."""
    used = False
    for place in range(1, DESK):
        if desk[place].players != 0:
            wipe(desk[place])
            used = True
    if used:
        wipe(scrap)


def score(view, option):
    """Stands for the author's function; see `compiled`."""
    return 0.0


def rate(view, options, scores):
    """Stands for the author's function; see `compiled`."""


def ask_score(game, tables, seat, out, count, scores, parameters, luck, desk, scrap, run):
    """What the engine calls for a strategy with `score`. The last is no number if the author's code fails."""
    scores = array_at(scores, MAX_OPTIONS)
    scores[count - 1] = np.nan
    view = view_of(game, tables, seat, scores, count, parameters, luck, desk, scrap, run)
    for place in range(count):
        scores[place] = score(view, np.int64(out[place]))
    _tidy_up(view.desk, scrap)


def ask_rate(game, tables, seat, out, count, scores, parameters, luck, desk, scrap, run):
    """What the engine calls for a strategy with `rate`. No number stays where the author's code fails."""
    scores = array_at(scores, MAX_OPTIONS)
    scores[:count] = np.nan
    options = uncounted(_own_options(scrap, out, count))
    view = view_of(game, tables, seat, scores, count, parameters, luck, desk, scrap, run)
    rate(view, options, uncounted(scores[:count]))
    options[:] = 0
    _tidy_up(view.desk, scrap)
