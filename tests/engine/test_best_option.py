"""The option that is taken: the highest rating, luck among equals, and no number that is none."""

import numpy as np
import pytest
from numba import types

from khora_sim.engine.cache import cache_folder
from khora_sim.engine.chance import random_below
from khora_sim.engine.compiling import ENGINE_SOURCES, entry, rule
from khora_sim.engine.play import best_option

LUCK = 0x9E3779B97F4A7C15


@rule
def _ask(scores, count, luck, first_of_equals):
    return best_option(scores, count, luck, first_of_equals)


@pytest.fixture(scope="module")
def best():
    kinds = types.int64(types.float64[::1], types.int64, types.uint64, types.boolean)
    compiled = entry(kinds, _ask, cache_folder((*ENGINE_SOURCES, "../tests/engine/test_best_option.py")))
    return lambda scores, luck=LUCK, first=False: compiled(
        np.array(scores, float), len(scores), np.uint64(luck), first
    )


@pytest.mark.parametrize("count", range(1, 23))
def test_the_highest_rating_is_found_in_every_place(best, count):
    for place in range(count):
        scores = np.arange(count, dtype=float) - count
        scores[place] = 0.5
        assert best(scores) == place
        assert best(np.zeros(count)) in range(count)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 100])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_rating_that_is_no_number_is_found_in_every_place(best, count, bad):
    for place in range(count):
        scores = np.linspace(-1, 1, count)
        scores[place] = bad
        assert best(scores) == -1


def test_equals_are_decided_by_luck_or_the_first_is_taken(best):
    scores = [1.0, 3.0, 2.0, 3.0, -0.0, 3.0, 0.0]
    places = [1, 3, 5]
    for luck in range(1, 2**64, 2**60 + 12_345):
        assert best(scores, luck) == places[random_below(np.uint64(luck), 3)]
        assert best(scores, luck, first=True) == 1
    assert {best(scores, luck) for luck in range(1, 2**64, 2**60 + 12_345)} == set(places)


def test_zeros_of_both_signs_are_equal(best):
    assert best([-0.0, 0.0, -1.0], first=True) == 0
    assert {best([-0.0, 0.0, -1.0], luck) for luck in range(1, 2**64, 2**60 + 12_345)} == {0, 1}
