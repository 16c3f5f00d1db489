"""Small plug-ins for tests, and games to let them play."""

from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.games import play_set_ups

ROOT = Path(__file__).parents[2]
HEAD = '''"""A plug-in made for a test."""

import numpy as np

from khora_sim.strategy.toolkit import *
from khora_sim.strategy.toolkit import Traits, parameter, rule

TRAITS = Traits(
    name="{name}", family="own", summary="For a test.", deterministic=True, source="a test", {declared}
)
'''
FIRST = """
@rule
def score(view, option):
    return 0.0
"""


def write_plug_in(folder: Path, name: str, body: str, declared: str = "", head: str = HEAD) -> Path:
    """Write a plug-in with sound traits around a body, and more of them if they are given."""
    path = folder / f"{name.replace('-', '_')}.py"
    path.write_text(head.format(name=name, declared=declared) + "\n" + dedent(body), encoding="utf-8")
    return path


def problem(spec: object) -> str:
    """What is said of a strategy that cannot be loaded."""
    with pytest.raises(UserError) as error:
        load(str(spec))
    return str(error.value)


def plays(path: object, count: int = 4) -> np.recarray:
    """Games of a strategy against itself."""
    games, _ = play_set_ups(load_rules(), set_ups(count), [load(str(path))])
    return games


def set_ups(count: int, players: int = 4, seed: int = 0) -> np.recarray:
    """Games that all seats play with the first strategy."""
    games = new_records(count, SET_UP)
    games.seed = seed + np.arange(count)
    games.settings = Setting.DRAFT
    games.players = players
    games.first_player = RANDOM
    games.cities = RANDOM
    return games


def one_against_three(count: int) -> np.recarray:
    """Strategy 1 against three of strategy 0, its seat moving on from game to game with the same luck."""
    games = set_ups(count)
    games.seed = np.arange(count) // 4
    for seat in range(4):
        games.lineup[seat::4, seat] = 1
    return games


def win_share(games: np.recarray) -> float:
    """The share of games of `one_against_three` that strategy 1 wins; a shared win counts by its part."""
    best = games.vp == games.vp.max(axis=1, keepdims=True)
    shares = best / best.sum(axis=1, keepdims=True)
    return float(shares[np.arange(len(games)), np.arange(len(games)) % 4].mean())
