"""A price list: what one more of each thing is worth to a player now, in points, by weights.

`sensible_prices(view)` is what any sane player would pay: the default weights. A strategy changes the prices
its plan cares about and leaves the rest: `prices.gain[Gain.TAX] *= 2`, `prices.tile[Action.TRADE] += 1`. Then
`rate_by_prices` rates all options of any decision with it. Weights files have price lists of their own.
"""

import numpy as np

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.memory import scratch_record
from khora_sim.rules.terms import ACTIONS, DEVELOPMENTS, GAINS, TRACKS, Action, Gain, Quantity, Trigger
from khora_sim.strategy.decorators import inlined, macro, rule
from khora_sim.strategy.reading.costs import is_top_level
from khora_sim.strategy.reading.holdings import citizens, drachmas, majors, rounds_left
from khora_sim.strategy.value.features import DEFAULTS, ENOUGH_CITIZENS, ENOUGH_DRACHMAS, Feature

PRICES = np.dtype(
    [
        ("gain", "f8", (GAINS,)),  # one more of each Gain; of levels, beyond what entering them gives
        ("minor", "f8"),  # a token of any kind, needed or not
        ("major", "f8"),  # a major token, beyond what a minor one is good for and the glory it scores
        ("next_development", "f8"),  # a token that it misses, as a share of its worth
        ("last_development", "f8"),  # a token that the city's last development misses
        ("card_in_hand", "f8"),  # a token that a card in hand misses, as a share of its worth
        ("missing_token", "f8"),  # share of its worth that a card loses for each token it misses
        ("opens", "f8"),  # the development after the next one, as a share of its worth
        ("achievement", "f8"),  # meeting an open achievement
        ("most_troops", "f8"),  # having the most troops when the event looks at them
        ("tile", "f8", (ACTIONS,)),  # liking for each Action, beyond what it brings
        ("beyond", "f8", (DEVELOPMENTS,)),  # each development, beyond what its effects seem worth
        ("use", "f8", (ACTIONS,)),  # how often each Action will be taken in a round
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


@macro
def sensible_prices(view):
    """Prices that any sane player would pay; work them out again for every decision."""
    prices = blank_prices()
    fill_in(view, DEFAULTS, prices)
    if view.game.awaited[view.me] >> Trigger.FINAL_SCORING & 1:
        _price_what_the_end_counts(view, prices)
    return prices


@macro
def time_left(view):
    """1 while there is time to make use of things, falling to 0.25 in the last round."""
    return min((rounds_left(view) + 1.0) / 4.0, 1.0)


@inlined
def fill_in(view, weights, prices):
    """Write down the whole price list, in a record that is all 0, by so many points for each feature."""
    time = time_left(view)
    rounds = rounds_left(view)
    prices.gain[Gain.VP] = weights[Feature.POINTS]
    poor = drachmas(view) < ENOUGH_DRACHMAS
    prices.gain[Gain.DRACHMAS] = time * weights[Feature.DRACHMAS if poor else Feature.DRACHMAS_BEYOND]
    few = citizens(view) < ENOUGH_CITIZENS
    prices.gain[Gain.CITIZENS] = time * weights[Feature.CITIZENS if few else Feature.CITIZENS_BEYOND]
    prices.gain[Gain.TROOPS] = time * weights[Feature.TROOPS]
    prices.gain[Gain.TAX] = rounds * weights[Feature.TAX]
    prices.gain[Gain.GLORY] = rounds * weights[Feature.GLORY] + majors(view) * weights[Feature.POINTS]
    prices.gain[Gain.PHILOSOPHY] = time * weights[Feature.PHILOSOPHY]
    prices.gain[Gain.DICE] = rounds * weights[Feature.THIRD_DIE]
    prices.gain[Gain.CARDS] = time * weights[Feature.UNKNOWN_CARDS]
    prices.gain[Gain.TOKENS] = time * (weights[Feature.MINORS] - weights[Feature.CITY_TOKENS])
    for track in range(TRACKS):
        if not is_top_level(view, track):
            prices.gain[Gain.ECONOMY + track] = rounds * weights[Feature.ECONOMY + track]
    share = weights[Feature.MISSING_TOKEN] * time
    prices.minor = time * weights[Feature.MINORS]
    prices.major = rounds * weights[Feature.MAJORS]
    prices.next_development = share * weights[Feature.DEVELOPMENT]
    prices.last_development = -time * weights[Feature.CITY_TOKENS]
    prices.card_in_hand = share * weights[Feature.HAND]
    prices.missing_token = weights[Feature.MISSING_TOKEN]
    prices.opens = time * weights[Feature.DEVELOPMENT]
    prices.achievement = time * weights[Feature.ACHIEVEMENTS_MET]
    prices.most_troops = weights[Feature.MOST_TROOPS]
    for step in range(1, DEVELOPMENTS):
        prices.beyond[step] = weights[Feature.SECOND_DEVELOPMENT + step - 1]
    for action in range(ACTIONS):
        prices.use[action] = weights[Feature.PHILOSOPHY_USE + action]


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


@inlined
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
            elif effect.per == Quantity.KNOWLEDGE or effect.per == Quantity.MINOR_TOKENS:
                prices.minor += points
                prices.gain[Gain.TOKENS] += points
            elif COUNTED[effect.per] >= 0:
                prices.gain[COUNTED[effect.per]] += points
