"""The evaluator as a player: rate every option by what it leads to."""

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task
from khora_sim.rules.terms import Action
from khora_sim.strategy.decorators import rule
from khora_sim.strategy.evaluator.following import choose
from khora_sim.strategy.evaluator.model import Model, prepare, prepare_units
from khora_sim.strategy.evaluator.tried_actions import drawn_card, rate_payments, rate_tiles
from khora_sim.strategy.reading.decisions import is_sale_for_achievement
from khora_sim.strategy.reading.tiles import pips_gained
from khora_sim.strategy.value.prices import blank_prices
from khora_sim.strategy.value.sales import sales_for_achievements
from khora_sim.strategy.value.worths import card_in_hand, unset_worths


@rule
def _rate_cards(view, model, options, scores):
    """Draft and legislation: what each card would bring; a card in hand never hurts."""
    prepare_units(view, model)
    for number in range(len(options)):
        card = np.int64(options[number])
        if card == NONE:
            scores[number] = -1.0
            continue
        scores[number] = card_in_hand(view, model.prices, model.worths.unit, card)


@rule
def _rate_sale_for_achievement(view, model, options, scores):
    """SELL_GLORY before the achievements: what sales bring and earn, minus the glory."""
    prepare_units(view, model)
    for number in range(len(options)):
        sells = options[number] == SELL
        scores[number] = sales_for_achievements(view, model.worths.unit) if sells else 0.0


@rule
def _rate_by_position(view, model, options, scores):
    """Any other decision, a new one included: the position that each option leads to."""
    prepare(view, model)
    for number in range(len(options)):
        option = np.int64(options[number])
        scores[number] = choose(view, option, model, 1)
        if view.decision == Task.CHOOSE_ACTION and option == Action.LEGISLATION:
            scores[number] += drawn_card(view, model)


@rule
def rate_with(view, options, scores, weights):
    """Rate all options of a decision with so many points for each feature."""
    task = view.decision
    model = Model(weights, blank_prices(), unset_worths())
    if task == Task.REROLL:
        for number in range(len(options)):
            scores[number] = pips_gained(view, np.int64(options[number]))
    elif task == Task.PICK_CARD or task == Task.KEEP_CARD:
        _rate_cards(view, model, options, scores)
    elif task == Task.PLACE_TILES:
        rate_tiles(view, model, options, scores)
    elif task == Task.PAY_CITIZENS:
        rate_payments(view, model, options, scores)
    elif is_sale_for_achievement(view):
        _rate_sale_for_achievement(view, model, options, scores)
    else:
        _rate_by_position(view, model, options, scores)
