"""Playing games between strategies, compiled or not."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from khora_sim.engine.agenda import Setting, Task
from khora_sim.engine.kernels import Kernels, kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.limits import why_stopped
from khora_sim.engine.machine import MAX_OPTIONS, NO_OPTION
from khora_sim.engine.match import rules_array
from khora_sim.engine.play import Outcome
from khora_sim.engine.record import SEATS, new_records
from khora_sim.engine.seat import Seats
from khora_sim.rules import Rules
from khora_sim.rules.terms import word
from khora_sim.strategy.compiled import last_failure, listening
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.plain import Clock, PlainView, TooSlowError, time_limit


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

    def sit_down(self, player: int, place: int) -> tuple[PlainView, Callable]:
        """A fresh player for one game in a place at the table, and the view it will be shown."""
        number = player * SEATS + place
        strategy = self.strategies[player]
        if number not in self._views:
            self._views[number] = PlainView(self.seats, number, self.rules, strategy.values)
        assert strategy.chooser is not None
        return self._views[number], strategy.chooser().choose


def compile_for(strategies: Sequence[Strategy]) -> None:
    """Compile what games of these players need of the engine, before the work is shared out."""
    engine = kernels()
    needed = ["run_address", "play_games"]
    if any(one.chooser is not None for one in strategies):
        needed = ["run_address", "set_up", "play_on"]
    for name in needed:
        getattr(engine, name)


def memory_for(count: int) -> tuple[np.recarray, np.recarray]:
    """Records and ledgers for so many games; the last ledger is blank."""
    return new_records(count), new_records(count + 1, LEDGER)


def play_set_ups(
    rules: Rules,
    set_ups: Any,
    strategies: Sequence[Strategy],
    memory: tuple[np.recarray, np.recarray] | None = None,
) -> tuple[Any, Any]:
    """Play all games of an array of set-ups, whose `lineup` counts in the list of strategies.

    `memory` of games that nobody needs any more is written over, which is faster than new memory.
    """
    table = Table(rules, strategies)
    games, ledgers = memory if memory is not None else memory_for(len(set_ups))
    if len(games) != len(set_ups):
        raise ValueError(f"memory for {len(games)} games is given for {len(set_ups)}")
    if any(table.plain):
        with time_limit() as clock, listening():
            for place in range(len(set_ups)):
                _play_with_plain(table, games, ledgers, set_ups, place, clock)
    else:
        with listening():
            done = table.engine.play_games(
                games, ledgers, table.tables, set_ups, table.out, table.seats.records
            )
        if done < len(set_ups):
            _check_fault(table, games, done)
            raise _failed(table, games, set_ups, done, _compiled_failure())
    _check_untouched(table)
    return games, ledgers[:-1]


def _check_untouched(table: Table) -> None:
    """Nobody may write into the rules or keep notes in its parameters from one game to the next."""
    rules = rules_array(table.rules)
    for weights, strategy in zip(table.seats.weights, table.strategies, strict=True):
        if not np.array_equal(weights, strategy.parameters(table.rules)):
            raise StrategyError(f"{strategy.name}: wrote into its parameters, which are for reading", 0)
    if table.tables.tobytes() != rules.tobytes():
        names = ", ".join(strategy.name for strategy in table.strategies)
        raise StrategyError(f"a strategy wrote into the rules, which are for reading; one of: {names}", 0)


def _check_fault(table: Table, games: np.recarray, place: int) -> None:
    """A game that had to stop, by the fault of its rules, is no game."""
    if games[place].fault:
        raise StrategyError(why_stopped(table.rules.name, games[place].fault), place)


def _compiled_failure() -> str:
    problem = last_failure()
    if problem is None:
        return "rated an option with something that is no finite number"
    return f"raised {type(problem).__name__}: {problem}"


def _play_with_plain(
    table: Table, games: np.recarray, ledgers: np.recarray, set_ups: np.recarray, place: int, clock: Clock
) -> None:
    """Play one game in which somebody is plain Python."""
    engine, given = table.engine, (games, ledgers, table.tables, set_ups, place)
    engine.set_up(*given)
    lineup = set_ups.lineup[place].tolist()
    seated = {
        seat: table.sit_down(lineup[seat], seat)
        for seat in range(set_ups.players[place])
        if table.plain[lineup[seat]]
    }
    agenda, size = games["agenda"][place], games["agenda_size"]
    option = NO_OPTION
    while True:
        count = engine.play_on(*given, option, table.out, table.seats.records)
        if count == -Outcome.BAD_RATING:
            raise _failed(table, games, set_ups, place, _compiled_failure())
        if count <= 0:
            _check_fault(table, games, place)
            return
        view, choose = seated[agenda.item(size.item(place) - 1, 1)]
        options = table.out[:count].tolist()
        try:
            clock.began = clock.now()
            chosen = choose(view, list(options))
            clock.began = 0.0
        except TooSlowError:
            raise _failed(table, games, set_ups, place, "took too long to decide") from None
        except Exception as problem:
            clock.began = 0.0
            what = f"raised {type(problem).__name__}: {problem}"
            raise _failed(table, games, set_ups, place, what) from problem
        if isinstance(chosen, float) or chosen not in options:
            raise _failed(table, games, set_ups, place, f"chose {chosen!r}, which is not among the options")
        option = int(chosen)


def _failed(table: Table, games: np.recarray, set_ups: np.recarray, place: int, what: str) -> StrategyError:
    """The one message about a plug-in that failed: who, where, what, and how to see it again."""
    game = games[place]
    top = game.agenda[game.agenda_size - 1]
    strategy = table.strategies[set_ups.lineup[place][top[1]]]
    decision = word(Task(int(top[0])))
    return StrategyError(
        f"{strategy.name}: {what}, deciding {decision} in seat {top[1] + 1}, round {game.round_number}, "
        f"seed {game.seed}; see it with: {replay_line(table, game, set_ups[place])}",
        place,
    )


def replay_line(table: Table, game: np.record, set_up: np.record) -> str:
    """The `khora replay` command that plays a game of a study again."""
    players = int(set_up.players)
    names = [table.strategies[place].name for place in set_up.lineup[:players]]
    cities = [table.rules.city_ids[city] for city in game.city[:players]]
    line = f"khora replay --seed {game.seed} --players {players} --strategies {','.join(names)}"
    line += f" --cities {','.join(cities)}"
    if set_up.first_player >= 0:
        line += f" --first-player {set_up.first_player + 1}"
    settings = int(set_up.settings)
    for setting, flag in (
        (Setting.REROLL, "--reroll"),
        (Setting.SHARED_DICE, "--shared-dice"),
        (Setting.PROGRESS_BONUSES_STACK, "--progress-bonuses-stack"),
    ):
        line += f" {flag}" if settings & setting else ""
    line += "" if settings & Setting.DRAFT else " --no-draft"
    return line + ("" if table.rules.name == "base" else " --rules FILE")
