"""The time limit of players, and how one is ended that does not come back.

Plain Python is interrupted. Compiled code cannot be: nothing stops it but the end of the program, so it is
for the program to say, with `end_with`, how it ends; a program that says nothing waits.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import c_ulong, py_object, pythonapi
from typing import Any

from khora_sim.errors import UserError

SECONDS = "KHORA_DECISION_SECONDS"  # the environment variable that sets the limit
LOOK_EVERY = 0.2  # seconds between two looks at the clock of a plain player
WATCH_EVERY = 1.0  # seconds between two looks at compiled play


def decision_seconds() -> float:
    """Seconds that a player may think about one decision."""
    given = os.environ.get(SECONDS, "30")
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise UserError(f"{SECONDS}={given}: should be a number of seconds above 0, such as 60")
    return seconds


class TooSlowError(Exception):
    """A player took longer for a decision than it may."""


class Clock:
    """Start of the decision at hand, in `time.monotonic()`; 0 while nobody is thinking."""

    def __init__(self) -> None:
        self.began = 0.0

    def late(self, limit: float) -> bool:
        """Tell if the decision at hand takes too long."""
        return self.began > 0 and time.monotonic() - self.began > limit


@contextmanager
def time_limit() -> Iterator[Clock]:
    """Raise TooSlowError in this thread when a decision of a plain-Python player takes too long."""
    clock, limit = Clock(), decision_seconds()
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


_end: Callable[[str], None] | None = None


def end_with(end: Callable[[str], None]) -> None:
    """From now on a compiled player that never answers ends the program, with a message, in this way."""
    global _end
    _end = end


@contextmanager
def watched(stands: Callable[[], object], message: Callable[[], str]) -> Iterator[None]:
    """End the program if compiled play stands still for too long; `stands` tells how it stands."""
    if _end is None:
        yield
        return
    end, over, limit = _end, threading.Event(), decision_seconds()

    def look() -> None:
        last, since = stands(), time.monotonic()
        while not over.wait(WATCH_EVERY):
            if stands() != last:
                last, since = stands(), time.monotonic()
            elif time.monotonic() - since > limit:
                end(message())

    threading.Thread(target=look, daemon=True).start()
    try:
        yield
    finally:
        over.set()
