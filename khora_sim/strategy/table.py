"""A table: strategies in their seats, how each kind is asked, and what is said when one fails.

Studies, replays and the conformance suite all ask here, so that a player meets the same guards everywhere:
finite ratings, an option that is there, an answer in time.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

import numpy as np

from khora_sim.common.commands import replaying
from khora_sim.common.options import differing
from khora_sim.engine.agenda import Task
from khora_sim.engine.kernels import Kernels, kernels
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import Match, rules_array
from khora_sim.engine.record import SEATS, new_records, why_stopped
from khora_sim.engine.seat import Failure, Seats
from khora_sim.errors import described
from khora_sim.rules import Rules
from khora_sim.rules.terms import word
from khora_sim.strategy.compiled import catching_failures, last_failure
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.player_view import PlainView
from khora_sim.strategy.time_limit import SECONDS, Clock, TooSlowError, decision_seconds, time_limit, watched


def _too_slow() -> str:
    return f"gave no answer within {decision_seconds():g} s (set {SECONDS} to let it think longer)"


class Refused(Exception):  # noqa: N818 - an answer is refused, which is no error of the program
    """An answer that does not count; its text says what the player did."""


class Table:
    """Everything a game needs beside its record, made once for many games."""

    def __init__(self, rules: Rules, strategies: Sequence[Strategy]):
        self.rules = rules
        self.strategies = strategies
        self.tables = rules_array(rules)
        self.out = np.zeros(MAX_OPTIONS, np.int16)
        self.plain = [one.chooser is not None for one in strategies]
        self.engine: Kernels = kernels()
        self.seats = Seats([one.player(rules) for one in strategies], self.engine.run_address)
        self._views: dict[int, PlainView] = {}

    def sit_down(self, player: int, seat: int) -> tuple[PlainView, Callable]:
        """A fresh plain-Python player for one game in a place at the table, and the view it will be shown."""
        number = player * SEATS + seat
        strategy = self.strategies[player]
        if number not in self._views:
            self._views[number] = PlainView(self.seats, number, self.rules, strategy.values)
        assert strategy.chooser is not None
        try:
            return self._views[number], strategy.chooser().choose
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # SystemExit, too: a plug-in must not end the program
            what = f"raised {described(problem)}"
            raise StrategyError(f"{strategy.name}: {what}, making a Player for a game") from problem

    def ask_plain(self, view: PlainView, choose: Callable, options: list[int], clock: Clock) -> int:
        """Option that a plain-Python player takes; the decision has been put before its seat."""
        try:
            clock.began = monotonic()
            chosen = choose(view, list(options))
            # An answer of the author's own type runs the author's code when it is compared or printed.
            allowed = not isinstance(chosen, float) and chosen in options
            answer = int(chosen) if allowed else 0
            refused = "" if allowed else f"chose {chosen!r}, which is not among the options"
            clock.began = 0.0
        except TooSlowError:
            raise Refused(_too_slow()) from None
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # SystemExit, too: a plug-in must not end the program
            clock.began = 0.0
            raise Refused(f"raised {described(problem)}") from problem
        if not allowed:
            raise Refused(refused)
        return answer

    def ask_compiled(self, games: np.recarray, index: int, tables: Any, count: int, number: int) -> int:
        """Option that the compiled player of a seat takes in one game of an array; options are in `out`."""
        best = self.engine.ask(games, index, tables, self.out, count, self.seats.records, number)
        if best < 0:
            raise Refused(self.why_refused(number))
        return int(self.out[best])

    def why_refused(self, number: int) -> str:
        """Reason why the last answer of a compiled player does not count."""
        problem = last_failure()
        if problem is not None:
            return f"raised {described(problem)}"
        seat = self.seats.records[number]
        if seat.failed == Failure.SPARE:
            return f"asked for a spare game it does not have; its traits declare spares={seat.spare_count}"
        if seat.failed == Failure.POLICY:
            return "asked a policy that failed, or one that it did not declare"
        if seat.failed == Failure.RAISED:
            return "raised an exception"
        return "rated an option with something that is not a finite number"

    def failed(self, game: Any, set_up: Any, what: str, index: int = -1) -> StrategyError:
        """The one message about a plug-in that failed: who, where, what, and how to see it again."""
        top = game.agenda[game.agenda_size - 1]
        strategy = self.strategies[set_up.lineup[top[1]]]
        decision = word(Task(int(top[0])))
        return StrategyError(
            f"{strategy.name}: {what}, deciding {decision} in seat {top[1] + 1}, round {game.round_number}, "
            f"seed {game.seed}; see it with: {self.replay_line(game, set_up)}",
            index,
        )

    def endless(self, game: Any, set_up: Any) -> str:
        """Message about a compiled player that does not answer."""
        return str(self.failed(game, set_up, _too_slow()))

    def replay_line(self, game: Any, set_up: Any) -> str:
        """The command that plays a game again."""
        players = int(set_up.players)
        names = [self.strategies[player].name for player in set_up.lineup[:players]]
        cities = [self.rules.city_ids[city] for city in game.city[:players]]
        first_player = int(set_up.first_player) + 1 if set_up.first_player >= 0 else None
        options = {
            option.name: on for option, on in differing(int(set_up.settings), self.rules.settings).items()
        }
        rules = None if self.rules.name == "base" else "FILE"
        return replaying(int(game.seed), names, cities, first_player, options, rules)

    def check_fault(self, game: Any, index: int) -> None:
        """A game that had to stop, by the fault of its rules, is no game."""
        if game.fault:
            raise StrategyError(why_stopped(self.rules.name, game.fault), index)

    def check_untouched(self) -> None:
        """Nobody may write into the rules or keep notes in its weights from one game to the next."""
        for weights, strategy in zip(self.seats.weights, self.strategies, strict=True):
            if not np.array_equal(weights, strategy.parameters(self.rules)):
                raise StrategyError(f"{strategy.name}: wrote into its parameters, which are for reading", 0)
        if self.tables.tobytes() != self.rules.tables.tobytes():
            names = ", ".join(strategy.name for strategy in self.strategies)
            raise StrategyError(f"a strategy wrote into the rules, which are for reading; one of: {names}", 0)


#: Whoever decides: gets the game at a decision and its options, and gives one of them.
Choose = Callable[[Match, list[int]], int]


class SeatedPlayers:
    """Strategies in the seats of one game, asked one decision at a time."""

    def __init__(self, match: Match, strategies: Sequence[Strategy]):
        self.table = Table(match.rules, strategies)
        _ = self.table.engine.ask, self.table.engine.show  # compiled now: it is no player's time
        self.set_up = match.set_up.copy()
        self.set_up.lineup[: len(strategies)] = np.arange(len(strategies))
        self.games = new_records(1)
        self.seated: dict[int, tuple[PlainView, Callable]] = {
            seat: self.table.sit_down(seat, seat) for seat, plain in enumerate(self.table.plain) if plain
        }

    def choose(self, match: Match, options: list[int]) -> int:
        """The option that the strategy takes whose seat must decide."""
        try:
            return self.answer(match, options, lambda: self.table.endless(match.game, self.set_up))
        except Refused as problem:
            raise self.table.failed(match.game, self.set_up, str(problem)) from problem.__cause__

    def answer(self, match: Match, options: list[int], endless: Callable[[], str]) -> int:
        """The same, but an answer that does not count is `Refused`; `endless` is said if there is none."""
        table, seat, count = self.table, match.seat, len(options)
        number = seat * SEATS + seat
        self.games[0] = match.game
        table.out[:count] = options
        if seat not in self.seated:
            with catching_failures(), watched(lambda: None, endless):
                return table.ask_compiled(self.games, 0, match.tables, count, number)
        with time_limit() as clock:
            table.engine.show(self.games, 0, table.out, count, table.seats.records, number)
            return table.ask_plain(*self.seated[seat], options, clock)

    def forget(self) -> None:
        """Let the players know nothing of what they were asked before, as at the start of a game."""
        for memory in self.table.seats.memory:
            memory[:] = 0
        self.seated = {seat: self.table.sit_down(seat, seat) for seat in self.seated}


def ask(strategies: Sequence[Strategy]) -> Choose:
    """A chooser that asks the strategy in the seat that must decide; it is for one game."""
    players: list[SeatedPlayers] = []

    def choose(match: Match, options: list[int]) -> int:
        if not players:
            players.append(SeatedPlayers(match, strategies))
        return players[0].choose(match, options)

    return choose
