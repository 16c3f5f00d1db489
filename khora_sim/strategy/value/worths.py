"""What is worked out once for a decision: levels, cards, developments, and then tokens and actions."""

import numpy as np

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.rules.terms import (
    ACTIONS,
    COLOURS,
    DEVELOPMENTS,
    GAINS,
    MAX_CARDS,
    MAX_LIMIT,
    TRACKS,
    Gain,
)
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.reading.costs import is_top_level, missing_tokens
from khora_sim.strategy.reading.holdings import level
from khora_sim.strategy.scratch import scratch_record
from khora_sim.strategy.value.effects import worth_of
from khora_sim.strategy.value.features import FEATURES

#: All in points.
WORTHS = np.dtype(
    [
        ("unit", "f8", (GAINS,)),  # one more of each Gain; of levels, with what entering them gives
        ("card", "f8", (MAX_CARDS,)),  # what a card brings at once and later, minus its price, or 0
        ("card_later", "f8", (MAX_CARDS,)),  # what a card in play still brings
        ("city", "f8", (DEVELOPMENTS,)),  # what a development brings at once and later
        ("city_later", "f8", (DEVELOPMENTS,)),
        ("colour", "f8", (COLOURS,)),  # one more token of each Colour
        ("alone", "f8", (ACTIONS,)),  # each Action by itself
        ("together", "f8", (ACTIONS, ACTIONS)),  # two beyond that, the same in both orders
        ("citizens", "f8", (MAX_LIMIT + 1,)),  # 0, 1, 2, … citizens left
        ("known", "f8", (FEATURES,)),  # features of cards and tokens as they stand before the decision
    ]
)
blank_worths = scratch_record(WORTHS)


@rule
def work_out_units(view, prices, worths):
    """One more of each Gain by a price list; a level is worth what entering it gives as well."""
    for kind in range(GAINS):
        worths.unit[kind] = prices.gain[kind]
    for track in range(TRACKS):
        if not is_top_level(view, track):
            entered = level(view, track) + 1
            worth = worths.unit[Gain.ECONOMY + track]
            kinds = np.int64(view.tables.level_gain_kinds[track, entered])
            while kinds != 0:
                kind = lowest(kinds)
                kinds = without_lowest(kinds)
                worth += view.tables.level_gain[track, entered, kind] * worths.unit[kind]
            worths.unit[Gain.ECONOMY + track] = worth


@inlined
def work_out_card(view, prices, worths, card):
    """What one card is worth, minus its price."""
    source = view.tables.cards[card]
    now, later = worth_of(view, prices, worths.unit, source)
    worths.card_later[card] = later
    worths.card[card] = max(now + later - source.cost * worths.unit[Gain.DRACHMAS], 0.0)


@rule
def work_out_cards(view, prices, worths, cards):
    """What the cards of a set are worth."""
    while cards != 0:
        work_out_card(view, prices, worths, lowest(cards))
        cards = without_lowest(cards)


@rule
def work_out_city(view, prices, worths):
    """What the next development and the one after it are worth."""
    had = view.game.development[view.me]
    for step in range(had, min(had + 2, DEVELOPMENTS)):
        development = view.tables.developments[view.game.city[view.me], step]
        now, later = worth_of(view, prices, worths.unit, development)
        worths.city[step] = now + later
        worths.city_later[step] = later


@macro
def nearness(missing, share):
    """The share of its worth that a card or development keeps while it misses tokens: less for each."""
    return max(1.0 - missing * share, 0.0)


@inlined
def card_in_hand(view, prices, worths, card):
    """What a card is worth in hand: less for each token it misses."""
    missing = missing_tokens(view, view.tables.cards[card])
    return worths.card[card] * nearness(missing, prices.missing_token)
