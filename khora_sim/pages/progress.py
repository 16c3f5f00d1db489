"""Progress on stderr: a live bar in a terminal, a line every ten seconds in a pipe or a log."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from khora_sim.common.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Task

EVERY = 10.0  # seconds between two lines in a pipe
#: Seconds whose speed tells how long the rest takes. Slow strategies finish few chunks in a minute, and fast
#: and slow arms of a design take turns.
SPEED_SECONDS = 3600.0


@contextmanager
def progress_shown(wanted: bool) -> Iterator[Progress]:
    """Progress on stderr, and what is being compiled; or nothing at all."""
    from khora_sim.engine.cache import is_quiet, keep_quiet

    before = is_quiet()
    keep_quiet(not wanted)
    shown = Progress() if not wanted else Bar() if sys.stderr.isatty() else Lines()
    try:
        yield shown
    finally:
        keep_quiet(before)
        if isinstance(shown, Bar):
            shown.stop()


def duration(seconds: float) -> str:
    """`12 s`, `3 min 20 s` or `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Bar(Progress):
    """A live bar with count, speed, time left and a note."""

    live = True

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, ProgressColumn, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.text import Text

        class TimeLeft(ProgressColumn):
            """`3 min 20 s left`, where a total and a speed are known."""

            def render(self, task: "Task") -> Text:
                left = task.time_remaining
                return Text("" if left is None else f"{duration(left)} left", style="progress.remaining")

        self.rich = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[count]}", markup=False),
            TimeLeft(),
            TextColumn("{task.fields[note]}", style="dim", markup=False),
            console=Console(stderr=True),
            transient=True,
            speed_estimate_period=SPEED_SECONDS,
        )
        self.task: Any = None
        self.named, self.text, self.unit, self.total = "", "", "games", 0
        self.done, self.began = 0, time.perf_counter()

    def stop(self) -> None:
        """End the display."""
        self.rich.stop()

    def _show(self, total: int | None, done: int) -> None:
        self.rich.start()
        if self.task is not None:
            self.rich.remove_task(self.task)
        self.task = self.rich.add_task(self.text, total=total, completed=done, count="", note="")

    def step(self, text: str) -> None:
        """Name what is being done now."""
        self.named = self.text = text
        self._show(None, 0)

    def begin(self, what: str, total: int | None, done: int = 0, unit: str = "games") -> None:
        """Show the bar, with what was done before already on it."""
        self.text, self.unit, self.total = self.named or what, unit, total or 0
        self.done, self.began = 0, time.perf_counter()
        self._show(total, done)

    def advance(self, count: int) -> None:
        """Move the bar."""
        self.done += count
        speed = self.done / max(time.perf_counter() - self.began, 1e-9)
        self.rich.update(self.task, advance=count)
        now = self.rich.tasks[-1].completed
        of = f" of {self.total:,}" if self.total else ""
        self.rich.update(self.task, count=f"{now:,.0f}{of} {self.unit}, {speed:,.0f}/s")

    def note(self, text: str) -> None:
        """Show a text beside the bar."""
        if self.task is not None:
            self.rich.update(self.task, note=text)

    def line(self, text: str) -> None:
        """Print a line above the bar."""
        self.rich.console.print(text, highlight=False, markup=False)


class Lines(Progress):
    """A line every ten seconds: "khora: 12,000 of 56,000 games, 1,234/s, 35 s left"."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.named, self.text, self.unit, self.total = "", "", "games", 0
        self.done = self.before = 0
        self.began = self.printed = time.monotonic()

    def step(self, text: str) -> None:
        """Name what is being done now."""
        self.named = self.text = text
        self._print_now_and_then(text)

    def begin(self, what: str, total: int | None, done: int = 0, unit: str = "games") -> None:
        """Begin to count."""
        self.text, self.unit, self.total = self.named or what, unit, total or 0
        self.done, self.before, self.began = done, done, time.monotonic()

    def advance(self, count: int) -> None:
        """Count, and print a line now and then."""
        with self.lock:
            self.done += count
        speed = (self.done - self.before) / max(time.monotonic() - self.began, 1e-9)
        of = f" of {self.total:,}" if self.total else ""
        left = max(self.total - self.done, 0) / speed if speed else 0.0
        rest = f", {duration(left)} left" if self.total else ""
        head = f"{self.text}: " if self.text else ""
        self._print_now_and_then(f"{head}{self.done:,}{of} {self.unit}, {speed:,.0f}/s{rest}")

    def line(self, text: str) -> None:
        """Print a line."""
        print(text, file=sys.stderr, flush=True)

    def _print_now_and_then(self, text: str) -> None:
        with self.lock:
            now = time.monotonic()
            if now - self.printed < EVERY:
                return
            self.printed = now
        print(f"khora: {text}", file=sys.stderr, flush=True)
