"""Tiles on dice and citizens for tiles: each action is valued once, then all placements are added up."""

import numpy as np

from khora_sim.engine.agenda import DONE, SPEND
from khora_sim.engine.dice import TILES, missing_pips, waits
from khora_sim.rules.terms import ACTIONS, DICE, Action, Gain
from khora_sim.strategy.compiling import inlined, rule, short
from khora_sim.strategy.evaluator.features import ENOUGH_CITIZENS, Feature
from khora_sim.strategy.evaluator.position import ALONE, TOGETHER, UNIT, prepare, value
from khora_sim.strategy.evaluator.replies import act
from khora_sim.strategy.evaluator.worth import time_left, unit_values
from khora_sim.strategy.toolkit.ahead import at_place
from khora_sim.strategy.toolkit.costs import can_develop, playable_cards
from khora_sim.strategy.toolkit.holdings import citizens, philosophy
from khora_sim.strategy.toolkit.tiles import citizens_for_tile, tile_on, unpaid_dice


@rule
def value_actions(view, weights, room):
    """What each action is worth here, by itself and after one that pays for it; all is still 0 there."""
    now = value(view, weights, room)
    playable = playable_cards(view)
    develops = can_develop(view)
    if develops:
        room[ALONE + Action.DEVELOPMENT] = act(view, Action.DEVELOPMENT, weights, room, 1) - now
    if playable > 0:
        room[ALONE + Action.POLITICS] = act(view, Action.POLITICS, weights, room, 1) - now
        if develops and not can_develop(at_place(view, 1)):
            room[TOGETHER + ACTIONS * Action.POLITICS + Action.DEVELOPMENT] = -min(
                room[ALONE + Action.POLITICS], room[ALONE + Action.DEVELOPMENT]
            )
    for action in range(Action.POLITICS):
        worth = act(view, action, weights, room, 1) - now
        room[ALONE + action] = worth
        after = at_place(view, 1)
        if not develops and can_develop(after):
            gained = act(after, Action.DEVELOPMENT, weights, room, 2) - now - worth
            room[TOGETHER + ACTIONS * action + Action.DEVELOPMENT] = gained
        if playable_cards(after) > playable:
            both = act(after, Action.POLITICS, weights, room, 2) - now
            gained = both - worth - room[ALONE + Action.POLITICS]
            room[TOGETHER + ACTIONS * action + Action.POLITICS] = max(gained, 0.0)
    room[ALONE + Action.LEGISLATION] += drawn_card(view, weights)


@short
def drawn_card(view, weights):
    """What the card is worth that legislation keeps of those drawn, which nobody has seen yet."""
    return weights[Feature.UNKNOWN_CARDS] * time_left(view) if view.game.deck_size > 0 else 0.0


@short
def citizens_worth(view, weights, people):
    """What so many citizens are worth."""
    people = min(people, view.tables.max_citizens)
    return time_left(view) * (
        weights[Feature.CITIZENS] * min(people, ENOUGH_CITIZENS)
        + weights[Feature.CITIZENS_BEYOND] * max(people - ENOUGH_CITIZENS, 0)
    )


@short
def _two(room, one, other):
    """What two actions are worth together beyond what each is worth alone."""
    return room[TOGETHER + ACTIONS * one + other] + room[TOGETHER + ACTIONS * other + one]


@inlined
def _worth_together(room, option, used):
    """What the actions of a placement are worth whose dice are in a set."""
    total = 0.0
    for place in range(DICE):
        if used >> place & 1:
            tile = tile_on(option, place)
            total += room[ALONE + tile]
            for other in range(place):
                if used >> other & 1:
                    total += _two(room, tile, tile_on(option, other))
    return total


@rule
def _rate_dear_placement(view, weights, room, option, cost, purse):
    """A placement that asks for more citizens than there are: leave tiles unpaid, or spend philosophy."""
    unpaid = unpaid_dice(view, option, purse)
    paid = cost
    used = 0
    for place in range(DICE):
        if unpaid >> place & 1:
            paid -= citizens_for_tile(view, place, tile_on(option, place))
        elif view.game.dice[view.me, place] > 0:
            used |= 1 << place
    best = _worth_together(room, option, used) + citizens_worth(view, weights, purse - paid)
    each = max(view.tables.citizens_per_philosophy, 1)
    tokens = (cost - purse + each - 1) // each
    if tokens <= philosophy(view):
        rest = citizens_worth(view, weights, purse + tokens * each - cost)
        worth = _worth_together(room, option, used | unpaid) - tokens * room[UNIT + Gain.PHILOSOPHY]
        best = max(best, worth + rest)
    return best


@rule
def rate_tiles(view, weights, room, options, scores):
    """PLACE_TILES: what the tiles that can be paid for are worth together, less their citizens."""
    value_actions(view, weights, room)
    dice = view.game.dice[view.me]
    purse = np.int64(citizens(view))
    for number in range(len(options)):
        option = np.int64(options[number])
        one = option % TILES
        two = option // TILES % TILES
        cost = max(one - dice[0], 0)
        worth = room[ALONE + one]
        if dice[1] > 0:
            cost += max(two - dice[1], 0)
            worth += room[ALONE + two] + _two(room, one, two)
        if dice[2] > 0:
            three = option // (TILES * TILES)
            cost += max(three - dice[2], 0)
            worth += room[ALONE + three] + _two(room, one, three) + _two(room, two, three)
        if cost <= purse:
            scores[number] = worth + citizens_worth(view, weights, purse - cost)
        else:
            scores[number] = _rate_dear_placement(view, weights, room, option, cost, purse)


@inlined
def _best_payment(view, weights, room, purse, but_not):
    """The best that so many citizens can pay for, of the dice that wait, but for one."""
    best = citizens_worth(view, weights, purse)
    for chosen in range(1, 1 << DICE):
        cost = 0
        worth = 0.0
        possible = True
        for die in range(DICE):
            if not chosen >> die & 1:
                continue
            if die == but_not or not waits(view.game, view.me, die):
                possible = False
                break
            cost += missing_pips(view.game, view.me, die)
            worth += room[ALONE + np.int64(view.game.tile[view.me, die])]
        if possible and cost <= purse:
            best = max(best, worth + citizens_worth(view, weights, purse - cost))
    return best


@rule
def rate_payments(view, weights, room, options, scores):
    """PAY_CITIZENS: a die, a philosophy token, or nothing more."""
    waiting = False
    for die in range(DICE):
        waiting = waiting or waits(view.game, view.me, die)
    if waiting:
        prepare(view, weights, room)
        value_actions(view, weights, room)
    else:
        unit_values(view, weights, room)
    purse = np.int64(citizens(view))
    for number in range(len(options)):
        option = np.int64(options[number])
        if option == SPEND:
            more = min(purse + view.tables.citizens_per_philosophy, view.tables.max_citizens)
            scores[number] = _best_payment(view, weights, room, more, -1) - room[UNIT + Gain.PHILOSOPHY]
        elif option == DONE:
            scores[number] = citizens_worth(view, weights, purse)
        else:
            rest = purse - missing_pips(view.game, view.me, option)
            worth = room[ALONE + np.int64(view.game.tile[view.me, option])]
            scores[number] = worth + _best_payment(view, weights, room, rest, option)
