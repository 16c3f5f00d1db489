"""A price list: what one more of each thing is worth to a player now, in points.

`sensible_prices(view)` is what any sane player would pay. A strategy changes the prices its plan cares about
and leaves the rest: `prices[Gain.TAX] *= 2`, `prices[Price.TILE + Action.TRADE] += 1`. Then `rate_by_prices`
rates all options of any decision with it.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.agenda import Phase
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.rules.terms import ACTIONS, COLOURS, GAINS, Action, Gain, Quantity, Trigger
from khora_sim.strategy.compiling import inlined, rule, short
from khora_sim.strategy.scratch import scratch
from khora_sim.strategy.toolkit.holdings import citizens, hand_size, majors, philosophy, rounds_left


class Price(IntEnum):
    """Places in a price list beyond those of Gain, which come first."""

    MAJOR = GAINS  # a major token, beyond what a minor one is good for
    NEXT = GAINS + 1  # a token that the next development misses
    CITY = GAINS + 2  # a token that the city's last development misses
    HAND = GAINS + 3  # a token that a card in hand misses
    LATER = GAINS + 4  # share of what lies one level further on
    OPENS = GAINS + 5  # each further development that the next one opens the way to
    ACHIEVEMENT = GAINS + 6  # meeting an open achievement
    MOST_TROOPS = GAINS + 7  # having the most troops when the event looks at them
    TILE = GAINS + 8  # liking for each Action, beyond what it brings
    USE = GAINS + 8 + ACTIONS  # how often each Action will be taken in a round
    COLOUR = GAINS + 8 + 2 * ACTIONS  # a token of each colour; see `price_tokens`


PRICES = Price.COLOUR + COLOURS

#: For each Quantity that an end-game effect may count: its place in a price list; -1: it has none.
COUNTED = np.full(len(Quantity), -1)
COUNTED[Quantity.DRACHMAS] = Gain.DRACHMAS
COUNTED[Quantity.HAND_CARDS] = Gain.CARDS
COUNTED[Quantity.CITIZENS] = Gain.CITIZENS
COUNTED[Quantity.CARDS_IN_PLAY] = Price.TILE + Action.POLITICS
COUNTED[Quantity.ECONOMY : Quantity.MILITARY + 1] = (Gain.ECONOMY, Gain.CULTURE, Gain.MILITARY)
COUNTED[Quantity.TAX : Quantity.PHILOSOPHY + 1] = (Gain.TAX, Gain.GLORY, Gain.TROOPS, Gain.PHILOSOPHY)
COUNTED[Quantity.KNOWLEDGE : Quantity.MAJOR_TOKENS + 1] = (Gain.TOKENS, Gain.TOKENS, Price.MAJOR)


@short
def sensible_prices(view):
    """What any sane player would pay; work it out anew for every decision."""
    prices = scratch(PRICES)
    _fill_in(view, prices)
    return prices


@inlined
def _fill_in(view, prices):
    """Write down the whole price list."""
    rounds = rounds_left(view)
    time = min(0.4 + 0.2 * rounds, 1.0)
    prices[Gain.VP] = 1.0
    prices[Gain.DRACHMAS] = 0.62 * time
    prices[Gain.CITIZENS] = (0.45 if citizens(view) < 6 else 0.2) * time
    prices[Gain.TROOPS] = 0.45 * time
    prices[Gain.TAX] = 0.55 * rounds
    prices[Gain.GLORY] = majors(view) + 0.3 * rounds
    prices[Gain.PHILOSOPHY] = (1.2 if philosophy(view) < 4 else 0.6) * time
    prices[Gain.ECONOMY] = 0.25 * rounds
    prices[Gain.CULTURE] = 0.45 * rounds
    prices[Gain.MILITARY] = 0.3 * rounds
    prices[Gain.DICE] = 2.0 * rounds
    prices[Gain.CARDS] = max(2.0 - 0.25 * hand_size(view), 0.3) * time
    prices[Gain.TOKENS] = 0.5 * time
    prices[Price.MAJOR] = view.game.glory[view.me] + 0.1 * rounds
    prices[Price.NEXT] = 1.5 * time
    prices[Price.CITY] = 0.5 * time
    prices[Price.HAND] = 0.25 * time
    prices[Price.LATER] = 0.4
    prices[Price.OPENS] = 0.3 * rounds
    prices[Price.ACHIEVEMENT] = 0.4 * rounds
    prices[Price.MOST_TROOPS] = 1.5
    prices[Price.USE + Action.PHILOSOPHY] = 0.15
    prices[Price.USE + Action.LEGISLATION] = 0.3
    prices[Price.USE + Action.CULTURE] = 0.4
    prices[Price.USE + Action.TRADE] = 0.4
    prices[Price.USE + Action.MILITARY] = 0.4
    prices[Price.USE + Action.POLITICS] = 0.5
    prices[Price.USE + Action.DEVELOPMENT] = 0.3
    if view.game.listens[view.me] >> Trigger.FINAL_SCORING & 1:
        _price_what_the_end_counts(view, prices)
    if rounds == 0:
        _forget_what_is_too_late(view, prices)


@inlined
def _forget_what_is_too_late(view, prices):
    """In the last round: what cannot be used any more is worth next to nothing."""
    prices[Gain.CITIZENS] *= 0.1
    if view.game.phase >= Phase.PROGRESS:
        prices[Gain.DRACHMAS] *= 0.1
        prices[Gain.PHILOSOPHY] *= 0.1
        prices[Gain.TROOPS] *= 0.1


@rule
def _price_what_the_end_counts(view, prices):
    """Whatever an end-game card or development in play counts is worth its points."""
    game, tables, me = view.game, view.tables, view.me
    cards = game.in_play[me] & tables.cards_on[Trigger.FINAL_SCORING]
    while cards != 0:
        _price_counted(tables.cards[lowest(cards)], prices)
        cards = without_lowest(cards)
    for step in range(game.development[me]):
        _price_counted(tables.developments[game.city[me], step], prices)


@rule
def _price_counted(source, prices):
    """Add the points that one more of what a card or development counts would bring."""
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.on == Trigger.FINAL_SCORING and COUNTED[effect.per] >= 0:
            prices[COUNTED[effect.per]] += effect.gain[Gain.VP] / effect.every
