"""Asking strategies one decision at a time, with the same outcome as the compiled loop."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from khora_sim.engine.agenda import next_up
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Games, Ledgers, Numbers, Options, Rules, call_rate, i8
from khora_sim.engine.chance import Stream, own_luck, random_bits
from khora_sim.engine.compiling import ENGINE_SOURCES, entry, rule
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import Match
from khora_sim.engine.play import DESK, best_option
from khora_sim.engine.record import new_records
from khora_sim.engine.view import show
from khora_sim.errors import UserError
from khora_sim.strategy.plain import PlainView

if TYPE_CHECKING:
    from khora_sim.strategy.contract import Strategy

SOURCES = (*ENGINE_SOURCES, "strategy/asking.py")

#: Whoever decides: gets the game at a decision and its options, and gives one of them.
Choose = Callable[[Match, list[int]], int]


@rule
def _best_place(games, tables, out, count, desk, scraps, scores, run, rate, parameters, first_of_equals):
    """Show the view, have all options rated, take the best: as `play` does it."""
    game = games[0]
    _, seat, _ = next_up(game)
    luck = random_bits(game.seed, Stream.STRATEGY, seat, game.round_number, game.step)
    shown = own_luck(game.seed, seat, game.round_number, game.step)
    show(game, seat, desk, 0)
    call_rate(rate, desk[0], tables[0], seat, out, count, scores, parameters, shown, desk, scraps[0], run)
    return best_option(scores, count, luck, first_of_equals)


@cache
def compile_now() -> Callable:
    """The compiled way to ask one player."""
    signature = i8(Games, Rules, Options, i8, Games, Ledgers, Numbers, i8, i8, Numbers, types.boolean)
    return entry(signature, _best_place, cache_folder(SOURCES))


def ask(strategies: Sequence["Strategy"]) -> Choose:
    """A chooser that asks the strategy in the seat that must decide."""
    games, desk, scraps = new_records(1), new_records(DESK), new_records(1, LEDGER)
    out, scores = np.zeros(MAX_OPTIONS, np.int16), np.zeros(MAX_OPTIONS)
    plain: list[Any] = [None if one.chooser is None else one.chooser() for one in strategies]

    def choose_plainly(match: Match, options: list[int]) -> int:
        seat = match.seat
        kernels().view(games, 0, seat, desk, 0)
        view = PlainView(desk, match.rules, strategies[seat].values)
        view.me = seat
        view.luck = kernels().luck(games, 0)
        chosen = plain[seat].choose(view, list(options))
        if chosen not in options:
            raise UserError(f"{strategies[seat].name}: chose {chosen!r}, which is not among the options")
        return int(chosen)

    def choose(match: Match, options: list[int]) -> int:
        strategy = strategies[match.seat]
        games[0] = match.game
        if strategy.chooser is not None:
            return choose_plainly(match, options)
        out[: len(options)] = options
        place = compile_now()(
            games,
            match.tables,
            out,
            len(options),
            desk,
            scraps,
            scores,
            kernels().run_address,
            strategy.rate,
            strategy.parameters(match.rules),
            strategy.deterministic,
        )
        if place < 0:
            raise UserError(f"{strategy.name}: rated an option with something that is no finite number")
        return options[place]

    return choose
