"""Tiles and citizens: each action is tried once, and then counts in all placements and payments."""

import numpy as np

from khora_sim.engine.citizens import citizens_left, paid_dice, tokens_spent
from khora_sim.rules.terms import MAX_LIMIT, Action, Gain
from khora_sim.strategy.compiling import macro, rule
from khora_sim.strategy.evaluator.following import act
from khora_sim.strategy.evaluator.model import prepare, prepare_units
from khora_sim.strategy.reading.ahead import at_place
from khora_sim.strategy.reading.costs import can_develop, playable_cards
from khora_sim.strategy.reading.holdings import citizens
from khora_sim.strategy.reading.tiles import pay_for_the_same_dice
from khora_sim.strategy.value.placements import (
    add_together,
    blank_action_worths,
    paid_tiles_worth,
    rate_placements,
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
        if develops and not can_develop(at_place(view, 1)):
            either = min(actions.alone[Action.POLITICS], actions.alone[Action.DEVELOPMENT])
            add_together(actions, Action.POLITICS, Action.DEVELOPMENT, -either)
    for action in range(Action.POLITICS):
        worth = act(view, action, model, 1) - now
        actions.alone[action] = worth
        after = at_place(view, 1)
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
def _value_citizens(view, model, actions):
    """What each number of citizens is worth that a placement may leave."""
    most = max(np.int64(citizens(view)), view.tables.citizens_per_philosophy)
    for people in range(min(most, MAX_LIMIT) + 1):
        actions.citizens[people] = citizens_worth(view, model.weights, people)


@rule
def rate_tiles(view, model, options, scores):
    """PLACE_TILES: what the actions are worth together, with the citizens left."""
    actions = blank_action_worths()
    prepare(view, model)
    _value_actions(view, model, actions)
    _value_citizens(view, model, actions)
    rate_placements(view, actions, model.worths.unit[Gain.PHILOSOPHY], options, scores)


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
        worth = paid_tiles_worth(view, actions, paid_dice(option))
        worth += citizens_worth(view, model.weights, citizens_left(option))
        scores[number] = worth - tokens_spent(option) * model.worths.unit[Gain.PHILOSOPHY]
