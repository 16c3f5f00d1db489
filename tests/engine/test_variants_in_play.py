"""What the base game does not use but a variant may: every quantity, effects in other places."""

import random

import pytest

from khora_sim.engine.match import Match
from khora_sim.engine.record import AGENDA
from khora_sim.errors import UserError
from tests.engine.covering import each
from tests.engine.scene import BASE, Scene
from tests.engine.walking import check_cards, check_ranges, walk

PLAYED = {"hand": -1, "in play": 1}

# quantity, how many of it the player below has
QUANTITIES = [
    ("drachmas", 6),
    ("hand-cards", 2),
    ("citizens", 5),
    ("lowest-track", 2),
    ("cards-in-play", 4),  # the card played is one of them
    ("economy", 3),
    ("culture", 4),
    ("military", 2),
    ("tax", 7),
    ("glory", 8),
    ("troops", 9),
    ("philosophy", 10),
    ("knowledge", 11),
    ("minor-tokens", 6),
    ("major-tokens", 5),
    ("red-tokens", 4),
    ("blue-tokens", 4),
    ("green-tokens", 3),
    ("developments", 3),
]


def immediate(*effects):
    return {"kind": "immediate", "cost": 0, "needs": {}, "effects": list(effects)}


def ongoing(*effects):
    return immediate(*effects) | {"kind": "ongoing"}


@pytest.fixture(scope="module")
def counting(variant):
    """A card for each quantity, which gives 2 VP for each of it."""
    cards = zip(BASE.card_ids, QUANTITIES, strict=False)
    return variant(
        cards={
            card: immediate({"on": "at-once", "gain": {"vp": 2}, "per": name}) for card, (name, _) in cards
        }
    )


@each("quantity", "quantity, owned", QUANTITIES)
def test_a_gain_may_be_counted_by_anything(quantity, owned, counting):
    card = BASE.card_ids[[name for name, _ in QUANTITIES].index(quantity)]
    scene = Scene(rules=counting).give(0, drachmas=6, citizens=5, economy=3, culture=4, military=2, tax=7)
    scene.give(0, glory=8, troops=9, philosophy=10, tokens="rrrbbgRBBGG", development=3)
    scene.give(0, hand=f"{card} quarry council", in_play="archives ostracism greek-fire")
    assert scene.play(card).changes(0) == {"vp": 2 * owned} | PLAYED


@pytest.mark.scenario
def test_a_gain_for_every_three_is_rounded_down(variant):
    effect = {"on": "at-once", "gain": {"vp": 5}, "per": "citizens", "every": 3}
    scene = Scene(rules=variant(cards={"quarry": immediate(effect)})).give(0, citizens=8, hand="quarry")
    assert scene.play("quarry").changes(0) == {"vp": 10} | PLAYED


@pytest.mark.scenario
def test_two_tokens_are_chosen_one_after_the_other(variant):
    effect = {"on": "at-once", "gain": {"tokens": 2}}
    scene = Scene(rules=variant(cards={"quarry": immediate(effect)})).give(0, hand="quarry")
    scene.play("quarry", "green", "red")
    assert scene.asked is None
    assert scene.changes(0) == {"minor green": 1, "minor red": 1} | PLAYED


@pytest.mark.scenario
def test_an_event_may_ask_those_with_the_least_troops_to_choose(variant):
    event = {
        "scope": "troops",
        "effect": {"on": "at-once", "special": "choose-gain", "choices": [{"vp": 1}, {"tax": 1}]},
        "lowest": {"on": "at-once", "special": "lose-token", "gain": {"drachmas": 4}},
    }
    scene = Scene(players=2, rules=variant(events={"drought": event}))
    scene.give(0, troops=1).give(1, tokens="rB")
    scene.resolve("drought")
    assert (scene.asked, scene.options) == ((0, "choose-gain"), [0, 1])
    scene.choose(1)
    assert (scene.asked, scene.options) == ((1, "lose-token"), ["minor red", "major blue"])
    scene.choose("major blue")
    assert [scene.changes(seat) for seat in range(2)] == [{"tax": 1}, {"major blue": -1, "drachmas": 4}]


@pytest.mark.scenario
def test_a_card_may_sell_glory_and_ask_whenever_another_card_is_played(variant):
    selling = {"on": "always", "special": "sells-glory", "gain": {"vp": 3}}
    asking = {"on": "card-played", "special": "choose-gain", "choices": [{"vp": 1}, {"troops": 2}]}
    rules = variant(cards={"quarry": ongoing(selling, asking)})
    scene = Scene(players=2, rules=rules).give(0, hand="archives", in_play="quarry", glory=1, drachmas=2)
    scene.action("politics")
    assert scene.options == ["archives", "sell", "none"]
    scene.choose("sell", "archives", 1)
    assert scene.changes(0) == {"glory": -1, "vp": 3, "troops": 2, "drachmas": -2, "philosophy": 3} | PLAYED


@pytest.mark.scenario
def test_one_die_takes_one_tile(variant):
    rules = variant(start={"dice": 1})
    scene = Scene(players=2, rules=rules).give(0, dice=(3,)).give(1, dice=(4,)).event("drought")
    scene.after_the_roll()
    assert scene.options == [(tile,) for tile in range(7)]
    scene.choose((2,), (0,))
    assert scene.game.tile[:2].tolist() == [[2, -1, -1], [0, -1, -1]]


@pytest.mark.scenario
def test_other_numbers_of_the_actions_are_taken_from_the_variant(variant):
    actions = {"philosophy_tokens": 2, "legislation_citizens": 4, "legislation_cards": 4, "trade_bonus": 3}
    rules = variant(actions=actions, prices={"minor_token": 1})
    scene = Scene(rules=rules).deck("bank", "quarry", "power", "oracle", "council")
    assert scene.action("philosophy").changes(0) == {"philosophy": 2}
    scene.action("legislation").choose("power")
    assert scene.changes(0) == {"citizens": 4, "hand": 1}
    assert scene.deck_cards() == ["council", "bank", "quarry", "oracle"]
    assert scene.action("trade").choose("red").changes(0) == {"drachmas": 4 - 1, "minor red": 1}


@pytest.mark.scenario
def test_effects_of_one_card_happen_in_the_order_written(variant):
    first = {"on": "at-once", "gain": {"economy": 1}}
    second = {"on": "at-once", "gain": {"vp": 1}, "per": "economy"}
    scene = Scene(rules=variant(cards={"quarry": immediate(first, second)})).give(0, hand="quarry")
    assert scene.play("quarry").changes(0) == {"economy": 1, "citizens": 3, "vp": 2} | PLAYED


def test_actions_nested_without_end_are_reported(variant):
    actions = {"on": "at-once", "special": "take-actions", "action": "politics", "number": 4}
    cards = {"on": "at-once", "gain": {"cards": 2}}
    nesting = {card: immediate(actions, cards) for card in BASE.card_ids if card != "ostracism"}
    match = Match(variant(hand_dealt=8, cards=nesting), 2, seed=1)
    with pytest.raises(UserError, match="more than 32 things to do at once"):
        list(walk(match, random.Random(1)))
    assert match.game.agenda_size == AGENDA
    check_cards(match)
    check_ranges(match)
