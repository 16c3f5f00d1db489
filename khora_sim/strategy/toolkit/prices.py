"""A price list: what one more of each thing is worth to a player now, in points.

`sensible_prices(view)` is what any sane player would pay. A strategy changes the prices its plan cares about
and leaves the rest: `prices.gain[Gain.TAX] *= 2`, `prices.tile[Action.TRADE] += 1`. Then `rate_by_prices`
rates all options of any decision with it.
"""

import numpy as np

from khora_sim.engine.agenda import Phase
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.scratch import scratch_record
from khora_sim.rules.terms import ACTIONS, COLOURS, GAINS, Action, Gain, Quantity, Trigger
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.toolkit.holdings import citizens, hand_size, majors, philosophy, rounds_left

PRICES = np.dtype(
    [
        ("gain", "f8", (GAINS,)),  # one more of each Gain
        ("major", "f8"),  # a major token, beyond what a minor one is good for
        ("next_development", "f8"),  # a token that the next development misses
        ("last_development", "f8"),  # a token that the city's last development misses
        ("card_in_hand", "f8"),  # a token that a card in hand misses
        ("later", "f8"),  # share of what lies one level further on
        ("opens", "f8"),  # each further development that the next one opens the way to
        ("achievement", "f8"),  # meeting an open achievement
        ("most_troops", "f8"),  # having the most troops when the event looks at them
        ("tile", "f8", (ACTIONS,)),  # liking for each Action, beyond what it brings
        ("use", "f8", (ACTIONS,)),  # how often each Action will be taken in a round
        ("colour", "f8", (COLOURS,)),  # a token of each Colour; see `price_tokens`
    ]
)
blank_prices = scratch_record(PRICES)

#: For each Quantity that an end-game effect may count: the Gain that is more of it; -1: none is.
COUNTED = np.full(len(Quantity), -1)
COUNTED[Quantity.DRACHMAS] = Gain.DRACHMAS
COUNTED[Quantity.HAND_CARDS] = Gain.CARDS
COUNTED[Quantity.CITIZENS] = Gain.CITIZENS
COUNTED[Quantity.ECONOMY : Quantity.MILITARY + 1] = (Gain.ECONOMY, Gain.CULTURE, Gain.MILITARY)
COUNTED[Quantity.TAX : Quantity.PHILOSOPHY + 1] = (Gain.TAX, Gain.GLORY, Gain.TROOPS, Gain.PHILOSOPHY)
COUNTED[Quantity.KNOWLEDGE : Quantity.MINOR_TOKENS + 1] = (Gain.TOKENS, Gain.TOKENS)


@macro
def sensible_prices(view):
    """What any sane player would pay; work it out anew for every decision."""
    prices = blank_prices()
    _fill_in(view, prices)
    return prices


@inlined
def _fill_in(view, prices):
    """Write down the whole price list."""
    rounds = rounds_left(view)
    time = min(0.4 + 0.2 * rounds, 1.0)
    prices.gain[Gain.VP] = 1.0
    prices.gain[Gain.DRACHMAS] = 0.62 * time
    prices.gain[Gain.CITIZENS] = (0.45 if citizens(view) < 6 else 0.2) * time
    prices.gain[Gain.TROOPS] = 0.45 * time
    prices.gain[Gain.TAX] = 0.55 * rounds
    prices.gain[Gain.GLORY] = majors(view) + 0.3 * rounds
    prices.gain[Gain.PHILOSOPHY] = (1.2 if philosophy(view) < 4 else 0.6) * time
    prices.gain[Gain.ECONOMY] = 0.25 * rounds
    prices.gain[Gain.CULTURE] = 0.45 * rounds
    prices.gain[Gain.MILITARY] = 0.3 * rounds
    prices.gain[Gain.DICE] = 2.0 * rounds
    prices.gain[Gain.CARDS] = max(2.0 - 0.25 * hand_size(view), 0.3) * time
    prices.gain[Gain.TOKENS] = 0.5 * time
    prices.major = view.game.glory[view.me] + 0.1 * rounds
    prices.next_development = 1.5 * time
    prices.last_development = 0.5 * time
    prices.card_in_hand = 0.25 * time
    prices.later = 0.4
    prices.opens = 0.3 * rounds
    prices.achievement = 0.4 * rounds
    prices.most_troops = 1.5
    prices.use[Action.PHILOSOPHY] = 0.15
    prices.use[Action.LEGISLATION] = 0.3
    prices.use[Action.CULTURE] = 0.4
    prices.use[Action.TRADE] = 0.4
    prices.use[Action.MILITARY] = 0.4
    prices.use[Action.POLITICS] = 0.5
    prices.use[Action.DEVELOPMENT] = 0.3
    if view.game.awaited[view.me] >> Trigger.FINAL_SCORING & 1:
        _price_what_the_end_counts(view, prices)
    if rounds == 0:
        _forget_what_is_too_late(view, prices)


@inlined
def _forget_what_is_too_late(view, prices):
    """In the last round: what cannot be used any more is worth next to nothing."""
    prices.gain[Gain.CITIZENS] *= 0.1
    if view.game.phase >= Phase.PROGRESS:
        prices.gain[Gain.DRACHMAS] *= 0.1
        prices.gain[Gain.PHILOSOPHY] *= 0.1
        prices.gain[Gain.TROOPS] *= 0.1


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
        if effect.on == Trigger.FINAL_SCORING:
            points = effect.gain[Gain.VP] / effect.every
            if effect.per == Quantity.CARDS_IN_PLAY:
                prices.tile[Action.POLITICS] += points
            elif effect.per == Quantity.MAJOR_TOKENS:
                prices.major += points
            elif COUNTED[effect.per] >= 0:
                prices.gain[COUNTED[effect.per]] += points
