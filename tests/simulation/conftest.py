"""Studies that many tests look at and none may change."""

from pathlib import Path

import pytest

from tests.simulation.folders import run


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 games of four players, one worker."""
    folder = tmp_path_factory.mktemp("studies") / "small"
    run(folder)
    return folder


@pytest.fixture(scope="session")
def with_rounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,100 games of three players with the table of rounds, all sets of cities."""
    folder = tmp_path_factory.mktemp("studies") / "rounds"
    run(folder, games=2100, players=3, strategies="random,first-legal,idle", cities="all", rounds=True)
    return folder
