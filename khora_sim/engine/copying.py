"""Copying a record is a memcpy; left alone, Numba would copy it byte by byte.

And a way to keep the compiler from working out ahead where all fields of a record are.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

BUILT_IN = 256  # bytes that the compiler copies on the spot; for more it calls a function, which takes longer


def put_record(records, place, record):
    """Copy a record into a place of an array."""
    records[place] = record


@intrinsic
def _memcpy(typing_context, target, source):
    def build(context, builder, signature, arguments):
        size = signature.args[0].size
        step = BUILT_IN if size <= 4 * BUILT_IN else size
        target, source = (builder.bitcast(one, ir.IntType(8).as_pointer()) for one in arguments)
        for first in range(0, size, step):
            length = context.get_constant(types.intp, min(step, size - first))
            offset = context.get_constant(types.intp, first)
            cgutils.raw_memcpy(
                builder, builder.gep(target, [offset]), builder.gep(source, [offset]), length, 1
            )
        return context.get_dummy_value()

    if isinstance(target, types.Record) and target == source:
        return types.void(target, source), build
    return None


@overload(put_record)
def _put_record(records, place, record):
    def put(records, place, record):
        _memcpy(records[place], record)

    return put


def copy_record(target, record):
    """Copy a record over another."""
    for name in record.dtype.names:
        target[name] = record[name]


@overload(copy_record)
def _copy_record(target, record):
    return lambda target, record: _memcpy(target, record)


def wipe(record):
    """Set a whole record to 0."""
    for name in record.dtype.names:
        record[name] = 0


@intrinsic
def _memset(typing_context, record):
    def build(context, builder, signature, arguments):
        size = context.get_constant(types.intp, signature.args[0].size)
        cgutils.memset(builder, arguments[0], size, 0)
        return context.get_dummy_value()

    return types.void(record), build


@overload(wipe)
def _wipe(record):
    return lambda record: _memset(record)


def found_anew(record):
    """The same record; in a loop, the compiler does not know that it is the same in every turn.

    Else it works out before the loop where dozens of fields are, even if the loop ends after its first turn.
    """
    return record


@intrinsic
def _hidden(typing_context, record):
    def build(context, builder, signature, arguments):
        kind = arguments[0].type
        return builder.asm(ir.FunctionType(kind, [kind]), "", "=r,0", arguments, side_effect=False)

    return record(record), build


@overload(found_anew)
def _found_anew(record):
    return lambda record: _hidden(record)
