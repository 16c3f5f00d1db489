"""Backends that do the work: threads, processes, or the machines of a Dask cluster, all through joblib."""

import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from khora_sim import __version__
from khora_sim.common.files import write_atomically
from khora_sim.engine.cache import processors
from khora_sim.errors import UserError, nearest
from khora_sim.rules import RULES_VERSION
from khora_sim.simulation.experiment import Arm, Design
from khora_sim.strategy.time_limit import end_with

BACKENDS = ("auto", "threads", "processes", "dask")
CONNECT_SECONDS = 10
MOST_UNPACKED = 64  # parcels that a worker process keeps unpacked
VERSIONS = f"{__version__}, rules {RULES_VERSION}"
What = TypeVar("What")
Item = TypeVar("Item")
Brought = TypeVar("Brought")


class Backend(NamedTuple):
    """Workers, and how they work."""

    kind: str  # threads, processes or dask
    workers: int  # a Dask cluster brings its own
    scheduler: str | None = None  # address; None: the Dask client that is there already

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Joblib hands work to this backend."""
        from joblib import parallel_config

        if self.kind != "dask":
            with parallel_config(backend={"threads": "threading", "processes": "loky"}[self.kind]):
                yield
            return
        client, own = _dask_client(self.scheduler)
        try:
            with parallel_config(backend="dask", client=client):
                yield
        finally:
            if own:
                client.close()


def backend_for(
    played: Arm | Design | None,
    workers: int | None = None,
    backend: str = "auto",
    scheduler: str | None = None,
) -> Backend:
    """A backend: threads where kernels release Python's lock, processes where Python decides.

    `played` is None where every strategy is compiled.
    """
    check_backend(backend, scheduler)
    if backend == "auto":
        backend = "dask" if scheduler else "threads" if played is None or played.compiled else "processes"
    return Backend(backend, worker_count(workers), scheduler)


def worker_count(given: int | None) -> int:
    """Workers at once: as many as are given, or all processors."""
    if given is not None and given < 1:
        raise UserError(f"--workers {given}: should be 1 or more")
    return given or processors()


def check_backend(backend: str, scheduler: str | None) -> None:
    """Refuse an unknown backend, and Dask without a scheduler, before anything is written or compiled."""
    if backend not in BACKENDS:
        raise UserError(f'no backend "{backend}"; {nearest(backend, BACKENDS)}')
    if scheduler is not None and backend not in ("auto", "dask"):
        raise UserError(f"--scheduler is for --backend dask, not for {backend}")
    if backend == "dask" and scheduler is None:
        _dask_client(None)


def _dask_client(scheduler: str | None):
    """A client of the cluster, and True if it is ours to close."""
    try:
        from distributed import Client, get_client
    except ImportError:
        raise UserError("--backend dask needs Dask: pip install dask distributed") from None
    try:
        if scheduler is None:
            return get_client(), False
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False), True
    except ValueError:
        raise UserError("--backend dask needs --scheduler ADDRESS, such as tcp://host:8786") from None
    except OSError:
        raise UserError(f"--scheduler {scheduler}: no Dask scheduler answers there") from None


class Parcel(NamedTuple):
    """The arm or lesson that is played, as it travels to another process or machine."""

    versions: str
    sender: int  # process
    data: bytes


class Failed(NamedTuple):
    """A job that failed elsewhere: not every backend of joblib brings exceptions home."""

    message: str


def share_out(
    backend: Backend,
    work: Callable[[What, Item], Brought],
    jobs: Iterable[tuple[What, Item]],
    *,
    here: Callable[[What, Item], Brought] | None = None,
    in_order: bool = True,
) -> Generator[Brought]:
    """The results of `work(what, item)` for some jobs, in their order or as they are done.

    An item is a piece of what is played, such as the number of a chunk. `work` belongs to a module and
    depends on nothing else, so that its result is the same wherever it runs.

    In threads of this process `here` does the same work, where it is given; it may report progress or stop.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    calls: Iterator[Any] = (delayed(here or work)(what, item) for what, item in jobs)
    with backend.at_work(), TemporaryDirectory() as folder:
        last_words = Path(folder) / "last_words" if backend.kind == "processes" else None
        if backend.kind != "threads":
            away = delayed(_do_away)
            calls = (away(work, parcel, item, last_words) for parcel, item in list(_parcels(jobs)))
        come = "generator" if in_order else "generator_unordered"
        results = Parallel(n_jobs=backend.workers, batch_size=1, return_as=come)(calls)
        try:
            for result in results:
                if isinstance(result, Failed):
                    raise UserError(result.message)
                yield result
        except TerminatedWorkerError:
            if last_words is None or not last_words.exists():
                raise
            raise UserError(last_words.read_text(encoding="utf-8")) from None
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib's, about work that is given up on purpose
                results.close()


def _parcels(jobs: Iterable[tuple[What, Item]]) -> Iterator[tuple[Parcel, Item]]:
    """Jobs with what is played as a parcel, which is packed once."""
    packed: dict[int, tuple[What, Parcel]] = {}  # by identity, so what is packed is kept alive
    for what, item in jobs:
        if id(what) not in packed:
            packed[id(what)] = what, Parcel(VERSIONS, os.getpid(), pickle.dumps(what))
        yield packed[id(what)][1], item


def _do_away(work: Callable[..., Any], parcel: Parcel, item: Any, last_words: Path | None) -> Any:
    """Do a job in another process, or say why it failed.

    A player that never answers ends the process, which leaves its message in a file.
    """
    if os.getpid() != parcel.sender and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the sender, who ends its workers
        if last_words is not None:
            end_with(lambda message: _end_process(message, last_words))
    try:
        return work(_unpacked(parcel), item)
    except UserError as problem:
        return Failed(str(problem))
    except Exception as problem:
        return Failed(f"{type(problem).__name__}: {problem}")


@lru_cache(maxsize=MOST_UNPACKED)
def _unpacked(parcel: Parcel) -> Any:
    if parcel.versions != VERSIONS:
        raise UserError(f"a worker has khora {VERSIONS}; the work was sent by {parcel.versions}")
    return pickle.loads(parcel.data)


def _end_process(message: str, last_words: Path) -> None:
    write_atomically(last_words, message.encode())
    os._exit(1)
