"""What is worked out once for a decision: levels, cards, developments, and from these the tokens."""

import numpy as np

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.scratch import scratch_record
from khora_sim.rules.terms import (
    COLOURS,
    DEVELOPMENTS,
    GAINS,
    MAX_CARDS,
    TRACKS,
    Gain,
)
from khora_sim.strategy.decorators import inlined, macro, rule
from khora_sim.strategy.reading.costs import is_top_level, missing_tokens
from khora_sim.strategy.reading.holdings import level
from khora_sim.strategy.value.effect_worths import worth_of
from khora_sim.strategy.value.features import Feature

#: All in points.
WORTHS = np.dtype(
    [
        ("unit", "f8", (GAINS,)),  # one more of each Gain; of levels, with what entering them gives
        ("card", "f8", (MAX_CARDS,)),  # what a card brings at once and later, minus its price, or 0
        ("card_later", "f8", (MAX_CARDS,)),  # what a card in play still brings
        ("city", "f8", (DEVELOPMENTS,)),  # what a development brings at once and later
        ("city_later", "f8", (DEVELOPMENTS,)),
        ("colour", "f8", (COLOURS,)),  # one more token of each Colour
        ("major", "f8"),  # a major token beyond a minor one: every glory scores a point for it
        ("known", "f8", (Feature.CITY_TOKENS + 1,)),  # features of cards and tokens before the decision
    ]
)
unset_worths = scratch_record(WORTHS, blank=False)
#: The first of these alone, where no more is asked for.
UNITS = np.dtype([("unit", "f8", (GAINS,))])
unset_units = scratch_record(UNITS, blank=False)


@inlined
def work_out_units(view, prices, unit):
    """One more of each Gain by a price list; a level is worth what entering it gives as well."""
    for kind in range(GAINS):
        unit[kind] = prices.gain[kind]
    for track in range(TRACKS):
        if not is_top_level(view, track):
            entered = level(view, track) + 1
            worth = unit[Gain.ECONOMY + track]
            kinds = np.int64(view.tables.level_gain_kinds[track, entered])
            while kinds != 0:
                kind = lowest(kinds)
                kinds = without_lowest(kinds)
                worth += view.tables.level_gain[track, entered, kind] * unit[kind]
            unit[Gain.ECONOMY + track] = worth


@macro
def nearness(missing, share):
    """The share of its worth that a card or development keeps while it misses tokens: less for each."""
    return max(1.0 - missing * share, 0.0)


@inlined
def card_worth(view, prices, unit, card):
    """What a card is worth that is played, minus its price, and what it still brings once it is in play."""
    source = view.tables.cards[card]
    now, later = worth_of(view, prices, unit, source)
    return max(now + later - source.cost * unit[Gain.DRACHMAS], 0.0), later


@rule
def card_in_hand(view, prices, unit, card):
    """What a card is worth in hand: less for each token it misses."""
    worth, _ = card_worth(view, prices, unit, card)
    return worth * nearness(missing_tokens(view, view.tables.cards[card]), prices.missing_token)


@rule
def work_out_cards(view, prices, worths, cards):
    """What the cards of a set are worth."""
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        worths.card[card], worths.card_later[card] = card_worth(view, prices, worths.unit, card)


@rule
def work_out_development(view, prices, worths, step):
    """What a development of the player's city is worth, if there is such a step."""
    if step < DEVELOPMENTS:
        development = view.tables.developments[view.game.city[view.me], step]
        now, later = worth_of(view, prices, worths.unit, development)
        later += prices.beyond[step]
        worths.city[step] = now + later
        worths.city_later[step] = later
