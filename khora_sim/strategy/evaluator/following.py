"""Following choices through: a position is valued after the player's own choices that wait in it.

A development or card may open a choice, and that one more: what it brings is known only at the end of them.
All sequences of choices are tried. Only the player's own choices are followed, from what it may know.
"""

import numpy as np

from khora_sim.engine.agenda import NONE, SELL, Task, next_up
from khora_sim.engine.bits import BIT, lowest, size, without_lowest
from khora_sim.engine.copying import copy_record
from khora_sim.engine.seat import listed_of, spare, uses_spare
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.reading.ahead import in_spare, try_action, try_option
from khora_sim.strategy.reading.costs import has_next_development
from khora_sim.strategy.reading.holdings import drachmas
from khora_sim.strategy.value.position import value
from khora_sim.strategy.value.tokens import most_worth_exploring, work_out_colours

NOTHING = -1e9  # worse than any position
BEST = 3  # the spare record that keeps the best end of all sequences
TRIAL = 4  # the first of the spare records for the positions after each choice of a sequence
IN_A_ROW = 6  # choices that are followed one after the other
SEQUENCES = 16384  # sequences that are followed from one position: more than the base game has


@rule
def _best_space(view, model):
    """The space within reach that brings most, as a set; empty: none brings anything."""
    prices, worths = model.prices, model.worths
    work_out_colours(view, prices, worths, prices.next_development)
    best = most_worth_exploring(view, worths, view.game.troops[view.me], view.game.explored)
    return BIT[best] if best >= 0 else np.int64(0)


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
def _end(view, model, so_far):
    """The worth of a position in which nothing more is chosen, if it is the best so far: then it is kept."""
    worth = value(view, model.weights, model.worths)
    if worth > so_far:
        uses_spare(view.seat, BEST)
        copy_record(spare(view.seat, BEST), view.game)
        return worth
    return so_far


@rule
def _follow(view, model, count, row, sequences, so_far):
    """Try all sequences of the choices that wait in a position; an end better than the best so far is kept.

    `count` options are listed, if anybody has a choice there; `row` choices have been followed before it.
    """
    mine = False
    task = np.int64(0)
    if count > 1 and row < IN_A_ROW and count <= sequences:
        task, seat, _ = next_up(view.game)
        mine = seat == view.me
    if not mine:
        return _end(view, model, so_far)
    listed = listed_of(view.seat)
    declines = listed[count - 1] == NONE
    sells = declines and count > 1 and listed[count - 2] == SELL
    choices = count - declines - sells
    options = np.int64(0)
    if task == Task.EXPLORE:
        options = _best_space(view, model)
    else:
        for index in range(choices):
            if listed[index] >= len(BIT):
                return _end(view, model, so_far)
            options |= BIT[listed[index]]
    number = TRIAL + row
    after = in_spare(view, number)
    share = np.int64(sequences // (size(options) + 2))
    while options != 0:
        waiting = try_option(view, lowest(options), number)
        so_far = _follow(after, model, np.int64(waiting), row + 1, share, so_far)
        options = without_lowest(options)
    if sells and _is_short_of_drachmas(view, task):
        waiting = try_option(view, SELL, number)
        so_far = _follow(after, model, np.int64(waiting), row + 1, share, so_far)
    if declines and view.game.agenda_size == 1:
        so_far = _end(view, model, so_far)
    elif declines:
        waiting = try_option(view, NONE, number)
        so_far = _follow(after, model, np.int64(waiting), row + 1, share, so_far)
    return so_far


@inlined
def settle(view, model, count, number):
    """The worth of the position in a spare record after the player's best choices, which are made there.

    `count` says how many options wait there, as `try_option` returned it.
    """
    if count < 2 or next_up(view.game)[1] != view.me:
        return value(view, model.weights, model.worths)
    worth = _follow(view, model, np.int64(count), np.int64(0), np.int64(SEQUENCES), NOTHING)
    copy_record(spare(view.seat, number), spare(view.seat, BEST))
    return worth


@inlined
def act(view, action, model, number):
    """The worth of the position after an action and the best choices within it; a spare record keeps it."""
    count = try_action(view, action, number)
    return settle(in_spare(view, number), model, count, number)


@inlined
def choose(view, option, model, number):
    """The worth of the position after an option and the best choices that it opens."""
    count = try_option(view, option, number)
    return settle(in_spare(view, number), model, count, number)
