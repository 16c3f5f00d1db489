"""Calling a compiled function by its address, so that the engine is compiled once, whatever plays.

A strategy is compiled on its own; the loop gets its address. Plain Python calls the same functions.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.memory import address_of
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


#: A player at work; `engine/seat.py` reads it.
SEAT = np.dtype(
    [
        # the decision at hand
        ("view_at", "i8"),  # the record that shows what the player may see
        ("me", "i8"),  # its place at the table
        ("decision", "i8"),  # Task
        ("value", "i8"),  # the number that goes with it, see Task
        ("luck", "u8"),  # 64 random bits, new for every decision
        ("options_at", "i8"),
        ("option_count", "i8"),
        ("ratings_at", "i8"),
        ("failed", "i8"),  # Failure: why its answer does not count
        # what the player has
        ("weights_at", "i8"),
        ("weight_count", "i8"),
        ("learned_at", "i8"),  # a learned value (strategy/learned); 0: it has none
        ("learned_policy_at", "i8"),  # a learned policy; 0: it has none
        ("memory_at", "i8"),
        ("memory_size", "i8"),
        ("memory_whole", "i8"),  # its own, and after that the memory of its policies: wiped with it
        ("spares_at", "i8"),
        ("spare_count", "i8"),
        ("spares_used", "i8"),  # the highest spare game in use
        ("ledger_at", "i8"),  # for spare games; nobody reads it
        ("wipes_ledger", "i8"),  # after every decision that used it: some player of the table is a stranger
        ("listed_at", "i8"),  # room for the options of a spare game
        ("policies_at", "i8"),  # seats of other players that it may ask
        ("policy_count", "i8"),
        # how it is asked
        ("rate_at", "i8"),
        ("run_at", "i8"),  # `machine.run`
        ("is_compiled", "i8"),
        ("takes_first", "i8"),  # of equal ratings: 1 takes the first, 0 lets chance decide
        ("is_indifferent", "i8"),  # all its ratings are equal, so that it is not asked
    ],
    align=True,
)
Seat = numba.from_dtype(SEAT)
Seats = types.Array(Seat, 1, "C")

#: `machine.run`: game, tables, ledger, where to list options, option to apply, how far to go.
RUN = i8(Game, Tables, Ledger, FirstOption, i8, i8)
#: A player: it rates the options of its seat.
RATE = types.void(Seat, Tables)

_functions: list[Callable] = []  # uncompiled ones, which have no address


def handle(function: Any) -> int:
    """The number by which a function is called: its address, or less than 0 for one that is uncompiled."""
    if function is None:
        return 0
    if not callable(function):
        return int(function)
    if function not in _functions:
        _functions.append(function)
    return -1 - _functions.index(function)


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
    """Type of a function that the compiler calls but does not see."""
    kinds = [context.get_value_type(kind) for kind in signature.args]
    if signature.return_type == types.void:
        return ir.FunctionType(ir.VoidType(), kinds)
    return ir.FunctionType(context.get_value_type(signature.return_type), kinds)


@intrinsic
def _first_of(typing_context, array):
    """Address of the first item of an array."""

    def build(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), build


_run_at = _call_at_address(RUN)
_rate_at = _call_at_address(RATE)
_RUN = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 4, ctypes.c_int64, ctypes.c_int64)
_RATE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def call_run(run, game, tables, ledger, out, option, until):
    """Move a game with the machine at an address."""
    if run < 0:
        return _functions[-1 - run](game, tables, ledger, out, option, until)
    places = (address_of(one) for one in (game, tables, ledger, out))
    return _RUN(int(run))(*places, int(option), int(until))


@overload(call_run)
def _call_run(run, game, tables, ledger, out, option, until):
    def call(run, game, tables, ledger, out, option, until):
        return _run_at(run, (game, tables, ledger, _first_of(out), i8(option), i8(until)))

    return call


def call_rate(seat, tables):
    """Have the player of a seat rate its options."""
    if seat.rate_at < 0:
        _functions[-1 - seat.rate_at](seat, tables)
    else:
        _RATE(int(seat.rate_at))(address_of(seat), address_of(tables))


@overload(call_rate)
def _call_rate(seat, tables):
    return lambda seat, tables: _rate_at(i8(seat.rate_at), (seat, tables))
