"""Over positions of many games: a development is worth what the best choices after it come to."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from khora_sim.rules import load_rules
from tests.strategy.sequences import developments_at_hand

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXPLORES = ("sparta", 3)  # of the spaces within reach only the one that seems best is tried


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """Ratings of `steward` beside a search through all sequences, in positions of every city."""
    path = tmp_path_factory.mktemp("positions") / "views.npy"
    np.save(path, developments_at_hand(each=2).view(np.uint8))
    done = subprocess.run(
        [sys.executable, "-m", "tests.strategy.sequences", str(path)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_positions_show_every_development_of_every_city(compared):
    shown = {(row["city"], row["development"]) for row in compared}
    assert shown == {(city, step) for city in load_rules().city_ids for step in (2, 3, 4)}
    assert any(row["searched"] < 0 for row in compared)  # declining is right now and then
    assert any(row["tile searched"] == 0 for row in compared)


def test_it_unlocks_a_development_where_the_best_sequence_of_choices_is_worth_more_than_declining(compared):
    assert [row for row in compared if (row["searched"] > 1e-9) != (row["rated"] > 1e-9)] == []
    assert [row for row in compared if (row["tile searched"] > 1e-9) != (row["tile rated"] > 1e-9)] == []


def test_it_rates_a_development_by_the_best_sequence_of_choices(compared):
    for row in compared:
        if (row["city"], row["development"]) == EXPLORES:
            assert row["rated"] <= row["searched"] + 1e-9
            assert row["tile rated"] <= row["tile searched"] + 1e-9
        else:
            assert row["rated"] == pytest.approx(row["searched"], abs=1e-9), row
            assert row["tile rated"] == pytest.approx(row["tile searched"], abs=1e-9), row
