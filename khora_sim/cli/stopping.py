"""Ending what does not come back: Python notices Ctrl-C only between two of its own steps, and a compiled
strategy that loops forever never takes it to the next one.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

GRACE = 2.0  # seconds for Python to hear of Ctrl-C
WRONG = 2  # the exit code of what cannot be done as asked
STOPPED = 130  # the exit code of a command that was interrupted
_OPEN: list[socket.socket] = []  # to the end of the program
SHOW_CURSOR = "\x1b[?25h"  # a progress display hides it


def end_on_interrupt() -> None:
    """From now on Ctrl-C ends the program, even inside compiled code."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # someone else takes care of it, or it is to be ignored
    handled = threading.Event()
    signals, written = socket.socketpair()  # the operating system writes the number of each signal at once
    written.setblocking(False)
    _OPEN.append(written)
    signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)

    def interrupt(*_: object) -> None:
        handled.set()
        raise KeyboardInterrupt

    def watch() -> None:
        while signals.recv(1)[0] != signal.SIGINT:
            continue
        if not handled.wait(GRACE):
            _end("stopped, in the middle of compiled code that did not come back", STOPPED)

    signal.signal(signal.SIGINT, interrupt)
    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def stoppable(message: Callable[[], str]) -> Iterator[None]:
    """Long work: Ctrl-C ends it with a line that says what is kept or goes on; so does a strategy that never
    answers, with a line of its own.
    """
    end_when_endless()
    try:
        yield
    except KeyboardInterrupt:
        print(f"khora: {message()}", file=sys.stderr)
        raise typer.Exit(STOPPED) from None


def end_when_endless() -> None:
    """From now on a compiled strategy that never answers ends the program."""
    from khora_sim.strategy.time_limit import end_with

    end_with(lambda message: _end(message, WRONG))


def _end(what: str, code: int) -> None:
    """Say it and end at once: whatever is still running cannot be asked to."""
    try:
        cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
        print(f"{cursor}khora: {what}", file=sys.stderr, flush=True)
        sys.stdout.flush()
    finally:
        os._exit(code)
