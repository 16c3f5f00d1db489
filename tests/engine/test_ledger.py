"""The ledger: where points came from, what actions brought, how everyone stood after each round."""

import numpy as np
import pytest

from khora_sim.engine.ledger import Column, Source, Spending
from khora_sim.rules.terms import Action
from tests.engine.random_games import play_at_random
from tests.engine.scene import BASE, Payment, Scene


def points(scene, seat=0):
    """The points of a player by where they came from, in words."""
    names = {int(source): source.name.lower() for source in Source}
    names |= {Source.DEVELOPMENT + place: f"development {place + 1}" for place in range(4)}
    row = scene.match.ledger.points[seat]
    cards = BASE.card_ids
    return {
        cards[source] if source < len(cards) else names[source]: int(row[source])
        for source in np.flatnonzero(row)
    }


@pytest.mark.scenario
def test_points_are_written_down_with_their_source():
    scene = Scene(players=2).give(0, culture=3, in_play="lighthouse stoa-poikile", troops=4, economy=3)
    scene.action("culture")
    scene.action("trade")
    scene.action("military").choose("major-blue-2")
    scene.give(0, drachmas=3).progress().choose("economy")
    scene.resolve("eleusinian-mysteries")
    expected = {"culture_action": 3, "lighthouse": 3, "exploration": 1, "track_level": 5, "event": 4}
    assert points(scene) == expected
    assert sum(expected.values()) == scene.player(0).vp


@pytest.mark.scenario
def test_points_lost_are_those_there_were():
    scene = Scene(players=2).give(1, troops=1)
    scene.action("culture")
    scene.resolve("eleusinian-mysteries")
    assert points(scene) == {"culture_action": 1, "event_lowest": -1}


@pytest.mark.scenario
def test_final_scoring_is_written_down_card_by_card():
    scene = Scene().give(0, city="athens", development=4, in_play="bank proskenion", glory=2, tokens="RB")
    scene.give(0, drachmas=5, citizens=7).end_of_game()
    assert points(scene) == {"bank": 2, "proskenion": 7, "development 4": 6, "glory": 4}


@pytest.mark.scenario
def test_what_actions_brought_is_written_down():
    scene = Scene().give(0, culture=2, in_play="founding-the-lyceum", hand="gifts-from-the-west", tokens="bb")
    scene.deck("bank", "quarry").action("philosophy")
    scene.action("legislation").choose("bank")
    scene.action("culture")
    scene.action("trade")
    scene.action("military").give(0, troops=2)
    scene.action("military").choose("minor-red-2")
    scene.play("gifts-from-the-west")
    scene.develop(0)
    ledger = scene.match.ledger
    assert ledger.actions[0].tolist() == [1, 1, 1, 1, 2, 1, 1]
    assert ledger.returns[0].tolist() == [2, 1, 2, 2, 1, 1, 1]
    assert ledger.card_round[0, BASE.card_ids.index("gifts-from-the-west")] == 2


@pytest.mark.scenario
def test_tokens_and_citizens_spent_are_written_down():
    scene = Scene(players=2).give(0, dice=(1, 1), tiles=(5, 6), citizens=6, philosophy=1)
    scene.give(1, dice=(1, 1), tiles=(0, 6)).reveal().choose(Payment((0, 1), tokens=1, left=0))
    scene.give(0, philosophy=2, hand="quarry").play("quarry")
    scene.give(0, philosophy=1, drachmas=9).progress().choose("culture", "economy")
    ledger = scene.match.ledger
    assert ledger.citizens_spent[:2].tolist() == [9, 0]
    spent = {word: int(ledger.philosophy_spent[0, word]) for word in Spending}
    assert spent == {Spending.CITIZENS: 1, Spending.KNOWLEDGE: 2, Spending.LEVELS: 1}
    scene.all_actions()
    assert ledger.set_aside[1].tolist() == [0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_points_sum_to_the_score_in_every_game(players):
    games, ledgers = play_at_random(range(500), players)
    assert (ledgers.points.sum(axis=2)[:, :players] == games.vp[:, :players]).all()


def test_every_source_of_points_is_one_that_some_rule_writes():
    _, ledgers = play_at_random(range(200), 4)
    assert ledgers.points[:, :, Source.EVENT :].any(axis=(0, 1)).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_round_written_down_is_how_the_game_ended(players):
    games, ledgers = play_at_random(range(200), players)
    last = ledgers.after_round[:, 8, :players]
    # Thebes may sell glory after the last round; all else stands.
    assert (last[:, :, Column.CITIZENS] == games.citizens[:, :players]).all()
    assert (last[:, :, Column.ECONOMY] == games.level[:, :players, 0]).all()
    assert (last[:, :, Column.DEVELOPMENT] == games.development[:, :players]).all()
    assert (last[:, :, Column.MINOR_TOKENS] == games.minor[:, :players].sum(axis=2)).all()
    assert (last[:, :, Column.HAND] == games.hand_size[:, :players]).all()
    assert not ledgers.after_round[:, 9:].any()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_die_of_every_round_is_counted(players):
    _, ledgers = play_at_random(range(200), players)
    dice = ledgers.dice_rolled[:, :players]
    assert dice.min() >= 18
    assert dice.max() <= 26
    sums = ledgers.after_round[:, :9, :players, Column.DICE_SUM].sum(axis=1)
    assert (sums == ledgers.pips[:, :players]).all()
    used = ledgers.after_round[:, :9, :players, Column.TILES_USED]
    tiles = sum((used >> action & 1).sum(axis=1) for action in Action)
    aside = ledgers.set_aside.sum(axis=2)[:, :players]
    assert (tiles + aside == dice).all()
