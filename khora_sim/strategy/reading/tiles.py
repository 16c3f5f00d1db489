"""Tiles on dice: what a placement costs, and which tiles stay unpaid."""

import numpy as np

from khora_sim.engine.dice import TILES, paid_dice
from khora_sim.rules.terms import DICE
from khora_sim.strategy.decorators import inlined, macro, public, public_rule

MEAN_PIPS = 3.5


@public_rule
def die(view, place):
    """Pips of one of the player's dice (0 to 2); 0: there is no such die this round."""
    return view.game.dice[view.me, place]


@public_rule
def tile_on(option, place):
    """The tile (Action) that a placement puts on a die (0 to 2)."""
    if place == 0:
        return option % TILES
    if place == 1:
        return option // TILES % TILES
    return option // (TILES * TILES)


@public_rule
def die_under(view, option, action):
    """The die (0 to 2) on which a placement puts an action; -1: nowhere."""
    for place in range(DICE):
        if view.game.dice[view.me, place] > 0 and tile_on(option, place) == action:
            return place
    return -1


@public_rule
def places(view, option, action):
    """Tell if a placement uses an action."""
    return die_under(view, option, action) >= 0


@public_rule
def citizens_for_tile(view, place, action):
    """Citizens that an action on a die costs: how far the die is below the tile's number."""
    return max(action - view.game.dice[view.me, place], 0)


@public_rule
def citizens_for(view, option):
    """Citizens that a whole placement costs."""
    total = 0
    for place in range(DICE):
        if view.game.dice[view.me, place] > 0:
            total += citizens_for_tile(view, place, tile_on(option, place))
    return total


@public_rule
def citizens_within_reach(view):
    """Citizens the player has, and could have for all its philosophy tokens."""
    bought = view.game.philosophy[view.me] * view.tables.citizens_per_philosophy
    return max(
        view.game.citizens[view.me], min(view.game.citizens[view.me] + bought, view.tables.max_citizens)
    )


@inlined
def unpaid_of(first, second, third, purse):
    """The set of dice whose tiles so many citizens cannot pay for, by what each costs, the cheapest first."""
    unpaid = 0
    if first + (second if second < first else 0) + (third if third < first else 0) > purse:
        unpaid |= 1
    if second + (first if first <= second else 0) + (third if third < second else 0) > purse:
        unpaid |= 2
    if third + (first if first <= third else 0) + (second if second <= third else 0) > purse:
        unpaid |= 4
    return unpaid


@inlined
def rolled_dice(view):
    """The set of dice that the player has this round."""
    dice = view.game.dice[view.me]
    return (dice[0] > 0) | (dice[1] > 0) << 1 | (dice[2] > 0) << 2


@public_rule
def unpaid_dice(view, option, purse):
    """The set of dice whose tiles so many citizens cannot pay for, when the cheapest are paid first."""
    first = citizens_for_tile(view, 0, tile_on(option, 0))
    second = citizens_for_tile(view, 1, tile_on(option, 1))
    third = citizens_for_tile(view, 2, tile_on(option, 2))
    return unpaid_of(first, second, third, purse) & rolled_dice(view)


@public_rule
def is_unpaid(view, option, action):
    """Tell if a placement leaves an action unpaid, without spending philosophy."""
    place = die_under(view, option, action)
    return place >= 0 and unpaid_dice(view, option, view.game.citizens[view.me]) >> place & 1 == 1


@public_rule
def pays_for(view, option, action):
    """In `is_payment`: whether a payment has an action's tile paid for."""
    for place in range(DICE):
        if view.game.dice[view.me, place] > 0 and view.game.tile[view.me, place] == action:
            return paid_dice(option) >> place & 1 == 1
    return False


@public_rule
def rate_placements(view, options, scores, worth, citizen):
    """Rate all placements: the worth of the actions they can pay for, less what the citizens are worth.

    `worth` holds a number for each action; work that out once, there are up to 210 placements.
    """
    dice = view.game.dice[view.me]
    purse = np.int64(view.game.citizens[view.me])
    count = 3 if dice[2] > 0 else 2
    for number in range(len(options)):
        option = np.int64(options[number])
        left = option
        total = 0.0
        cost = 0
        for place in range(count):
            tile = left % TILES
            left //= TILES
            total += worth[tile]
            cost += max(tile - dice[place], 0)
        if cost > purse:
            unpaid = unpaid_dice(view, option, purse)
            for place in range(count):
                if unpaid >> place & 1:
                    total -= worth[tile_on(option, place)]
                    cost -= citizens_for_tile(view, place, tile_on(option, place))
        scores[number] = total - citizen * cost


@public
def pips_gained(view, dice):
    """Pips that rolling a set of dice again gains on average."""
    gained = 0.0
    for place in range(DICE):
        if dice >> place & 1:
            gained += MEAN_PIPS - view.game.dice[view.me, place]
    return gained


@macro
def pay_for_the_same_dice(options):
    """Tell if all payments pay for the same tiles, so that only tokens and citizens differ."""
    for number in range(1, len(options)):
        if paid_dice(np.int64(options[number])) != paid_dice(np.int64(options[0])):
            return False
    return True
