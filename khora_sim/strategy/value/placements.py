"""What tiles on dice are worth: each action is worked out once, then all placements and payments add up."""

import numpy as np

from khora_sim.engine.dice import TILES
from khora_sim.rules.terms import ACTIONS, DICE, MAX_LIMIT
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.reading.holdings import citizens, philosophy
from khora_sim.strategy.reading.tiles import citizens_for_tile, tile_on, unpaid_dice
from khora_sim.strategy.scratch import scratch_record

#: What actions, and the citizens that tiles leave, are worth to a player now.
ACTION_WORTHS = np.dtype(
    [
        ("alone", "f8", (ACTIONS,)),  # each Action by itself
        ("together", "f8", (ACTIONS, ACTIONS)),  # two beyond that, the same in both orders
        ("citizens", "f8", (MAX_LIMIT + 1,)),  # 0, 1, 2, … citizens left
    ]
)
blank_action_worths = scratch_record(ACTION_WORTHS)
#: Pairs of tiles on the first two of three dice: what they are worth, and what citizens they cost.
PAIRS = np.dtype(
    [("worth", "f8", (TILES * TILES,)), ("cost", "i1", (TILES * TILES,)), ("last_cost", "i1", (TILES,))]
)
blank_pairs = scratch_record(PAIRS)
SEVEN = np.uint16(TILES)  # a place without a sign is never counted from the end, which saves asking


@macro
def add_together(actions, one, other, worth):
    """Two actions are worth more together than each by itself."""
    actions.together[one, other] = worth
    actions.together[other, one] = worth


@rule
def paid_tiles_worth(view, actions, paid):
    """What the actions are worth together whose tiles lie on a set of dice."""
    total = 0.0
    for die in range(DICE):
        if paid >> die & 1:
            tile = np.int64(view.game.tile[view.me, die])
            total += actions.alone[tile]
            for other in range(die):
                if paid >> other & 1:
                    total += actions.together[tile, view.game.tile[view.me, other]]
    return total


@inlined
def _tiles_worth(actions, option, used):
    """What the actions of a placement are worth whose dice are in a set."""
    total = 0.0
    for place in range(DICE):
        if used >> place & 1:
            tile = tile_on(option, place)
            total += actions.alone[tile]
            for other in range(place):
                if used >> other & 1:
                    total += actions.together[tile, tile_on(option, other)]
    return total


@rule
def _rate_beyond_means(view, actions, token, option, cost, purse):
    """A placement that asks for more citizens than there are: leave tiles unpaid, or spend philosophy."""
    unpaid = unpaid_dice(view, option, purse)
    paid = cost
    used = 0
    for place in range(DICE):
        if unpaid >> place & 1:
            paid -= citizens_for_tile(view, place, tile_on(option, place))
        elif view.game.dice[view.me, place] > 0:
            used |= 1 << place
    best = _tiles_worth(actions, option, used) + actions.citizens[purse - paid]
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = (cost - purse + each - 1) // each
    if tokens <= philosophy(view):
        left = actions.citizens[min(purse + tokens * each - cost, MAX_LIMIT)]
        worth = _tiles_worth(actions, option, used | unpaid) - tokens * token
        best = max(best, worth + left)
    return best


@inlined
def rate_placements(view, actions, token, options, scores):
    """PLACE_TILES: what the tiles that can be paid for are worth together, with the citizens left.

    `token` says what a philosophy token is worth that is spent for citizens.
    """
    first, second, third = view.game.dice[view.me, 0], view.game.dice[view.me, 1], view.game.dice[view.me, 2]
    if third > 0:
        _rate_three_dice(view, actions, token, options, scores, first, second, third)
        return
    purse = np.int64(citizens(view))
    for number in range(len(options)):
        option = np.uint16(options[number])
        two = np.uint16(option // SEVEN)
        one = np.uint16(option - SEVEN * two)
        cost = max(one - first, 0)
        worth = actions.alone[one]
        if second > 0:
            cost += max(two - second, 0)
            worth += actions.alone[two] + actions.together[two, one]
        if cost <= purse:
            scores[number] = worth + actions.citizens[purse - cost]
        else:
            scores[number] = _rate_beyond_means(view, actions, token, np.int64(option), np.int64(cost), purse)


@inlined
def _rate_three_dice(view, actions, token, options, scores, first, second, third):
    """Three dice take tiles in up to 210 ways: little but sums here."""
    pairs = blank_pairs()
    for two in range(TILES):
        for one in range(TILES):
            pair = one + TILES * two
            pairs.worth[pair] = actions.alone[one] + (actions.alone[two] + actions.together[two, one])
            pairs.cost[pair] = max(one - first, 0) + max(two - second, 0)
        pairs.last_cost[two] = max(two - third, 0)
    purse = np.int64(citizens(view))
    for number in range(len(options)):
        option = np.uint16(options[number])
        last = np.uint16(option // (SEVEN * SEVEN))
        pair = np.uint16(option - SEVEN * SEVEN * last)
        cost = np.int64(pairs.cost[pair] + pairs.last_cost[last])
        if cost <= purse:
            beside = actions.together[last]
            worth = actions.alone[last] + beside[pair % SEVEN] + beside[pair // SEVEN]
            scores[number] = pairs.worth[pair] + worth + actions.citizens[purse - cost]
        else:
            scores[number] = _rate_beyond_means(view, actions, token, np.int64(option), cost, purse)
