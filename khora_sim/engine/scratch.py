"""Memory for the time of a function call, which costs next to nothing."""

from collections.abc import Callable

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable


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
    array = context.make_array(signature.return_type)(context, builder)
    context.populate_array(
        array,
        data=builder.bitcast(data, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=size,
        meminfo=None,  # nobody counts who holds it
    )
    return array._getvalue()


def scratch_record(dtype: np.dtype, blank: bool = True) -> Callable:
    """A function that gives a record of this kind for the time of a function call.

    One that is not `blank` may hold anything: nothing must be read that has not been written.
    """
    kind = numba.from_dtype(dtype)

    def new():
        return np.zeros(1, dtype).view(np.recarray)[0]

    @type_callable(new)
    def _type(context):
        return lambda: kind

    @lower_builtin(new)
    def _build(context, builder, signature, arguments):
        memory = cgutils.alloca_once(builder, context.get_value_type(kind).pointee)
        if blank:
            cgutils.memset(builder, memory, context.get_constant(types.intp, dtype.itemsize), 0)
        return memory

    return new
