"""The view of a strategy, and the way from the engine's call to the author's function."""

from typing import Any, NamedTuple

import numpy as np

from khora_sim.engine.agenda import Task
from khora_sim.engine.record import GAME, SEATS
from khora_sim.engine.seat import Seats, begin, finish, options_of, ratings_of, shown
from khora_sim.rules import Rules
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
    """Rate the options for the engine with the author's `score`."""
    view, options, ratings = view_of(seat, tables), options_of(seat), ratings_of(seat)
    begin(seat)
    for place in range(seat.option_count):
        ratings[place] = score(view, np.int64(options[place]))
    finish(seat)


def ask_rate(seat, tables):
    """Rate the options for the engine with the author's `rate`; one that it leaves out is not a number."""
    view, options, ratings = view_of(seat, tables), options_of(seat), ratings_of(seat)
    ratings[:] = np.nan
    begin(seat)
    rate(view, options, ratings)
    finish(seat)


_TASKS = list(Task)


class PlainView:
    """The view of a plain-Python player: the fields of the record by their names, and whose turn it is.

    `view.drachmas[view.me]`, `view.level[view.me, Track.CULTURE]`: fields by seat are live arrays that the
    next decision overwrites; fields of one number are read when asked for. All functions of the toolkit work
    on it, as they do in compiled strategies. A plug-in has a class `Player` with `choose(self, view,
    options)`; every game gets a player of its own, so that nothing is carried from one game to another.
    """

    def __init__(self, seats: Seats, number: int, rules: Rules, parameters: dict[str, float | str]):
        self.rules = rules
        self.tables = rules.tables
        self.parameters = parameters
        self.seat = seats.records[number]
        self.me = number % SEATS
        self.game = seats.view[0]
        self._shown = seats.view.view(np.ndarray)
        self._size = self._shown["agenda_size"]
        self._lucks, self._number = seats.records["luck"], number
        for name in GAME.names or ():
            if GAME[name].shape:
                setattr(self, name, self._shown[name][0])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in (GAME.names or ()):
            raise AttributeError(f"a view has no {name}; the fields of the record are in engine/record.py")
        return int(self._shown[name][0])

    @property
    def luck(self) -> int:
        """64 random bits of the player's own, the same for the same game."""
        return self._lucks.item(self._number)

    @property
    def decision(self) -> Task:
        """The decision at hand."""
        return _TASKS[self.agenda.item(self._size[0] - 1, 0)]

    @property
    def value(self) -> int:
        """The number that goes with the decision; see Task."""
        return self.agenda.item(self._size[0] - 1, 2)
