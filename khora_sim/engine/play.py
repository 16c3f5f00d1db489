"""Playing a game to its end: whoever must decide is asked for a rating of each option.

A player is a function that rates all options of a decision; the best one is taken. The engine knows
nothing else of players, so one compiled loop serves all of them.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.chance import Stream, random_below, random_bits
from khora_sim.engine.compiling import rule
from khora_sim.engine.copying import put_record
from khora_sim.engine.machine import NO_OPTION, Reach
from khora_sim.engine.record import SEATS
from khora_sim.engine.setup import new_game
from khora_sim.engine.view import view

POOL = 32  # players that one call of the loop can choose from
MAX_PARAMETERS = 64
ASKED = -1

#: What one game of a study is played from.
SET_UP = np.dtype(
    [
        ("seed", "u8"),
        ("players", "i1"),
        ("first_player", "i1"),  # seat or RANDOM
        ("cities", "i1", (SEATS,)),  # city or RANDOM by seat
        ("lineup", "i1", (SEATS,)),  # place in the pool by seat
    ],
    align=True,
)


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
def play(game, tables, ledger, desk, scrap, out, scores, option, run, pool, seats, parameters, ties):
    """Play on after an option (or from where the game stands) until it is over or somebody must be asked.

    `seats` says which player of the pool sits where. `ties`: 1 takes the first of equal ratings, 0 lets the
    player's luck decide, ASKED is a player that is not compiled.
    """
    count = run(game, tables, ledger, out, option, Reach.DECISION)
    while count > 0:
        seat = np.int64(game.agenda[game.agenda_size - 1, 1])
        player = seats[seat]
        if ties[player] == ASKED:
            return Outcome.ASK
        luck = random_bits(game.seed, Stream.STRATEGY, seat, game.round_number, game.step)
        view(game, seat, desk, 0)
        pool[player](desk[0], tables, seat, out, count, scores, parameters[player], luck, desk, scrap, run)
        place = best_option(scores, count, luck, ties[player])
        if place < 0:
            return Outcome.BAD_RATING
        count = run(game, tables, ledger, out, np.int64(out[place]), Reach.DECISION)
    return Outcome.OVER


@rule
def play_games(games, ledgers, rules, set_ups, settings, desk, scraps, out, scores, run, pool, parameters, ties):
    """Set up and play a whole array of games; returns how many ended well before one did not."""
    tables = rules[0]
    for place in range(len(games)):
        game = games[place]
        ledger = ledgers[place]
        set_up = set_ups[place]
        put_record(ledgers, place, ledgers[len(games)])  # the last ledger is a blank one
        new_game(
            game, tables, ledger, set_up.seed, set_up.players, settings, set_up.cities, set_up.first_player
        )
        outcome = play(
            game, tables, ledger, desk, scraps[0], out, scores, NO_OPTION, run, pool, set_up.lineup, parameters, ties
        )
        if outcome != Outcome.OVER:
            return place
    return len(games)
