"""Citizens for tiles by a price list: what the tiles paid for are worth, minus citizens and tokens."""

import numpy as np

from khora_sim.engine.citizens import citizens_left, missing_pips, paid_dice, tokens_spent
from khora_sim.rules.terms import DICE, Gain
from khora_sim.strategy.compiling import inlined, macro
from khora_sim.strategy.toolkit.placing import blank_action_worth, price_actions

LITTLE = 0.001  # of equal payments the one that leaves more citizens


@macro
def pay_for_the_same_dice(options):
    """Whether all payments pay for the same tiles, so that only tokens and citizens differ."""
    for number in range(1, len(options)):
        if paid_dice(np.int64(options[number])) != paid_dice(np.int64(options[0])):
            return False
    return True


@inlined
def rate_payments_by_prices(view, options, scores, prices):
    """PAY_CITIZENS: pay for the tiles worth most, and spend no token without need.

    Citizens that tokens bring beyond what the tiles need count for next to nothing: a token that is kept can
    still bring them.
    """
    game, me = view.game, view.me
    worths = blank_action_worth()
    if not pay_for_the_same_dice(options):
        price_actions(view, prices, worths)
    have = np.int64(game.citizens[me])
    each = max(view.tables.citizens_per_philosophy, 1)
    for number in range(len(options)):
        option = np.int64(options[number])
        worth, cost = 0.0, 0
        for die in range(DICE):
            if paid_dice(option) >> die & 1:
                tile = np.int64(game.tile[me, die])
                cost += missing_pips(game, me, die)
                worth += worths.alone[tile]
                for other in range(die):
                    if paid_dice(option) >> other & 1:
                        worth += worths.together[tile, game.tile[me, other]]
        needed = max(cost - have + each - 1, 0) // each
        worth += (needed * each - cost) * prices.gain[Gain.CITIZENS]
        worth -= tokens_spent(option) * prices.gain[Gain.PHILOSOPHY]
        scores[number] = worth + LITTLE * citizens_left(option)
