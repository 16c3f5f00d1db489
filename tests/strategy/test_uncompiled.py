"""Strategies mean the same compiled and as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAY = """
import sys
import numpy as np
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.match import play_set_ups
from tests.strategy.plug_ins import set_ups

table = [load(name) for name in sys.argv[1].split(",")]
games = set_ups(4, seed=15)
for seat in range(4):
    games.lineup[:, seat] = (np.arange(4) + seat) % len(table)
games, _ = play_set_ups(load_rules(), games, table)
print(games.vp.tolist(), games.drachmas.tolist(), games.step.tolist())
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


@pytest.mark.parametrize(
    "names",
    [
        "random,idle",
        "conqueror,developer,explorer,merchant",
        "patron,philosopher,politician,treasurer",
        "steward,weights-example",
    ],
)
def test_games_are_the_same_compiled_and_uncompiled(names):
    assert play(names, uncompiled="1") == play(names, uncompiled="0")


BLANK = """
from khora_sim.strategy.evaluator import position, rating


def marked(length):
    room = np.zeros(length)
    room[position.CARD : position.CARD_LATER] = np.inf  # whatever is read of it is the best by far
    room[position.CITY : position.CITY_LATER] = np.inf
    return room


rating.scratch = marked
"""


def test_the_evaluator_reads_the_worth_of_no_card_that_it_has_not_worked_out():
    """In three of these four games Ostracism brings a card in play back to hand."""
    play = PLAY.replace("import numpy as np", f"import numpy as np\n{BLANK}", 1)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", play, "steward"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert "no finite number" not in done.stderr
    assert done.returncode == 0
