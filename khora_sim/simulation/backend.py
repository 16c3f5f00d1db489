"""Who does the work: threads, processes, or the machines of a Dask cluster, all through joblib."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, NamedTuple

from pydantic import Field

from khora_sim.common.command_options import WORK, Flag, Options
from khora_sim.engine.target import processors
from khora_sim.errors import UserError, nearest
from khora_sim.simulation.experiment import Arm, Design

BACKENDS = ("auto", "threads", "processes", "dask")
CONNECT_SECONDS = 10


class WorkerOptions(Options):
    """How the work is shared out."""

    workers: Annotated[
        int | None,
        Flag("Workers at once.", WORK, "N", default="all processors", planned=False),
        Field(ge=1, description="1 or more"),
    ] = None
    backend: Annotated[
        str,
        Flag(
            "auto: threads if all strategies are compiled, else processes.",
            WORK,
            "|".join(BACKENDS),
            planned=False,
        ),
    ] = "auto"
    scheduler: Annotated[
        str | None, Flag("A Dask scheduler: tcp://host:8786.", WORK, "ADDRESS", planned=False)
    ] = None


class Crew(NamedTuple):
    """How many work, and how."""

    backend: str  # threads, processes or dask
    workers: int  # a Dask cluster brings its own
    scheduler: str | None = None  # address; None: the Dask client that is there already

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Joblib hands work to this crew."""
        from joblib import parallel_config

        if self.backend != "dask":
            with parallel_config(backend={"threads": "threading", "processes": "loky"}[self.backend]):
                yield
            return
        client, own = _dask_client(self.scheduler)
        try:
            with parallel_config(backend="dask", client=client):
                yield
        finally:
            if own:
                client.close()


def crew_for(
    played: Arm | Design, workers: int | None = None, backend: str = "auto", scheduler: str | None = None
) -> Crew:
    """A crew: threads where kernels release Python's lock, processes where Python decides."""
    if backend not in BACKENDS:
        raise UserError(f'no backend "{backend}"; {nearest(backend, BACKENDS)}')
    if scheduler is not None and backend not in ("auto", "dask"):
        raise UserError(f"--scheduler is for --backend dask, not for {backend}")
    if backend == "auto":
        backend = "dask" if scheduler else "threads" if played.compiled else "processes"
    return Crew(backend, worker_count(workers), scheduler)


def worker_count(asked: int | None) -> int:
    """How many work at once: as many as asked for, or all processors."""
    if asked is not None and asked < 1:
        raise UserError(f"--workers {asked}: should be 1 or more")
    return asked or processors()


def _dask_client(scheduler: str | None):
    """A client of the cluster, and whether it is ours to close."""
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
