"""Every development and card that opens a choice is taken where the choice makes it clearly good."""

import time

import numpy as np
import pytest

from khora_sim.engine.agenda import Phase, Task
from khora_sim.rules import load_rules
from khora_sim.rules.describe import toml_text
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import DEVELOPMENTS, Gain
from khora_sim.strategy import load
from tests.engine.scene import BASE, Scene
from tests.strategies.test_every_strategy import ARCHETYPES
from tests.strategy.probe import ratings

PLAYERS = ("steward", *ARCHETYPES)
OPENING = (
    Special.CHOOSE_GAIN,
    Special.CHOOSE_TRACKS,
    Special.TAKE_ACTIONS,
    Special.TAKE_BACK_CARD,
    Special.EXPLORATIONS,
    Special.SELLS_GLORY,
    Special.PROGRESS_LEVELS,
)

#: City and number of the development: the tokens it needs and drachmas for it, and what makes it good.
DEVELOPMENTS_THAT_OPEN = {
    ("corinth", 3): {"tokens": "rrbg", "drachmas": 12},
    ("thebes", 2): {"tokens": "bg", "glory": 5},
    ("thebes", 3): {"tokens": "rbbg", "troops": 9, "military": 3},
    ("miletus", 2): {"tokens": "r", "drachmas": 1},
    ("sparta", 3): {"tokens": "rbbbg", "drachmas": 2, "military": 4},
    ("olympia", 4): {"tokens": "rrbggg", "drachmas": 3, "culture": 4},
    ("argos", 2): {"tokens": "bb"},
}

#: Card: what makes it good, cards in play and in hand included.
CARDS_THAT_OPEN = {
    "ostracism": {"drachmas": 9, "tokens": "rbg", "in_play": "colossus-of-rhodes diolkos"},
    "scholarly-welcome": {"drachmas": 11, "city": "miletus"},  # Miletus 2 waits for nothing but a red token
    "reformists": {"drachmas": 12, "tokens": "rbg"},
}


def opens(source) -> bool:
    effects = [source.effects[place] for place in range(source.effect_count)]
    return any(effect.special in OPENING or effect.gain[Gain.TOKENS] > 0 for effect in effects)


def test_the_scenarios_show_every_development_and_card_that_opens_a_choice():
    tables = BASE.tables
    found = {
        (BASE.city_ids[city], step + 1)
        for city in range(len(BASE.city_ids))
        for step in range(1, DEVELOPMENTS)
        if opens(tables.developments[city, step])
    }
    assert found == set(DEVELOPMENTS_THAT_OPEN)
    assert {name for card, name in enumerate(BASE.card_ids) if opens(tables.cards[card])} == set(
        CARDS_THAT_OPEN
    )


def scene(rules=BASE, **given) -> Scene:
    """Seat 0 of two in round 2, with a few citizens and two sixes; the event of the round touches nobody."""
    given = {"citizens": 6, "dice": (6, 6), **given}
    return Scene(players=2, rules=rules).event("growing-population").give(0, **given)


def ready_for(city: str, step: int) -> Scene:
    return scene(city=city, development=step - 1, **DEVELOPMENTS_THAT_OPEN[city, step])


def with_card(card: str, **more) -> Scene:
    return scene(**CARDS_THAT_OPEN[card], hand=card, **more)


def placing(at: Scene) -> Scene:
    return at.run(Phase.DICE, (Task.PLACE_TILES, 0, 0))


def rated(name: str, at: Scene) -> dict:
    """How a player rates the options at hand, in words."""
    return dict(zip(at.options, ratings(load(name), at.match, at._listed).tolist(), strict=True))


def choice(name: str, at: Scene):
    """What a player decides."""
    found = rated(name, at)
    return max(found, key=found.__getitem__)


@pytest.mark.parametrize(("city", "step"), DEVELOPMENTS_THAT_OPEN)
@pytest.mark.parametrize("name", PLAYERS)
def test_a_development_that_opens_a_choice_is_unlocked(name, city, step):
    assert choice(name, ready_for(city, step).action("development")) == "yes"


@pytest.mark.parametrize(("city", "step"), DEVELOPMENTS_THAT_OPEN)
@pytest.mark.parametrize("name", PLAYERS)
def test_the_development_tile_is_placed_for_a_development_that_opens_a_choice(name, city, step):
    assert 6 in choice(name, placing(ready_for(city, step)))


@pytest.mark.parametrize("card", CARDS_THAT_OPEN)
@pytest.mark.parametrize("name", PLAYERS)
def test_a_card_that_opens_a_choice_is_played(name, card):
    assert choice(name, with_card(card).action("politics")) == card


@pytest.mark.parametrize("card", CARDS_THAT_OPEN)
@pytest.mark.parametrize("name", PLAYERS)
def test_the_politics_tile_is_worth_more_with_a_card_that_opens_a_choice(name, card):
    def tile(hand):
        at = rated(name, placing(scene(**CARDS_THAT_OPEN[card], hand=hand)))
        return at[2, 5] - at[2, 6]

    assert tile(card) > tile("") + 0.5


@pytest.mark.parametrize("name", PLAYERS)
def test_ostracism_plays_the_colossus_once_more(name):
    """Three choices in a row: Ostracism, the card that comes back, and that card again."""
    at = with_card("ostracism").action("politics")
    for expected in ("ostracism", "colossus-of-rhodes", "colossus-of-rhodes"):
        assert choice(name, at) == expected
        at.choose(expected)
    assert at.asked is None
    assert at.changes(0) == {"drachmas": -9, "vp": 10, "hand": -1, "in play": 1}


@pytest.mark.parametrize("name", PLAYERS)
def test_a_card_taken_back_opens_a_choice_itself(name):
    """Four choices in a row: the last is the colour that the next development misses."""
    given = {"drachmas": 14, "city": "miletus", "in_play": "scholarly-welcome diolkos"}
    at = scene(**given, hand="ostracism").action("politics")
    for expected in ("ostracism", "scholarly-welcome", "scholarly-welcome", "red"):
        assert choice(name, at) == expected
        at.choose(expected)
    assert at.changes(0) == {"drachmas": -5, "minor red": 1, "hand": -1, "in play": 1}


def test_two_levels_of_miletus_are_rated_with_both_their_gains():
    """Economy 4 gives 5 VP and culture 4 a third die; only together are they the best two."""
    at = ready_for("miletus", 2).give(0, economy=3, culture=3).action("development").choose("yes")
    assert choice("steward", at) in ("economy", "culture")
    assert choice("steward", at.choose("economy")) == "culture"


@pytest.mark.parametrize("name", PLAYERS)
def test_argos_takes_what_it_lacks(name):
    at = ready_for("argos", 2).give(0, citizens=0, drachmas=20, troops=15).action("development")
    assert choice(name, at.choose("yes")) in (2, 3)  # 4 VP or 5 citizens


@pytest.mark.parametrize("name", PLAYERS)
def test_a_second_exploration_makes_the_military_tile_worth_more(name):
    def tile(explorations):
        at = scene(city="thebes", development=2, troops=9, military=3, drachmas=3)
        at.game.explorations[0] = explorations
        found = rated(name, placing(at))
        return found[2, 4] - found[0, 2]

    assert tile(2) > tile(1) + 0.5


def test_two_steps_are_climbed_where_only_both_together_pay():
    """Culture 4 brings the third die; one level alone would stop short of it."""
    at = scene(drachmas=10, culture=2, philosophy=1).run(Phase.PROGRESS, (Task.CLIMB, 0, 1))
    assert choice("steward", at) == "culture"
    assert choice("steward", at.choose("culture")) == "culture"


def test_a_free_action_is_not_chosen_for_what_philosophy_cannot_pay_in_an_event():
    """Ruling: philosophy stands in for knowledge in phase D only; so there is no development to be had."""
    at = scene(city="olympia", development=3, drachmas=3, tokens="rrbgg", philosophy=9, culture=1)
    at.game.explored |= 1 << BASE.space_ids.index("persepolis")
    at.resolve("conquest-of-the-persians", round_number=9)
    found = rated("steward", at)
    assert found["development"] == found["none"]


@pytest.fixture
def variant(tmp_path):
    """The base game with another card or two."""

    def load_variant(**cards):
        path = tmp_path / "variant.toml"
        path.write_text(toml_text({"name": "for a test", "cards": cards}), encoding="utf-8")
        return load_rules(path)

    return load_variant


@pytest.mark.parametrize("name", PLAYERS)
def test_a_choice_that_every_trade_opens_makes_the_trade_tile_worth_more(name, variant):
    rules = variant(
        diolkos={"effects": [{"on": "trade", "special": "choose-gain", "choices": [{"vp": 4}, {"tax": 2}]}]}
    )

    def tile(in_play):
        found = rated(name, placing(scene(rules, drachmas=1, in_play=in_play)))
        return found[2, 3] - found[0, 2]

    assert tile("diolkos") > tile("") + 2.5


def test_choices_without_end_are_followed_within_bounds(variant):
    """Four cards played one after the other from a hand of twenty: 20 x 19 x 18 x 17 sequences."""
    take_four = {"on": "at-once", "special": "take-actions", "action": "politics", "number": 4}
    rules = variant(ostracism={"effects": [take_four]})
    hand = " ".join(rules.card_ids[:20]) + " ostracism"
    at = scene(rules, drachmas=90, tokens="rrrrbbbbgggg", hand=hand).action("politics")
    choice("steward", at)
    began = time.process_time()
    assert np.isfinite(list(rated("steward", at).values())).all()
    assert time.process_time() - began < 0.5


def test_glory_is_sold_twice_for_the_card_that_it_pays_for():
    """With five majors glory is worth more than its price; but two sales pay for the Colossus."""
    given = {"city": "thebes", "development": 2, "tokens": "RRBBG", "glory": 3, "drachmas": 2}
    at = scene(**given, hand="colossus-of-rhodes").event("growing-population", round_number=8)
    for expected in ("sell", "sell", "colossus-of-rhodes"):
        assert choice("steward", at.action("politics") if at.asked is None else at) == expected
        at.choose(expected)
    alone = scene(**given).event("growing-population", round_number=8).action("trade")
    assert choice("steward", alone) != "sell"
