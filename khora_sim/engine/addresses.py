"""Memory by its address: what a seat refers to, it refers to by number.

Compiled code and plain Python read the same memory. Whoever made it keeps it alive.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, overload, type_callable


def address_of(memory: Any) -> int:
    """Where an array begins, or a record lies."""
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
        array = context.make_array(kind)(context, builder)
        size = context.get_constant(types.intp, dtype.itemsize)
        context.populate_array(
            array,
            data=builder.inttoptr(address, array.data.type),
            shape=cgutils.pack_array(builder, [count]),
            strides=cgutils.pack_array(builder, [size]),
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return at


def address_in(memory):
    """Where a record lies, for reading its numbers in a row, or where an array begins."""
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
