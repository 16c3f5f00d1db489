"""Work that is shared out: in threads or elsewhere, in order, with errors that come home as their message."""

import os
import pickle

import pytest

import khora_sim
from khora_sim.errors import UserError
from khora_sim.simulation.backend import (
    VERSIONS,
    Backend,
    Failed,
    Parcel,
    _do_away,
    _parcels,
    backend_for,
    share_out,
)


def times(factor: int, number: int) -> int:
    return factor * number


def failing(what: str, item: int) -> int:
    raise UserError(what) if item else ZeroDivisionError("by nothing")


def sent(what: object, versions: str = VERSIONS) -> Parcel:
    return Parcel(versions, os.getpid(), pickle.dumps(what))


def test_results_come_in_the_order_of_the_jobs():
    jobs = [(10, number) for number in range(7)]
    assert list(share_out(Backend("threads", 2), times, jobs)) == [0, 10, 20, 30, 40, 50, 60]


def test_threads_do_the_work_as_it_is_done_here():
    def here(factor: int, number: int) -> int:
        return -times(factor, number)

    assert list(share_out(Backend("threads", 1), times, [(2, 3)], here=here)) == [-6]


def test_what_is_played_is_packed_once():
    what = ["a", "design"]
    (one, _), (other, _) = _parcels([(what, 1), (what, 2)])
    assert one is other
    assert _do_away(times, sent(4), 5, None) == 20


def test_a_problem_elsewhere_comes_home_as_its_message():
    assert _do_away(failing, sent("no such city"), 1, None) == Failed("no such city")
    assert _do_away(failing, sent(""), 0, None) == Failed("ZeroDivisionError: by nothing")


def test_a_worker_of_another_version_is_refused():
    told = _do_away(times, sent(4, "0.1.0, rules 1"), 5, None)
    assert told == Failed(f"a worker has khora {VERSIONS}; the work was sent by 0.1.0, rules 1")


@pytest.mark.parametrize(
    ("backend", "scheduler", "found"),
    [("auto", None, "threads"), ("auto", "tcp://there:8786", "dask"), ("processes", None, "processes")],
)
def test_training_is_done_by_threads_unless_somebody_else_is_named(backend, scheduler, found):
    assert backend_for(None, 2, backend, scheduler).kind == found


@pytest.mark.parametrize(
    "asked",
    [
        lambda out: khora_sim.power("tracks", backend="dask", out=out),
        lambda out: khora_sim.learn(backend="dask", out=out / "value.npz"),
        lambda out: khora_sim.panel(backend="dask", out=out / "panel.npz"),
        lambda out: khora_sim.simulate(strategies="random", backend="dask", out=out),
    ],
    ids=["power", "learn", "panel", "simulate"],
)
def test_dask_without_a_scheduler_is_refused_before_anything_is_written(asked, tmp_path):
    with pytest.raises(UserError, match="--backend dask needs --scheduler ADDRESS, such as tcp://host:8786"):
        asked(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
