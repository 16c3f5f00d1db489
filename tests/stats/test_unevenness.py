"""How uneven shares are: known answers, nothing added by chance, and intervals that hold the truth."""

import numpy as np
import pytest

from khora_sim.stats.dispersion import dispersion
from khora_sim.stats.sums import Measured, from_sums

FAIR = 0.25
TRUE = np.array([0.35, 0.15, 0.25, 0.25, 0.35, 0.15, 0.25, 0.25])  # four cities before, the same after
DISTANCE = float(np.sqrt(0.02 / 4))


def world(rng: np.random.Generator, clusters: int, shares: np.ndarray) -> Measured:
    """Wins of every item in clusters of 20 games each."""
    counts = np.full((clusters, len(shares)), 20.0)
    return from_sums(
        [str(item) for item in range(len(shares))], rng.binomial(20, shares, counts.shape), counts
    )


def test_without_chance_it_is_the_root_mean_squared_distance():
    counts = np.full((50, 8), 20.0)
    found = dispersion(from_sums(list("abcdefgh"), TRUE * counts, counts), 4, FAIR)
    assert found.before.value == pytest.approx(DISTANCE)
    assert found.before.low == pytest.approx(found.before.high)
    assert found.change.value == 0.0


def test_two_sides_that_are_the_same_differ_by_exactly_nothing():
    rng = np.random.default_rng(3)
    wins = rng.binomial(20, TRUE[:4], (60, 4)).astype(float)
    counts = np.full((60, 8), 20.0)
    found = dispersion(from_sums(list("abcdefgh"), np.hstack([wins, wins]), counts), 4, FAIR)
    assert (found.change.value, found.change.low, found.change.high) == (0.0, 0.0, 0.0)


@pytest.mark.slow
def test_chance_adds_nothing_to_the_squared_distance():
    rng = np.random.default_rng(1)
    squares = [dispersion(world(rng, 40, TRUE), 4, FAIR).before.value ** 2 for _ in range(200)]
    plain = [float(((world(rng, 40, TRUE).values[:4] - FAIR) ** 2).mean()) for _ in range(200)]
    assert np.mean(squares) == pytest.approx(DISTANCE**2, rel=0.05)
    assert np.mean(plain) > 1.03 * DISTANCE**2


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(2)
    found = [dispersion(world(rng, 60, TRUE), 4, FAIR) for _ in range(200)]
    for name, truth in (("before", DISTANCE), ("after", DISTANCE), ("change", 0.0)):
        held = sum(getattr(one, name).holds(truth) for one in found)
        assert 181 <= held <= 199, name
