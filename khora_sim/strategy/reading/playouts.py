"""Playing on in a spare game: a world that could be, and other strategies as everybody's players in it.

`determinize(view, 1, world)` puts a world into spare game 1 that the player cannot tell from the real one,
another for each number. `play_on(view, 1, policy, End.ROUND)` goes on there, all seats played by one of the
strategies that the traits name in `policies`.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine import view as views
from khora_sim.engine.chance import Stream, random_bits
from khora_sim.engine.copying import copy_record
from khora_sim.engine.machine import NO_OPTION
from khora_sim.engine.play import Outcome, play, start
from khora_sim.engine.record import SEATS
from khora_sim.engine.seat import (
    Failure,
    listed_of,
    memory_of,
    policies_of,
    scratch_ledger,
    spare,
    uses_spare,
    weights_of,
)
from khora_sim.strategy.decorators import macro, public_rule

ALL_THE_SAME = np.zeros(SEATS, np.int8)  # a line-up of one policy in all seats


class End(IntEnum):
    """How far `play_on` goes."""

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


@public_rule
def determinize(view, number, world):
    """Put a world into a spare game: what the player cannot know is drawn at random, anew for each number."""
    if uses_spare(view.seat, number):
        game = spare(view.seat, number)
        copy_record(game, view.game)
        seed = random_bits(view.luck, Stream.WORLD, view.me, 0, world)
        views.determinize(game, view.tables, view.me, seed)


@public_rule
def play_on(view, number, policy, until):
    """Play a spare game on, all seats by a policy (its place among those of the traits)."""
    seat, lineup = view.seat, ALL_THE_SAME
    if not uses_spare(seat, number):
        return
    if policy < 0 or policy >= seat.policy_count:
        seat.failed = Failure.POLICY
        return
    game = spare(seat, number)
    last_round = np.int64(game.round_number) if until == End.ROUND else np.int64(view.tables.rounds)
    seats = policies_of(seat, policy)
    start(seats, lineup, game.players)
    ledger, listed = scratch_ledger(seat), listed_of(seat)
    if play(game, view.tables, ledger, listed, seats, lineup, NO_OPTION, last_round) != Outcome.OVER:
        seat.failed = Failure.POLICY
