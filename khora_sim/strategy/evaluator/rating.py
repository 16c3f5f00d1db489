"""The evaluator as a player: rate every option by what it leads to."""

import numpy as np

from khora_sim.engine.agenda import NONE, Task
from khora_sim.rules.terms import Action
from khora_sim.strategy.compiling import rule
from khora_sim.strategy.evaluator.paying import rate_payments, rate_sale_for_achievement
from khora_sim.strategy.evaluator.placing import drawn_card, rate_tiles
from khora_sim.strategy.evaluator.position import blank_work, nearness, prepare, prepare_card
from khora_sim.strategy.evaluator.replies import choose
from khora_sim.strategy.evaluator.worth import unit_values
from khora_sim.strategy.toolkit.costs import missing_tokens
from khora_sim.strategy.toolkit.decisions import is_sale_for_achievement
from khora_sim.strategy.toolkit.tiles import pips_gained


@rule
def _rate_cards(view, weights, work, options, scores):
    """Draft and legislation: what each card would bring; a card in hand never hurts."""
    for number in range(len(options)):
        card = np.int64(options[number])
        if card == NONE:
            scores[number] = -1.0
            continue
        prepare_card(view, weights, work, card)
        missing = missing_tokens(view, view.tables.cards[card])
        scores[number] = work.card[card] * nearness(missing, weights)


@rule
def rate_with(view, options, scores, weights):
    """Rate all options of a decision with so many points for each feature."""
    task = view.decision
    if task == Task.REROLL:
        for number in range(len(options)):
            scores[number] = pips_gained(view, np.int64(options[number]))
        return
    work = blank_work()
    if task == Task.PICK_CARD or task == Task.KEEP_CARD:
        unit_values(view, weights, work.unit)
        _rate_cards(view, weights, work, options, scores)
        return
    if task == Task.PAY_CITIZENS:
        rate_payments(view, weights, work, options, scores)
        return
    if is_sale_for_achievement(view):
        rate_sale_for_achievement(view, weights, work, options, scores)
        return
    prepare(view, weights, work)
    if task == Task.PLACE_TILES:
        rate_tiles(view, weights, work, options, scores)
    else:
        for number in range(len(options)):
            option = np.int64(options[number])
            scores[number] = choose(view, option, weights, work, 1)
            if task == Task.CHOOSE_ACTION and option == Action.LEGISLATION:
                scores[number] += drawn_card(view, weights)
