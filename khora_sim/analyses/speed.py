"""How fast a strategy is: processor time of one thread, with four of it at a table."""

import time
from typing import Any, NamedTuple

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.rules import load_rules
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.games import play_set_ups

RUNS = 6  # of which the fastest tells the speed: the others were disturbed
FIRST_GAMES = 4  # they say how many a run can have
RUN_SECONDS = 0.5


class Speed(NamedTuple):
    """What a game costs."""

    seconds: float  # of processor time, for a game of four players
    decisions: float  # of all players, in such a game

    @property
    def games_per_second(self) -> float:
        """Games that one core plays."""
        return 1 / self.seconds


def speed_of(strategy: Strategy, most_games: int = 1000) -> Speed:
    """The best of some runs of about half a second, or of so many games.

    Not by the runner: what it does with the games would be measured too.
    """
    first = _run(strategy, FIRST_GAMES)
    games = int(np.clip(RUN_SECONDS / first.seconds, FIRST_GAMES, most_games))
    return min(_run(strategy, games) for _ in range(RUNS))


def _run(strategy: Strategy, games: int) -> Speed:
    set_ups: Any = new_records(games, SET_UP)
    set_ups.seed = np.arange(games)
    set_ups.settings = Setting.DRAFT
    set_ups.players = 4
    set_ups.first_player = set_ups.cities = RANDOM
    rules = load_rules(None)
    began = time.thread_time()
    played, _ = play_set_ups(rules, set_ups, [strategy])
    return Speed((time.thread_time() - began) / games, float(played["step"].mean()))
