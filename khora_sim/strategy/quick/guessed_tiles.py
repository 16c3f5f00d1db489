"""Tiles and citizens by prices: each action is guessed once, then counts in all placements and payments."""

import numpy as np

from khora_sim.engine.agenda import NONE
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.citizens import citizens_left, missing_pips, paid_dice, tokens_spent
from khora_sim.engine.dice import TILES
from khora_sim.rules.terms import COLOURS, DICE, Action, Gain
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.quick.guessed_actions import action_worth, space_to_explore, trade_income
from khora_sim.strategy.quick.guessed_cards import (
    development_worth,
    playing_worth,
    work_out_holdings,
    work_out_tokens,
)
from khora_sim.strategy.reading.costs import has_next_development, missing_tokens
from khora_sim.strategy.reading.holdings import citizens, drachmas, knowledge, philosophy
from khora_sim.strategy.reading.tiles import pay_for_the_same_dice
from khora_sim.strategy.value.placements import (
    add_together,
    blank_action_worths,
    payment_worth,
    rate_placements,
)
from khora_sim.strategy.value.worths import unset_worths

NEVER = -1000.0
LITTLE = 0.001  # of equal payments the one that leaves more citizens


@rule
def _work_out_actions(view, prices, worths, actions):
    """What each action is worth, and what two are worth together, in records that are all 0."""
    work_out_holdings(view, prices, worths, view.game.hand[view.me])
    work_out_tokens(view, prices, worths)
    space = space_to_explore(view, worths)
    for action in range(Action.POLITICS):
        worth = action_worth(view, prices, worths, action, space)
        actions.alone[action] = worth + prices.tile[action]
    _work_out_politics(view, prices, worths, actions)
    _work_out_development(view, prices, worths, actions, space)


@inlined
def _work_out_politics(view, prices, worths, actions):
    """Politics: the best card that can be paid for, and what the income of a trade would add to that."""
    purse, income = drachmas(view), trade_income(view)
    best = 0.0
    rich = 0.0
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        wanted = view.tables.cards[card]
        tokens = missing_tokens(view, wanted) * view.tables.philosophy_per_need
        if wanted.cost > purse + income or tokens > philosophy(view):
            continue
        worth = playing_worth(view, prices, worths, card, tokens)
        rich = max(rich, worth)
        if wanted.cost <= purse:
            best = max(best, worth)
    actions.alone[Action.POLITICS] = best
    if rich > best:
        add_together(actions, Action.TRADE, Action.POLITICS, rich - best)


@inlined
def _work_out_development(view, prices, worths, actions, space):
    """Development: if it can be paid now, or after a trade or an exploration that brings what it misses."""
    if not has_next_development(view):
        return
    purse, income = drachmas(view), trade_income(view)
    wanted = view.tables.developments[view.game.city[view.me], view.game.development[view.me]]
    tokens = missing_tokens(view, wanted) * view.tables.philosophy_per_need
    lacks = tokens - philosophy(view)
    if lacks > view.tables.philosophy_per_need or wanted.cost > purse + income:
        return
    worth = development_worth(view, prices, worths) + prices.tile[Action.DEVELOPMENT]
    worth = max(worth - min(tokens, philosophy(view)) * worths.unit[Gain.PHILOSOPHY], 0.0)
    if lacks <= 0:
        if wanted.cost <= purse:
            actions.alone[Action.DEVELOPMENT] = worth
        else:
            add_together(actions, Action.TRADE, Action.DEVELOPMENT, worth)
        return
    if wanted.cost + view.game.token_price[view.me] <= purse + income:
        add_together(actions, Action.TRADE, Action.DEVELOPMENT, worth)
    if space >= 0 and wanted.cost <= purse:
        lying = view.tables.spaces[space]
        for colour in range(COLOURS):
            misses = wanted.needs[colour] > knowledge(view, colour)
            if misses and lying.minor[colour] + lying.major[colour] > 0:
                add_together(actions, Action.MILITARY, Action.DEVELOPMENT, worth)


@inlined
def rate_tiles(view, prices, options, scores):
    """PLACE_TILES: what the actions are worth together, with the citizens left."""
    worths, actions = unset_worths(), blank_action_worths()
    _work_out_actions(view, prices, worths, actions)
    _work_out_paying(view, worths.unit, actions)
    rate_placements(view, actions, options, scores)


@inlined
def _work_out_paying(view, unit, actions):
    """What paying 0, 1, 2, … citizens costs: philosophy tokens stand in for those that are missing.

    What cannot be paid at all is out of the question: the lowest tiles cost little or nothing.
    """
    dice = view.game.dice[view.me]
    most = DICE * (TILES - 1) - dice[0] - dice[1] - dice[2]
    purse = citizens(view)
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = 0
    for cost in range(most + 1):
        if cost > purse + tokens * each:
            tokens += 1
        worth = (tokens * each - cost) * unit[Gain.CITIZENS] - tokens * unit[Gain.PHILOSOPHY]
        actions.paying[cost] = worth if tokens <= philosophy(view) else NEVER - cost


@inlined
def rate_actions(view, prices, options, scores):
    """CHOOSE_ACTION, without die and citizens: the action worth most."""
    worths, actions = unset_worths(), blank_action_worths()
    _work_out_actions(view, prices, worths, actions)
    for number in range(len(options)):
        scores[number] = 0.0 if options[number] == NONE else actions.alone[options[number]]


@inlined
def rate_payments(view, prices, options, scores):
    """PAY_CITIZENS: pay for the tiles worth most, and spend no token without need.

    Citizens that tokens bring beyond what the tiles need count for next to nothing: a token that is kept can
    still bring them.
    """
    actions = blank_action_worths()
    if not pay_for_the_same_dice(options):
        _work_out_actions(view, prices, unset_worths(), actions)
    have = np.int64(citizens(view))
    each = max(view.tables.citizens_per_philosophy, 1)
    for number in range(len(options)):
        option = np.int64(options[number])
        cost = 0
        for die in range(DICE):
            if paid_dice(option) >> die & 1:
                cost += missing_pips(view.game, view.me, die)
        needed = max(cost - have + each - 1, 0) // each
        worth = payment_worth(view, actions, paid_dice(option))
        worth += (needed * each - cost) * prices.gain[Gain.CITIZENS]
        worth -= tokens_spent(option) * prices.gain[Gain.PHILOSOPHY]
        scores[number] = worth + LITTLE * citizens_left(option)
