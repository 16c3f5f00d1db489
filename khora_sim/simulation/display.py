"""The live display of a run, for a terminal."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from khora_sim.simulation.chunk import Chunk
from khora_sim.simulation.experiment import Design
from khora_sim.simulation.run import Watch
from khora_sim.simulation.summing import Summing
from khora_sim.stats.ratios import spread
from khora_sim.stats.sums import Sums

LONGEST = 24  # letters of a strategy that is shown
SHOWN = 4  # win shares that fit a line
#: Seconds whose speed says how long the rest takes. Slow strategies finish few chunks in a minute, and fast
#: and slow arms of a design take turns.
SPEED_SECONDS = 3600.0


class Display(Watch):
    """Games, games per second, time left and the leading win shares, on stderr."""

    def __init__(self) -> None:
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
            TextColumn("{task.fields[speed]:>7,.0f}/s"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[shares]}", style="dim", markup=False),
            console=Console(stderr=True),
            transient=True,
            speed_estimate_period=SPEED_SECONDS,
        )
        self.compared: tuple[str, ...] = ()
        self.sums: Sums | None = None
        self.games = 0
        self.began = time.perf_counter()

    def __enter__(self) -> "Display":
        self.progress.start()
        return self

    def __exit__(self, kind: type | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.progress.stop()

    def begin(self, design: Design, finished: int) -> None:
        """Show the bar, with what was finished before already on it."""
        self.task = self.progress.add_task(
            _who(design), total=design.games, completed=finished, speed=0, shares=""
        )
        self.games, self.began = 0, time.perf_counter()

    def played(self, games: int) -> None:
        """Move the bar; worker threads call this."""
        self.games += games
        speed = self.games / max(time.perf_counter() - self.began, 1e-9)
        self.progress.update(self.task, advance=games, speed=speed)

    def summing(self, design: Design) -> Summing | None:
        """The wins of what is compared, of a single arm: of strategies where several play, else of cities."""
        if len(design.arms) > 1:
            return None
        several = len(set(design.arms[0].study.strategies)) > 1
        self.compared = ("strategy" if several else "city",)
        return Summing(self.compared, ("win_share",))

    def kept(self, chunk: Chunk) -> None:
        """Show the win shares so far."""
        if chunk.sums is not None and chunk.sums.keys == self.compared:
            self.sums = chunk.sums if self.sums is None else self.sums + chunk.sums
            self.progress.update(self.task, shares=leaders(self.sums))


def _who(design: Design) -> str:
    """`sage, 4 players`, where one strategy is all that plays."""
    strategies = {spec for arm in design.arms for spec in arm.study.specs}
    sizes = {arm.study.players for arm in design.arms}
    if len(strategies) > 1 or len(sizes) > 1:
        return ""
    return f"{strategies.pop()[:LONGEST]}, {'/'.join(map(str, sizes.pop()))} players"


def leaders(sums: Sums) -> str:
    """The highest win shares in one line."""
    won = spread(sums, sums.keys, "win_share").sort("value", descending=True)[:SHOWN]
    return "  ".join(f"{name} {share:.1%}" for name, share in won.select(*sums.keys, "value").iter_rows())
