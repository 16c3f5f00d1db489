"""Worths of tiles on dice: each action is worked out once, then all placements and payments add up."""

import numpy as np

from khora_sim.engine.dice import TILES
from khora_sim.engine.memory import scratch_record
from khora_sim.rules.terms import ACTIONS, DICE
from khora_sim.strategy.decorators import inlined, macro

#: What actions are worth to a player now, and paying for them.
ACTION_WORTHS = np.dtype(
    [
        ("alone", "f8", (ACTIONS,)),  # each Action by itself
        ("together", "f8", (ACTIONS, ACTIONS)),  # two beyond that, the same in both orders
        ("paying", "f8", (DICE * TILES,)),  # 0, 1, 2, … citizens: what those left are worth then
        ("pairs", "i1"),  # whether any two are worth more or less together
    ]
)
blank_action_worths = scratch_record(ACTION_WORTHS)
#: Pairs of tiles on the first two dice: what they are worth, and what citizens they cost.
PAIRS = np.dtype(
    [("worth", "f8", (TILES * TILES,)), ("cost", "i1", (TILES * TILES,)), ("last_cost", "i1", (TILES,))]
)
unset_pairs = scratch_record(PAIRS, blank=False)
SEVEN = np.uint16(TILES)  # a place without a sign is never counted from the end, which saves asking


@macro
def add_together(actions, one, other, worth):
    """Two actions are worth more together than each by itself."""
    actions.together[one, other] = worth
    actions.together[other, one] = worth
    actions.pairs = 1


@inlined
def tiles_worth(actions, dice, one, two, three):
    """Worth of the actions together whose tiles lie on a set of dice; the tile on each die is given."""
    total = 0.0
    if dice & 1:
        total += actions.alone[one]
    if dice & 2:
        total += actions.alone[two]
        if dice & 1:
            total += actions.together[two, one]
    if dice & 4:
        total += actions.alone[three]
        if dice & 1:
            total += actions.together[three, one]
        if dice & 2:
            total += actions.together[three, two]
    return total


@inlined
def payment_worth(view, actions, paid):
    """Worth of the actions together that a payment pays for."""
    tile = view.game.tile[view.me]
    return tiles_worth(actions, paid, np.int64(tile[0]), np.int64(tile[1]), np.int64(tile[2]))


@inlined
def rate_placements(view, actions, options, scores):
    """PLACE_TILES: what the actions are worth together, and paying for them."""
    first, second, third = view.game.dice[view.me, 0], view.game.dice[view.me, 1], view.game.dice[view.me, 2]
    if second == 0:
        for number in range(len(options)):
            only = np.uint16(options[number])
            scores[number] = actions.alone[only] + actions.paying[max(only - first, 0)]
        return
    pairs = unset_pairs()
    _work_out_pairs(actions, pairs, first, second)
    if third > 0:
        _rate_three_dice(actions, pairs, options, scores, third)
        return
    for number in range(len(options)):
        pair = np.uint16(options[number])
        scores[number] = pairs.worth[pair] + actions.paying[np.uint16(pairs.cost[pair])]


@inlined
def _work_out_pairs(actions, pairs, first, second):
    """Work out the worth and cost of all pairs of tiles on the first two dice."""
    for two in range(TILES):
        for one in range(TILES):
            both = one + TILES * two
            pairs.worth[both] = actions.alone[one] + (actions.alone[two] + actions.together[two, one])
            pairs.cost[both] = max(one - first, 0) + max(two - second, 0)


@inlined
def _rate_three_dice(actions, pairs, options, scores, third):
    """Three dice take tiles in up to 210 ways: nothing but sums here."""
    for tile in range(TILES):
        pairs.last_cost[tile] = max(tile - third, 0)
    more_together = actions.pairs != 0
    for number in range(len(options)):
        option = np.uint16(options[number])
        last = np.uint16(option // (SEVEN * SEVEN))
        pair = np.uint16(option - SEVEN * SEVEN * last)
        cost = np.uint16(pairs.cost[pair] + pairs.last_cost[last])
        worth = actions.alone[last]
        if more_together:
            worth += actions.together[last, pair % SEVEN]
            worth += actions.together[last, pair // SEVEN]
        scores[number] = pairs.worth[pair] + worth + actions.paying[cost]
