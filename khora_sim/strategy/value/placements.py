"""What tiles on dice are worth: each action is worked out once, then all placements and payments add up."""

import numpy as np

from khora_sim.engine.dice import TILES
from khora_sim.rules.terms import DICE, MAX_LIMIT, Gain
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.reading.holdings import citizens, philosophy
from khora_sim.strategy.reading.tiles import citizens_for_tile, tile_on, unpaid_dice
from khora_sim.strategy.scratch import scratch_record

#: Pairs of tiles on the first two of three dice: what they are worth, and what citizens they cost.
PAIRS = np.dtype(
    [("worth", "f8", (TILES * TILES,)), ("cost", "i8", (TILES * TILES,)), ("last_cost", "i8", (TILES,))]
)
blank_pairs = scratch_record(PAIRS)
SEVEN = np.uint16(TILES)  # a place without a sign is never counted from the end, which saves asking


@macro
def add_together(worths, one, other, worth):
    """Two actions are worth more together than each by itself."""
    worths.together[one, other] = worth
    worths.together[other, one] = worth


@rule
def paid_tiles_worth(view, worths, paid):
    """What the actions are worth together whose tiles lie on a set of dice."""
    total = 0.0
    for die in range(DICE):
        if paid >> die & 1:
            tile = np.int64(view.game.tile[view.me, die])
            total += worths.alone[tile]
            for other in range(die):
                if paid >> other & 1:
                    total += worths.together[tile, view.game.tile[view.me, other]]
    return total


@inlined
def _tiles_worth(worths, option, used):
    """What the actions of a placement are worth whose dice are in a set."""
    total = 0.0
    for place in range(DICE):
        if used >> place & 1:
            tile = tile_on(option, place)
            total += worths.alone[tile]
            for other in range(place):
                if used >> other & 1:
                    total += worths.together[tile, tile_on(option, other)]
    return total


@rule
def _rate_beyond_means(view, worths, option, cost, purse):
    """A placement that asks for more citizens than there are: leave tiles unpaid, or spend philosophy."""
    unpaid = unpaid_dice(view, option, purse)
    paid = cost
    used = 0
    for place in range(DICE):
        if unpaid >> place & 1:
            paid -= citizens_for_tile(view, place, tile_on(option, place))
        elif view.game.dice[view.me, place] > 0:
            used |= 1 << place
    best = _tiles_worth(worths, option, used) + worths.citizens[purse - paid]
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = (cost - purse + each - 1) // each
    if tokens <= philosophy(view):
        left = worths.citizens[min(purse + tokens * each - cost, MAX_LIMIT)]
        worth = _tiles_worth(worths, option, used | unpaid) - tokens * worths.unit[Gain.PHILOSOPHY]
        best = max(best, worth + left)
    return best


@inlined
def rate_placements(view, worths, options, scores):
    """PLACE_TILES: what the tiles that can be paid for are worth together, with the citizens left."""
    first, second, third = view.game.dice[view.me, 0], view.game.dice[view.me, 1], view.game.dice[view.me, 2]
    if third > 0:
        _rate_three_dice(view, worths, options, scores, first, second, third)
        return
    purse = np.int64(citizens(view))
    for number in range(len(options)):
        option = np.uint16(options[number])
        two = np.uint16(option // SEVEN)
        one = np.uint16(option - SEVEN * two)
        cost = max(one - first, 0)
        worth = worths.alone[one]
        if second > 0:
            cost += max(two - second, 0)
            worth += worths.alone[two] + worths.together[two, one]
        if cost <= purse:
            scores[number] = worth + worths.citizens[purse - cost]
        else:
            scores[number] = _rate_beyond_means(view, worths, np.int64(option), np.int64(cost), purse)


@inlined
def _rate_three_dice(view, worths, options, scores, first, second, third):
    """Three dice take tiles in up to 210 ways: little but sums here."""
    pairs = blank_pairs()
    for two in range(TILES):
        for one in range(TILES):
            pair = one + TILES * two
            pairs.worth[pair] = worths.alone[one] + (worths.alone[two] + worths.together[two, one])
            pairs.cost[pair] = max(one - first, 0) + max(two - second, 0)
        pairs.last_cost[two] = max(two - third, 0)
    purse = np.int64(citizens(view))
    for number in range(len(options)):
        option = np.uint16(options[number])
        last = np.uint16(option // (SEVEN * SEVEN))
        pair = np.uint16(option - SEVEN * SEVEN * last)
        cost = pairs.cost[pair] + pairs.last_cost[last]
        if cost <= purse:
            beside = worths.together[last]
            worth = worths.alone[last] + beside[pair % SEVEN] + beside[pair // SEVEN]
            scores[number] = pairs.worth[pair] + worth + worths.citizens[purse - cost]
        else:
            scores[number] = _rate_beyond_means(view, worths, np.int64(option), cost, purse)
