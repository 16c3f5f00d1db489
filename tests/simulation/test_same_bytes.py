"""The same study has the same bytes, whoever plays it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from khora_sim.simulation.backend import Backend
from khora_sim.simulation.run import run_study
from tests.simulation.folders import contents, plan_for, run


@pytest.mark.parametrize(
    ("workers", "backend"), [(1, "threads"), (2, "threads"), (3, "threads"), (2, "processes")]
)
def test_workers_threads_and_processes_give_the_same_bytes(
    small: Path, tmp_path: Path, workers: int, backend: str
):
    run(tmp_path / "again", workers, backend)
    assert contents(tmp_path / "again") == contents(small)


def test_a_dask_cluster_gives_the_same_bytes(small: Path, tmp_path: Path):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        plan = plan_for()
        run_study(plan, tmp_path / "default", Backend("dask", 2))
        run_study(plan, tmp_path / "named", Backend("dask", 2, cluster.scheduler_address))
    assert contents(tmp_path / "default") == contents(small)
    assert contents(tmp_path / "named") == contents(small)


def test_plain_python_is_shared_out_to_processes_with_the_same_bytes(tmp_path: Path):
    asked = {"games": 120, "strategies": "random,plain-example,idle,idle"}
    assert run(tmp_path / "processes", 2, **asked).backend.kind == "processes"
    run(tmp_path / "thread", 1, "threads", **asked)
    assert contents(tmp_path / "processes") == contents(tmp_path / "thread")


def test_the_threads_of_polars_change_no_byte(small: Path, tmp_path: Path):
    folder = str(tmp_path / "one")
    script = f"from tests.simulation.folders import run; from pathlib import Path; run(Path({folder!r}))"
    environment = os.environ | {"POLARS_MAX_THREADS": "1"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, cwd=Path(__file__).parents[2])
    assert contents(tmp_path / "one") == contents(small)


def test_a_table_of_rounds_leaves_the_other_tables_as_they_are(small: Path, tmp_path: Path):
    run(tmp_path / "rounds", rounds=True)
    there, here = contents(tmp_path / "rounds"), contents(small)
    assert {name: there[name] for name in here if name != "manifest.json"} == {
        name: here[name] for name in here if name != "manifest.json"
    }
    assert any(name.startswith("rounds/") for name in there)


def test_nothing_is_left_aside(small: Path):
    assert sorted(path.name for path in small.iterdir()) == ["games", "manifest.json", "players"]
