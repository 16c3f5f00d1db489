"""Plain good sense for every decision, by prices: what any sane player does without a plan."""

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task
from khora_sim.engine.bits import BIT, lowest, without_lowest
from khora_sim.engine.effects import effect_of
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import COLOURS, Action, Gain, Kind, Trigger
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.quick.guessed_actions import level_worth, set_off
from khora_sim.strategy.quick.guessed_cards import (
    cards_short_of_tokens,
    development_worth,
    playing_worth,
    work_out_holdings,
    work_out_tokens,
)
from khora_sim.strategy.quick.guessed_tiles import rate_actions, rate_payments, rate_tiles
from khora_sim.strategy.reading.costs import (
    can_develop,
    can_play,
    development_cost,
    level_price,
    missing_tokens,
)
from khora_sim.strategy.reading.decisions import GLORY, is_sale_for_achievement
from khora_sim.strategy.reading.tiles import pips_gained
from khora_sim.strategy.value.effect_worths import gain_worth
from khora_sim.strategy.value.sales import sale_worth, sales_for_achievements
from khora_sim.strategy.value.tokens import exploring_worth
from khora_sim.strategy.value.worths import (
    card_in_hand,
    card_worth,
    unset_units,
    unset_worths,
    work_out_units,
)

AT_ONCE = 1000.0  # before anything else
RATHER_THAN_NOTHING = 0.01  # what nothing is known of is not declined


@inlined
def rate_any(view, options, scores, prices):
    """Rate all options of any decision by prices; strategies call it as `rate_by_prices`."""
    task = view.decision
    if task == Task.PLACE_TILES:
        rate_tiles(view, prices, options, scores)
    elif task == Task.PAY_CITIZENS:
        rate_payments(view, prices, options, scores)
    elif task == Task.CHOOSE_ACTION:
        rate_actions(view, prices, options, scores)
    elif (
        task == Task.PLAY_CARD
        or task == Task.DEVELOP
        or task == Task.EXPLORE
        or task == Task.BUY_TOKEN
        or task == Task.GAIN_TOKEN
        or task == Task.LOSE_TOKEN
    ):
        _rate_by_holdings(view, prices, options, scores)
    else:
        _rate_by_units(view, prices, options, scores)


@inlined
def _rate_by_holdings(view, prices, options, scores):
    """A decision in which it matters what cards in hand, developments to come and tokens are worth."""
    task = view.decision
    worths = unset_worths()
    work_out_holdings(view, prices, worths, _cards_that_matter(view, options))
    if task != Task.PLAY_CARD and task != Task.DEVELOP:
        work_out_tokens(view, prices, worths)
    missed = _missed_for_token(view, prices, worths) if task == Task.BUY_TOKEN else (0.0, 0.0)
    for number in range(len(options)):
        option = np.int64(options[number])
        if option == SELL:
            scores[number] = _rate_sale(view, worths.unit)
        elif option == NONE:
            scores[number] = 0.0
        else:
            scores[number] = _rate_holding(view, option, prices, worths, missed)


@inlined
def _cards_that_matter(view, options):
    """The cards in hand whose worth a decision asks for."""
    cards = np.int64(0)
    if view.decision == Task.PLAY_CARD:
        for number in range(len(options)):
            if options[number] >= 0:  # neither NONE nor SELL
                cards |= BIT[options[number]]
    elif view.decision == Task.BUY_TOKEN and view.game.active[view.me] >> Action.POLITICS & 1:
        cards = view.game.hand[view.me]
    elif view.decision != Task.DEVELOP:
        cards = cards_short_of_tokens(view)
    return cards


@inlined
def _rate_holding(view, option, prices, worths, missed):
    """What a card to play, a development, a space or a token is worth; `missed` goes with a token to buy."""
    task = view.decision
    if task == Task.EXPLORE:
        return exploring_worth(view, worths, option)
    if task == Task.BUY_TOKEN:
        return _rate_token(view, option, worths, missed)
    if task == Task.PLAY_CARD:
        source = view.tables.cards[option]
        tokens = missing_tokens(view, source) * view.tables.philosophy_per_need
        worth = playing_worth(view, prices, worths, option, tokens)
        return worth - _spoilt(view, prices, worths, source.cost)
    if task == Task.DEVELOP:
        return development_worth(view, prices, worths)
    if task == Task.GAIN_TOKEN:
        return worths.colour[option]
    major = worths.major if option >= COLOURS else 0.0
    return -worths.colour[option % COLOURS] - major


@inlined
def _rate_by_units(view, prices, options, scores):
    """Any other decision: it is enough to know what one more of each thing is worth."""
    unit = unset_units().unit
    work_out_units(view, prices, unit)
    for number in range(len(options)):
        option = np.int64(options[number])
        if option == SELL:
            scores[number] = _rate_sale(view, unit)
        elif option == NONE:
            scores[number] = 0.0
        else:
            scores[number] = _rate_one(view, option, prices, unit)


@inlined
def _rate_one(view, option, prices, unit):
    """What one option is worth; of a decision that is not named here none is known, and none is declined."""
    task = view.decision
    if task == Task.CLIMB or task == Task.CLIMB_CHEAPER:
        return _rate_level(view, option, prices, unit)
    if task == Task.PICK_CARD or task == Task.KEEP_CARD:
        return card_in_hand(view, prices, unit, option) + RATHER_THAN_NOTHING
    if task == Task.CHOOSE_TRACK:
        return level_worth(view, prices, unit, option)
    if task == Task.CHOOSE_GAIN:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHOOSE_GAIN)
        return gain_worth(unit, effect.choices[option], effect.choice_kinds[option])
    if task == Task.DISCARD:
        return -card_in_hand(view, prices, unit, option)
    if task == Task.TAKE_BACK_CARD:
        return _rate_taken_back(view, option, prices, unit)
    if task == Task.TAX_OR_GLORY:
        return unit[Gain.GLORY] if option == GLORY else unit[Gain.TAX]
    if task == Task.REROLL:
        return pips_gained(view, option)
    return RATHER_THAN_NOTHING


@inlined
def _rate_level(view, track, prices, unit):
    """A level of a track, minus its drachmas, its philosophy, and what standing still would have brought."""
    worth = level_worth(view, prices, unit, track)
    price = level_price(view, track)
    if view.decision == Task.CLIMB_CHEAPER:
        effect = effect_of(view.game, view.tables, view.me, view.value, Special.CHEAPER_STEP)
        return worth - max(price - effect.number, 0) * unit[Gain.DRACHMAS]
    worth -= price * unit[Gain.DRACHMAS]
    if view.value == 0:
        worth -= view.tables.philosophy_per_level * unit[Gain.PHILOSOPHY]
    elif view.game.climbed[view.me] == 0:
        worth -= set_off(view, unit, Trigger.PROGRESS_END)
    return worth


@inlined
def _missed_for_token(view, prices, worths):
    """What could not be paid any more with a token: the worth of a better card, and of the development."""
    price = view.game.token_price[view.me]
    card = 0.0
    if view.game.active[view.me] >> Action.POLITICS & 1:
        card = _best_card(view, worths, 0) - _best_card(view, worths, price)
    return card, _spoilt(view, prices, worths, price)


@inlined
def _rate_token(view, colour, worths, missed):
    """A token, minus its price and the card and development that could not be paid any more."""
    card, development = missed
    worth = worths.colour[colour] - view.game.token_price[view.me] * worths.unit[Gain.DRACHMAS]
    if worth > 0.0:
        worth -= card
    return worth - development


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
def _rate_sale(view, unit):
    """Sell glory if it pays more than glory is worth, with the achievement that sales may earn."""
    if is_sale_for_achievement(view):
        return AT_ONCE if sales_for_achievements(view, unit) > 0.0 else -AT_ONCE
    return AT_ONCE if sale_worth(view, unit) > 0.0 else -AT_ONCE


@inlined
def _rate_taken_back(view, card, prices, unit):
    """Take back what brings most when it is played again, least what it would still have brought in play."""
    worth, later = card_worth(view, prices, unit, card)
    if view.tables.cards[card].kind != Kind.IMMEDIATE:
        return -later
    return worth if can_play(view, card) else 0.0
