"""Playing on in a spare game: a world that could be, and other strategies as everybody's players in it.

`determinize(view, 1, world)` puts a world into spare game 1 that the player cannot tell from the real one,
another for each number. `play_on(view, 1, mine, others, End.ROUND)` goes on there: two of the strategies that
the traits name in `policies` play, one in the player's own seat and one in all others. To compare several
policies from one position, `keep_trail` plays the first and `leave_trail` plays others from the first own
decision where they differ, which gives the same games as `play_on` in half the time.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine import view as views
from khora_sim.engine.agenda import Phase, Task, next_up, push
from khora_sim.engine.calling import call_rate, call_run
from khora_sim.engine.chance import Stream, random_bits
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.memory import copy_record, scratch
from khora_sim.engine.play import Outcome, ask, play, seat_of, show_decision, start
from khora_sim.engine.record import SEATS
from khora_sim.engine.seat import (
    FIRST_SPARE,
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


@inlined
def _line_up(view, game, lineup, mine, others):
    """Say who plays where: policy `mine` in the player's seat, policy `others` in all others."""
    for place in range(game.players):
        lineup[place] = mine if place == view.me else others


@inlined
def _last_round(view, game, until):
    """The last round that is played."""
    return np.int64(game.round_number) if until == End.ROUND else np.int64(view.tables.rounds)


@inlined
def _play_after(view, game, lineup, option, last_round):
    """Play on after an option with the policies of a line-up."""
    seat = view.seat
    ledger, listed, seats = scratch_ledger(seat), listed_of(seat), policies_of(seat)
    if play(game, view.tables, ledger, listed, seats, lineup, option, last_round) != Outcome.OVER:
        seat.failed = Failure.POLICY


@public_rule
def play_on(view, number, mine, others, until):
    """Play a spare game on: policy `mine` in the player's seat, policy `others` in all others."""
    seat, lineup = view.seat, scratch(SEATS)
    if not uses_spare(seat, number) or not _is_policy(seat, mine) or not _is_policy(seat, others):
        return
    game = spare(seat, number)
    _line_up(view, game, lineup, mine, others)
    start(policies_of(seat), lineup, game.players)
    _play_after(view, game, lineup, NO_OPTION, _last_round(view, game, until))


@inlined
def _has_trail(seat, trail, choices):
    """Tell if there are spare games for the whole of a trail; if not, the answer does not count."""
    if trail < FIRST_SPARE or trail + len(choices) > seat.spare_count:
        seat.failed = Failure.SPARE
        return False
    return True


@public_rule
def keep_trail(view, number, mine, others, until, trail, choices):
    """Play a spare game on as `play_on` does, and keep a trail for `leave_trail`.

    Spare game `trail` becomes the position at the start. The spare games after it become the positions at the
    player's own decisions, one for each, and `choices` the options taken there, as many as `choices` has room
    for. Returns the number of these decisions, including those without room.
    """
    seat, lineup, decisions = view.seat, scratch(SEATS), 0
    if not uses_spare(seat, number) or not _has_trail(seat, trail, choices):
        return decisions
    if not _is_policy(seat, mine) or not _is_policy(seat, others):
        return decisions
    game = spare(seat, number)
    uses_spare(seat, trail)
    copy_record(spare(seat, trail), game)
    _line_up(view, game, lineup, mine, others)
    ledger, listed, seats = scratch_ledger(seat), listed_of(seat), policies_of(seat)
    start(seats, lineup, game.players)
    last_round = _last_round(view, game, until)
    count = call_run(seat.run_at, game, view.tables, ledger, listed, NO_OPTION, Until.DECISION)
    while count > 0 and game.fault == 0 and game.round_number <= last_round:
        place = next_up(game)[1]
        index = ask(seat_of(seats, lineup, place), game, view.tables, listed, count)
        if index < 0:
            seat.failed = Failure.POLICY
            return decisions
        option = np.int64(listed[index])
        if place == view.me:
            if decisions < len(choices):
                uses_spare(seat, trail + 1 + decisions)
                copy_record(spare(seat, trail + 1 + decisions), game)
                choices[decisions] = option
            decisions += 1
        count = call_run(seat.run_at, game, view.tables, ledger, listed, option, Until.DECISION)
    if game.fault != 0:
        seat.failed = Failure.POLICY
    return decisions


@public_rule
def leave_trail(view, number, mine, others, until, trail, choices, decisions):
    """Play a spare game from the start of a trail as `play_on` does, with another policy as `mine`.

    The policy is asked at the player's own decisions of the trail. From the first one where it chooses
    another option, the game is played on in spare game `number`. Returns False if there is none: the game
    would end as the trail does, and spare game `number` stays as it is. `others`, `until` and `choices` are
    those of the trail; `decisions` is what `keep_trail` returned.
    """
    seat, lineup = view.seat, scratch(SEATS)
    if not uses_spare(seat, number) or not _has_trail(seat, trail, choices):
        return True
    if not _is_policy(seat, mine) or not _is_policy(seat, others):
        return True
    seats, first = policies_of(seat), spare(seat, trail)
    _line_up(view, first, lineup, mine, others)
    start(seats, lineup, first.players)
    kept = min(decisions, len(choices))
    if _remembers(seats, lineup, first.players):
        kept = 0  # what others chose on the trail is in their memory, so the game is played in full
    place, option, leaves = 0, np.int64(NO_OPTION), kept == 0 and decisions > 0
    while place < kept and not leaves:
        option = _choice(view, spare(seat, trail + 1 + place), seat_of(seats, lineup, view.me))
        if option == NO_OPTION:
            return True
        place += 1
        leaves = option != choices[place - 1] or (place == kept and kept < decisions)
    if leaves:
        copy_record(spare(seat, number), spare(seat, trail + place))
        _play_after(view, spare(seat, number), lineup, option, _last_round(view, first, until))
    return leaves


@inlined
def _remembers(seats, lineup, players):
    """Tell if a policy of a line-up keeps anything from one decision to the next."""
    whole = 0
    for place in range(players):
        whole += seat_of(seats, lineup, place).memory_whole
    return whole > 0


@inlined
def _choice(view, game, guest):
    """The option that a policy takes in a spare game, which waits for a decision; NO_OPTION if it fails."""
    seat = view.seat
    ledger, listed = scratch_ledger(seat), listed_of(seat)
    count = call_run(seat.run_at, game, view.tables, ledger, listed, NO_OPTION, Until.OPTIONS)
    index = ask(guest, game, view.tables, listed, count)
    if index < 0:
        seat.failed = Failure.POLICY
        return np.int64(NO_OPTION)
    return np.int64(listed[index])


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
