"""Running a study: chunks shared out by joblib, written here, one after another, as they come."""

import json
import os
import signal
import threading
import time
import warnings
from collections.abc import Generator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from khora_sim.errors import UserError
from khora_sim.lab import sheets
from khora_sim.lab.chunk import Chunk, play_chunk
from khora_sim.lab.crew import Crew, crew_for
from khora_sim.lab.dataset import Claim, claimed
from khora_sim.lab.plan import Plan, plan_again
from khora_sim.lab.seating import set_ups
from khora_sim.lab.study_file import study_of
from khora_sim.strategy.match import compile_for

MANIFEST_SECONDS = 0.5  # between two manifests: a killed study loses little, and disks have other work


class Watch:
    """Hears how a study goes; the command line shows it. This one keeps quiet."""

    def begin(self, plan: Plan, finished: int) -> None:
        """The study begins, or goes on after some finished games."""

    def played(self, games: int) -> None:
        """Some more games were played."""

    def kept(self, chunk: Chunk) -> None:
        """A chunk was written."""


class Outcome(NamedTuple):
    """What a run brought."""

    games: int  # in the folder
    played: int  # in this run
    seconds: float  # after everything was compiled
    bytes: int
    crew: Crew


class StoppedError(Exception):
    """Ends a worker thread that nobody waits for any more."""


class Order(NamedTuple):
    """A plan as it travels to another process or machine."""

    study: str  # JSON
    rules: str  # TOML
    digest: str
    sender: int  # process


def run_study(
    plan: Plan,
    folder: str | Path,
    crew: Crew | None = None,
    *,
    resume: bool = False,
    watch: Watch | None = None,
) -> Outcome:
    """Play what a folder still lacks of a study; what is finished stays, whatever happens."""
    folder, watch, crew = Path(folder), watch or Watch(), crew or crew_for(plan)
    try:
        with claimed(plan, folder, resume) as claim:
            before = _games(claim)
            todo = [number for number in range(plan.chunks) if number not in claim.finished]
            if todo:
                _warm_up(plan)
            watch.begin(plan, before)
            began = time.perf_counter()
            if todo:
                _run(plan, claim, todo, crew, watch)
            seconds = time.perf_counter() - began
            return Outcome(_games(claim), _games(claim) - before, seconds, claim.size, crew)
    except OSError as problem:
        raise UserError(
            f"{problem.filename or folder}: cannot be written: {problem.strerror or problem}"
        ) from None


def _games(claim: Claim) -> int:
    return sum(part.games for part in claim.finished.values())


def _warm_up(plan: Plan) -> None:
    """Compile what is not compiled yet, once, before the work is shared out."""
    compile_for(plan.strategies)
    set_ups(plan, plan.sections[0], 0, 1)
    sheets.compile_now()


def _run(plan: Plan, claim: Claim, todo: list[int], crew: Crew, watch: Watch) -> None:
    """Share the chunks out and keep them as they come; the manifest is true even after an exception."""
    stop = threading.Event()
    chunks = _chunks(plan, todo, crew, watch, stop)
    written = time.monotonic()
    try:
        for chunk in chunks:
            claim.keep(chunk)
            watch.kept(chunk)
            if time.monotonic() - written > MANIFEST_SECONDS:
                claim.write_manifest()
                written = time.monotonic()
        claim.write_manifest()
    except BaseException as problem:
        with suppress(OSError):  # a full disk: the manifest that is there stays true
            claim.write_manifest()
        if not isinstance(problem, (UserError, OSError)):
            raise
        what = f"{claim.folder}: {problem.strerror}" if isinstance(problem, OSError) else str(problem)
        stays = f"{len(claim.finished)} of {plan.chunks} parts are finished and stay in {claim.folder}"
        raise UserError(f"{what}; {stays}") from None
    finally:
        stop.set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, about work that is given up on purpose
            chunks.close()


def _chunks(plan: Plan, todo: list[int], crew: Crew, watch: Watch, stop: threading.Event) -> Generator[Chunk]:
    """The chunks in the order in which they are done."""
    from joblib import Parallel, delayed

    def played(games: int) -> None:
        if stop.is_set():
            raise StoppedError
        watch.played(games)

    jobs = (delayed(play_chunk)(plan, number, played) for number in todo)
    if crew.backend != "threads":
        order = Order(plan.study.model_dump_json(), plan.rules.to_toml(), plan.digest, os.getpid())
        jobs = (delayed(play_order)(order, number) for number in todo)
    with crew.at_work():
        for chunk in Parallel(n_jobs=crew.workers, batch_size=1, return_as="generator_unordered")(jobs):
            if isinstance(chunk, str):
                raise UserError(chunk)
            if crew.backend != "threads":
                watch.played(chunk.games)
            yield chunk


def play_order(order: Order, number: int) -> Chunk | str:
    """Play a chunk in another process, where the plan is made again, once.

    What goes wrong comes back as its message: not every backend of joblib brings exceptions home.
    """
    if os.getpid() != order.sender and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the sender, who ends its workers
    try:
        return play_chunk(_plan_of(order), number)
    except UserError as problem:
        return str(problem)
    except Exception as problem:
        return f"part {number}: {type(problem).__name__}: {problem}"


@lru_cache(maxsize=4)
def _plan_of(order: Order) -> Plan:
    plan = plan_again(study_of(json.loads(order.study)), order.rules)
    if plan.digest != order.digest:
        raise UserError("a worker has other strategies or another khora than the one that sent the work")
    return plan
