"""Distances of many variants from wanted shares: exact without chance, unbiased with it, paired."""

import numpy as np
import pytest

from khora_sim.stats import Measured
from khora_sim.stats.dispersion import distances, spreads
from khora_sim.stats.sums import from_sums

SHARES = np.array([0.35, 0.15, 0.25, 0.25])


def world(rng: np.random.Generator, shares: np.ndarray, clusters: int = 60) -> Measured:
    """Wins of every item in clusters of 20 games each."""
    counts = np.full((clusters, len(shares)), 20.0)
    return from_sums([str(one) for one in range(len(shares))], rng.binomial(20, shares, counts.shape), counts)


def exact(shares: np.ndarray) -> Measured:
    counts = np.full((30, len(shares)), 20.0)
    return from_sums([str(one) for one in range(len(shares))], shares * counts, counts)


def test_without_chance_it_is_the_root_mean_squared_distance_from_what_is_wanted():
    found = distances([exact(SHARES), exact(SHARES)], [0.25, SHARES])
    assert found.distance(0).value == pytest.approx(np.sqrt(0.02 / 4))
    assert found.distance(1).value == pytest.approx(0.0, abs=1e-9)
    assert found.change(0, 1).value == pytest.approx(-np.sqrt(0.02 / 4))


def test_a_variant_with_the_same_games_is_never_distinguishable():
    one = world(np.random.default_rng(1), SHARES)
    found = distances([one, one, one], [0.25] * 3)
    assert found.p_values(0).tolist() == [1.0, 1.0, 1.0]
    assert not found.worse_than_best(0.05).any()
    assert found.change(0, 1).high == 0.0


def test_a_variant_far_from_the_target_is_distinguishable_from_the_best():
    rng = np.random.default_rng(2)
    found = distances([world(rng, SHARES), world(rng, np.array([0.7, 0.1, 0.1, 0.1]))], [0.25, 0.25])
    assert found.worse_than_best(0.01).tolist() == [False, True]


def test_variants_without_a_difference_are_called_worse_as_seldom_as_the_level_says():
    rng = np.random.default_rng(3)
    called = sum(
        distances([world(rng, SHARES), world(rng, SHARES)], [0.25] * 2).worse_than_best(0.05).any()
        for _ in range(100)
    )
    assert called <= 11  # 5 % of 100, and three standard errors


def test_draws_lie_around_the_measured_square_without_what_chance_adds():
    one = world(np.random.default_rng(4), SHARES)
    found = distances([one], [0.25])
    assert found.draws[:, 0].mean() == pytest.approx(found.squares[0], abs=0.2 * one.variances().mean())


def test_the_spread_is_the_largest_share_minus_the_smallest():
    (own, nothing), (other, change) = spreads([exact(SHARES), exact(np.full(4, 0.25))])
    assert own.value == pytest.approx(0.2)
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 0.0)
    assert other.value == pytest.approx(0.0)
    assert change.value == pytest.approx(-0.2)
