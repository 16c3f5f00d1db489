"""Playing a game to its end: whoever must decide is asked for a rating of each option.

A player is a function that rates all options of a decision; the best one is taken. The engine knows
nothing else of players, so one compiled loop serves all of them.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.agenda import next_up
from khora_sim.engine.calling import call_rate, call_run
from khora_sim.engine.chance import Stream, own_luck, random_below, random_bits
from khora_sim.engine.compiling import inlined
from khora_sim.engine.copying import put_record
from khora_sim.engine.machine import NO_OPTION, Reach
from khora_sim.engine.record import SEATS
from khora_sim.engine.setup import new_game
from khora_sim.engine.view import show

MAX_PARAMETERS = 64
DESK = 10  # records: the view itself, and spare ones for look-ahead
ASKED = -1  # in `ties`: a player that is not compiled

#: What one game is played from.
SET_UP = np.dtype(
    [
        ("seed", "u8"),
        ("settings", "i2"),  # set of Setting bits
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
    ASK = 2  # a player that is not compiled must decide
    FAULT = 3  # the game had to stop, by the fault of its rules


def indifferent(view, tables, seat, out, count, scores, parameters, luck, desk, scrap, run):
    """The simplest player: all options are alike, so that its luck decides. Random legal play."""
    for place in range(count):
        scores[place] = 0.0


@inlined
def _highest(scores, count):
    """The highest rating: four at a time, which the processor compares at once."""
    first = second = third = fourth = scores[0]
    for place in range(0, count - 3, 4):
        first = _larger(scores[place], first)
        second = _larger(scores[place + 1], second)
        third = _larger(scores[place + 2], third)
        fourth = _larger(scores[place + 3], fourth)
    for place in range(count & ~3, count):
        first = _larger(scores[place], first)
    return _larger(_larger(first, second), _larger(third, fourth))


@inlined
def _larger(one, other):
    """The larger of two ratings, as the processor has an instruction for it."""
    return one if one > other else other


@inlined
def best_option(scores, count, luck, first_of_equals):
    """The place of the highest rating; equals are decided by the player's luck; -1 for no number."""
    best = _highest(scores, count)
    equals, numbers, first = 0, 0, count
    for place in range(count):
        equals += scores[place] == best
        numbers += abs(scores[place]) < np.inf
        first = min(first, place if scores[place] == best else count)
    if numbers < count:
        return -1
    if first_of_equals or equals == 1:
        return first
    skip = random_below(luck, equals)
    if equals == count:
        return skip
    place = first
    while skip > 0 or scores[place] != best:
        skip -= scores[place] == best
        place += 1
    return place


@inlined
def play(game, tables, ledger, lineup, desk, scrap, out, scores, option, run, pool, parameters, ties):
    """Play on after an option (or from where the game stands) until it is over or somebody must be asked.

    `lineup` says which player of the pool sits where; `ties` what each does with equal ratings: 1 takes the
    first, 0 lets its luck decide, ASKED is a player that is not compiled.
    """
    count = call_run(run, game, tables, ledger, out, option, Reach.DECISION)
    while count > 0 and game.fault == 0:
        _, seat, _ = next_up(game)
        player = np.int64(np.uint8(lineup[seat]))
        if ties[player] == ASKED:
            return Outcome.ASK
        luck = random_bits(game.seed, Stream.STRATEGY, seat, game.round_number, game.step)
        shown = own_luck(game.seed, seat, game.round_number, game.step)
        show(game, seat, desk, 0)
        call_rate(
            pool[player],
            desk[0],
            tables,
            seat,
            out,
            count,
            scores,
            parameters[player],
            shown,
            desk,
            scrap,
            run,
        )
        place = best_option(scores, count, luck, ties[player])
        if place < 0:
            return Outcome.BAD_RATING
        count = call_run(run, game, tables, ledger, out, np.int64(out[place]), Reach.DECISION)
    return Outcome.OVER if game.fault == 0 else Outcome.FAULT


@inlined
def set_up(games, ledgers, rules, set_ups, place):
    """Set up one game of an array; the ledger behind the last game is a blank one."""
    _set_up_at(games, ledgers, rules, set_ups, place, place)


@inlined
def _set_up_at(games, ledgers, rules, set_ups, place, stage):
    """Set up one game of an array in another place of it."""
    given = set_ups[place]
    put_record(ledgers, stage, ledgers[len(games)])
    new_game(
        games[stage],
        rules[0],
        ledgers[stage],
        given.seed,
        given.players,
        given.settings,
        given.cities,
        given.first_player,
    )


@inlined
def play_on(
    games,
    ledgers,
    rules,
    set_ups,
    place,
    option,
    asked,
    desk,
    scraps,
    out,
    scores,
    run,
    pool,
    parameters,
    ties,
):
    """Play one game of an array on from an option, as far as compiled players go.

    Returns how many options a player has that must be asked, else the Outcome, less than 1. `asked` is told
    its seat and its luck, and the first record of the desk shows its view.
    """
    game = games[place]
    outcome = play(
        game,
        rules[0],
        ledgers[place],
        set_ups[place].lineup,
        desk,
        scraps[0],
        out,
        scores,
        option,
        run,
        pool,
        parameters,
        ties,
    )
    if outcome != Outcome.ASK:
        return -outcome
    _, seat, _ = next_up(game)
    show(game, seat, desk, 0)
    asked[0] = np.uint64(seat)
    asked[1] = own_luck(game.seed, seat, game.round_number, game.step)
    return call_run(run, game, rules[0], ledgers[place], out, NO_OPTION, Reach.LIST)


@inlined
def play_games(games, ledgers, rules, set_ups, desk, scraps, out, scores, run, pool, parameters, ties):
    """Set up and play a whole array of games; returns how many ended well before one did not.

    All are played in the last place and then copied to their own: memory that was just used is fast.
    """
    stage = len(games) - 1
    for place in range(len(games)):
        _set_up_at(games, ledgers, rules, set_ups, place, stage)
        outcome = play(
            games[stage],
            rules[0],
            ledgers[stage],
            set_ups[place].lineup,
            desk,
            scraps[0],
            out,
            scores,
            NO_OPTION,
            run,
            pool,
            parameters,
            ties,
        )
        if place != stage:
            put_record(games, place, games[stage])
            put_record(ledgers, place, ledgers[stage])
        if outcome != Outcome.OVER:
            return place
    return len(games)
