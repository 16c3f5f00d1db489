"""The numbers of the value model: features of a position, each with its name, meaning and default weight.

A weight says how many points a feature is worth. The last eleven are not added up: they say what a missing
token costs, how often the player means to take an action, and so what a card is worth to it that waits for
that action, and what it thinks of developments beyond their effects.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np


class Feature(IntEnum):
    """Places of the weights."""

    POINTS = 0
    WORKING = 1
    HAND = 2
    UNKNOWN_CARDS = 3
    DEVELOPMENT = 4
    CITY_TOKENS = 5
    DRACHMAS = 6
    DRACHMAS_BEYOND = 7
    CITIZENS = 8
    CITIZENS_BEYOND = 9
    TROOPS = 10
    TAX = 11
    GLORY = 12
    MAJORS = 13
    MINORS = 14
    ECONOMY = 15
    CULTURE = 16
    MILITARY = 17
    THIRD_DIE = 18
    PHILOSOPHY = 19
    ACHIEVEMENTS_MET = 20
    ACHIEVEMENTS_NEAR = 21
    MOST_TROOPS = 22
    FEWEST_TROOPS = 23
    MISSING_TOKEN = 24
    PHILOSOPHY_USE = 25
    LEGISLATION_USE = 26
    CULTURE_USE = 27
    TRADE_USE = 28
    MILITARY_USE = 29
    POLITICS_USE = 30
    DEVELOPMENT_USE = 31
    SECOND_DEVELOPMENT = 32
    THIRD_DEVELOPMENT = 33
    LAST_DEVELOPMENT = 34


FEATURES = len(Feature)
ADDED_UP = int(Feature.MISSING_TOKEN)  # the features before this one are summed

PARTS = ("early", "middle", "late")  # of a game, a third of its rounds each: weights may differ in them
ENOUGH_DRACHMAS = 8  # beyond these a drachma counts as DRACHMAS_BEYOND
ENOUGH_CITIZENS = 6


class Described(NamedTuple):
    """A feature in words."""

    default: float
    meaning: str
    step: float = 0.08  # by which a weight near 0 may well differ: tuning tries steps of this size


#: By name, in the order of `Feature`.
DESCRIBED = {
    "points": Described(1.0, "points if the game ended now: score track, end-game effects, glory x majors"),
    "working": Described(1.0, "what cards and developments that come into play will still bring, in points"),
    "hand": Described(0.5, "what the cards in hand would bring, in points, less for what they still miss"),
    "unknown_cards": Described(1.2, "cards about to be drawn"),
    "development": Described(
        0.6, "what the next development would bring, in points, less for what it misses"
    ),
    "city_tokens": Described(-0.6, "knowledge tokens missing for the city's last development"),
    "drachmas": Described(0.55, "drachmas up to 8, while they can still be spent"),
    "drachmas_beyond": Described(0.3, "drachmas beyond 8, while they can still be spent"),
    "citizens": Described(0.5, "citizens up to 6, while there are rounds to come"),
    "citizens_beyond": Described(0.2, "citizens beyond 6, while there are rounds to come"),
    "troops": Described(0.4, "troops, while they can still be used"),
    "tax": Described(0.5, "tax level x rounds to come"),
    "glory": Described(0.3, "glory level x rounds to come"),
    "majors": Described(0.1, "major tokens x rounds to come"),
    "minors": Described(0.3, "knowledge tokens of both kinds, while there are rounds to come"),
    "economy": Described(0.25, "economy level x rounds to come"),
    "culture": Described(0.3, "culture level x rounds to come"),
    "military": Described(0.2, "military level x rounds to come"),
    "third_die": Described(2.0, "the third die x rounds to come"),
    "philosophy": Described(1.0, "philosophy tokens, while they can still be used"),
    "achievements_met": Described(2.0, "open achievements whose terms are met now"),
    "achievements_near": Described(0.5, "how near the other open achievements are, 0 to 1 each"),
    "most_troops": Described(2.0, "1 if this round's event rewards the player for its troops as they are"),
    "fewest_troops": Described(-2.0, "1 if this round's event hurts the player for its troops as they are"),
    "missing_token": Described(0.45, "share of a card's worth lost for each knowledge token it misses"),
    "philosophy_use": Described(0.15, "philosophy actions it expects to take in a round"),
    "legislation_use": Described(0.3, "legislation actions it expects to take in a round"),
    "culture_use": Described(0.4, "culture actions it expects to take in a round"),
    "trade_use": Described(0.4, "trade actions it expects to take in a round"),
    "military_use": Described(0.35, "military actions it expects to take in a round"),
    "politics_use": Described(0.5, "cards it expects to play in a round"),
    "development_use": Described(0.4, "developments it expects to unlock in a round"),
    "second_development": Described(0.0, "the second development, beyond what its effects seem worth", 2.0),
    "third_development": Described(0.0, "the third development, beyond what its effects seem worth", 2.0),
    "last_development": Described(0.0, "the last development, beyond what its effects seem worth", 2.0),
}

#: The default weights, in the order of `Feature`, and the least steps of tuning.
DEFAULTS = np.array([described.default for described in DESCRIBED.values()])
STEPS = np.array([described.step for described in DESCRIBED.values()])
