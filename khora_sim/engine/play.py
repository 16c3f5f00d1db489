"""Playing a game to its end: whoever must decide is asked for a rating of each option.

A player is a function that rates all options of a decision; the best one is taken. The engine knows
nothing else of players, so one compiled loop serves all of them.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.chance import Stream, random_below, random_bits
from khora_sim.engine.compiling import rule
from khora_sim.engine.machine import Reach
from khora_sim.engine.view import view

MAX_PARAMETERS = 64


class Outcome(IntEnum):
    """How a call of `play` ended."""

    OVER = 0
    BAD_RATING = 1  # a player rated an option with something that is no number
    ASK = 2  # a seat without a compiled player must decide


@rule
def best_option(scores, count, luck, first_of_equals):
    """The place of the highest rating; equals are decided by the player's luck; -1 for no number."""
    best = scores[0]
    place = 0
    equals = 1
    for other in range(count):
        value = scores[other]
        if not np.isfinite(value):
            return -1
        if value > best:
            best = value
            place = other
            equals = 1
        elif value == best and other > 0:
            equals += 1
    if first_of_equals or equals == 1:
        return place
    skip = random_below(luck, equals)
    for other in range(place, count):
        if scores[other] == best:
            if skip == 0:
                return other
            skip -= 1
    return place


@rule
def play(game, tables, ledger, desk, scrap, out, scores, option, run, players, parameters, first_of_equals):
    """Play on after an option (or from where the game stands) until it is over or somebody must be asked."""
    count = run(game, tables, ledger, out, option, Reach.DECISION)
    while count > 0:
        player = np.int64(game.agenda[game.agenda_size - 1, 1])
        if first_of_equals[player] < 0:
            return Outcome.ASK
        luck = random_bits(game.seed, Stream.STRATEGY, player, game.round_number, game.step)
        view(game, player, desk, 0)
        players[player](
            desk[0], tables, player, out, count, scores, parameters[player], luck, desk, scrap, run
        )
        place = best_option(scores, count, luck, first_of_equals[player])
        if place < 0:
            return Outcome.BAD_RATING
        count = run(game, tables, ledger, out, np.int64(out[place]), Reach.DECISION)
    return Outcome.OVER
