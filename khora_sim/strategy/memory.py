"""Arrays that nobody counts: counting who holds an array is slow, and every view holds some."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def uncounted(array):
    """The same array, whose holders are not counted; it must not outlive the one it was made from."""
    return array


@intrinsic
def _uncounted(typing_context, array):
    def build(context, builder, signature, arguments):
        same = context.make_array(signature.args[0])(context, builder, arguments[0])
        same.meminfo = cgutils.get_null_value(same.meminfo.type)
        same.parent = cgutils.get_null_value(same.parent.type)
        return same._getvalue()

    return array(array), build


@overload(uncounted)
def _uncounted_in_compiled_code(array):
    return lambda array: _uncounted(array)


def flat(array):
    """All numbers of an array in a row."""
    return array.reshape(array.size)


@intrinsic
def _flat(typing_context, array):
    row = types.Array(array.dtype, 1, "C")

    def build(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        result = context.make_array(row)(context, builder)
        context.populate_array(
            result,
            data=given.data,
            shape=cgutils.pack_array(builder, [given.nitems]),
            strides=cgutils.pack_array(builder, [given.itemsize]),
            itemsize=given.itemsize,
            meminfo=None,
        )
        return result._getvalue()

    return row(array), build


@overload(flat)
def _flat_in_compiled_code(array):
    return lambda array: _flat(array)


def scratch(length):
    """An array of numbers for the time of a function call; the length must be a constant."""
    return np.empty(length)


@intrinsic(prefer_literal=True)
def _scratch(typing_context, length):
    if not isinstance(length, types.IntegerLiteral):
        return None
    numbers = types.Array(types.float64, 1, "C")
    count = length.literal_value

    def build(context, builder, signature, arguments):
        size = context.get_constant(types.intp, 8)
        shape = context.get_constant(types.intp, count)
        data = cgutils.alloca_once(builder, ir.ArrayType(ir.DoubleType(), count))
        array = context.make_array(numbers)(context, builder)
        context.populate_array(
            array,
            data=builder.bitcast(data, array.data.type),
            shape=cgutils.pack_array(builder, [shape]),
            strides=cgutils.pack_array(builder, [size]),
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return numbers(length), build


@overload(scratch, prefer_literal=True)
def _scratch_in_compiled_code(length):
    return lambda length: _scratch(length)
