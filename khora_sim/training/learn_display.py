"""How a learning goes, for a terminal: the lesson, its games, and what came out of the one before."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress

from khora_sim.training.display import games_bar
from khora_sim.training.learn import LearnWatch, Lesson, Record


class LearnDisplay(LearnWatch):
    """A bar for the games of a lesson; each lesson that is done leaves a line."""

    def __init__(self, progress: Progress):
        self.progress = progress
        self.task = progress.add_task("", total=None, what="starting")

    def lesson(self, lesson: Lesson, done: float) -> None:
        """Name the lesson."""
        whose = "a mixed pool" if lesson.number == 0 else "its own games"
        what = f"{lesson.players} players, lesson {lesson.number} ({whose}); {done:.0%} of the budget used"
        self.progress.reset(self.task, total=lesson.games)
        self.progress.update(self.task, what=what)

    def played(self, games: int) -> None:
        """Move the bar; worker threads call this."""
        self.progress.update(self.task, advance=games)

    def fitting(self) -> None:
        """Say that the net learns."""
        self.progress.update(self.task, what="fitting the value")

    def learned(self, record: Record) -> None:
        """Leave a line."""
        first, *_, last = sorted(record.shares, key=lambda city: -record.shares[city])
        line = (
            f"{record.players} players, lesson {record.lesson}: "
            f"loss {record.loss_before:.3f} -> {record.loss:.3f}, mean score {record.mean_score:.1f}, "
            f"{first} wins {record.shares[first]:.0%}, {last} {record.shares[last]:.0%}"
        )
        self.progress.console.print(line, highlight=False)


@contextmanager
def learning_shown() -> Iterator[LearnWatch]:
    """A live display on stderr."""
    with games_bar() as progress:
        yield LearnDisplay(progress)
