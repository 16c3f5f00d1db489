"""Layers of a net: the bits of adding single numbers, in vectors, in plain loops and uncompiled."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import types

from khora_sim.engine import codegen
from khora_sim.engine.compiling import UNCOMPILED
from khora_sim.strategy.learned.layers import add_product, add_row, copy_of, layer_of, weighted_sum

WIDTHS = [(64, 32), (96, 64), (16, 8)]
ROWS = 20


def net_of(first: int, second: int):
    """A net of two layers as a function of its weights and inputs; gives its second layer bit by bit."""

    def forward(bias, rows, times, weights, columns, second_bias, found):
        below = layer_of(bias, first)
        for place in range(ROWS):
            if times[place] != 0:
                add_row(below, rows, place, times[place])
        above = layer_of(second_bias, second)
        add_product(above, below, weights)
        same, other = copy_of(above), copy_of(above)
        add_row(other, weights, 0, np.float32(1))
        found[0] = weighted_sum(above, columns[:, 1], bias[0])
        found[1] = weighted_sum(same, weights[3], bias[0])
        found[2] = weighted_sum(other, weights[3], bias[0])

    return forward


def expected(bias, rows, times, weights, columns, second_bias, found):
    """The same by single numbers: each product is rounded, and what is not positive is left out."""
    below, above = bias.copy(), second_bias.copy()
    for place in range(ROWS):
        if times[place] != 0:
            for unit in range(len(below)):
                below[unit] = below[unit] + times[place] * rows[place, unit]
    for unit in range(len(below)):
        if below[unit] > 0:
            for one in range(len(above)):
                above[one] = above[one] + below[unit] * weights[unit, one]
    other = above + weights[0]
    sums = ((above, columns[:, 1]), (above, weights[3]), (other, weights[3]))
    for place, (layer, column) in enumerate(sums):
        total = bias[0]
        for unit in range(len(layer)):
            if layer[unit] > 0:
                total = total + layer[unit] * column[unit]
        found[place] = total


def some_net(first: int, second: int, seed: int) -> list[np.ndarray]:
    """Weights and inputs, about half of them 0; some biases are 0 and -0.0, where signs could be lost."""
    numbers = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return numbers.standard_normal(shape).astype(np.float32)

    bias, second_bias = normal(first), normal(second)
    bias[1], bias[2], second_bias[0], second_bias[1] = 0.0, -0.0, -0.0, 0.0
    times = normal(ROWS) * (numbers.random(ROWS) < 0.5)
    rows, weights = normal(ROWS, first), normal(first, second)
    rows[:, 2] = 0.0
    weights[:, 0] = 0.0
    return [bias, rows, times.astype(np.float32), weights, normal(second, 2), second_bias]


def assert_same_bits(forward, first: int, second: int, nets: int = 20) -> None:
    for seed in range(nets):
        found, wanted = np.zeros(3, np.float32), np.zeros(3, np.float32)
        net = some_net(first, second, seed)
        forward(*net, found)
        expected(*net, wanted)
        assert found.tobytes() == wanted.tobytes()


def compiled(forward):
    """The function compiled as an entry point is, in the way that is in use."""
    row, rows = types.float32[::1], types.float32[:, ::1]
    signature = types.void(row, rows, row, rows, rows, row, row)
    return numba.njit(signature, error_model="numpy", _nrt=False, pipeline_class=codegen.EntryPipeline)(
        forward
    )


@pytest.mark.parametrize(("first", "second"), WIDTHS)
def test_uncompiled_layers_have_the_bits_of_single_numbers(first, second):
    assert_same_bits(net_of(first, second), first, second, 3)


@pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("way", [codegen.LEAN, codegen.PLAIN])
@pytest.mark.parametrize(("first", "second"), WIDTHS)
def test_compiled_layers_have_the_bits_of_single_numbers(monkeypatch, way, first, second):
    monkeypatch.setattr(codegen, "_way", way)
    assert_same_bits(compiled(net_of(first, second)), first, second)


@pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")
@pytest.mark.parametrize(("way", "in_vectors"), [(codegen.LEAN, True), (codegen.PLAIN, False)])
def test_only_a_numba_that_was_tried_is_given_vectors(monkeypatch, way, in_vectors):
    monkeypatch.setattr(codegen, "_way", way)
    (text,) = compiled(net_of(64, 32)).inspect_llvm().values()
    assert ("fmul <64 x float>" in text) == in_vectors


@pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("way", [codegen.LEAN, codegen.PLAIN])
@pytest.mark.parametrize("odd", [np.nan, -np.inf])
def test_a_unit_that_is_no_number_or_endless_below_0_counts_as_0(monkeypatch, way, odd):
    monkeypatch.setattr(codegen, "_way", way)
    forward = compiled(net_of(16, 8))
    net = some_net(16, 8, 1)
    net[0][5] = odd
    found, wanted = np.zeros(3, np.float32), np.zeros(3, np.float32)
    forward(*net, found)
    expected(*net, wanted)
    assert found.tobytes() == wanted.tobytes()
    assert np.isfinite(found).all()


def test_a_numba_that_was_not_tried_gets_plain_loops():
    code = "import numba; numba.__version__ = '0.99.0'\n"
    code += "from khora_sim.strategy.learned import layers; print(layers._is_plain())"
    environment = {name: value for name, value in os.environ.items() if name != "KHORA_CODEGEN"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


@pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")
def test_the_checked_way_ends_at_a_row_that_is_not_there():
    code = """
import numpy as np
from tests.strategy.test_layers import compiled, net_of, some_net
forward, net = compiled(net_of(16, 8)), some_net(16, 8, 1)
forward(*net, np.zeros(3, np.float32))
print("once", flush=True)
forward(net[0], net[1][:5].copy(), *net[2:], np.zeros(3, np.float32))
print("went on")
"""
    environment = {**os.environ, "KHORA_CODEGEN": codegen.CHECKED}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "once\n"
    assert done.returncode < 0
