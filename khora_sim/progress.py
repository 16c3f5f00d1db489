"""What is shown on stderr while something takes long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def waiting_told(wanted: bool) -> Iterator[None]:
    """Whether it is said, meanwhile, that something is being compiled."""
    from khora_sim.engine.cache import is_quiet, keep_quiet

    before = is_quiet()
    keep_quiet(not wanted)
    try:
        yield
    finally:
        keep_quiet(before)


@contextmanager
def status(shown: bool) -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is going on."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading the study") as status:
        yield lambda step: status.update(step)


@contextmanager
def bar(what: str, total: int, shown: bool) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr, and how to move it by one."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not shown) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
