import math
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from khora_sim.stats.intervals import percentile_bounds, resampled_totals
from tests.stats.observations import bootstrap_interval


def _mean(totals):
    return totals[..., 0] / totals[..., 1]


def test_the_same_seed_gives_the_same_draws():
    sums = np.random.default_rng(1).random((50, 3))
    assert np.array_equal(resampled_totals(sums, 100, seed=4), resampled_totals(sums, 100, seed=4))
    assert not np.array_equal(resampled_totals(sums, 100, seed=4), resampled_totals(sums, 100, seed=5))


def test_three_groups_are_drawn_as_often_as_counting_says():
    # Of the 27 ways to draw three groups, 3 give 0+0+0, 100+100+100 or 10+10+10, and 6 give one of each.
    totals = resampled_totals(np.array([[0.0], [10.0], [100.0]]), 27_000, seed=2)[:, 0]
    seen = {total: int((totals == total).sum()) for total in (0.0, 110.0, 30.0, 300.0, 120.0)}
    expected = {0.0: 1000, 110.0: 6000, 30.0: 1000, 300.0: 1000, 120.0: 3000}
    assert all(abs(seen[t] - expected[t]) < 4 * math.sqrt(expected[t]) for t in expected)


def test_draws_of_a_mean_spread_by_the_textbook_standard_error():
    values = np.random.default_rng(3).normal(size=400)
    draws = resampled_totals(values[:, None], 8000, seed=3)[:, 0] / 400
    assert draws.std() == pytest.approx(values.std() / 20, rel=0.03)


def test_the_interval_agrees_with_scipys_bootstrap_of_whole_groups():
    rng = np.random.default_rng(4)
    sums = np.stack([rng.gamma(2.0, 10.0, size=300), rng.integers(2, 5, size=300)], axis=1)

    def ratio(s, n, axis):
        return s.sum(axis=axis) / n.sum(axis=axis)

    theirs = stats.bootstrap(
        tuple(sums.T), ratio, paired=True, method="percentile", n_resamples=4000, rng=rng
    ).confidence_interval
    ours = bootstrap_interval(sums, _mean, n=900, replicates=4000, seed=1)
    assert ours.value == pytest.approx(sums[:, 0].sum() / sums[:, 1].sum())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.12)
    assert ours.n == 900


def test_few_groups_move_the_percentiles_out_as_students_t_asks():
    draws = stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    low, high = percentile_bounds(draws, clusters=5)
    assert (low, high) == pytest.approx((-3.1041, 3.1041), abs=1e-3)  # 2.7764 x sqrt(5 / 4)
    low, high = percentile_bounds(draws, clusters=1024)
    assert (low, high) == pytest.approx((-1.9632, 1.9632), abs=1e-3)
    assert percentile_bounds(draws, clusters=1) == (-math.inf, math.inf)


def test_memory_does_not_grow_with_groups_times_replicates():
    sums = np.ones((200_000, 2))
    tracemalloc.start()
    resampled_totals(sums, 1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # 200,000 x 1,000 counts would be 1.6 GB


def test_bundled_groups_give_the_same_interval_width():
    values = np.random.default_rng(5).normal(size=40_000)
    sums = np.stack([values, np.ones(40_000)], axis=1)
    ours = bootstrap_interval(sums, _mean, n=40_000)
    assert ours.margin == pytest.approx(1.96 * values.std() / 200, rel=0.07)


def test_bootstrap_intervals_of_a_skewed_ratio_cover_the_truth():
    rng, hits = np.random.default_rng(6), 0
    for study in range(1500):
        counts = rng.integers(2, 5, size=40)
        luck = rng.gamma(2.0, 1.0, size=40)
        sums = np.stack([counts * luck + rng.normal(size=40), counts], axis=1)
        hits += bootstrap_interval(sums, _mean, n=120, replicates=600, seed=study).holds(2.0)
    assert hits / 1500 == pytest.approx(0.95, abs=0.02)
