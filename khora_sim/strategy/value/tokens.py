"""What a knowledge token of each colour is worth, and what a space of the exploration zone."""

import numpy as np

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.military import reachable_spaces
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, Gain
from khora_sim.strategy.decorators import inlined
from khora_sim.strategy.reading.costs import has_next_development
from khora_sim.strategy.reading.exploring import troops_lost
from khora_sim.strategy.reading.holdings import glory, knowledge


@inlined
def work_out_colours(view, prices, worths, share):
    """What one more token of each colour is worth, and a major one, cards and developments being worked out.

    `share` says what a token that the next development misses is worth, as a share of its worth.
    """
    wanted = prices.minor, prices.minor, prices.minor
    owned = knowledge(view, 0), knowledge(view, 1), knowledge(view, 2)
    if has_next_development(view):
        step = np.int64(view.game.development[view.me])
        city = view.tables.developments[view.game.city[view.me]]
        wanted = _more_where_missing(wanted, owned, city[DEVELOPMENTS - 1], prices.last_development)
        wanted = _more_where_missing(wanted, owned, city[step], share * worths.city[step])
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = prices.card_in_hand * worths.card[card]
        wanted = _more_where_missing(wanted, owned, view.tables.cards[card], worth)
    for colour in range(COLOURS):
        worths.colour[colour] = wanted[colour]
    worths.major = glory(view) * worths.unit[Gain.VP] + prices.major


@inlined
def _more_where_missing(wanted, owned, source, worth):
    """What each colour is worth with what is added to those that a card or development misses."""
    needs = source.needs
    return (
        wanted[0] + (worth if needs[0] > owned[0] else 0.0),
        wanted[1] + (worth if needs[1] > owned[1] else 0.0),
        wanted[2] + (worth if needs[2] > owned[2] else 0.0),
    )


@inlined
def best_colour(worths):
    """What a token of the colour worth most is worth."""
    return max(worths.colour[0], worths.colour[1], worths.colour[2])


@inlined
def exploring_worth(view, worths, space):
    """What exploring a space brings, minus the troops it costs."""
    lying = view.tables.spaces[space]
    worth = lying.vp * worths.unit[Gain.VP] + lying.drachmas * worths.unit[Gain.DRACHMAS]
    worth -= troops_lost(view, space) * worths.unit[Gain.TROOPS]
    for colour in range(COLOURS):
        worth += (lying.minor[colour] + lying.major[colour]) * worths.colour[colour]
        worth += lying.major[colour] * worths.major
    return worth


@inlined
def most_worth_exploring(view, worths, troops, explored):
    """The space within reach of so many troops that brings most, but for those explored; -1: none does."""
    best = -1
    most = 0.0
    spaces = reachable_spaces(view.tables, troops, explored)
    while spaces != 0:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        worth = exploring_worth(view, worths, space)
        if worth > most:
            best = space
            most = worth
    return best
