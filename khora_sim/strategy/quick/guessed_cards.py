"""A quick guess at what a card or development brings that comes into play now, from prices alone.

The actions that it opens are guessed one by one, and tokens by their colour, where the value model only has
a plain guess.
"""

import numpy as np

from khora_sim.engine.bits import BIT, has, lowest, without_lowest
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import DEVELOPMENTS, Achievement, Action, Gain, Kind, Trigger
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.quick.guessed_actions import (
    achievement_worth,
    action_worth,
    set_off,
    space_to_explore,
)
from khora_sim.strategy.reading.costs import has_next_development, missing_tokens
from khora_sim.strategy.reading.holdings import cards_in_play
from khora_sim.strategy.value.effect_worths import SOMETHING
from khora_sim.strategy.value.tokens import best_colour, work_out_colours
from khora_sim.strategy.value.worths import nearness, work_out_cards, work_out_development, work_out_units


@rule
def work_out_holdings(view, prices, worths, cards):
    """What the next development and the cards of a set are worth."""
    work_out_units(view, prices, worths.unit)
    work_out_cards(view, prices, worths, cards)
    work_out_development(view, prices, worths, np.int64(view.game.development[view.me]))


@inlined
def cards_short_of_tokens(view):
    """The cards in hand that miss tokens."""
    short = np.int64(0)
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if missing_tokens(view, view.tables.cards[card]) > 0:
            short |= BIT[card]
    return short


@rule
def work_out_tokens(view, prices, worths):
    """What tokens are worth, cards and developments being worked out.

    A token that the next development misses is worth all of it where the tile for it is paid already.
    """
    waits = view.game.active[view.me] >> Action.DEVELOPMENT & 1
    work_out_colours(view, prices, worths, 1.0 if waits else prices.next_development)


@rule
def _work_out_hand(view, prices, worths):
    """What all cards in hand are worth, and tokens."""
    work_out_cards(view, prices, worths, view.game.hand[view.me])
    work_out_tokens(view, prices, worths)


@rule
def _opened(view, prices, worths, source, but_not):
    """What the actions and tokens bring that a card or development gives, beyond the plain guess at them."""
    takes_back = False
    total = 0.0
    for place in range(source.effect_count):
        effect = source.effects[place]
        takes_back = takes_back or effect.special == Special.TAKE_BACK_CARD
        if effect.special == Special.TAKE_ACTIONS:
            number = np.int64(effect.number)
            total -= number * SOMETHING
            if effect.action == Action.POLITICS:
                total += _best_cards(view, prices, worths, source.cost, number, takes_back, but_not)
            elif effect.action < Action.POLITICS:
                total += number * _opened_action(view, prices, worths, np.int64(effect.action))
        elif effect.on == Trigger.AT_ONCE and effect.gain[Gain.TOKENS] > 0:
            _work_out_hand(view, prices, worths)
            total += effect.gain[Gain.TOKENS] * (best_colour(worths) - worths.unit[Gain.TOKENS])
    return total


@rule
def _opened_action(view, prices, worths, action):
    """What an action other than politics and development brings that a card or development gives."""
    _work_out_hand(view, prices, worths)
    return action_worth(view, prices, worths, action, space_to_explore(view, worths))


@rule
def _best_cards(view, prices, worths, spent, actions, takes_back, but_not):
    """The best cards to play one after the other when so much is spent; one may come back from play first."""
    game, tables, me = view.game, view.tables, view.me
    cards = game.hand[me]
    if but_not >= 0:
        cards &= ~BIT[but_not]
    back = np.int64(0)
    total = 0.0
    work_out_cards(view, prices, worths, cards)
    if takes_back:
        work_out_cards(view, prices, worths, game.in_play[me])
        back = _immediate_cards(tables, game.in_play[me])
        total -= _least_lost(worths, game.in_play[me]) if back == 0 else 0.0
    purse = game.drachmas[me] - spent
    for _ in range(actions):
        best = -1
        most = 0.0
        left = cards | back
        while left != 0:
            card = lowest(left)
            left = without_lowest(left)
            tokens = missing_tokens(view, tables.cards[card]) * tables.philosophy_per_need
            if tables.cards[card].cost > purse or tokens > game.philosophy[me]:
                continue
            worth = worths.card[card] - tokens * worths.unit[Gain.PHILOSOPHY]
            if worth > most:
                best = card
                most = worth
        if best < 0:
            break
        total += most + prices.tile[Action.POLITICS] + set_off(view, worths.unit, Trigger.CARD_PLAYED)
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


@inlined
def _least_lost(worths, cards):
    """What the card in play still brings that is missed least; a card must come back if there is one."""
    least = np.inf if cards != 0 else 0.0
    while cards != 0:
        least = min(least, worths.card_later[lowest(cards)])
        cards = without_lowest(cards)
    return least


@rule
def playing_worth(view, prices, worths, card, tokens):
    """What playing a card now brings, minus so many philosophy tokens for missing knowledge."""
    source = view.tables.cards[card]
    worth = worths.card[card] + prices.tile[Action.POLITICS]
    if source.opens:
        worth += _opened(view, prices, worths, source, np.int64(card))
    worth += achievement_worth(view, prices, Achievement.POLITICS, cards_in_play(view) + 1)
    return worth - tokens * worths.unit[Gain.PHILOSOPHY]


@rule
def development_worth(view, prices, worths):
    """What the next development brings, minus its price, and what it sets off and opens the way to."""
    if not has_next_development(view):
        return 0.0
    step = np.int64(view.game.development[view.me])
    city = view.tables.developments[view.game.city[view.me]]
    worth = worths.city[step] - city[step].cost * worths.unit[Gain.DRACHMAS]
    worth += set_off(view, worths.unit, Trigger.DEVELOPMENT)
    if city[step].opens:
        worth += _opened(view, prices, worths, city[step], np.int64(-1))
    if step + 1 < DEVELOPMENTS:
        near = nearness(missing_tokens(view, city[step + 1]), prices.missing_token)
        work_out_development(view, prices, worths, step + 1)
        worth += prices.opens * near * worths.city[step + 1]
    return worth
