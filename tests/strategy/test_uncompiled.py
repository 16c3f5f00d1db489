"""Strategies mean the same compiled and as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAY = """
import sys
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.match import play_set_ups
from tests.strategy.plug_ins import set_ups

games, _ = play_set_ups(load_rules(), set_ups(1, players=2, seed=5), [load(sys.argv[1])])
print(games.vp[0].tolist(), games.drachmas[0].tolist(), games.step[0])
"""


def play(name: str, uncompiled: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", PLAY, name],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": uncompiled, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize("name", ["random", "idle", "merchant", "steward"])
def test_a_game_is_the_same_compiled_and_uncompiled(name):
    assert play(name, uncompiled="1") == play(name, uncompiled="0")


BLANK = """
from khora_sim.strategy.evaluator import position, rating


def marked(length):
    room = np.zeros(length)
    room[position.CARD : position.KNOWN] = np.nan
    return room


rating.scratch = marked
"""


def test_the_evaluator_reads_the_worth_of_no_card_that_it_has_not_worked_out():
    """Seed 50 has an Ostracism that brings the only card in play back to hand."""
    play = PLAY.replace("set_ups(1, players=2, seed=5)", "set_ups(1, seed=50)").replace(
        "import sys", f"import sys\nimport numpy as np\n{BLANK}", 1
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", play, "steward"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert "no finite number" not in done.stderr
    assert done.returncode == 0
