import numpy as np
import pytest

from khora_sim.stats import tiers
from khora_sim.stats.sums import from_sums
from khora_sim.stats.tiers import repeated

NAMES = "abcdefg"


def _study(rng: np.random.Generator, truth: np.ndarray, groups: int = 40):
    """Items that share one cake in every group, as cities share the victories."""
    noise = rng.normal(size=(groups, len(truth)))
    values = truth + noise - noise.mean(axis=1, keepdims=True)
    return from_sums(NAMES[: len(truth)], values, np.ones_like(values))


def _claimed_and_true(rng: np.random.Generator, spread: float, items: int, studies: int = 600):
    """Mean chance given to the leader of a study, and how often it did lead the repetition."""
    claimed, came_true = [], []
    for number in range(studies):
        truth = rng.normal(0, spread / np.sqrt(40), items)
        first, second = _study(rng, truth), _study(rng, truth)
        table = tiers(first, draws=400, seed=number).table
        claimed.append(table["top"][0])
        came_true.append(table["item"][0] == NAMES[int(np.argmax(second.values))])
    return np.mean(claimed), np.mean(came_true)


def test_the_leader_of_identical_cities_leads_again_as_seldom_as_it_is_said_to():
    claimed, came_true = _claimed_and_true(np.random.default_rng(1), 0.0, 7)
    assert came_true == pytest.approx(1 / 7, abs=0.04)
    assert claimed == pytest.approx(1 / 7, abs=0.06)  # resampling one study alone says about one half


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0, 5.0])  # of the true values, in standard errors
def test_the_chance_to_lead_again_is_right_and_rather_too_low_than_too_high(spread: float):
    claimed, came_true = _claimed_and_true(np.random.default_rng(2), spread, 7, studies=400)
    assert came_true - 0.12 < claimed < came_true + 0.05


def test_a_leader_far_ahead_is_nearly_sure_to_lead_again():
    study = _study(np.random.default_rng(3), np.array([9.0, 0.1, 0.0, -0.1]))
    assert tiers(study).table["top"][0] > 0.999


def test_a_repetition_has_twice_the_variance_of_a_clear_difference():
    values = np.random.default_rng(4).normal((50.0, 0.0), size=(2000, 2))
    measured = from_sums("ab", values, np.ones_like(values))
    drawn = repeated(measured, 20_000)
    covariance = measured.covariance()
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert np.var(drawn[:, 0] - drawn[:, 1]) == pytest.approx(2 * variance, rel=0.05)


def test_without_any_spread_a_repetition_is_the_same():
    sums = np.tile([3.0, 1.0, 1.0], (5, 1))
    drawn = repeated(from_sums("abc", sums, np.full_like(sums, 4.0)), 10)
    assert (drawn[:, 1] == drawn[:, 2]).all()
    assert (drawn[:, 0] > drawn[:, 1]).all()
