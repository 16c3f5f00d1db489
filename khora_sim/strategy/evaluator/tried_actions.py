"""Tiles and citizens: each action is tried once, and then counts in all placements and payments."""

import numpy as np

from khora_sim.engine.citizens import citizens_left, paid_dice, tokens_spent
from khora_sim.engine.dice import TILES
from khora_sim.rules.terms import DICE, Action, Gain
from khora_sim.strategy.decorators import macro, rule
from khora_sim.strategy.evaluator.following import act
from khora_sim.strategy.evaluator.model import prepare, prepare_units
from khora_sim.strategy.reading.ahead import in_spare
from khora_sim.strategy.reading.costs import can_develop, playable_cards
from khora_sim.strategy.reading.holdings import citizens, philosophy
from khora_sim.strategy.reading.tiles import (
    citizens_for,
    pay_for_the_same_dice,
    rolled_dice,
    tile_on,
    unpaid_of,
)
from khora_sim.strategy.value.placements import (
    add_together,
    blank_action_worths,
    payment_worth,
    rate_placements,
    tiles_worth,
)
from khora_sim.strategy.value.position import citizens_worth, value


@rule
def _value_actions(view, model, actions):
    """What each action is worth here, by itself and after one that pays for it; all is still 0 there."""
    now = value(view, model.weights, model.worths)
    playable = playable_cards(view)
    develops = can_develop(view)
    if develops:
        actions.alone[Action.DEVELOPMENT] = act(view, Action.DEVELOPMENT, model, 1) - now
    if playable > 0:
        actions.alone[Action.POLITICS] = act(view, Action.POLITICS, model, 1) - now
        if develops and not can_develop(in_spare(view, 1)):
            either = min(actions.alone[Action.POLITICS], actions.alone[Action.DEVELOPMENT])
            add_together(actions, Action.POLITICS, Action.DEVELOPMENT, -either)
    for action in range(Action.POLITICS):
        worth = act(view, action, model, 1) - now
        actions.alone[action] = worth
        after = in_spare(view, 1)
        if not develops and can_develop(after):
            gained = act(after, Action.DEVELOPMENT, model, 2) - now - worth
            add_together(actions, action, Action.DEVELOPMENT, gained)
        if playable_cards(after) > playable:
            both = act(after, Action.POLITICS, model, 2) - now
            gained = both - worth - actions.alone[Action.POLITICS]
            add_together(actions, action, Action.POLITICS, max(gained, 0.0))
    actions.alone[Action.LEGISLATION] += drawn_card(view, model)


@macro
def drawn_card(view, model):
    """What the card is worth that legislation keeps of those drawn, which nobody has seen yet."""
    return model.prices.gain[Gain.CARDS] if view.game.deck_size > 0 else 0.0


@rule
def _rate_beyond_means(view, model, actions, option, purse):
    """A placement that asks for more citizens than there are: leave tiles unpaid, or spend philosophy."""
    one, two, three = tile_on(option, 0), tile_on(option, 1), tile_on(option, 2)
    dice = view.game.dice[view.me]
    first, second, third = max(one - dice[0], 0), max(two - dice[1], 0), max(three - dice[2], 0)
    rolled = rolled_dice(view)
    used = rolled & ~unpaid_of(first, second, third, purse)
    paid = (first if used & 1 else 0) + (second if used & 2 else 0) + (third if used & 4 else 0)
    best = tiles_worth(actions, used, one, two, three) + citizens_worth(view, model.weights, purse - paid)
    cost = first + second + third
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = (cost - purse + each - 1) // each
    if tokens <= philosophy(view):
        left = citizens_worth(view, model.weights, purse + tokens * each - cost)
        worth = tiles_worth(actions, rolled, one, two, three) - tokens * model.worths.unit[Gain.PHILOSOPHY]
        best = max(best, worth + left)
    return best


@rule
def rate_tiles(view, model, options, scores):
    """PLACE_TILES: what the actions are worth together, with the citizens left."""
    actions = blank_action_worths()
    prepare(view, model)
    _value_actions(view, model, actions)
    purse = np.int64(citizens(view))
    for cost in range(DICE * TILES):
        actions.paying[cost] = citizens_worth(view, model.weights, purse - cost)
    rate_placements(view, actions, options, scores)
    for number in range(len(options)):
        option = np.int64(options[number])
        if citizens_for(view, option) > purse:
            scores[number] = _rate_beyond_means(view, model, actions, option, purse)


@rule
def rate_payments(view, model, options, scores):
    """PAY_CITIZENS: the actions that are paid for and the citizens left, minus the tokens spent."""
    actions = blank_action_worths()
    if pay_for_the_same_dice(options):
        prepare_units(view, model)
    else:
        prepare(view, model)
        _value_actions(view, model, actions)
    for number in range(len(options)):
        option = np.int64(options[number])
        worth = payment_worth(view, actions, paid_dice(option))
        worth += citizens_worth(view, model.weights, citizens_left(option))
        scores[number] = worth - tokens_spent(option) * model.worths.unit[Gain.PHILOSOPHY]
