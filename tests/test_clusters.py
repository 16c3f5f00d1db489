"""Commands that play many games give the same answer on a Dask cluster, also when a worker dies half-way."""

import os
import signal
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import LocalCluster

from khora_sim.analyses import REGISTRY
from khora_sim.analyses.analysis import loaded
from khora_sim.analyses.grade import making
from khora_sim.common.progress import Progress
from khora_sim.strategy import load
from khora_sim.training import learn as learning

COMMANDS: dict[str, dict[str, Any]] = {
    "power": {"kind": "events", "strategies": "random", "games": 280},
    "learn": {"players": 2, "budget": "56games", "seed": 3, "out": "value.npz"},
    "tune": {
        "cities": "sparta",
        "players": 2,
        "against": "steward",
        "games": 4,
        "population": 4,
        "budget": "32games",
        "seed": 3,
        "out": "new.toml",
    },
    "what_if": {"set": "cards.lighthouse.cost=2", "strategies": "random", "players": 4, "games": 2800},
    "cities": {"strategies": ("random", "merchant"), "games": 1400},
    "panel": {"decisions": 8, "worlds": 4, "out": "panel.npz"},
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as found:
        yield found


@pytest.fixture(autouse=True)
def short_lessons(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Few games; players that exist in no file: perturbed weights and a half-learned value."""
    monkeypatch.chdir(tmp_path)
    for name, value in {"POOL_GAMES": 48, "POOL_CHUNK": 8, "OWN_GAMES": 8, "OWN_CHUNK": 1}.items():
        monkeypatch.setattr(learning, name, value)
    for name, value in {"BLOCK": 2, "AT_ONCE": 2, "POOL": ("steward", "merchant")}.items():
        monkeypatch.setattr(making, name, value)
    monkeypatch.setattr(learning, "SEARCHERS", ("sage:policies=1:breadth=2",))
    perturbed = list(islice(learning._perturbed(load("steward"), np.random.default_rng(1)), 2))
    monkeypatch.setattr(learning, "mixed_pool", lambda seed: [*perturbed, load("random")])


class Killing(Progress):
    """Kills a worker once half of the games are played."""

    def __init__(self, pid: int):
        self.pid, self.total, self.done, self.killed = pid, 0, 0, False

    def begin(self, what: str, total: int | None, done: int = 0, unit: str = "games") -> None:
        self.total, self.done = total or 0, done

    def advance(self, count: int) -> None:
        self.done += count
        if not self.killed and 2 * self.done >= self.total:
            self.killed = True
            os.kill(self.pid, signal.SIGKILL)


def answered(name: str, progress: Progress | None = None, **how: Any) -> tuple[Any, bytes]:
    """The answer of a command, and the file that it wrote, if it makes one."""
    given = {**COMMANDS[name], **how}
    command = loaded(REGISTRY[name])
    data = command.data(command.ask(given, progress or Progress()))
    if "out" not in given:
        return data, b""
    out = Path(given["out"])
    written = out.read_bytes()
    out.unlink()
    return data, written


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_cluster_whose_worker_is_killed_half_way_gives_the_same_answer(
    name: str, cluster: LocalCluster
) -> None:
    killing = Killing(next(iter(cluster.workers.values())).pid)
    there = answered(name, killing, backend="dask", scheduler=cluster.scheduler_address)
    assert killing.killed
    assert there == answered(name, workers=2)
