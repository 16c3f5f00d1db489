"""Following choices through: a position is valued after the player's own choices that wait in it.

A development or card may open a choice, and that one more: what it brings is known only at the end of them.
All sequences of choices are tried. Only the player's own choices are followed, from what it may know.
"""

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task, next_up
from khora_sim.engine.bits import BIT, lowest, size, without_lowest
from khora_sim.engine.copying import copy_record
from khora_sim.engine.seat import listed_of, spare, uses_spare
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, Gain
from khora_sim.strategy.compiling import inlined, rule
from khora_sim.strategy.evaluator.features import Feature
from khora_sim.strategy.evaluator.position import value
from khora_sim.strategy.evaluator.worth import time_left
from khora_sim.strategy.toolkit.ahead import at_place, try_action, try_option
from khora_sim.strategy.toolkit.costs import has_next_development
from khora_sim.strategy.toolkit.exploring import can_reach, troops_lost
from khora_sim.strategy.toolkit.holdings import drachmas, glory, rounds_left

NOTHING = -1e9  # worse than any position
BEST = 3  # the spare record that keeps the best end of all sequences
TRIAL = 4  # the first of the spare records for the positions after each choice of a sequence
IN_A_ROW = 6  # choices that are followed one after the other
SEQUENCES = 16384  # sequences that are followed from one position: more than the base game has


@rule
def _colour_values(view, weights, work):
    """What one more token of each colour would be worth."""
    game, tables, me = view.game, view.tables, view.me
    time = time_left(view)
    share = weights[Feature.MISSING_TOKEN] * time
    for colour in range(COLOURS):
        owned = game.minor[me, colour] + game.major[me, colour]
        worth = time * weights[Feature.MINORS]
        if has_next_development(view):
            city = tables.developments[game.city[me]]
            if city[DEVELOPMENTS - 1].needs[colour] > owned:
                worth -= time * weights[Feature.CITY_TOKENS]
            if city[game.development[me]].needs[colour] > owned:
                worth += share * weights[Feature.DEVELOPMENT] * work.city[np.int64(game.development[me])]
        cards = game.hand[me]
        while cards != 0:
            card = lowest(cards)
            cards = without_lowest(cards)
            if tables.cards[card].needs[colour] > owned:
                worth += share * weights[Feature.HAND] * work.card[card]
        work.colour[colour] = worth


@rule
def _space_value(view, weights, work, space):
    """What a space would bring, without looking ahead: there are many."""
    lying = view.tables.spaces[space]
    worth = lying.vp * work.unit[Gain.VP] + lying.drachmas * work.unit[Gain.DRACHMAS]
    worth -= troops_lost(view, space) * work.unit[Gain.TROOPS]
    major = glory(view) * weights[Feature.POINTS] + rounds_left(view) * weights[Feature.MAJORS]
    for colour in range(COLOURS):
        worth += (lying.minor[colour] + lying.major[colour]) * work.colour[colour]
        worth += lying.major[colour] * major
    return worth


@rule
def _best_space(view, weights, work):
    """The space within reach that brings most, as a set; empty: none brings anything."""
    _colour_values(view, weights, work)
    best = np.int64(0)
    most = 0.0
    for space in range(view.tables.space_count):
        if can_reach(view, space, view.game.troops[view.me]):
            worth = _space_value(view, weights, work, space)
            if worth > most:
                best = BIT[space]
                most = worth
    return best


@inlined
def _is_short_of_drachmas(view, task):
    """Whether there is something that the decision at hand could buy if there were more drachmas."""
    if task == Task.BUY_TOKEN:
        return drachmas(view) < view.game.token_price[view.me]
    if task == Task.DEVELOP:
        city = view.tables.developments[view.game.city[view.me]]
        return has_next_development(view) and drachmas(view) < city[view.game.development[view.me]].cost
    if task == Task.PLAY_CARD:
        cards = view.game.hand[view.me]
        while cards != 0:
            if drachmas(view) < view.tables.cards[lowest(cards)].cost:
                return True
            cards = without_lowest(cards)
        return False
    return True


@rule
def _end(view, weights, work, so_far):
    """The worth of a position in which nothing more is chosen, if it is the best so far: then it is kept."""
    worth = value(view, weights, work)
    if worth > so_far:
        uses_spare(view.seat, BEST)
        copy_record(spare(view.seat, BEST), view.game)
        return worth
    return so_far


@rule
def _follow(view, weights, work, count, row, sequences, so_far):
    """Try all sequences of the choices that wait in a position; an end better than the best so far is kept.

    `count` options are listed, if anybody has a choice there; `row` choices have been followed before it.
    """
    mine = False
    task = np.int64(0)
    if count > 1 and row < IN_A_ROW and count <= sequences:
        task, seat, _ = next_up(view.game)
        mine = seat == view.me
    if not mine:
        return _end(view, weights, work, so_far)
    listed = listed_of(view.seat)
    declines = listed[count - 1] == NONE
    sells = declines and count > 1 and listed[count - 2] == SELL
    choices = count - declines - sells
    options = np.int64(0)
    if task == Task.EXPLORE:
        options = _best_space(view, weights, work)
    else:
        for place in range(choices):
            options |= BIT[listed[place]]
    place = TRIAL + row
    after = at_place(view, place)
    share = np.int64(sequences // (size(options) + 2))
    while options != 0:
        waiting = try_option(view, lowest(options), place)
        so_far = _follow(after, weights, work, np.int64(waiting), row + 1, share, so_far)
        options = without_lowest(options)
    if sells and _is_short_of_drachmas(view, task):
        waiting = try_option(view, SELL, place)
        so_far = _follow(after, weights, work, np.int64(waiting), row + 1, share, so_far)
    if declines and view.game.agenda_size == 1:
        so_far = _end(view, weights, work, so_far)
    elif declines:
        waiting = try_option(view, NONE, place)
        so_far = _follow(after, weights, work, np.int64(waiting), row + 1, share, so_far)
    return so_far


@inlined
def settle(view, weights, work, count, place):
    """The worth of the position in a spare record after the player's best choices, which are made there.

    `count` says how many options wait there, as `try_option` returned it.
    """
    if count < 2 or next_up(view.game)[1] != view.me:
        return value(view, weights, work)
    worth = _follow(view, weights, work, np.int64(count), np.int64(0), np.int64(SEQUENCES), NOTHING)
    copy_record(spare(view.seat, place), spare(view.seat, BEST))
    return worth


@inlined
def act(view, action, weights, work, place):
    """The worth of the position after an action and the best choices within it; a spare record keeps it."""
    count = try_action(view, action, place)
    return settle(at_place(view, place), weights, work, count, place)


@inlined
def choose(view, option, weights, work, place):
    """The worth of the position after an option and the best choices that it opens."""
    count = try_option(view, option, place)
    return settle(at_place(view, place), weights, work, count, place)
