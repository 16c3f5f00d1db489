"""Playing on in a spare game: a world that could be, and other strategies as everybody's players in it.

`determinize(view, 1, world)` puts a world into spare game 1 that the player cannot tell from the real one,
another for each number. `play_on(view, 1, mine, others, End.ROUND)` goes on there: two of the strategies that
the traits name in `policies` play, one in the player's own seat and one in all others.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine import view as views
from khora_sim.engine.agenda import Phase, Task, next_up, push
from khora_sim.engine.calling import call_rate, call_run
from khora_sim.engine.chance import Stream, random_bits
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.memory import copy_record, scratch
from khora_sim.engine.play import Outcome, ask, play, show_decision, start
from khora_sim.engine.record import SEATS
from khora_sim.engine.seat import (
    Failure,
    listed_of,
    memory_of,
    options_of,
    policies_of,
    ratings_of,
    scratch_ledger,
    spare,
    tidy_up,
    uses_spare,
    weights_of,
)
from khora_sim.strategy.decorators import inlined, macro, public_rule


class End(IntEnum):
    """End of `play_on`."""

    ROUND = 0  # to the first decision of the next round; in the last round to the end
    GAME = 1  # to the end of the game


@macro
def weights(view):
    """The strategy's own numbers, in the order in which its parameters are declared; for reading only."""
    return weights_of(view.seat)


@macro
def memory(view):
    """As many numbers as the traits declare, kept from one decision of a game to the next; 0 at its start."""
    return memory_of(view.seat)


@inlined
def _is_policy(seat, policy):
    """Tell if the traits name so many policies; if not, the answer does not count."""
    if policy < 0 or policy >= seat.policy_count:
        seat.failed = Failure.POLICY
        return False
    return True


@public_rule
def determinize(view, number, world):
    """Put a world into a spare game: what the player cannot know is drawn at random, by `world`."""
    if uses_spare(view.seat, number):
        game = spare(view.seat, number)
        copy_record(game, view.game)
        seed = random_bits(view.luck, Stream.WORLD, view.me, 0, world)
        views.determinize(game, view.tables, view.me, seed)


@public_rule
def place_hidden_tiles(view, number, policy):
    """In the world of a spare game, let a policy place the tiles that others have placed and not revealed."""
    seat = view.seat
    if not uses_spare(seat, number) or not _is_policy(seat, policy):
        return
    game = spare(seat, number)
    if game.phase != Phase.DICE or view.decision != Task.PLACE_TILES:
        return
    for other in range(game.players):
        if other != view.me and not views.still_places(game, other):
            push(game, Task.PLACE_TILES, other, 0)
    ledger, listed = scratch_ledger(seat), listed_of(seat)
    count = call_run(seat.run_at, game, view.tables, ledger, listed, NO_OPTION, Until.OPTIONS)
    while count > 0 and next_up(game)[1] != view.me:
        guest = policies_of(seat)[policy * SEATS + next_up(game)[1]]
        index = ask(guest, game, view.tables, listed, count)
        if index < 0:
            seat.failed = Failure.POLICY
            return
        option = np.int64(listed[index])
        count = call_run(seat.run_at, game, view.tables, ledger, listed, option, Until.DECISION)


@public_rule
def play_on(view, number, mine, others, until):
    """Play a spare game on: policy `mine` in the player's seat, policy `others` in all others."""
    seat, lineup = view.seat, scratch(SEATS)
    if not uses_spare(seat, number) or not _is_policy(seat, mine) or not _is_policy(seat, others):
        return
    game = spare(seat, number)
    for place in range(game.players):
        lineup[place] = mine if place == view.me else others
    last_round = np.int64(game.round_number) if until == End.ROUND else np.int64(view.tables.rounds)
    seats = policies_of(seat)
    start(seats, lineup, game.players)
    ledger, listed = scratch_ledger(seat), listed_of(seat)
    if play(game, view.tables, ledger, listed, seats, lineup, NO_OPTION, last_round) != Outcome.OVER:
        seat.failed = Failure.POLICY


@public_rule
def advise(view, policy, scores):
    """Have a policy rate the options of the decision at hand; it sees what the player sees."""
    seat = view.seat
    if not _is_policy(seat, policy):
        return
    guest = policies_of(seat)[policy * SEATS + view.me]
    show_decision(guest, view.game, options_of(seat), seat.option_count)
    guest.luck = random_bits(view.luck, Stream.WORLD, view.me, 1, policy)
    call_rate(guest, view.tables)
    tidy_up(guest)
    ratings = ratings_of(guest)
    for index in range(seat.option_count):
        scores[index] = ratings[index]
        if guest.failed != Failure.NONE or not abs(ratings[index]) < np.inf:
            seat.failed = Failure.POLICY
