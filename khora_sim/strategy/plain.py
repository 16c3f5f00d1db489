"""Strategies in plain Python: what they see, and how they are asked, within a time limit.

A plug-in has a class `Player` with `choose(self, view, options)`; every game gets a player of its own, so
that nothing is carried from one game to another.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_ulong, py_object, pythonapi
from typing import Any

import numpy as np

from khora_sim.engine.agenda import Task
from khora_sim.engine.record import GAME, SEATS
from khora_sim.engine.seat import Seats
from khora_sim.rules import Rules

TIME_LIMIT = 5.0  # seconds for one decision
LOOK_EVERY = 0.2  # seconds between two looks at the clock
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


class TooSlowError(Exception):
    """A player took longer for a decision than it may."""


class Clock:
    """When the decision at hand began; 0 while nobody is thinking."""

    def __init__(self) -> None:
        self.began = 0.0

    @staticmethod
    def now() -> float:
        """The time by this clock."""
        return time.monotonic()

    def late(self, limit: float) -> bool:
        """Whether the decision at hand takes too long."""
        return self.began > 0 and time.monotonic() - self.began > limit


@contextmanager
def time_limit(limit: float = TIME_LIMIT) -> Iterator[Clock]:
    """Raise TooSlowError in this thread when a decision takes longer than the limit."""
    clock = Clock()
    if threading.current_thread() is threading.main_thread():
        with _by_signal(clock, limit):
            yield clock
    else:
        with _by_watchdog(clock, limit):
            yield clock


@contextmanager
def _by_signal(clock: Clock, limit: float) -> Iterator[None]:
    """A timer of the operating system, which also wakes a player that sleeps."""

    def look(*_: Any) -> None:
        if clock.late(limit):
            clock.began = 0.0
            raise TooSlowError

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK_EVERY, LOOK_EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _by_watchdog(clock: Clock, limit: float) -> Iterator[None]:
    """A thread beside this one, where signals are not to be had (workers that are threads)."""
    thinking = threading.get_ident()
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOK_EVERY):
            if clock.late(limit):
                clock.began = 0.0
                pythonapi.PyThreadState_SetAsyncExc(c_ulong(thinking), py_object(TooSlowError))

    watchdog = threading.Thread(target=look, daemon=True)
    watchdog.start()
    try:
        yield
    finally:
        over.set()
        watchdog.join()
