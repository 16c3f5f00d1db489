"""1,000 random games for each number of players come out as they did when this version was frozen."""

import os

import pytest

from khora_sim.rules import RULES_VERSION
from tests.engine import frozen_games

CHANGED = """
The same seeds and decisions give other games than before. If that is meant, it is a change of the rules:
give RULES_VERSION in khora_sim/rules/__init__.py a new value, say so in the changelog, and run
    python -m tests.engine.frozen_games
"""


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="3,000 games take minutes uncompiled")
def test_no_change_of_behaviour_goes_unnoticed():
    expected = frozen_games.frozen()
    assert expected.pop("rules_version") == RULES_VERSION, CHANGED
    assert frozen_games.hashes() == expected, CHANGED
