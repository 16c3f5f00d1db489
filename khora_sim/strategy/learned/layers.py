"""Layers of a net in vector registers, where one instruction takes eight units at a time.

Left alone, the compiler cannot rule out that weights and sums overlap in memory. So it adds one unit at a
time, or stores all sums after every row. A layer here is read and written as a whole, which lets the compiler
keep it in registers. Any constant width works; a multiple of 8 is fast, and up to 96 fit into the registers.

    first = layer_of(net.bias, FIRST)                        # FIRST is a constant
    add_row(first, net.facts, place, times)                  # once for each input that is not 0
    second = layer_of(net.second_bias, SECOND)
    add_product(second, first, net.second)                   # takes what is positive of the first layer
    rating = weighted_sum(second, net.out[kind], net.out_bias[kind])

The bits are the same everywhere: a product is rounded before it is added, and rows are added in their order.
Uncompiled, and with a Numba that `codegen` was not tried with, all of it is plain loops.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable
from numba.np import arrayobj

from khora_sim.engine import codegen
from khora_sim.engine.memory import uncounted_array

FLOAT = ir.FloatType()
FLOAT_BYTES = 4
ALIGNMENT = 32  # bytes of a vector register
ARRAY = types.Array(types.float32, 1, "C")


class Layer(types.Type):
    """The compiler's type of a layer: the address of its units, which lie on the stack if anywhere."""

    def __init__(self, width: int):
        self.width = width
        super().__init__(name=f"Layer({width})")


@register_model(Layer)
class LayerModel(models.PrimitiveModel):
    """Represents a layer as the address of its first unit."""

    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, FLOAT.as_pointer())


def layer_of(numbers, width):
    """A new layer that starts from an array, such as a bias, for the time of a function call.

    `width` is a constant. Each call in the source has one place in memory: a loop fills the same layer again.
    """
    return np.array(numbers[:width], np.float32)


def copy_of(layer):
    """A new layer that starts from another one."""
    return layer.copy()


def add_row(layer, rows, place, times):
    """Add one row of weights to a layer, so many times."""
    layer += np.float32(times) * rows[place]


def add_product(layer, below, weights):
    """Add the product of the layer below and a row of weights for each of its units.

    A unit below that is not positive counts as 0. It is added all the same: asking costs more than adding.
    """
    for unit in range(len(below)):
        layer += (below[unit] if below[unit] > 0 else np.float32(0)) * weights[unit]


def weighted_sum(layer, weights, start):
    """A start and the sum of the layer's positive units, each times its weight, added in their order."""
    total = np.float32(start)
    for unit in range(len(layer)):
        total += (layer[unit] if layer[unit] > 0 else np.float32(0)) * weights[unit]
    return total


def folded_sum(layer, weights):
    """The sum of the layer's positive units, each times its weight; halves are added until one is left.

    The width is a power of 2. It takes a small part of the time of `weighted_sum`, and rounds differently.
    """
    products = np.maximum(layer, np.float32(0)) * weights
    while len(products) > 1:
        half = len(products) // 2
        products = products[:half] + products[half:]
    return products[0]


# The same as plain loops, for the compiler.


def _start_in_turn(layer, numbers):
    for unit in range(len(layer)):
        layer[unit] = numbers[unit]


def _add_row_in_turn(layer, rows, place, times):
    for unit in range(len(layer)):
        layer[unit] += times * rows[place, unit]


def _add_product_in_turn(layer, below, weights):
    for unit in range(len(below)):
        times = below[unit] if below[unit] > 0 else np.float32(0)
        for above in range(len(layer)):
            layer[above] += times * weights[unit, above]


def _weighted_sum_in_turn(layer, weights, start):
    total = start
    for unit in range(len(layer)):
        total += (layer[unit] if layer[unit] > 0 else np.float32(0)) * weights[unit]
    return total


def _folded_sum_in_turn(layer, weights):
    for unit in range(len(layer)):
        layer[unit] = (layer[unit] if layer[unit] > 0 else np.float32(0)) * weights[unit]
    half = len(layer) // 2
    while half > 0:
        for unit in range(half):
            layer[unit] += layer[unit + half]
        half //= 2
    return layer[0]


# The same with vectors. None of these instructions may be reordered or fused: they carry no such flags.


def _is_plain() -> bool:
    """Tell if Numba is left alone; asked when something is compiled, since its self-test may decide so."""
    return codegen.way() == codegen.PLAIN


def _in_turn(context, builder, function, signature, arguments):
    """Compile a plain loop, which gets the units of a layer as an array."""
    kinds, values = [], []
    for kind, value in zip(signature.args, arguments, strict=True):
        if isinstance(kind, Layer):
            count = context.get_constant(types.intp, kind.width)
            value = uncounted_array(context, builder, ARRAY, builder.bitcast, value, count, FLOAT_BYTES)
        kinds.append(ARRAY if isinstance(kind, Layer) else kind)
        values.append(value)
    return context.compile_internal(builder, function, signature.return_type(*kinds), values)


def _parts(width):
    """First unit and width of vectors that make up a layer, each a power of 2.

    The compiler takes a vector of any other width apart, unit by unit, wherever it outlives a loop.
    """
    first = 0
    while first < width:
        part = 1 << ((width - first).bit_length() - 1)
        yield first, part
        first += part


def _new(builder, width):
    """Room for a layer, which is no more than a name if all of it stays in registers."""
    room = cgutils.alloca_once(builder, ir.ArrayType(FLOAT, width))
    room.align = ALIGNMENT
    return builder.bitcast(room, FLOAT.as_pointer())


def _vector_at(builder, numbers, first, part):
    address = builder.gep(numbers, [ir.Constant(ir.IntType(64), first)])
    return builder.bitcast(address, ir.VectorType(FLOAT, part).as_pointer())


def _read(builder, numbers, width, align=FLOAT_BYTES):
    """So many numbers from an address on, as vectors."""
    return [
        builder.load(_vector_at(builder, numbers, first, part), align=align) for first, part in _parts(width)
    ]


def _units(builder, layer, width):
    return _read(builder, layer, width, ALIGNMENT)


def _store(builder, units, layer, width):
    for (first, part), one in zip(_parts(width), units, strict=True):
        builder.store(one, _vector_at(builder, layer, first, part), align=ALIGNMENT)


def _add_times(builder, layer, times, row, width):
    """Add a row of weights, so many times, to the units of a layer."""
    sums = []
    for old, weights in zip(_units(builder, layer, width), row, strict=True):
        product = builder.fmul(_everywhere(builder, times, weights.type.count), weights)
        sums.append(builder.fadd(old, product))
    _store(builder, sums, layer, width)


def _row_of(context, builder, kind, rows, place, width):
    """One row of an array of two dimensions; its index is checked where all indices are (`codegen`)."""
    array = context.make_array(kind)(context, builder, rows)
    count = cgutils.unpack_tuple(builder, array.shape)[0]
    place = arrayobj.fix_integer_index(context, builder, types.intp, place, count)
    first = builder.mul(place, context.get_constant(types.intp, width))
    return _read(builder, builder.gep(array.data, [first]), width)


def _everywhere(builder, number, width):
    """A vector with the same number in all units."""
    kind, whole = ir.VectorType(FLOAT, width), ir.IntType(32)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(whole, 0))
    zeros = ir.Constant(ir.VectorType(whole, width), [0] * width)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)


def _kept(builder, layer, width):
    """The layer's units as vectors; those that are not positive are 0 there."""
    kept = []
    for units in _units(builder, layer, width):
        zero = ir.Constant(units.type, [0.0] * units.type.count)
        kept.append(builder.select(builder.fcmp_ordered(">", units, zero), units, zero))
    return kept


def _positive(builder, layer, width):
    """Address of the same, one by one."""
    room = _new(builder, width)
    _store(builder, _kept(builder, layer, width), room, width)
    return room


def _is_array(kind: Any, dimensions: int, layouts: str = "C") -> bool:
    """Tell if this is an array of float32 of a kind that the vectors can read."""
    if not isinstance(kind, types.Array):
        return False
    return kind.dtype == types.float32 and kind.ndim == dimensions and kind.layout in layouts


@type_callable(layer_of)
def _type_of_layer(context):
    def typed(numbers, width):
        fits = _is_array(numbers, 1) and isinstance(width, types.IntegerLiteral)
        return Layer(width.literal_value) if fits else None

    return typed


@lower_builtin(layer_of, types.Array, types.IntegerLiteral)
def _layer_of(context, builder, signature, arguments):
    kind, width = signature.args[0], signature.return_type.width
    layer = _new(builder, width)
    if _is_plain():
        filled = types.void(signature.return_type, kind)
        _in_turn(context, builder, _start_in_turn, filled, [layer, arguments[0]])
    else:
        data = context.make_array(kind)(context, builder, arguments[0]).data
        _store(builder, _read(builder, data, width), layer, width)
    return layer


@type_callable(copy_of)
def _type_of_copy(context):
    return lambda layer: layer if isinstance(layer, Layer) else None


@lower_builtin(copy_of, Layer)
def _copy_of(context, builder, signature, arguments):
    width = signature.return_type.width
    layer = _new(builder, width)
    _store(builder, _units(builder, arguments[0], width), layer, width)
    return layer


@type_callable(add_row)
def _type_of_added_row(context):
    def typed(layer, rows, place, times):
        fits = isinstance(layer, Layer) and _is_array(rows, 2) and isinstance(times, types.Float)
        return types.void if fits else None

    return typed


@lower_builtin(add_row, Layer, types.Array, types.Integer, types.Float)
def _add_row(context, builder, signature, arguments):
    layer, rows, place, times = arguments
    whose, kind, place_kind, times_kind = signature.args
    place = context.cast(builder, place, place_kind, types.intp)
    times = context.cast(builder, times, times_kind, types.float32)
    if _is_plain():
        exactly = types.void(whose, kind, types.intp, types.float32)
        return _in_turn(context, builder, _add_row_in_turn, exactly, [layer, rows, place, times])
    row = _row_of(context, builder, kind, rows, place, whose.width)
    _add_times(builder, layer, times, row, whose.width)
    return context.get_dummy_value()


@type_callable(add_product)
def _type_of_product(context):
    def typed(layer, below, weights):
        fits = isinstance(layer, Layer) and isinstance(below, Layer) and _is_array(weights, 2)
        return types.void if fits else None

    return typed


@lower_builtin(add_product, Layer, Layer, types.Array)
def _add_product(context, builder, signature, arguments):
    if _is_plain():
        return _in_turn(context, builder, _add_product_in_turn, signature, arguments)
    layer, below, weights = arguments
    width, length = signature.args[0].width, signature.args[1].width
    inputs = _positive(builder, below, length)
    with cgutils.for_range(builder, context.get_constant(types.intp, length)) as turn:
        times = builder.load(builder.gep(inputs, [turn.index]))
        row = _row_of(context, builder, signature.args[2], weights, turn.index, width)
        _add_times(builder, layer, times, row, width)
    return context.get_dummy_value()


@type_callable(weighted_sum)
def _type_of_sum(context):
    def typed(layer, weights, start):
        fits = isinstance(layer, Layer) and _is_array(weights, 1, "CA") and start == types.float32
        return types.float32 if fits else None

    return typed


@lower_builtin(weighted_sum, Layer, types.Array, types.Float)
def _weighted_sum(context, builder, signature, arguments):
    if _is_plain():
        return _in_turn(context, builder, _weighted_sum_in_turn, signature, arguments)
    layer, weights, total = arguments
    width = signature.args[0].width
    array = context.make_array(signature.args[1])(context, builder, weights)
    inputs, (stride,) = _positive(builder, layer, width), cgutils.unpack_tuple(builder, array.strides)
    first = builder.ptrtoint(array.data, stride.type)
    for unit in range(width):
        here = context.get_constant(types.intp, unit)
        at = builder.inttoptr(builder.add(first, builder.mul(stride, here)), FLOAT.as_pointer())
        product = builder.fmul(builder.load(builder.gep(inputs, [here])), builder.load(at, align=FLOAT_BYTES))
        total = builder.fadd(total, product)
    return total


@type_callable(folded_sum)
def _type_of_folded_sum(context):
    def typed(layer, weights):
        fits = isinstance(layer, Layer) and _is_array(weights, 1)
        return types.float32 if fits and layer.width & (layer.width - 1) == 0 else None

    return typed


@lower_builtin(folded_sum, Layer, types.Array)
def _folded_sum(context, builder, signature, arguments):
    if _is_plain():
        copied = _copy_of(context, builder, signature.args[0](signature.args[0]), arguments[:1])
        return _in_turn(context, builder, _folded_sum_in_turn, signature, [copied, arguments[1]])
    layer, weights = arguments
    width = signature.args[0].width
    data = context.make_array(signature.args[1])(context, builder, weights).data
    (kept,), (row,) = _kept(builder, layer, width), _read(builder, data, width)
    products = builder.fmul(kept, row)
    while width > 1:
        width //= 2
        halves = [
            builder.shuffle_vector(
                products,
                ir.Constant(products.type, ir.Undefined),
                ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(first, first + width))),
            )
            for first in (0, width)
        ]
        products = builder.fadd(*halves)
    return builder.extract_element(products, ir.Constant(ir.IntType(32), 0))
