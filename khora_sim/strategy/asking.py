"""Asking strategies one decision at a time, with the same outcome as the compiled loop."""

from collections.abc import Callable, Sequence
from typing import Any

from khora_sim.engine.match import Match
from khora_sim.engine.record import SEATS, new_records
from khora_sim.errors import UserError
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.match import Table

#: Whoever decides: gets the game at a decision and its options, and gives one of them.
Choose = Callable[[Match, list[int]], int]


def ask(strategies: Sequence[Strategy]) -> Choose:
    """A chooser that asks the strategy in the seat that must decide."""
    tables: dict[int, Table] = {}
    games = new_records(1)
    plain: dict[int, Any] = {}

    def choose(match: Match, options: list[int]) -> int:
        table = tables.setdefault(id(match.rules), Table(match.rules, strategies))
        place, strategy = match.seat, strategies[match.seat]
        number = place * SEATS + place
        games[0] = match.game
        table.out[: len(options)] = options
        asked = (table.out, len(options), table.seats.records, number)
        if strategy.chooser is not None:
            if place not in plain:
                plain[place] = table.sit_down(place, place)
            view, decide = plain[place]
            table.engine.show(games, 0, *asked)
            chosen = decide(view, list(options))
            if chosen not in options:
                raise UserError(f"{strategy.name}: chose {chosen!r}, which is not among the options")
            return int(chosen)
        best = table.engine.ask(games, 0, match.tables, *asked)
        if best < 0:
            raise UserError(f"{strategy.name}: rated an option with something that is no finite number")
        return options[best]

    return choose
