"""What cards, developments and tokens promise, by a price list (see `prices`)."""

import numpy as np

from khora_sim.engine.bits import BIT, has, lowest, without_lowest
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, Achievement, Action, Gain, Kind, Special, Trigger
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.toolkit.gains import missing_of, owned_tokens, tokens_by_colour
from khora_sim.strategy.toolkit.holdings import cards_in_play
from khora_sim.strategy.toolkit.promise import SOME_ACTION, fired_now, promise_of


@inlined
def _cards_played_now(game, tables, me, prices, source, but_not):
    """What the cards bring that a politics action opened now would play, beyond the plain guess at it."""
    actions = np.int64(0)
    takes_back = False
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.special == Special.TAKE_ACTIONS and effect.action == Action.POLITICS:
            actions = np.int64(effect.number)
        takes_back = takes_back or effect.special == Special.TAKE_BACK_CARD
    if actions == 0:
        return 0.0
    guess = actions * SOME_ACTION + (prices.gain[Gain.CARDS] if takes_back else 0.0)
    return _best_cards(game, tables, me, prices, source.cost, actions, takes_back, but_not) - guess


@rule
def _best_cards(game, tables, me, prices, spent, actions, takes_back, but_not):
    """The best cards to play one after the other when so much is spent; one may come back from play first."""
    cards = game.hand[me]
    if but_not >= 0:
        cards &= ~BIT[but_not]
    back = _immediate_cards(tables, game.in_play[me]) if takes_back else np.int64(0)
    owned = tokens_by_colour(game, me)
    purse = game.drachmas[me] - spent
    total = 0.0
    if takes_back and back == 0:
        total -= _least_lost(game, tables, me, prices)
    for _ in range(actions):
        best = -1
        most = 0.0
        left = cards | back
        while left != 0:
            card = lowest(left)
            left = without_lowest(left)
            philosophy = missing_of(owned, tables.cards[card]) * tables.philosophy_per_need
            if tables.cards[card].cost > purse or philosophy > game.philosophy[me]:
                continue
            worth = promise_of(game, tables, me, prices, tables.cards[card], 1)
            worth -= philosophy * prices.gain[Gain.PHILOSOPHY]
            if worth > most:
                best = card
                most = worth
        if best < 0:
            break
        total += most + prices.tile[Action.POLITICS]
        total += fired_now(game, tables, me, prices, Trigger.CARD_PLAYED)
        purse -= tables.cards[best].cost
        if has(back, best):
            back = np.int64(0)
        cards &= ~BIT[best]
    return total


@inlined
def _immediate_cards(tables, cards):
    """The immediate ones of a set of cards: in play they bring nothing any more."""
    immediate = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if tables.cards[card].kind == Kind.IMMEDIATE:
            immediate |= BIT[card]
    return immediate


@rule
def _least_lost(game, tables, me, prices):
    """What the card in play still brings that is missed least; a card must come back if there is one."""
    least = -1.0
    cards = game.in_play[me]
    while cards != 0:
        source = tables.cards[lowest(cards)]
        cards = without_lowest(cards)
        lost = max(
            promise_of(game, tables, me, prices, source, 0) + source.cost * prices.gain[Gain.DRACHMAS], 0.0
        )
        least = lost if least < 0.0 else min(least, lost)
    return max(least, 0.0)


@macro
def card_promise(view, prices, card):
    """What a card would bring if it were played now, less its price."""
    return (
        promise_of(view.game, view.tables, view.me, prices, view.tables.cards[card], 1)
        + prices.tile[Action.POLITICS]
    )


@inlined
def card_in_hand(view, prices, card):
    """What a card is good for in hand: its promise, less for each token it still misses."""
    missing = missing_of(owned_tokens(view), view.tables.cards[card])
    return card_promise(view, prices, card) / (1.0 + 0.5 * missing)


@macro
def development_promise(view, prices):
    """What the next development would bring, less its price, and what it opens the way to."""
    return _development_promise(view.game, view.tables, view.me, prices)


@rule
def _development_promise(game, tables, me, prices):
    """The same; what it sets off counts too."""
    step = game.development[me]
    if step >= DEVELOPMENTS:
        return 0.0
    worth = promise_of(game, tables, me, prices, tables.developments[game.city[me], step], 0)
    worth += fired_now(game, tables, me, prices, Trigger.DEVELOPMENT)
    worth += _cards_played_now(game, tables, me, prices, tables.developments[game.city[me], step], -1)
    return worth + (DEVELOPMENTS - 1 - step) * prices.opens


@rule
def _price_tokens(game, tables, me, prices, owned):
    """Work out what one more token of each colour is worth."""
    wanted = prices.gain[Gain.TOKENS], prices.gain[Gain.TOKENS], prices.gain[Gain.TOKENS]
    step = game.development[me]
    if step < DEVELOPMENTS:
        waited_for = 0.0
        if game.active[me] >> Action.DEVELOPMENT & 1:
            waited_for = _development_promise(game, tables, me, prices)
        city = tables.developments[game.city[me]]
        wanted = _more_where_missing(wanted, owned, city[step], prices.next_development + waited_for)
        wanted = _more_where_missing(wanted, owned, city[DEVELOPMENTS - 1], prices.last_development)
    cards = game.hand[me]
    while cards != 0:
        wanted = _more_where_missing(wanted, owned, tables.cards[lowest(cards)], prices.card_in_hand)
        cards = without_lowest(cards)
    for colour in range(COLOURS):
        prices.colour[colour] = wanted[colour]


@macro
def price_tokens(view, prices):
    """Work out what one more token of each colour is worth."""
    _price_tokens(view.game, view.tables, view.me, prices, owned_tokens(view))


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
def play_price(view, prices, card, missing):
    """What playing a card now brings, philosophy for missing knowledge taken off."""
    worth = card_promise(view, prices, card)
    worth += _cards_played_now(
        view.game, view.tables, view.me, prices, view.tables.cards[card], np.int64(card)
    )
    return worth - missing * view.tables.philosophy_per_need * prices.gain[Gain.PHILOSOPHY]


@rule
def achievement_of_cards(view, prices):
    """What one more card in play brings if that makes enough of them for the open achievement."""
    if view.game.achieved[Achievement.POLITICS] != 0:
        return 0.0
    enough = cards_in_play(view) + 1 == view.tables.achievement_needs[Achievement.POLITICS]
    return prices.achievement if enough else 0.0
