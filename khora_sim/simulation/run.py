"""The runner: the chunks of a design shared out by joblib, and kept here, one after another, as they come."""

import json
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from khora_sim.common.files import write_atomically
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.simulation import column_buffers
from khora_sim.simulation.backend import Crew, crew_for
from khora_sim.simulation.chunk import Chunk, ChunkContents, play_chunk
from khora_sim.simulation.experiment import Arm, Design, Place, Swapped, plan_again
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.sinks import Folders, Sink
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats.ratios import spread
from khora_sim.stats.sums import Sums
from khora_sim.strategy.games import compile_for
from khora_sim.strategy.time_limit import end_with

MOST_ARMS = 64  # that a worker process keeps loaded
LONGEST = 24  # letters of a strategy that is shown
SHOWN = 4  # win rates that fit a line
Until = Callable[[Sink], bool]


class Outcome(NamedTuple):
    """What a run brought."""

    games: int  # in the sink
    played: int  # in this run
    seconds: float  # after everything was compiled
    bytes: int
    crew: Crew


class StoppedError(Exception):
    """Ends a worker thread that nobody waits for any more."""


class Order(NamedTuple):
    """An arm as it travels to another process or machine."""

    study: str  # JSON
    rules: str  # TOML
    digest: str
    sender: int  # process
    swapped: Swapped | None = None


def run_study(
    arm: Arm,
    folder: str | Path,
    crew: Crew | None = None,
    *,
    resume: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Play what a folder still lacks of a study; what is finished stays, whatever happens."""
    return play(Design((arm,)), Folders([folder], resume=resume), crew, progress=progress)


def play(
    design: Design,
    sink: Sink,
    crew: Crew | None = None,
    until: Until | None = None,
    *,
    progress: Progress | None = None,
) -> Outcome:
    """Play what a sink still lacks of a design.

    `until` is asked whenever all arms have been played equally far, and may end the run. It sees the same
    sink at the same place whatever the crew, so that a run that it ends is the same on any number of workers.
    """
    progress, crew = progress or Progress(), crew or crew_for(design)
    with sink.opened(design) as finished:
        rows = [[place for place in row if place not in finished] for row in design.rows()]
        before = sum(finished.values())
        gap = _last_gap(design.rows(), rows)
        if finished and until is not None and gap is None and until(sink):
            rows = []
        todo = [place for row in rows for place in row]
        if todo:
            _warm_up(design)
        progress.begin(_who(design), design.games, before)
        began = time.perf_counter()
        asked = _asked_after(rows[gap or 0 :], until)
        played = _run(design, sink, todo, crew, asked, progress) if todo else 0
        seconds = time.perf_counter() - began
    return Outcome(before + played, played, seconds, sink.size, crew)


def _warm_up(design: Design) -> None:
    """Compile what is not compiled yet, once, before the work is shared out."""
    for arm in design.arms:
        compile_for(arm.strategies)
    set_ups(design.arms[0], design.arms[0].sections[0], 0, 1)
    column_buffers.compile_now()


def _last_gap(rows: Sequence[Sequence[Place]], missing: Sequence[Sequence[Place]]) -> int | None:
    """The last row that lacks chunks although some of a later one are finished, such as one that was damaged.

    A stopping rule is not asked before it is filled: it would see other games than the first time.
    """
    pairs = enumerate(zip(rows, missing, strict=True))
    begun = max((number for number, (row, left) in pairs if len(left) < len(row)), default=0)
    return next((number for number in reversed(range(begun)) if missing[number]), None)


def _asked_after(rows: Sequence[Sequence[Place]], until: Until | None) -> dict[Place, Until]:
    """The chunks after which a stopping rule is asked: the last one of every row."""
    return {} if until is None else {row[-1]: until for row in rows if row}


def _run(
    design: Design, sink: Sink, todo: list[Place], crew: Crew, until: dict[Place, Until], progress: Progress
) -> int:
    """Share the chunks out and keep them as they come; returns the games played."""
    stop = threading.Event()
    leaders = Leaders(design) if progress.live and len(design.arms) == 1 else None
    wanted = sink.wanted if leaders is None else leaders.also_wanted(sink.wanted)
    chunks = _chunks(design, todo, wanted, crew, progress, stop, in_order=bool(until))
    played = 0
    try:
        for chunk in chunks:
            sink.keep(chunk)
            if leaders is not None:
                progress.note(leaders.after(chunk))
            played += chunk.games
            if chunk.place in until and until[chunk.place](sink):
                break
    finally:
        stop.set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, about work that is given up on purpose
            chunks.close()
    return played


def _chunks(
    design: Design,
    todo: list[Place],
    wanted: ChunkContents,
    crew: Crew,
    progress: Progress,
    stop: threading.Event,
    *,
    in_order: bool,
) -> Generator[Chunk]:
    """The chunks as soon as they are done, or in their order."""
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    def played(games: int) -> None:
        if stop.is_set():
            raise StoppedError
        progress.advance(games)

    jobs = (delayed(play_chunk)(design.arms[place.arm], place, wanted, played) for place in todo)
    come = "generator" if in_order else "generator_unordered"
    with crew.at_work(), TemporaryDirectory() as folder:
        last_words = Path(folder) / "last_words" if crew.backend == "processes" else None
        if crew.backend != "threads":
            orders = [order_of(arm) for arm in design.arms]
            jobs = (delayed(play_order)(orders[place.arm], place, wanted, last_words) for place in todo)
        try:
            for chunk in Parallel(n_jobs=crew.workers, batch_size=1, return_as=come)(jobs):
                if isinstance(chunk, str):
                    raise UserError(chunk)
                if crew.backend != "threads":
                    progress.advance(chunk.games)
                yield chunk
        except TerminatedWorkerError:
            if last_words is None or not last_words.exists():
                raise
            raise UserError(last_words.read_text(encoding="utf-8")) from None


class Leaders:
    """The highest win rates so far: of strategies where several play, else of cities."""

    def __init__(self, design: Design):
        several = len(set(design.arms[0].study.strategies)) > 1
        self.keys = ("strategy" if several else "city",)
        self.sums: Sums | None = None

    def also_wanted(self, wanted: ChunkContents) -> ChunkContents:
        """What chunks should bring, with wins where they bring no sums anyway."""
        return wanted._replace(summing=wanted.summing or Summing(self.keys, ("win_share",)))

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


def order_of(arm: Arm) -> Order:
    """An arm as it is sent."""
    return Order(arm.study.model_dump_json(), arm.rules.to_toml(), arm.digest, os.getpid(), arm.swapped)


def play_order(
    order: Order, place: Place, wanted: ChunkContents, last_words: Path | None = None
) -> Chunk | str:
    """Play a chunk in another process, where the arm is made again, once.

    What goes wrong comes back as its message: not every backend of joblib brings exceptions home. A player
    that never answers ends the process, which leaves its message in a file.
    """
    if os.getpid() != order.sender and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the sender, who ends its workers
        if last_words is not None:
            end_with(lambda message: _end_process(message, last_words))
    try:
        return play_chunk(_arm_of(order), place, wanted)
    except UserError as problem:
        return str(problem)
    except Exception as problem:
        return f"part {place.number}: {type(problem).__name__}: {problem}"


def _end_process(message: str, last_words: Path) -> None:
    write_atomically(last_words, message.encode())
    os._exit(1)


@lru_cache(maxsize=MOST_ARMS)
def _arm_of(order: Order) -> Arm:
    arm = replace(plan_again(study_of(json.loads(order.study)), order.rules), swapped=order.swapped)
    if arm.digest != order.digest:
        raise UserError("a worker has other strategies or another khora than the one that sent the work")
    return arm


# What a study will take, judged from a small sample of its games.


SAMPLE_SECONDS = 1.0
SAMPLE_GAMES = 4096


class Forecast(NamedTuple):
    """About how long and how big."""

    seconds: float
    bytes: int
    sampled: int  # games


class Weighing(Sink):
    """Weighs the parts of a study and throws them away."""

    wanted = ChunkContents(tables=True)

    def __init__(self) -> None:
        self.weight = 0

    def keep(self, chunk: Chunk) -> None:
        """Add the bytes of a chunk."""
        self.weight += sum(len(part.data) for part in chunk.parts.values())

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self.weight


def forecast(arm: Arm, crew: Crew) -> Forecast:
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
    return Forecast(alone / min(crew.workers, arm.chunks), round(whole), games)


def _sample(arm: Arm, groups: int) -> tuple[float, int, int]:
    """Seconds, games and bytes of the first groups of a study, on one thread."""
    outcome = play(Design((arm.first(groups),)), Weighing(), Crew("threads", 1))
    return outcome.seconds, outcome.games, outcome.bytes
