"""Following a choice through: a position looked ahead to may wait for one more choice of the same player."""

import numpy as np

from khora_sim.engine.agenda import YES, Task, next_up
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.copying import put_record
from khora_sim.engine.politics import can_have
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, TRACKS, Gain
from khora_sim.strategy.compiling import inlined, rule
from khora_sim.strategy.evaluator.features import Feature
from khora_sim.strategy.evaluator.position import CARD, CITY, COLOUR, UNIT, value
from khora_sim.strategy.evaluator.worth import time_left
from khora_sim.strategy.toolkit.ahead import look_ahead, look_ahead_action
from khora_sim.strategy.toolkit.costs import can_develop, has_next_development, is_top_level
from khora_sim.strategy.toolkit.exploring import can_reach, troops_lost
from khora_sim.strategy.toolkit.holdings import glory, rounds_left

NOTHING = -1e9  # worse than any position
TRIAL = 3  # the place on the desk where replies are tried


@rule
def colour_values(view, weights, room):
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
                worth += share * weights[Feature.DEVELOPMENT] * room[CITY + np.int64(game.development[me])]
        cards = game.hand[me]
        while cards != 0:
            card = lowest(cards)
            cards = without_lowest(cards)
            if tables.cards[card].needs[colour] > owned:
                worth += share * weights[Feature.HAND] * room[CARD + card]
        room[COLOUR + colour] = worth


@rule
def _best_colour(room):
    """The colour worth most."""
    best = 0
    for colour in range(1, COLOURS):
        if room[COLOUR + colour] > room[COLOUR + best]:
            best = colour
    return best


@rule
def space_value(view, weights, room, space):
    """What a space would bring, without looking ahead: there are many."""
    lying = view.tables.spaces[space]
    worth = lying.vp * room[UNIT + Gain.VP] + lying.drachmas * room[UNIT + Gain.DRACHMAS]
    worth -= troops_lost(view, space) * room[UNIT + Gain.TROOPS]
    major = glory(view) * weights[Feature.POINTS] + rounds_left(view) * weights[Feature.MAJORS]
    for colour in range(COLOURS):
        worth += (lying.minor[colour] + lying.major[colour]) * room[COLOUR + colour]
        worth += lying.major[colour] * major
    return worth


@rule
def _best_space(view, weights, room):
    """The space within reach that brings most; -1: none brings anything."""
    best = -1
    most = 0.0
    for space in range(view.tables.space_count):
        if can_reach(view, space, view.game.troops[view.me]):
            worth = space_value(view, weights, room, space)
            if worth > most:
                best = space
                most = worth
    return best


@inlined
def _try(view, option, weights, room, place, so_far):
    """Look at one reply; if it is better than the best so far it takes its place on the desk."""
    worth = value(look_ahead(view, option, TRIAL), weights, room)
    if worth > so_far:
        put_record(view.desk, place, view.desk[TRIAL])
        return worth
    return so_far


@rule
def _try_cards(view, weights, room, place, so_far):
    """Every card that can be played; all from the same position, which the best one then replaces."""
    best = -1
    most = so_far
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if can_have(view.game, view.tables, view.me, view.tables.cards[card]):
            worth = value(look_ahead(view, card, TRIAL), weights, room)
            if worth > most:
                best = card
                most = worth
    if best >= 0:
        look_ahead(view, best, TRIAL)
        put_record(view.desk, place, view.desk[TRIAL])
    return most


@rule
def reply(view, weights, room, place):
    """The worth of a position on the desk after the player's best reply to what waits there, if anything."""
    if view.game.agenda_size == 0:
        return value(view, weights, room)
    waiting, seat, amount = next_up(view.game)
    if seat != view.me:
        return value(view, weights, room)
    if waiting == Task.EXPLORE:
        space = _best_space(view, weights, room)
        if space >= 0:
            return _try(view, space, weights, room, place, NOTHING)
    so_far = value(view, weights, room)
    if waiting == Task.BUY_TOKEN:
        if view.game.drachmas[view.me] < view.game.token_price[view.me]:
            return so_far
        return _try(view, _best_colour(room), weights, room, place, so_far)
    if waiting == Task.GAIN_TOKEN:
        return _try(view, _best_colour(room), weights, room, place, so_far)
    if waiting == Task.PLAY_CARD:
        return _try_cards(view, weights, room, place, so_far)
    if waiting == Task.DEVELOP:
        return _try(view, YES, weights, room, place, so_far) if can_develop(view) else so_far
    if waiting == Task.CHOOSE_TRACK:
        best = 0.0
        for track in range(TRACKS):
            if not is_top_level(view, track):
                best = max(best, room[UNIT + Gain.ECONOMY + track])
        return so_far + best * (amount >> 3)
    return so_far


@inlined
def act(view, action, weights, room, place):
    """The worth of the position after an action with the best reply within it; leaves it on the desk."""
    return reply(look_ahead_action(view, action, place), weights, room, place)
