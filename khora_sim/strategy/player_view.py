"""What a strategy gets to see: the view, and the way from the engine's call to the author's function."""

from typing import Any, NamedTuple

import numpy as np

from khora_sim.engine.seat import options_of, ratings_of, shown
from khora_sim.strategy.decorators import macro


class View(NamedTuple):
    """All that a player knows when it must decide, in the game as it is or in one that it looks ahead to.

    A function that returns a view must be a `macro`: compiled code cannot hand records back.
    """

    game: Any  # the record (engine/record.py), with what the player cannot know blanked out
    tables: Any  # the rules as numbers (rules/tables.py)
    me: int  # the player's seat
    decision: int  # Task: what must be decided
    value: int  # the number that goes with it, see Task
    luck: int  # 64 random bits, new for every decision
    seat: Any  # what the player has (engine/seat.py): weights, memory, spare games, policies


@macro
def view_of(seat, tables):
    """The view of the decision that is put before a seat."""
    return View(shown(seat), tables, seat.me, seat.decision, seat.value, seat.luck, seat)


def score(view, option):
    """Stands for the author's function; see `compiled`."""
    return 0.0


def rate(view, options, scores):
    """Stands for the author's function; see `compiled`."""


def ask_score(seat, tables):
    """What the engine calls for a strategy with `score`. The last is no number if the author's code fails."""
    view, options, ratings = view_of(seat, tables), options_of(seat), ratings_of(seat)
    ratings[seat.option_count - 1] = np.nan
    for place in range(seat.option_count):
        ratings[place] = score(view, np.int64(options[place]))


def ask_rate(seat, tables):
    """What the engine calls for a strategy with `rate`. No number stays where the author's code fails."""
    view, options, ratings = view_of(seat, tables), options_of(seat), ratings_of(seat)
    ratings[:] = np.nan
    rate(view, options, ratings)
