"""Effects without a text are put into words that a player understands."""

import pytest

from khora_sim.rules.describe import GAINED, effects_in_words, event_in_words, gain_in_words
from khora_sim.rules.schema import MAX_TEXT, Effect, Event
from khora_sim.rules.specials import SPECIALS, Special
from khora_sim.rules.terms import Gain, word


def effect(**keys) -> Effect:
    return Effect.model_validate(keys)


@pytest.mark.parametrize(
    ("gain", "text"),
    [
        ({"vp": 3}, "3 VP"),
        ({"drachmas": 1, "troops": 2}, "1 drachma and 2 troops"),
        ({"vp": 1, "tax": 1, "glory": 2}, "1 VP, 1 tax and 2 glory"),
        ({"citizens": -2}, "lose 2 citizens"),
        ({"economy": 1, "tokens": 2}, "1 free economy level and 2 minor tokens of any colour"),
        ({}, "nothing"),
    ],
)
def test_gains_in_words(gain, text):
    assert gain_in_words(gain) == text


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"on": "at-once", "gain": {"vp": 10}}, "10 VP."),
        ({"on": "trade", "gain": {"vp": 3}}, "Trade action: 3 VP."),
        (
            {"on": "final-scoring", "gain": {"vp": 1}, "per": "drachmas", "every": 2},
            "At the end: 1 VP for every 2 drachmas.",
        ),
        (
            {"on": "final-scoring", "gain": {"vp": 4}, "per": "blue-tokens"},
            "At the end: 4 VP for each blue token.",
        ),
        (
            {"on": "tax-phase", "if": "lowest-culture", "gain": {"vp": 4}},
            "Tax phase: 4 VP, if nobody has a lower culture level.",
        ),
        (
            {"on": "dice-phase", "if": "low-dice", "number": 4, "gain": {"philosophy": 1}},
            "Right after the roll: 1 philosophy token, if the player's dice sum to 4 or less.",
        ),
        (
            {"on": "always", "special": "token-price", "number": 3},
            "A minor token costs 3 drachmas in a trade action.",
        ),
        ({"on": "always", "special": "spares-troops", "number": 1}, "Exploring loses 1 troop less."),
        (
            {"on": "at-once", "special": "take-actions", "action": "culture", "number": 3},
            "Take 3 x the culture action.",
        ),
        (
            {"on": "at-once", "special": "choose-gain", "choices": [{"troops": 2}, {"vp": 4}]},
            "Choose one: 2 troops; 4 VP.",
        ),
        (
            {"on": "at-once", "special": "cheaper-step", "number": 2, "track": "military"},
            "May move up 1 level on the military track for 2 drachmas less.",
        ),
        (
            {"on": "at-once", "special": "cheaper-step", "number": 1},
            "May move up 1 level on any track for 1 drachma less.",
        ),
    ],
)
def test_effects_in_words(keys, text):
    assert effects_in_words([effect(**keys)]) == text


def test_every_gain_and_special_effect_has_words():
    assert set(GAINED) == {word(gain) for gain in Gain}
    assert set(SPECIALS) == set(Special) - {Special.NONE}


def test_an_event_says_whom_it_touches():
    event = {"name": "E", "slot": "middle", "effect": {"on": "at-once", "gain": {"cards": 2}}}
    assert event_in_words(Event.model_validate(event)) == "Everyone: 2 cards from the deck."
    event |= {"scope": "troops", "lowest": {"on": "at-once", "special": "discard", "number": 2}}
    message = event_in_words(Event.model_validate(event))
    assert message == "Most troops: 2 cards from the deck. Least: discard 2 cards of choice."


def test_a_very_long_text_is_cut():
    everything = {word(gain): 2 for gain in Gain}
    long = effect(on="at-once", special="choose-gain", choices=[everything] * 4)
    assert len(effects_in_words([long])) == MAX_TEXT
