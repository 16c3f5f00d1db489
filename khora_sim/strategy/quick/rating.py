"""Plain good sense for every decision, by prices: what any sane player does without a plan."""

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.effects import effect_of
from khora_sim.rules.terms import COLOURS, Action, Gain, Kind, Special, Trigger
from khora_sim.strategy.compiling import inlined, rule
from khora_sim.strategy.quick.actions import level_worth, set_off
from khora_sim.strategy.quick.cards import development_worth, playing_worth
from khora_sim.strategy.quick.tiles import rate_payments, rate_tiles, work_out_actions
from khora_sim.strategy.reading.costs import can_develop, can_play, development_cost, level_price
from khora_sim.strategy.reading.decisions import GLORY, is_sale_for_achievement
from khora_sim.strategy.reading.tiles import pips_gained
from khora_sim.strategy.value.effects import gain_worth
from khora_sim.strategy.value.sales import sale_worth, sales_for_achievements
from khora_sim.strategy.value.tokens import exploring_worth, major_worth, work_out_colours
from khora_sim.strategy.value.worths import (
    blank_worths,
    card_in_hand,
    work_out_card,
    work_out_cards,
    work_out_city,
    work_out_units,
)

AT_ONCE = 1000.0  # before anything else
RATHER_THAN_NOTHING = 0.01  # what nothing is known of is not declined


@inlined
def rate_any(view, options, scores, prices):
    """Rate all options of any decision by prices; strategies call it as `rate_by_prices`."""
    worths = blank_worths()
    work_out_units(view, prices, worths)
    task = view.decision
    if task == Task.PLACE_TILES:
        _work_out_holdings(view, prices, worths)
        rate_tiles(view, prices, worths, options, scores)
        return
    if task == Task.PAY_CITIZENS:
        _work_out_holdings(view, prices, worths)
        rate_payments(view, prices, worths, options, scores)
        return
    if _asks_for_holdings(task):
        _work_out_holdings(view, prices, worths)
    if task == Task.CHOOSE_ACTION:
        work_out_actions(view, prices, worths)
    for number in range(len(options)):
        option = np.int64(options[number])
        if option == SELL:
            scores[number] = _rate_sale(view, worths)
        elif option == NONE:
            scores[number] = 0.0
        else:
            scores[number] = _rate_one(view, option, prices, worths)


@inlined
def _asks_for_holdings(task):
    """Whether it matters in a decision what cards in hand, developments to come and tokens are worth."""
    return (
        task == Task.PLAY_CARD
        or task == Task.DEVELOP
        or task == Task.EXPLORE
        or task == Task.BUY_TOKEN
        or task == Task.GAIN_TOKEN
        or task == Task.LOSE_TOKEN
        or task == Task.CHOOSE_ACTION
    )


@rule
def _work_out_holdings(view, prices, worths):
    """What cards in hand, developments to come and tokens are worth.

    A token that the next development misses is worth all of it where the tile for it is paid already.
    """
    work_out_cards(view, prices, worths, view.game.hand[view.me])
    work_out_city(view, prices, worths)
    waits = view.game.active[view.me] >> Action.DEVELOPMENT & 1
    work_out_colours(view, prices, worths, 1.0 if waits else prices.next_development)


@inlined
def _rate_one(view, option, prices, worths):
    """What one option is worth, other than to decline or to sell glory."""
    task = view.decision
    if task == Task.CLIMB or task == Task.CLIMB_CHEAPER:
        return _rate_level(view, option, prices, worths)
    if task == Task.PICK_CARD or task == Task.KEEP_CARD:
        work_out_card(view, prices, worths, option)
        return card_in_hand(view, prices, worths, option) + RATHER_THAN_NOTHING
    if task == Task.PLAY_CARD:
        worth = playing_worth(view, prices, worths, option)
        return worth - _spoilt(view, prices, worths, view.tables.cards[option].cost)
    if task == Task.EXPLORE:
        return exploring_worth(view, prices, worths, option)
    if task == Task.DEVELOP:
        return development_worth(view, prices, worths)
    if task == Task.BUY_TOKEN:
        return _rate_token(view, option, prices, worths)
    if task == Task.GAIN_TOKEN:
        return worths.colour[option]
    if task == Task.CHOOSE_ACTION:
        return worths.alone[option]
    if task == Task.CHOOSE_TRACK:
        return level_worth(view, prices, worths, option)
    if task == Task.CHOOSE_GAIN:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHOOSE_GAIN)
        return gain_worth(worths.unit, effect.choices[option], effect.choice_kinds[option])
    if task == Task.LOSE_TOKEN:
        major = major_worth(view, prices, worths) if option >= COLOURS else 0.0
        return -worths.colour[option % COLOURS] - major
    if task == Task.DISCARD:
        work_out_card(view, prices, worths, option)
        return -card_in_hand(view, prices, worths, option)
    if task == Task.TAKE_BACK_CARD:
        return _rate_taken_back(view, option, prices, worths)
    if task == Task.TAX_OR_GLORY:
        return worths.unit[Gain.GLORY] if option == GLORY else worths.unit[Gain.TAX]
    if task == Task.REROLL:
        return pips_gained(view, option)
    return RATHER_THAN_NOTHING


@inlined
def _rate_level(view, track, prices, worths):
    """A level of a track, minus its drachmas, its philosophy, and what standing still would have brought."""
    worth = level_worth(view, prices, worths, track)
    price = level_price(view, track)
    if view.decision == Task.CLIMB_CHEAPER:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHEAPER_STEP)
        return worth - max(price - effect.number, 0) * worths.unit[Gain.DRACHMAS]
    worth -= price * worths.unit[Gain.DRACHMAS]
    if view.value == 0:
        worth -= view.tables.philosophy_per_level * worths.unit[Gain.PHILOSOPHY]
    elif view.game.climbed[view.me] == 0:
        worth -= set_off(view, worths, Trigger.PROGRESS_END)
    return worth


@inlined
def _rate_token(view, colour, prices, worths):
    """A token, minus its price and the card that could not be paid any more."""
    price = view.game.token_price[view.me]
    worth = worths.colour[colour] - price * worths.unit[Gain.DRACHMAS]
    if worth > 0.0 and view.game.active[view.me] >> Action.POLITICS & 1:
        worth -= _best_card(view, worths, 0) - _best_card(view, worths, price)
    return worth - _spoilt(view, prices, worths, price)


@rule
def _best_card(view, worths, spent):
    """What the best card brings that can still be paid for when so much has been spent."""
    best = 0.0
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if view.tables.cards[card].cost + spent <= view.game.drachmas[view.me] and can_play(view, card):
            best = max(best, worths.card[card])
    return best


@inlined
def _spoilt(view, prices, worths, price):
    """What paying so much now would make impossible this round: the development."""
    waits = view.game.active[view.me] >> Action.DEVELOPMENT & 1
    if not waits or not can_develop(view):
        return 0.0
    if development_cost(view) <= view.game.drachmas[view.me] - price:
        return 0.0
    return development_worth(view, prices, worths)


@inlined
def _rate_sale(view, worths):
    """Sell glory if it pays more than glory is worth, with the achievement that sales may earn."""
    if is_sale_for_achievement(view):
        return AT_ONCE if sales_for_achievements(view, worths.unit) > 0.0 else -AT_ONCE
    return AT_ONCE if sale_worth(view, worths.unit) > 0.0 else -AT_ONCE


@inlined
def _rate_taken_back(view, card, prices, worths):
    """Take back what brings most when it is played again, least what it would still have brought in play."""
    work_out_card(view, prices, worths, card)
    if view.tables.cards[card].kind != Kind.IMMEDIATE:
        return -worths.card_later[card]
    return worths.card[card] if can_play(view, card) else 0.0
