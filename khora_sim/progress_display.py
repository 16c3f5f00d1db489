"""What is shown on stderr while something takes long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from khora_sim.analyses.exploit_display import ExploitWatch
    from khora_sim.simulation.run import Watch
    from khora_sim.training.display import TuningWatch
    from khora_sim.training.learn import LearnWatch


@contextmanager
def announcing_waits(wanted: bool) -> Iterator[None]:
    """Announce on stderr, in this block, that something is being compiled; or keep quiet about it."""
    from khora_sim.engine.cache import is_quiet, keep_quiet

    before = is_quiet()
    keep_quiet(not wanted)
    try:
        yield
    finally:
        keep_quiet(before)


@contextmanager
def status(shown: bool) -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is going on; call it with each step."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading the study") as status:
        yield lambda step: status.update(step)


@contextmanager
def display(shown: bool) -> "Iterator[Watch | None]":
    """A live display of a run on stderr."""
    if not shown:
        yield None
        return
    from khora_sim.simulation.display import Display

    with Display() as watch:
        yield watch


@contextmanager
def tuning_display(shown: bool) -> "Iterator[TuningWatch]":
    """A live display of a tuning on stderr; one that keeps quiet, if none is wanted."""
    from khora_sim.training.display import TuningWatch, tuning_shown

    if not shown:
        yield TuningWatch()
        return
    with tuning_shown() as watch:
        yield watch


@contextmanager
def exploiting_display(shown: bool) -> "Iterator[ExploitWatch]":
    """A live display of the search for better-suited players; one that keeps quiet, if none is wanted."""
    from khora_sim.analyses.exploit_display import ExploitWatch, exploit_shown

    if not shown:
        yield ExploitWatch()
        return
    with exploit_shown() as watch:
        yield watch


@contextmanager
def learning_display(shown: bool) -> "Iterator[LearnWatch]":
    """A live display of a learning on stderr; one that keeps quiet, if none is wanted."""
    from khora_sim.training.learn import LearnWatch
    from khora_sim.training.learn_display import learning_shown

    if not shown:
        yield LearnWatch()
        return
    with learning_shown() as watch:
        yield watch


@contextmanager
def counting_display(shown: bool, total: int, what: str) -> "Iterator[Callable[[int], None]]":
    """A progress bar on stderr; call it with how many things are done."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    count = TextColumn("{task.completed:,.0f} of {task.total:,.0f} {task.description}")
    columns = (BarColumn(bar_width=24), count, TimeRemainingColumn(compact=True))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)
