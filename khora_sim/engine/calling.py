"""Calling a compiled function by its address, so that the engine is compiled once, whatever plays.

A strategy is compiled on its own; the loop gets its address. Uncompiled, the address is the function itself.
"""

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.record import GAME
from khora_sim.rules.tables import TABLES

Game = numba.from_dtype(GAME)
Ledger = numba.from_dtype(LEDGER)
Tables = numba.from_dtype(TABLES)
Games = types.Array(Game, 1, "C")
Ledgers = types.Array(Ledger, 1, "C")
Rules = types.Array(Tables, 1, "C")
Options = types.int16[::1]
Numbers = types.float64[::1]
i8 = types.int64

# Arrays are handed over as the address of their first item: all that an array is would go through memory.
FirstOption = types.CPointer(types.int16)
FirstNumber = types.CPointer(types.float64)

#: `machine.run`: game, tables, ledger, where to list options, option to apply, how far to go.
RUN = i8(Game, Tables, Ledger, FirstOption, i8, i8)
#: A player: view, tables, seat, options, how many, ratings to write, parameters, luck; and for look-ahead
#: a desk of spare records, a ledger nobody reads, and the address of `run`.
RATE = types.void(
    Game,
    Tables,
    i8,
    FirstOption,
    i8,
    FirstNumber,
    FirstNumber,
    types.uint64,
    types.CPointer(Game),
    Ledger,
    i8,
)


def _call_at_address(signature):
    """An intrinsic that calls a function of one signature by its address."""

    @intrinsic
    def call(typing_context, address, arguments):
        def build(context, builder, _, values):
            function = builder.inttoptr(values[0], function_type(context, signature).as_pointer())
            outcome = builder.call(function, cgutils.unpack_tuple(builder, values[1]))
            return context.get_dummy_value() if signature.return_type == types.void else outcome

        return signature.return_type(address, arguments), build

    return call


def function_type(context, signature):
    """What the compiler must know of a function that it calls but does not see."""
    kinds = [context.get_value_type(kind) for kind in signature.args]
    if signature.return_type == types.void:
        return ir.FunctionType(ir.VoidType(), kinds)
    return ir.FunctionType(context.get_value_type(signature.return_type), kinds)


@intrinsic
def _first_of(typing_context, array):
    """Where the first item of an array is."""

    def build(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), build


_run_at = _call_at_address(RUN)
_rate_at = _call_at_address(RATE)


def call_run(run, game, tables, ledger, out, option, reach):
    """Move a game with the machine at an address."""
    return run(game, tables, ledger, out, option, reach)


@overload(call_run)
def _call_run(run, game, tables, ledger, out, option, reach):
    def call(run, game, tables, ledger, out, option, reach):
        return _run_at(run, (game, tables, ledger, _first_of(out), i8(option), i8(reach)))

    return call


def call_rate(rate, view, tables, seat, out, count, scores, parameters, luck, desk, scrap, run):
    """Ask the player at an address to rate its options."""
    rate(view, tables, seat, out, count, scores, parameters, luck, desk, scrap, run)


@overload(call_rate)
def _call_rate(rate, view, tables, seat, out, count, scores, parameters, luck, desk, scrap, run):
    def call(rate, view, tables, seat, out, count, scores, parameters, luck, desk, scrap, run):
        _rate_at(
            rate,
            (
                view,
                tables,
                i8(seat),
                _first_of(out),
                i8(count),
                _first_of(scores),
                _first_of(parameters),
                luck,
                _first_of(desk),
                scrap,
                i8(run),
            ),
        )

    return call
