import numpy as np
import pytest

from khora_sim.stats import shrunken


def test_effects_that_chance_explains_are_all_the_mean():
    assert shrunken([1.0, -1.0, 0.0], [4.0, 4.0, 4.0]).tolist() == pytest.approx([0.0] * 3)


def test_effects_measured_exactly_stay_as_they_are():
    assert shrunken([5.0, 1.0, 3.0], [1e-12] * 3).tolist() == pytest.approx([5.0, 1.0, 3.0])


def test_equal_variances_shrink_as_the_closed_form_says():
    values = np.array([4.0, 2.0, 0.0, -2.0, -4.0])
    spread = values.var(ddof=1) - 1.0
    assert shrunken(values, np.ones(5)) == pytest.approx(values * spread / (spread + 1))


def test_what_was_not_measured_stays_unknown_and_two_effects_are_not_shrunken():
    found = shrunken([1.0, np.nan, 2.0, 3.0], [0.1, 0.1, 0.1, np.inf])
    assert found[:1].tolist() == [1.0]
    assert np.isnan(found[1])


def test_the_largest_of_forty_effects_overstates_the_truth_and_its_shrunken_value_does_not():
    rng, raw, small = np.random.default_rng(1), [], []
    for _ in range(1000):
        truth = rng.normal(0, 1.0, 40)
        seen = truth + rng.normal(0, 0.6, 40)
        best = int(np.argmax(seen))
        raw.append(seen[best] - truth[best])
        small.append(shrunken(seen, np.full(40, 0.36))[best] - truth[best])
    assert np.mean(raw) / 2.2 > 0.11  # of a largest effect of some 2.2
    assert abs(np.mean(small)) / 2.2 < 0.03
