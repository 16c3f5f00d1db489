"""Sets of cards and spaces as 64-bit masks, the same compiled and uncompiled."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from khora_sim.engine.compiling import inlined, public

#: The set that holds one member; a table, because bit 63 is the sign.
BIT = np.array([1 << bit if bit < 63 else -(1 << 63) for bit in range(64)], dtype=np.int64)


def size(members):
    """Number of members of a set."""
    return int(members).bit_count() if members >= 0 else 64 - int(~members).bit_count()


def lowest(members):
    """The smallest member of a set that is not empty."""
    members = int(members)
    return (members & -members).bit_length() - 1


@intrinsic
def _count_ones(typing_context, members):
    def build(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), build


@intrinsic
def _trailing_zeros(typing_context, members):
    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), build


@overload(size)
def _size(members):
    return lambda members: _count_ones(members)


@overload(lowest)
def _lowest(members):
    return lambda members: _trailing_zeros(members)


def without_lowest(members):
    """The set less its smallest member."""
    return members & ~BIT[lowest(members)]


@overload(without_lowest)
def _without_lowest(members):
    return lambda members: members & (members - 1)


@public
def has(members, member):
    """Tell if a set holds a member."""
    return (members & BIT[member]) != 0


@inlined
def list_members(members, out):
    """List the members of a set as options; returns how many."""
    count = 0
    while members != 0:
        out[count] = lowest(members)
        count += 1
        members = without_lowest(members)
    return count
