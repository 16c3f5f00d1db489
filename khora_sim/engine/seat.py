"""A seat: a player at work. One record says what it is shown, what it has, and how it is asked.

Whatever does not fit a record is referred to by its address. `Seats` makes seats and owns that memory.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from khora_sim.engine.calling import SEAT, handle
from khora_sim.engine.compiling import inlined, macro
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.memory import address_of, numbers_at, records_at, wipe
from khora_sim.engine.record import GAME, SEATS, new_records

game_at = records_at(GAME)
ledger_at = records_at(LEDGER)
ratings_at = numbers_at(np.float64)
options_at = numbers_at(np.int16)
seats_at = numbers_at(SEAT)

FIRST_SPARE = 1  # spare games count from 1


class Failure(IntEnum):
    """Reasons why a player's answer does not count, in `failed`."""

    NONE = 0
    SPARE = 1  # it asked for a spare game that it did not declare
    POLICY = 2  # it asked for a policy that it did not declare, or one that failed itself
    RAISED = 3  # it began and did not finish: its code raised an exception


@inlined
def shown(seat):
    """The record with all that the player may see."""
    return game_at(seat.view_at, 0)


@inlined
def spare(seat, number):
    """A spare game, 1 to as many as were declared."""
    return game_at(seat.spares_at, number - FIRST_SPARE)


@inlined
def scratch_ledger(seat):
    """A ledger that nobody reads, for spare games."""
    return ledger_at(seat.ledger_at, 0)


@macro
def options_of(seat):
    """The options of the decision at hand; the player may scribble on them."""
    return options_at(seat.options_at, seat.option_count)


@macro
def ratings_of(seat):
    """Array where the player writes what it thinks of them."""
    return ratings_at(seat.ratings_at, seat.option_count)


@macro
def listed_of(seat):
    """Array where the options are listed that a spare game waits with."""
    return options_at(seat.listed_at, MAX_OPTIONS)


@macro
def weights_of(seat):
    """The player's numbers, which all its games share; for reading only."""
    return ratings_at(seat.weights_at, seat.weight_count)


@macro
def memory_of(seat):
    """Numbers that live as long as a game, 0 at its start."""
    return ratings_at(seat.memory_at, seat.memory_size)


@macro
def whole_memory_of(seat):
    """The same with the memory of its policies, which they would otherwise carry into the next game."""
    return ratings_at(seat.memory_at, seat.memory_whole)


@macro
def policies_of(seat):
    """The seats of all policies, SEATS for each: one for each place at the table."""
    return seats_at(seat.policies_at, SEATS * seat.policy_count)


@inlined
def uses_spare(seat, number):
    """Note that a spare game is in use; False if there is no such."""
    if number < FIRST_SPARE or number > seat.spare_count:
        seat.failed = Failure.SPARE
        return False
    seat.spares_used = max(seat.spares_used, number)
    return True


@inlined
def known_spare(seat, number):
    """A spare game that was declared; any other number gives the first, and the answer does not count."""
    if number < FIRST_SPARE or number > seat.spare_count:
        seat.failed = Failure.SPARE
        number = FIRST_SPARE
    return spare(seat, number)


@inlined
def begin(seat):
    """Note that the player's code begins; an exception leaves the note, and the answer does not count."""
    seat.failed = Failure.RAISED


@inlined
def finish(seat):
    """Note that the player's code came to its end; a failure that it noted itself stays."""
    if seat.failed == Failure.RAISED:
        seat.failed = Failure.NONE


@inlined
def tidy_up(seat):
    """Leave nothing in the spare games that the next player could learn from.

    Nothing ever reads the ledger, but a stranger's code could find it in memory.
    """
    if seat.spares_used > 0:
        for number in range(FIRST_SPARE, seat.spares_used + 1):
            wipe(spare(seat, number))
        if seat.wipes_ledger:
            wipe(scratch_ledger(seat))
        seat.spares_used = 0


class Player(NamedTuple):
    """A player that takes a seat: how it is asked, and what it needs."""

    rate: Any  # address of its function, or the function itself; None: it is not compiled
    takes_first: bool = False  # of equal ratings: the first; else chance decides
    weights: np.ndarray = np.zeros(0)
    memory: int = 0  # numbers
    spares: int = 0  # games
    policies: tuple["Player", ...] = ()
    learned: np.ndarray = np.zeros(0)  # a learned value for the rules at hand
    learned_policy: np.ndarray = np.zeros(0)  # a learned policy for the rules at hand
    built_in: bool = False  # the project's own code, which is known to read nothing that it should not
    indifferent: bool = False  # it rates all options alike, so that nobody needs to ask it

    @property
    def whole_memory(self) -> int:
        """Its numbers and those of its policies."""
        return self.memory + sum(one.whole_memory for one in self.policies)


class Seats:
    """The seats of some players, each in every place at the table: player x SEATS + place.

    Only one player thinks at a time, so that they share a view, lists, ratings and spare games; those of a
    policy are its own, since whoever asked it goes on with theirs afterwards. The memory of a policy lies
    behind that of whoever asks it.
    """

    def __init__(
        self,
        players: tuple[Player, ...] | list[Player],
        run: Any,
        memory: list[np.ndarray] | None = None,
        strangers: bool = False,
    ):
        self.players = tuple(players)
        self.strangers = strangers or not all(one.built_in for one in players)
        self.records: Any = new_records(len(players) * SEATS, SEAT)
        self.view = new_records(1)
        self.options = np.zeros(MAX_OPTIONS, np.int16)
        self.ratings = np.zeros(MAX_OPTIONS)
        self.listed = np.zeros(MAX_OPTIONS, np.int16)
        self.ledger = new_records(1, LEDGER)
        self.spares = new_records(max([one.spares for one in players] + [1]))
        self.weights = [np.ascontiguousarray(one.weights, np.float64).copy() for one in players]
        self.learned = [(one.learned, one.learned_policy) for one in players]
        self.memory = memory or [np.zeros((SEATS, max(one.whole_memory, 1))) for one in players]
        self.policies = [
            Seats(one.policies, run, _memory_of_policies(one, whole), self.strangers)
            if one.policies
            else None
            for one, whole in zip(players, self.memory, strict=True)
        ]
        self._fill_all(run)
        for number, one in enumerate(self.players):
            self._fill(self.records[number * SEATS : (number + 1) * SEATS], number, one)

    def remembered(self) -> list[np.ndarray]:
        """Memory of the players at this moment of a game."""
        return [one.copy() for one in self.memory]

    def remember(self, before: list[np.ndarray]) -> None:
        """Let the players remember what they did at another moment."""
        for memory, then in zip(self.memory, before, strict=True):
            memory[:] = then

    def _fill_all(self, run: Any) -> None:
        """Fill in what all seats have in common; a field of all is filled at once, which is fast."""
        seats = self.records
        seats["me"] = np.arange(len(seats)) % SEATS
        seats["view_at"] = address_of(self.view)
        seats["options_at"], seats["ratings_at"] = address_of(self.options), address_of(self.ratings)
        seats["listed_at"], seats["ledger_at"] = address_of(self.listed), address_of(self.ledger)
        seats["spares_at"], seats["run_at"] = address_of(self.spares), handle(run)
        seats["wipes_ledger"] = self.strangers

    def _fill(self, seats: Any, number: int, player: Player) -> None:
        """Fill in what a player has, in its seats in all places at the table."""
        weights, (value, policy) = self.weights[number], self.learned[number]
        memory, policies = self.memory[number], self.policies[number]
        seats["weights_at"], seats["weight_count"] = address_of(weights), len(weights)
        seats["learned_at"] = address_of(value) if len(value) else 0
        seats["learned_policy_at"] = address_of(policy) if len(policy) else 0
        seats["memory_at"] = address_of(memory) + memory.strides[0] * np.arange(SEATS)
        seats["memory_size"], seats["memory_whole"] = player.memory, player.whole_memory
        seats["spare_count"] = player.spares
        seats["policies_at"] = 0 if policies is None else address_of(policies.records)
        seats["policy_count"] = len(player.policies)
        seats["rate_at"] = handle(player.rate)
        seats["is_compiled"], seats["takes_first"] = player.rate is not None, player.takes_first
        seats["is_indifferent"] = player.indifferent


def _memory_of_policies(player: Player, whole: np.ndarray) -> list[np.ndarray]:
    """The part of a player's memory that each of its policies has, in every place at the table."""
    found, begin = [], player.memory
    for policy in player.policies:
        found.append(whole[:, begin : begin + policy.whole_memory])
        begin += policy.whole_memory
    return found
