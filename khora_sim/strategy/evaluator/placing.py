"""Tiles on dice: each action is valued once, then all placements are added up."""

import numpy as np

from khora_sim.engine.dice import TILES
from khora_sim.rules.terms import DICE, Action, Gain
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.evaluator.features import ENOUGH_CITIZENS, Feature
from khora_sim.strategy.evaluator.position import value
from khora_sim.strategy.evaluator.replies import act
from khora_sim.strategy.evaluator.worth import time_left
from khora_sim.strategy.toolkit.ahead import at_place
from khora_sim.strategy.toolkit.costs import can_develop, playable_cards
from khora_sim.strategy.toolkit.holdings import citizens, philosophy
from khora_sim.strategy.toolkit.tiles import citizens_for_tile, tile_on, unpaid_dice


@rule
def value_actions(view, weights, work):
    """What each action is worth here, by itself and after one that pays for it; all is still 0 there."""
    now = value(view, weights, work)
    playable = playable_cards(view)
    develops = can_develop(view)
    if develops:
        work.alone[Action.DEVELOPMENT] = act(view, Action.DEVELOPMENT, weights, work, 1) - now
    if playable > 0:
        work.alone[Action.POLITICS] = act(view, Action.POLITICS, weights, work, 1) - now
        if develops and not can_develop(at_place(view, 1)):
            work.together[Action.POLITICS, Action.DEVELOPMENT] = -min(
                work.alone[Action.POLITICS], work.alone[Action.DEVELOPMENT]
            )
    for action in range(Action.POLITICS):
        worth = act(view, action, weights, work, 1) - now
        work.alone[action] = worth
        after = at_place(view, 1)
        if not develops and can_develop(after):
            gained = act(after, Action.DEVELOPMENT, weights, work, 2) - now - worth
            work.together[action, Action.DEVELOPMENT] = gained
        if playable_cards(after) > playable:
            both = act(after, Action.POLITICS, weights, work, 2) - now
            gained = both - worth - work.alone[Action.POLITICS]
            work.together[action, Action.POLITICS] = max(gained, 0.0)
    work.alone[Action.LEGISLATION] += drawn_card(view, weights)


@macro
def drawn_card(view, weights):
    """What the card is worth that legislation keeps of those drawn, which nobody has seen yet."""
    return weights[Feature.UNKNOWN_CARDS] * time_left(view) if view.game.deck_size > 0 else 0.0


@macro
def citizens_worth(view, weights, people):
    """What so many citizens are worth."""
    people = min(people, view.tables.max_citizens)
    return time_left(view) * (
        weights[Feature.CITIZENS] * min(people, ENOUGH_CITIZENS)
        + weights[Feature.CITIZENS_BEYOND] * max(people - ENOUGH_CITIZENS, 0)
    )


@macro
def two_together(work, one, other):
    """What two actions are worth together beyond what each is worth alone."""
    return work.together[one, other] + work.together[other, one]


@inlined
def _worth_together(work, option, used):
    """What the actions of a placement are worth whose dice are in a set."""
    total = 0.0
    for place in range(DICE):
        if used >> place & 1:
            tile = tile_on(option, place)
            total += work.alone[tile]
            for other in range(place):
                if used >> other & 1:
                    total += two_together(work, tile, tile_on(option, other))
    return total


@rule
def _rate_dear_placement(view, weights, work, option, cost, purse):
    """A placement that asks for more citizens than there are: leave tiles unpaid, or spend philosophy."""
    unpaid = unpaid_dice(view, option, purse)
    paid = cost
    used = 0
    for place in range(DICE):
        if unpaid >> place & 1:
            paid -= citizens_for_tile(view, place, tile_on(option, place))
        elif view.game.dice[view.me, place] > 0:
            used |= 1 << place
    best = _worth_together(work, option, used) + citizens_worth(view, weights, purse - paid)
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = (cost - purse + each - 1) // each
    if tokens <= philosophy(view):
        rest = citizens_worth(view, weights, purse + tokens * each - cost)
        worth = _worth_together(work, option, used | unpaid) - tokens * work.unit[Gain.PHILOSOPHY]
        best = max(best, worth + rest)
    return best


@rule
def rate_tiles(view, weights, work, options, scores):
    """PLACE_TILES: what the tiles that can be paid for are worth together, less their citizens."""
    value_actions(view, weights, work)
    dice = view.game.dice[view.me]
    purse = np.int64(citizens(view))
    for number in range(len(options)):
        option = np.int64(options[number])
        one = option % TILES
        two = option // TILES % TILES
        cost = max(one - dice[0], 0)
        worth = work.alone[one]
        if dice[1] > 0:
            cost += max(two - dice[1], 0)
            worth += work.alone[two] + two_together(work, one, two)
        if dice[2] > 0:
            three = option // (TILES * TILES)
            cost += max(three - dice[2], 0)
            worth += work.alone[three] + two_together(work, one, three) + two_together(work, two, three)
        if cost <= purse:
            scores[number] = worth + citizens_worth(view, weights, purse - cost)
        else:
            scores[number] = _rate_dear_placement(view, weights, work, option, cost, purse)
