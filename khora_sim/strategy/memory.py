"""Arrays that nobody counts: counting who holds an array is slow, and every view holds some.

Each function is given to the compiler as it is, by its type and by the code it stands for, since what the
compiler makes of ordinary functions may hand back no array without counting.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable


def uncounted(array):
    """The same array, whose holders are not counted; it must not outlive the one it was made from."""
    return array


@type_callable(uncounted)
def _type_of_uncounted(context):
    return lambda array: array


@lower_builtin(uncounted, types.Array)
def _uncounted(context, builder, signature, arguments):
    same = context.make_array(signature.args[0])(context, builder, arguments[0])
    same.meminfo = cgutils.get_null_value(same.meminfo.type)
    same.parent = cgutils.get_null_value(same.parent.type)
    return same._getvalue()


def array_at(first, length):
    """The array that the engine handed over as the address of its first item; nobody counts its holders."""
    return first[:length]


@type_callable(array_at)
def _type_of_array_at(context):
    return lambda first, length: types.Array(first.dtype, 1, "C")


@lower_builtin(array_at, types.CPointer, types.Integer)
def _array_at(context, builder, signature, arguments):
    kind, length = signature.return_type, context.cast(builder, arguments[1], signature.args[1], types.intp)
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape, strides = cgutils.pack_array(builder, [length]), cgutils.pack_array(builder, [size])
    return _array(context, builder, kind, arguments[0], shape, strides, size)


def flat(array):
    """All numbers of an array in a row."""
    return array.reshape(array.size)


@type_callable(flat)
def _type_of_flat(context):
    return lambda array: types.Array(array.dtype, 1, "C")


@lower_builtin(flat, types.Array)
def _flat(context, builder, signature, arguments):
    given = context.make_array(signature.args[0])(context, builder, arguments[0])
    shape = cgutils.pack_array(builder, [given.nitems])
    strides = cgutils.pack_array(builder, [given.itemsize])
    return _array(context, builder, signature.return_type, given.data, shape, strides, given.itemsize)


def scratch(length):
    """An array of zeros for the time of a function call; the length must be a constant."""
    return np.zeros(length)


@type_callable(scratch)
def _type_of_scratch(context):
    numbers = types.Array(types.float64, 1, "C")
    return lambda length: numbers if isinstance(length, types.IntegerLiteral) else None


@lower_builtin(scratch, types.IntegerLiteral)
def _scratch(context, builder, signature, arguments):
    count = signature.args[0].literal_value
    size = context.get_constant(types.intp, 8)
    shape = cgutils.pack_array(builder, [context.get_constant(types.intp, count)])
    strides = cgutils.pack_array(builder, [size])
    data = cgutils.alloca_once(builder, ir.ArrayType(ir.DoubleType(), count))
    cgutils.memset(builder, data, context.get_constant(types.intp, 8 * count), 0)
    return _array(context, builder, signature.return_type, data, shape, strides, size)


def _array(context, builder, kind, data, shape, strides, size):
    """The compiler's picture of an array that owns nothing."""
    array = context.make_array(kind)(context, builder)
    context.populate_array(
        array,
        data=builder.bitcast(data, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=size,
        meminfo=None,
    )
    return array._getvalue()
