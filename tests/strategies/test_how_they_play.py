"""Each archetype is what it says: it does more of its own thing than the average of all of them."""

import numpy as np
import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.rules import load_rules
from khora_sim.rules.terms import Action, Track
from khora_sim.strategy import load
from khora_sim.strategy.games import play_set_ups
from tests.strategies.test_every_strategy import ARCHETYPES

GAMES = 150


@pytest.fixture(scope="module")
def played():
    """Games and ledgers of every archetype against itself, with the same luck."""
    set_ups = new_records(GAMES, SET_UP)
    set_ups.seed = 5000 + np.arange(GAMES)
    set_ups.settings = Setting.DRAFT
    set_ups.players = 4
    set_ups.first_player = RANDOM
    set_ups.cities = RANDOM
    rules = load_rules(None)
    return {name: play_set_ups(rules, set_ups, [load(name)]) for name in ARCHETYPES}


WHAT_IT_LIVES_FOR = {
    "merchant": lambda games, ledgers: ledgers.actions[:, :, Action.TRADE],
    "patron": lambda games, ledgers: games.level[:, :, Track.CULTURE],
    "conqueror": lambda games, ledgers: games.major.sum(axis=2) * games.glory,
    "explorer": lambda games, ledgers: games.minor.sum(axis=2) + games.major.sum(axis=2),
    "politician": lambda games, ledgers: ledgers.returns[:, :, Action.POLITICS],
    "philosopher": lambda games, ledgers: ledgers.philosophy_spent.sum(axis=2) + games.philosophy,
    "treasurer": lambda games, ledgers: games.tax,
    "developer": lambda games, ledgers: games.development,
}


@pytest.mark.parametrize("name", ARCHETYPES)
def test_an_archetype_does_more_of_its_own_thing_than_the_others(name, played):
    measured = {other: WHAT_IT_LIVES_FOR[name](*played[other]).mean() for other in ARCHETYPES}
    assert measured[name] > np.mean(list(measured.values()))


@pytest.mark.parametrize("name", ARCHETYPES)
def test_an_archetype_averages_far_more_than_random_play(name, played):
    games, _ = played[name]
    assert games.vp.mean() > 35
