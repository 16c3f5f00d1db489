"""Plain good sense for every decision, by a price list: what any sane player does without a plan."""

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.effects import effect_of
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, Action, Gain, Kind, Special, Trigger
from khora_sim.strategy.compiling import inlined, rule
from khora_sim.strategy.toolkit.costs import can_develop, can_play, level_price
from khora_sim.strategy.toolkit.decisions import GLORY, is_sale_for_achievement
from khora_sim.strategy.toolkit.gains import gain_with_tokens, missing_of, owned_tokens
from khora_sim.strategy.toolkit.paying import rate_payments_by_prices
from khora_sim.strategy.toolkit.placing import (
    blank_action_worth,
    price_actions,
    rate_tiles_by_prices,
    space_price,
)
from khora_sim.strategy.toolkit.playing import (
    achievement_of_cards,
    card_in_hand,
    card_promise,
    development_promise,
    play_price,
    price_tokens,
)
from khora_sim.strategy.toolkit.promise import fired, level_promise
from khora_sim.strategy.toolkit.selling import sale_price, sales_for_achievements
from khora_sim.strategy.toolkit.tiles import pips_gained

AT_ONCE = 1000.0  # before anything else


@inlined
def rate_any(view, options, scores, prices):
    """Rate all options of any decision by a price list; strategies call it as `rate_by_prices`."""
    task = view.decision
    if task == Task.PLACE_TILES:
        rate_tiles_by_prices(view, options, scores, prices)
        return
    if task == Task.PAY_CITIZENS:
        rate_payments_by_prices(view, options, scores, prices)
        return
    if task == Task.CHOOSE_ACTION:
        _rate_free_actions(view, options, scores, prices)
        return
    if task == Task.EXPLORE or task == Task.BUY_TOKEN or task == Task.GAIN_TOKEN or task == Task.LOSE_TOKEN:
        price_tokens(view, prices)
    for number in range(len(options)):
        option = np.int64(options[number])
        if option == SELL:
            scores[number] = _rate_sale(view, prices)
        elif option == NONE:
            scores[number] = 0.0
        else:
            scores[number] = rate_one(view, option, prices)


@inlined
def rate_one(view, option, prices):
    """What one option is worth, other than to decline or to sell glory."""
    task = view.decision
    if task == Task.CLIMB or task == Task.CLIMB_CHEAPER:
        return _rate_level(view, option, prices)
    if task == Task.PICK_CARD or task == Task.KEEP_CARD:
        return max(card_in_hand(view, prices, option), 0.0) + 0.01
    if task == Task.PLAY_CARD:
        return _rate_card(view, option, prices)
    if task == Task.EXPLORE:
        return space_price(view, prices, option)
    if task == Task.DEVELOP:
        return development_promise(view, prices)
    if task == Task.BUY_TOKEN:
        return _rate_token(view, option, prices)
    if task == Task.GAIN_TOKEN:
        return prices.colour[option]
    if task == Task.CHOOSE_TRACK:
        return level_promise(view, prices, option)
    if task == Task.CHOOSE_GAIN:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHOOSE_GAIN)
        kinds = effect.choice_kinds[option]
        return gain_with_tokens(view.game, view.tables, view.me, prices, effect.choices[option], kinds)
    if task == Task.LOSE_TOKEN:
        major = prices.major if option >= COLOURS else 0.0
        return -prices.colour[option % COLOURS] - major
    if task == Task.DISCARD:
        return -card_in_hand(view, prices, option)
    if task == Task.TAKE_BACK_CARD:
        return _rate_taken_back(view, option, prices)
    if task == Task.TAX_OR_GLORY:
        return prices.gain[Gain.GLORY] if option == GLORY else prices.gain[Gain.TAX]
    if task == Task.REROLL:
        return pips_gained(view, option)
    return 0.0


@inlined
def _rate_level(view, track, prices):
    """A level of a track, less its drachmas, its philosophy, and what standing still would have brought."""
    worth = level_promise(view, prices, track)
    if view.decision == Task.CLIMB_CHEAPER:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHEAPER_STEP)
        return worth - max(level_price(view, track) - effect.number, 0) * prices.gain[Gain.DRACHMAS]
    worth -= level_price(view, track) * prices.gain[Gain.DRACHMAS]
    if view.value == 0:
        worth -= view.tables.philosophy_per_level * prices.gain[Gain.PHILOSOPHY]
    elif view.game.climbed[view.me] == 0:
        worth -= fired(view, prices, Trigger.PROGRESS_END)
    return worth


@inlined
def _rate_card(view, card, prices):
    """A card to play, less the development that could not be paid any more."""
    missing = missing_of(owned_tokens(view), view.tables.cards[card])
    worth = play_price(view, prices, card, missing) + achievement_of_cards(view, prices)
    return worth - _spoilt(view, prices, view.tables.cards[card].cost)


@inlined
def _rate_token(view, colour, prices):
    """A token, less its price and the card that could not be paid any more."""
    price = view.game.token_price[view.me]
    worth = prices.colour[colour] - price * prices.gain[Gain.DRACHMAS]
    if worth > 0.0 and view.game.active[view.me] >> Action.POLITICS & 1:
        worth -= _best_card(view, prices, 0) - _best_card(view, prices, price)
    return worth - _spoilt(view, prices, price)


@rule
def _best_card(view, prices, spent):
    """What the best card brings that can still be paid for when so much has been spent."""
    best = 0.0
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if view.tables.cards[card].cost + spent <= view.game.drachmas[view.me] and can_play(view, card):
            best = max(best, card_promise(view, prices, card))
    return best


@rule
def _spoilt(view, prices, price):
    """What paying so much now would make impossible this round: the development."""
    game, me = view.game, view.me
    if not game.active[me] >> Action.DEVELOPMENT & 1 or game.development[me] >= DEVELOPMENTS:
        return 0.0
    wanted = view.tables.developments[game.city[me], game.development[me]]
    if wanted.cost <= game.drachmas[me] - price or not can_develop(view):
        return 0.0
    return development_promise(view, prices)


@inlined
def _rate_sale(view, prices):
    """Sell glory if it pays more than glory is worth, with the achievement that sales may earn."""
    if is_sale_for_achievement(view):
        return AT_ONCE if sales_for_achievements(view, prices.gain) > 0.0 else -AT_ONCE
    return AT_ONCE if sale_price(view, prices.gain) > 0.0 else -AT_ONCE


@inlined
def _rate_taken_back(view, card, prices):
    """Take back what brings most when it is played again, least what it would still have brought in play."""
    worth = card_promise(view, prices, card)
    if view.tables.cards[card].kind != Kind.IMMEDIATE:
        return -worth
    return worth if can_play(view, card) else 0.0


@inlined
def _rate_free_actions(view, options, scores, prices):
    """An action without die and citizens: the one worth most."""
    worths = blank_action_worth()
    price_actions(view, prices, worths)
    for number in range(len(options)):
        scores[number] = 0.0 if options[number] == NONE else worths.alone[options[number]]
