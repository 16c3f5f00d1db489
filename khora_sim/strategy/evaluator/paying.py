"""Citizens for tiles, and glory for achievements: what each way to pay is worth."""

import numpy as np

from khora_sim.engine.agenda import SELL
from khora_sim.engine.citizens import citizens_left, paid_dice, tokens_spent
from khora_sim.rules.terms import DICE, Gain
from khora_sim.strategy.compiling import inlined, rule
from khora_sim.strategy.evaluator.placing import citizens_worth, two_together, value_actions
from khora_sim.strategy.evaluator.position import prepare
from khora_sim.strategy.evaluator.worth import unit_values
from khora_sim.strategy.toolkit.paying import pay_for_the_same_dice
from khora_sim.strategy.toolkit.selling import sales_for_achievements


@inlined
def _tiles_worth(view, work, paid):
    """What the actions are worth together whose tiles are paid for."""
    total = 0.0
    for die in range(DICE):
        if paid >> die & 1:
            tile = np.int64(view.game.tile[view.me, die])
            total += work.alone[tile]
            for other in range(die):
                if paid >> other & 1:
                    total += two_together(work, tile, np.int64(view.game.tile[view.me, other]))
    return total


@rule
def rate_payments(view, weights, work, options, scores):
    """PAY_CITIZENS: the actions that are paid for and the citizens left, minus the tokens spent."""
    if pay_for_the_same_dice(options):
        unit_values(view, weights, work.unit)
    else:
        prepare(view, weights, work)
        value_actions(view, weights, work)
    for number in range(len(options)):
        option = np.int64(options[number])
        worth = _tiles_worth(view, work, paid_dice(option))
        worth += citizens_worth(view, weights, citizens_left(option))
        scores[number] = worth - tokens_spent(option) * work.unit[Gain.PHILOSOPHY]


@rule
def rate_sale_for_achievement(view, weights, work, options, scores):
    """SELL_GLORY before the achievements: what sales bring and earn, minus the glory."""
    unit_values(view, weights, work.unit)
    for number in range(len(options)):
        scores[number] = sales_for_achievements(view, work.unit) if options[number] == SELL else 0.0
