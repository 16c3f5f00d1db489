"""A replayed game is the game of the study with the same seed and line-up, decision by decision."""

import numpy as np
import pytest

from khora_sim.common.options import settings_of
from khora_sim.engine.match import Match
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.records.state import steps
from khora_sim.strategy.games import play_set_ups
from khora_sim.strategy.loading import load
from khora_sim.strategy.table import ask
from tests.records.games import BASE

OPTIONS = [
    {},
    {"reroll": True},
    {"shared_dice": True},
    {"progress_bonuses_stack": True, "draft": False},
    {"reroll": True, "shared_dice": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_replay_plays_the_game_of_the_compiled_loop(players, options):
    strategies = [load("random"), load("first-legal")]
    seeds = range(100, 104)
    set_ups = new_records(len(seeds), SET_UP)
    for place, seed in enumerate(seeds):
        set_ups[place].seed = seed
        set_ups[place].players = players
        set_ups[place].settings = settings_of(**options)
        set_ups[place].first_player = seed % 2 - 1
        set_ups[place].cities = (seed % 3, RANDOM, RANDOM, RANDOM)
        set_ups[place].lineup = (0, seed % 2, 0, 0)
    games, ledgers = play_set_ups(BASE, set_ups, strategies)
    for place, seed in enumerate(seeds):
        given = set_ups[place]
        match = Match(BASE, players, seed, given.settings, given.cities.tolist(), int(given.first_player))
        seated = [strategies[number] for number in given.lineup]
        played = list(steps(match, ask(seated)))
        assert sum(step.number is not None for step in played) == games[place].step
        for field in match.game.dtype.names:
            assert np.array_equal(match.game[field], games[place][field]), field
        for field in match.ledger.dtype.names:
            assert np.array_equal(match.ledger[field], ledgers[place][field]), field
