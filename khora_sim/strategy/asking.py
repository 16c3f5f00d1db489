"""Asking strategies one decision at a time, with the same outcome and the same guards as in a study."""

from collections.abc import Callable, Sequence

import numpy as np

from khora_sim.engine.match import Match
from khora_sim.engine.record import SEATS, new_records
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.plain import PlainView
from khora_sim.strategy.table import Refused, Table
from khora_sim.strategy.time_limit import time_limit, watched

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
