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
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import set_ups

table = [load(name) for name in sys.argv[1].split(",")]
games = set_ups(4, seed=91)
for seat in range(4):
    games.lineup[:, seat] = (np.arange(4) + seat) % len(table)
games, ledgers = play_set_ups(load_rules(), games, table)
print(games.vp.tolist(), games.drachmas.tolist(), games.step.tolist())
print((ledgers.card_round[:, :, load_rules().card_ids.index("ostracism")] > 0).any(axis=1).sum())
"""

#: Runs uncompiled only: what has not been worked out is the best by far.
MARKED = """
import numpy as np
from khora_sim.strategy import evaluator, heuristics
from khora_sim.strategy.value.worths import unset_worths


def marked():
    worths = unset_worths()
    for field in worths.dtype.names:
        worths[field] = np.inf
    return worths


for module in (evaluator, heuristics):
    module.unset_worths = marked
"""


def play(names: str, uncompiled: bool, first: str = "") -> str:
    return subprocess.run(
        [sys.executable, "-c", first + PLAY, names],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": str(int(uncompiled)), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        "random,idle",
        "conqueror,developer,explorer,merchant",
        "patron,philosopher,politician,treasurer",
    ],
)
def test_games_are_the_same_compiled_and_uncompiled(names):
    """And no worth is read that has not been worked out."""
    assert play(names, uncompiled=True, first=MARKED) == play(names, uncompiled=False)


@pytest.mark.slow
def test_the_evaluator_is_the_same_uncompiled_and_reads_no_worth_that_it_has_not_worked_out():
    """Ostracism, which brings a card in play back to hand, is in three of the four games."""
    output = play("steward,weights-example", uncompiled=True, first=MARKED)
    assert output == play("steward,weights-example", uncompiled=False)
    assert output.splitlines()[1] == "3"
