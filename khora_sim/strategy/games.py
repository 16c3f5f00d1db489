"""Playing games between strategies, compiled or not."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import NO_OPTION
from khora_sim.engine.play import Outcome
from khora_sim.engine.record import SEATS, new_records
from khora_sim.rules import Rules
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.table import Refused, Table
from khora_sim.strategy.time_limit import Clock, time_limit, watched


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
    compile_for(strategies)  # no player's time
    table = Table(rules, strategies)
    games, ledgers = memory if memory is not None else memory_for(len(set_ups))
    if len(games) != len(set_ups):
        raise ValueError(f"memory for {len(games)} games is given for {len(set_ups)}")
    if any(table.plain):
        _play_mixed(table, games, ledgers, set_ups)
    else:
        _play_compiled(table, games, ledgers, set_ups)
    table.check_untouched()
    return games, ledgers[:-1]


def _play_compiled(table: Table, games: np.recarray, ledgers: np.recarray, set_ups: Any) -> None:
    """Play all games, with compiled players only; the one that is played lies in the last place."""

    def stands() -> tuple[int, int]:
        return int(games["seed"][-1]), int(games["step"][-1])

    def endless() -> str:
        # The games of a rotation group have one seed: the first that is not in its place yet is the one.
        done = (games["seed"] == set_ups.seed) & (games["agenda_size"] == 0) & (games["step"] > 0)
        return table.endless(games[-1], set_ups[int(np.argmin(done))])

    with catching_failures(), watched(stands, endless):
        done = table.engine.play_games(games, ledgers, table.tables, set_ups, table.out, table.seats.records)
    if done < len(set_ups):
        table.check_fault(games[done], done)
        raise table.failed(games[done], set_ups[done], _why_refused(table, games, set_ups, done), done)


def _play_mixed(table: Table, games: np.recarray, ledgers: np.recarray, set_ups: Any) -> None:
    """Play all games, with plain-Python players among others."""
    at = 0

    def stands() -> object:
        return object() if clock.began > 0 else (at, int(games["step"][at]))  # who thinks has its own limit

    def endless() -> str:
        return table.endless(games[at], set_ups[at])

    lineups, players = set_ups["lineup"].tolist(), set_ups["players"].tolist()  # a record is slow to read
    with time_limit() as clock, catching_failures(), watched(stands, endless):
        for index, count in enumerate(players):
            at = index
            _play_with_plain(table, games, ledgers, set_ups, index, lineups[index][:count], clock)


def _why_refused(table: Table, games: np.recarray, set_ups: Any, index: int) -> str:
    """Reason why the answer of the compiled player who must decide in a game does not count."""
    game = games[index]
    seat = int(game.agenda[game.agenda_size - 1][1])
    return table.why_refused(int(set_ups.lineup[index][seat]) * SEATS + seat)


def _play_with_plain(
    table: Table, games: Any, ledgers: Any, set_ups: Any, index: int, lineup: list[int], clock: Clock
) -> None:
    """Play one game in which somebody is plain Python."""
    engine, given = table.engine, (games, ledgers, table.tables, set_ups, index)
    engine.set_up(*given)
    seated = {seat: table.sit_down(player, seat) for seat, player in enumerate(lineup) if table.plain[player]}
    agenda, size = games["agenda"][index], games["agenda_size"]
    option = NO_OPTION
    while True:
        count = engine.play_on(*given, option, table.out, table.seats.records)
        if count == -Outcome.BAD_RATING:
            what = _why_refused(table, games, set_ups, index)
            raise table.failed(games[index], set_ups[index], what, index)
        if count <= 0:
            table.check_fault(games[index], index)
            return
        view, choose = seated[agenda.item(size.item(index) - 1, 1)]
        try:
            option = table.ask_plain(view, choose, table.out[:count].tolist(), clock)
        except Refused as problem:
            raise table.failed(games[index], set_ups[index], str(problem), index) from problem.__cause__
