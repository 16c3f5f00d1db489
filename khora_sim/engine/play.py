"""Playing a game to its end: whoever must decide is asked for a rating of each option.

A player is a function that rates all options of a decision; the best one is taken. The engine knows
nothing else of players, so one compiled loop serves all of them.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.agenda import next_up
from khora_sim.engine.calling import call_rate, call_run
from khora_sim.engine.chance import Stream, random_below, random_bits, shown_bits
from khora_sim.engine.compiling import inlined
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.memory import put_record
from khora_sim.engine.record import SEATS
from khora_sim.engine.seat import Failure, options_of, ratings_of, shown, tidy_up, whole_memory_of
from khora_sim.engine.setup import Swap, new_game, swap_dealt
from khora_sim.engine.view import show

#: What one game is played from.
SET_UP = np.dtype(
    [
        ("seed", "u8"),
        ("settings", "i2"),  # set of Setting bits
        ("players", "i1"),
        ("first_player", "i1"),  # seat or RANDOM
        ("cities", "i1", (SEATS,)),  # city or RANDOM by seat
        ("lineup", "i1", (SEATS,)),  # which of the players, by seat
        ("swap", "i1"),  # Swap: whether a card changes places with one of the deck, and when
        ("swapped", "i1"),  # whose card it is: a seat
        ("swap_number", "i1"),  # of several swaps of the same game, each with cards of its own
    ],
    align=True,
)


class Outcome(IntEnum):
    """Outcomes of a call of `play`."""

    OVER = 0
    BAD_RATING = 1  # a player rated an option with something that is no number
    ASK = 2  # a player that is not compiled must decide
    FAULT = 3  # the game had to stop, by the fault of its rules


def indifferent(seat, tables):
    """The simplest player: all options are alike, so that chance decides. Random legal play."""
    ratings = ratings_of(seat)
    for index in range(seat.option_count):
        ratings[index] = 0.0


@inlined
def _highest(scores, count):
    """The highest rating: four at a time, which the processor compares at once."""
    first = second = third = fourth = scores[0]
    for index in range(0, count - 3, 4):
        first = _larger(scores[index], first)
        second = _larger(scores[index + 1], second)
        third = _larger(scores[index + 2], third)
        fourth = _larger(scores[index + 3], fourth)
    for index in range(count & ~3, count):
        first = _larger(scores[index], first)
    return _larger(_larger(first, second), _larger(third, fourth))


@inlined
def _larger(one, other):
    """The larger of two ratings, as the processor has an instruction for it."""
    return one if one > other else other


@inlined
def best_option(scores, count, bits, first_of_equals):
    """The place of the highest rating; equals are decided by random bits; -1 for no number."""
    best = _highest(scores, count)
    equals, numbers, first = 0, 0, count
    for index in range(count):
        equals += scores[index] == best
        numbers += abs(scores[index]) < np.inf
        first = min(first, index if scores[index] == best else count)
    if numbers < count:
        return -1
    if first_of_equals or equals == 1:
        return first
    skip = random_below(bits, equals)
    if equals == count:
        return skip
    index = first
    while skip > 0 or scores[index] != best:
        skip -= scores[index] == best
        index += 1
    return index


@inlined
def _bits_of(game, me):
    """Random bits of the decision at hand."""
    return random_bits(game.seed, Stream.STRATEGY, me, game.round_number, game.decided[me])


@inlined
def show_decision(seat, game, out, count):
    """Put a decision before a player: what it may see, its options, its random bits.

    Returns the bits that decide between equal ratings, which the player does not see.
    """
    task, me, value = next_up(game)
    show(game, me, shown(seat))
    seat.decision, seat.value, seat.failed = task, value, Failure.NONE
    bits = _bits_of(game, me)
    seat.luck = shown_bits(bits, game.seed)
    seat.option_count = count
    options = options_of(seat)
    for index in range(count):
        options[index] = out[index]
    return bits


@inlined
def ask(seat, game, tables, out, count):
    """Have a compiled player decide: the place of its option, -1 if its answer does not count.

    One that is indifferent needs no view, no ratings and no comparison: what it chooses is known.
    """
    if seat.is_indifferent:
        return 0 if seat.takes_first else random_below(_bits_of(game, next_up(game)[1]), count)
    bits = show_decision(seat, game, out, count)
    call_rate(seat, tables)
    tidy_up(seat)
    if seat.failed != Failure.NONE:
        return -1
    return best_option(ratings_of(seat), count, bits, seat.takes_first)


@inlined
def seat_of(seats, lineup, seat_number):
    """The seat of the player who sits in a place at the table."""
    return seats[np.int64(np.uint8(lineup[seat_number])) * SEATS + seat_number]


@inlined
def play(game, tables, ledger, out, seats, lineup, option, last_round):
    """Play on after an option (or from where the game stands) until it is over or somebody must be asked.

    It also ends at the first decision after the last round that is to be played. `lineup` says which player
    of those with seats sits where; `out` is where the machine lists options.
    """
    run = seats[0].run_at
    count = call_run(run, game, tables, ledger, out, option, Until.DECISION)
    while count > 0 and game.fault == 0 and game.round_number <= last_round:
        seat = seat_of(seats, lineup, next_up(game)[1])
        if not seat.is_compiled:
            return Outcome.ASK
        index = ask(seat, game, tables, out, count)
        if index < 0:
            return Outcome.BAD_RATING
        count = call_run(run, game, tables, ledger, out, np.int64(out[index]), Until.DECISION)
    return Outcome.OVER if game.fault == 0 else Outcome.FAULT


@inlined
def set_up(games, ledgers, rules, set_ups, index):
    """Set up one game of an array; the ledger behind the last game is a blank one."""
    _set_up_at(games, ledgers, rules, set_ups, index, index)


@inlined
def _set_up_at(games, ledgers, rules, set_ups, index, stage):
    """Set up one game of an array in another place of it."""
    given = set_ups[index]
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
    if given.swap == Swap.DEALT:
        swap_dealt(games[stage], ledgers[stage], given.swapped, given.swap_number)
    elif given.swap == Swap.DRAFTED:
        ledgers[stage].swapped, ledgers[stage].swap_number = given.swapped + 1, given.swap_number


@inlined
def start(seats, lineup, players):
    """Those who sit at the table know nothing of games before."""
    for seat_number in range(players):
        seat = seat_of(seats, lineup, seat_number)
        if seat.memory_whole > 0:
            memory = whole_memory_of(seat)
            for number in range(seat.memory_whole):
                memory[number] = 0.0


@inlined
def play_on(games, ledgers, rules, set_ups, index, option, out, seats):
    """Play one game of an array on from an option, as far as compiled players go.

    Returns how many options a player has that must be asked, else the Outcome, less than 1. The decision is
    put before the player's seat.
    """
    game, lineup = games[index], set_ups[index].lineup
    if option == NO_OPTION:
        start(seats, lineup, game.players)
    outcome = play(game, rules[0], ledgers[index], out, seats, lineup, option, rules[0].rounds)
    if outcome != Outcome.ASK:
        return -outcome
    seat = seat_of(seats, lineup, next_up(game)[1])
    count = call_run(seat.run_at, game, rules[0], ledgers[index], out, NO_OPTION, Until.OPTIONS)
    show_decision(seat, game, out, count)
    return count


@inlined
def play_games(games, ledgers, rules, set_ups, out, seats):
    """Set up and play a whole array of games; returns how many ended well before one did not.

    All are played in the last place and then copied to their own: memory that was just used is fast.
    """
    stage = len(games) - 1
    for index in range(len(games)):
        _set_up_at(games, ledgers, rules, set_ups, index, stage)
        lineup = set_ups[index].lineup
        start(seats, lineup, games[stage].players)
        outcome = play(games[stage], rules[0], ledgers[stage], out, seats, lineup, NO_OPTION, rules[0].rounds)
        if index != stage:
            put_record(games, index, games[stage])
            put_record(ledgers, index, ledgers[stage])
        if outcome != Outcome.OVER:
            return index
    return len(games)
