"""The runner: the chunks of a design shared out by joblib, and kept here, one after another, as they come."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from khora_sim.common.progress import Progress
from khora_sim.simulation import column_buffers
from khora_sim.simulation.backend import Backend, backend_for, share_out
from khora_sim.simulation.chunk import Chunk, ChunkContents, play_chunk
from khora_sim.simulation.experiment import Arm, ChunkId, Design
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.sinks import Folders, Sink
from khora_sim.simulation.summing import Summing
from khora_sim.stats.ratios import spread
from khora_sim.stats.sums import Sums
from khora_sim.strategy.games import compile_for

LONGEST = 24  # letters of a strategy that is shown
SHOWN = 4  # win rates that fit a line
SAMPLE_SECONDS, SAMPLE_GAMES = 1.0, 4096  # of a forecast, about
Until = Callable[[Sink], bool]
Job = tuple[ChunkId, ChunkContents]  # a chunk to play, and what it is to bring


class Outcome(NamedTuple):
    """Games and time of a run."""

    games: int  # in the sink
    played: int  # in this run
    seconds: float  # after everything was compiled
    bytes: int
    backend: Backend


class StoppedError(Exception):
    """Ends a worker thread that nobody waits for any more."""


def run_study(
    arm: Arm,
    folder: str | Path,
    backend: Backend | None = None,
    *,
    resume: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Play what a folder still lacks of a study; what is finished stays, whatever happens."""
    return play(Design((arm,)), Folders([folder], resume=resume), backend, progress=progress)


def play(
    design: Design,
    sink: Sink,
    backend: Backend | None = None,
    until: Until | None = None,
    *,
    progress: Progress | None = None,
) -> Outcome:
    """Play what a sink still lacks of a design.

    `until` is asked whenever all arms have been played equally far, and may end the run. It sees the same
    sink at the same place on every backend, so a run that it ends is the same on any number of workers.
    """
    progress, backend = progress or Progress(), backend or backend_for(design)
    with sink.opened(design) as finished:
        rows = [[place for place in row if place not in finished] for row in design.rows()]
        before = sum(finished.values())
        gap = _last_gap(design.rows(), rows)
        if finished and until is not None and gap is None and until(sink):
            rows = []
        todo = [place for row in rows for place in row]
        if todo:  # what is not compiled yet is compiled once, before the work is shared out
            for arm in design.arms:
                compile_for(arm.strategies)
            set_ups(design.arms[0], design.arms[0].sections[0], 0, 1)
            column_buffers.compile_now()
        progress.begin(_who(design), design.games, before)
        began = time.perf_counter()
        ends = {row[-1]: until for row in rows[gap or 0 :] if row and until is not None}
        played = _run(design, sink, todo, backend, ends, progress) if todo else 0
        seconds = time.perf_counter() - began
    return Outcome(before + played, played, seconds, sink.size, backend)


def _last_gap(rows: Sequence[Sequence[ChunkId]], missing: Sequence[Sequence[ChunkId]]) -> int | None:
    """The last row that lacks chunks although some of a later one are finished, such as one that was damaged.

    A stopping rule is not asked before it is filled: it would see other games than the first time.
    """
    pairs = enumerate(zip(rows, missing, strict=True))
    begun = max((number for number, (row, left) in pairs if len(left) < len(row)), default=0)
    return next((number for number in reversed(range(begun)) if missing[number]), None)


def _run(
    design: Design,
    sink: Sink,
    todo: list[ChunkId],
    backend: Backend,
    until: dict[ChunkId, Until],
    progress: Progress,
) -> int:
    """Share the chunks out and keep them as they come; returns the games played.

    They come in order where a stopping rule is asked after some of them, the last ones of a row.
    """
    stop = threading.Event()
    leaders = Leaders(design) if progress.live and len(design.arms) == 1 else None
    wanted = sink.wanted
    if leaders is not None and wanted.summing is None:
        wanted = wanted._replace(summing=Summing(leaders.keys, ("win_share",)))

    def advance(games: int) -> None:
        if stop.is_set():
            raise StoppedError
        progress.advance(games)

    def here(arm: Arm, job: Job) -> Chunk:
        return play_chunk(arm, *job, advance)

    played = 0
    jobs = [(design.arms[place.arm], (place, wanted)) for place in todo]
    with closing(share_out(backend, _play, jobs, here=here, in_order=bool(until))) as chunks:
        try:
            for chunk in chunks:
                if backend.kind != "threads":
                    progress.advance(chunk.games)
                sink.keep(chunk)
                if leaders is not None:
                    progress.note(leaders.after(chunk))
                played += chunk.games
                if chunk.place in until and until[chunk.place](sink):
                    break
        finally:
            stop.set()
    return played


def _play(arm: Arm, job: Job) -> Chunk:
    return play_chunk(arm, *job)


class Leaders:
    """The highest win rates so far: of strategies where several play, else of cities."""

    def __init__(self, design: Design):
        several = len(set(design.arms[0].study.strategies)) > 1
        self.keys = ("strategy" if several else "city",)
        self.sums: Sums | None = None

    def after(self, chunk: Chunk) -> str:
        """The leaders in one line, with one more chunk."""
        if chunk.sums is None or chunk.sums.keys != self.keys:
            return ""
        self.sums = chunk.sums if self.sums is None else self.sums + chunk.sums
        won = spread(self.sums, self.keys, "win_share").sort("value", descending=True)[:SHOWN]
        return "  ".join(f"{name} {share:.1%}" for name, share in won.select(*self.keys, "value").iter_rows())


def _who(design: Design) -> str:
    """`sage, 4 players`, where one strategy is all that plays."""
    strategies = {spec for arm in design.arms for spec in arm.study.specs}
    sizes = {arm.study.players for arm in design.arms}
    if len(strategies) > 1 or len(sizes) > 1:
        return ""
    return f"{strategies.pop()[:LONGEST]}, {'/'.join(map(str, sizes.pop()))} players"


class Forecast(NamedTuple):
    """About how long a study takes and how big it is, judged from a small sample of its games."""

    seconds: float
    bytes: int
    sampled: int  # games


class Weighing(Sink):
    """Weighs the parts of a study and throws them away."""

    wanted = ChunkContents(tables=True)
    size = 0

    def keep(self, chunk: Chunk) -> None:
        """Add the bytes of a chunk."""
        self.size += sum(len(part.data) for part in chunk.parts.values())


def forecast(arm: Arm, backend: Backend) -> Forecast:
    """Play ever larger samples for a second or so, and scale up."""
    most = min(arm.sections[0].chunk_groups, arm.sections[0].groups)
    groups = 1
    seconds, games, size = _sample(arm, groups)
    while groups < most and seconds < SAMPLE_SECONDS / 4 and games < SAMPLE_GAMES:
        groups = min(groups * 4, most)
        seconds, games, size = _sample(arm, groups)
    _, few, least = _sample(arm, 1)  # a part has a size of its own, however few its games
    each = (size - least) / (games - few) if games > few else size / games
    whole = arm.chunks * (least - few * each) + arm.games * each
    alone = seconds / games * arm.games
    return Forecast(alone / min(backend.workers, arm.chunks), round(whole), games)


def _sample(arm: Arm, groups: int) -> tuple[float, int, int]:
    """Seconds, games and bytes of the first groups of a study, on one thread."""
    outcome = play(Design((arm.first(groups),)), Weighing(), Backend("threads", 1))
    return outcome.seconds, outcome.games, outcome.bytes
