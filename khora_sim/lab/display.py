"""The live display of a run, for a terminal."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from khora_sim.lab.chunk import Chunk
from khora_sim.lab.design import Design
from khora_sim.lab.run import Watch

SHOWN = 4  # win shares that fit a line


class Display(Watch):
    """Games, games per second, time left and the leading win shares, on stderr."""

    def __init__(self) -> None:
        self.progress = Progress(
            BarColumn(bar_width=24),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
            TextColumn("{task.fields[speed]:>7,.0f}/s"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[shares]}", style="dim", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self.wins: dict[str, tuple[float, int]] = {}
        self.games = 0
        self.began = time.perf_counter()

    def __enter__(self) -> "Display":
        self.progress.start()
        return self

    def __exit__(self, kind: type | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.progress.stop()

    def begin(self, design: Design, finished: int) -> None:
        """Show the bar, with what was finished before already on it."""
        self.alone = len(design.arms) == 1
        self.task = self.progress.add_task("", total=design.games, completed=finished, speed=0, shares="")
        self.began = time.perf_counter()

    def played(self, games: int) -> None:
        """Move the bar; worker threads call this."""
        self.games += games
        speed = self.games / max(time.perf_counter() - self.began, 1e-9)
        self.progress.update(self.task, advance=games, speed=speed)

    def kept(self, chunk: Chunk) -> None:
        """Show the win shares so far, of a single arm."""
        if not self.alone:
            return
        for name, (wins, games) in chunk.wins.items():
            before = self.wins.get(name, (0.0, 0))
            self.wins[name] = (before[0] + wins, before[1] + games)
        self.progress.update(self.task, shares=leaders(self.wins))


def leaders(wins: dict[str, tuple[float, int]]) -> str:
    """The highest win shares in one line."""
    shares = sorted(((wins[name][0] / wins[name][1], name) for name in wins), reverse=True)
    return "  ".join(f"{name} {share:.1%}" for share, name in shares[:SHOWN])
