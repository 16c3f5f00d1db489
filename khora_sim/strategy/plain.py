"""Strategies in plain Python: what they see.

A plug-in has a class `Player` with `choose(self, view, options)`; every game gets a player of its own, so
that nothing is carried from one game to another.
"""

from typing import Any

import numpy as np

from khora_sim.engine.agenda import Task
from khora_sim.engine.record import GAME, SEATS
from khora_sim.engine.seat import Seats
from khora_sim.rules import Rules

_TASKS = list(Task)


class PlainView:
    """What a plain-Python player sees: the fields of the record by their names, and whose turn it is.

    `view.drachmas[view.me]`, `view.level[view.me, Track.CULTURE]`: fields by seat are live arrays that the
    next decision overwrites; fields of one number are read when asked for. All functions of the toolkit work
    on it, as they do in compiled strategies.
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
        """What must be decided."""
        return _TASKS[self.agenda.item(self._size[0] - 1, 0)]

    @property
    def value(self) -> int:
        """The number that goes with the decision; see Task."""
        return self.agenda.item(self._size[0] - 1, 2)
