"""Memory by its address: what a seat refers to, it refers to by number.

Compiled code and plain Python read the same memory. Whoever made it keeps it alive.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, overload, type_callable


def address_of(memory: Any) -> int:
    """Address of an array or a record."""
    if isinstance(memory, np.ndarray):
        return int(memory.ctypes.data)  # the other way describes all fields, which takes long
    return int(memory.__array_interface__["data"][0])


def _bytes_at(address: int, size: int) -> Any:
    return (ctypes.c_char * size).from_address(int(address))


def records_at(dtype: np.dtype) -> Callable:
    """A function (address, place) that gives one record of an array of this kind."""
    kind = numba.from_dtype(dtype)

    def at(address, index):
        memory = _bytes_at(address + dtype.itemsize * index, dtype.itemsize)
        return np.frombuffer(memory, dtype).view(np.recarray)[0]

    @intrinsic
    def find(typing_context, address):
        def build(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(kind))

        return kind(types.int64), build

    size = dtype.itemsize

    @overload(at)
    def _at(address, index):
        return lambda address, index: find(types.int64(address + size * index))

    return at


def numbers_at(dtype: Any) -> Callable:
    """A function (address, count) that gives an array of so many numbers (or records) of this kind."""
    dtype = np.dtype(dtype)
    kind = types.Array(numba.from_dtype(dtype), 1, "C")

    def at(address, count):
        numbers = np.frombuffer(_bytes_at(address, dtype.itemsize * int(count)), dtype)
        return numbers.view(np.recarray) if dtype.names else numbers

    # As it is, by its type and the code it stands for: what the compiler makes of ordinary functions may hand
    # back no array without counting who holds it.
    @type_callable(at)
    def _type(context):
        return lambda address, count: kind

    @lower_builtin(at, types.Integer, types.Integer)
    def _build(context, builder, signature, arguments):
        address, count = (
            context.cast(builder, value, given, types.intp)
            for value, given in zip(arguments, signature.args, strict=True)
        )
        return uncounted_array(context, builder, kind, builder.inttoptr, address, count, dtype.itemsize)

    return at


def uncounted_array(context, builder, kind, as_pointer, memory, count, itemsize):
    """The array in some memory; nobody counts who holds it."""
    array, size = context.make_array(kind)(context, builder), context.get_constant(types.intp, itemsize)
    context.populate_array(
        array,
        data=as_pointer(memory, array.data.type),
        shape=cgutils.pack_array(builder, [count]),
        strides=cgutils.pack_array(builder, [size]),
        itemsize=size,
        meminfo=None,
    )
    return array._getvalue()


def address_in(memory):
    """Address of a record, for reading its numbers in a row, or of an array."""
    return address_of(memory)


@intrinsic
def _pointer(typing_context, memory):
    def build(context, builder, signature, arguments):
        (kind,), (place,) = signature.args, arguments
        if isinstance(kind, types.Array):
            place = context.make_array(kind)(context, builder, place).data
        return builder.ptrtoint(place, context.get_value_type(types.int64))

    return types.int64(memory), build


@overload(address_in)
def _address_in(memory):
    return lambda memory: _pointer(memory)


def scratch(length):
    """An array of zeros for the time of a function call, of a constant length; costs next to nothing."""
    return np.zeros(length)


@type_callable(scratch)
def _type_of_scratch(context):
    numbers = types.Array(types.float64, 1, "C")
    return lambda length: numbers if isinstance(length, types.IntegerLiteral) else None


@lower_builtin(scratch, types.IntegerLiteral)
def _scratch(context, builder, signature, arguments):
    count = signature.args[0].literal_value
    data = cgutils.alloca_once(builder, ir.ArrayType(ir.DoubleType(), count))
    cgutils.memset(builder, data, context.get_constant(types.intp, 8 * count), 0)
    length = context.get_constant(types.intp, count)
    return uncounted_array(context, builder, signature.return_type, builder.bitcast, data, length, 8)


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


# Copying a record is a memcpy; left alone, Numba would copy it byte by byte.
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
