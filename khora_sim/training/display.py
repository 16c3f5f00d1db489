"""How a tuning goes, for a terminal: one bar for all of its games."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from khora_sim.simulation.experiment import Design
from khora_sim.simulation.run import Watch
from khora_sim.training.trial import Stage
from khora_sim.training.tuning import Tuning


class TuningWatch(Watch):
    """Hears how a tuning goes; this one keeps quiet."""

    def expect(self, generations: int | None, tuning: Tuning) -> None:
        """So many generations of each stage will be played, if that is known."""

    def at(self, stage: Stage, generation: int) -> None:
        """A generation of a stage begins."""

    def choosing(self, stage: Stage) -> None:
        """The best of a stage is looked for."""

    def confirming(self, players: int) -> None:
        """The strength of the result is measured."""


class TuningDisplay(TuningWatch):
    """A bar for all games of training, with the stage and generation, on stderr."""

    def __init__(self, progress: Progress):
        self.progress = progress
        self.task = progress.add_task("", total=None, what="starting")
        self.generations: int | None = None
        self.training = True

    def expect(self, generations: int | None, tuning: Tuning) -> None:
        """The bar ends after so many games; without a number it only moves."""
        self.generations = generations
        if generations is not None:
            self.progress.update(self.task, total=tuning.games_in(generations))

    def begin(self, design: Design, finished: int) -> None:
        """Each generation is a run; the bar goes on."""

    def played(self, games: int) -> None:
        """Move the bar by games of training; worker threads call this."""
        if self.training:
            self.progress.update(self.task, advance=games)

    def at(self, stage: Stage, generation: int) -> None:
        """Name the stage and the generation."""
        of = f" of {self.generations}" if self.generations else ""
        self._tell(f"{stage}: generation {generation}{of}", training=True)

    def choosing(self, stage: Stage) -> None:
        """Name the stage."""
        self._tell(f"{stage}: choosing", training=False)

    def confirming(self, players: int) -> None:
        """Say what is measured."""
        self._tell(f"{players} players: measuring the result", training=False)

    def _tell(self, what: str, *, training: bool) -> None:
        self.training = training
        self.progress.update(self.task, what=what)


def games_bar(*more: ProgressColumn) -> Progress:
    """A bar of games on stderr, with the time so far, some more, and what is done at the moment."""
    columns = (BarColumn(bar_width=24), TextColumn("{task.completed:,.0f} games"), TimeElapsedColumn())
    what = TextColumn("{task.fields[what]}", markup=False)
    return Progress(*columns, *more, what, console=Console(stderr=True), transient=True)


@contextmanager
def tuning_shown() -> Iterator[TuningWatch]:
    """A live display on stderr."""
    with games_bar(TimeRemainingColumn(compact=True)) as progress:
        yield TuningDisplay(progress)
