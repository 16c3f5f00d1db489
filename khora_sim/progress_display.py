"""Progress for functions that are not generated yet."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from khora_sim.pages.progress import progress_shown

announcing_waits = display = tuning_display = learning_display = exploiting_display = progress_shown


@contextmanager
def status(shown: bool) -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is going on; call it with each step."""
    with progress_shown(shown) as progress:
        yield progress.step


@contextmanager
def counting_display(shown: bool, total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr; call it with how many things are done."""
    with progress_shown(shown) as progress:
        progress.begin("", total, unit=what)
        done = 0

        def count(now: int) -> None:
            nonlocal done
            progress.advance(now - done)
            done = now

        yield count
