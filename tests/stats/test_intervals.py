import math

import numpy as np
import pytest
from scipy import stats

from khora_sim.stats import Estimate, mean_interval, share_interval, wilson
from khora_sim.stats.intervals import difference, share_bounds, share_p_value


@pytest.mark.parametrize(
    ("wins", "n", "low", "high"),
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_newcombes_published_intervals(wins, n, low, high):
    estimate = wilson(wins, n)
    assert (estimate.value, estimate.n) == (wins / n, n)
    assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


def test_wilson_agrees_with_scipy_at_another_level():
    theirs = stats.binomtest(37, 120).proportion_ci(0.99, method="wilson")
    ours = wilson(37, 120, level=0.99)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_of_no_game_knows_nothing_and_more_wins_than_games_are_refused():
    empty = wilson(0, 0)
    assert math.isnan(empty.value)
    assert (empty.low, empty.high, empty.n) == (0.0, 1.0, 0)
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


def test_wilson_covers_the_truth_in_95_of_100_studies_on_average():
    n, wins = 60, np.arange(61)
    bounds = [wilson(int(w), n) for w in wins]
    low, high = np.array([b.low for b in bounds]), np.array([b.high for b in bounds])
    truths = np.linspace(0.05, 0.95, 91)
    covered = [stats.binom.pmf(wins, n, p)[(low <= p) & (p <= high)].sum() for p in truths]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.005)
    assert np.min(covered) > 0.91


def test_mean_interval_is_students_t():
    values = np.array([41.0, 38.0, 55.0, 47.0, 60.0, 33.0])
    low, high = stats.t.interval(0.95, 5, loc=values.mean(), scale=stats.sem(values))
    ours = mean_interval(values)
    assert (ours.value, ours.low, ours.high, ours.n) == pytest.approx((values.mean(), low, high, 6))


def test_equal_groups_count_as_one_observation_each():
    values, groups = np.array([1.0, 3.0, 2.0, 6.0, 5.0, 9.0]), [7, 7, 3, 3, 9, 9]
    of_groups = mean_interval([2.0, 4.0, 7.0])
    ours = mean_interval(values, groups)
    assert (ours.low, ours.high) == pytest.approx((of_groups.low, of_groups.high))
    assert ours.n == 6


def test_unequal_groups_have_the_cluster_robust_variance():
    values, groups = np.array([1.0, 1.0, 0.0, 4.0]), [0, 0, 0, 1]
    # Mean 1.5; the groups' sums differ from mean x count by -2.5 and 2.5: variance 2 x (6.25 + 6.25) / 16.
    margin = stats.t.ppf(0.975, 1) * math.sqrt(25 / 16)
    assert mean_interval(values, groups).high == pytest.approx(1.5 + margin)


def test_one_group_bounds_nothing():
    assert (mean_interval([1.0, 2.0], [5, 5]).low, mean_interval([1.0, 2.0], [5, 5]).high) == (
        -math.inf,
        math.inf,
    )
    assert (share_interval([1.0, 0.0], [5, 5]).low, share_interval([1.0, 0.0], [5, 5]).high) == (0.0, 1.0)
    assert math.isnan(mean_interval([]).value)
    assert math.isnan(share_interval([]).value)


def test_share_of_independent_wins_is_nearly_wilsons():
    ours, theirs = share_interval(np.repeat([1.0, 0.0], [300, 900])), wilson(300, 1200)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=2e-4)


def test_a_mirror_match_is_exact_once_there_are_groups_enough():
    quarter = np.tile([1.0, 0.0, 0.0, 0.0], 50)
    whole = share_interval(quarter, np.repeat(np.arange(50), 4))
    assert (whole.value, whole.low, whole.high) == (0.25, 0.25, 0.25)
    few = share_interval(quarter[:12], np.repeat(np.arange(3), 4))
    assert few.high - few.low > 0.4


def test_who_always_loses_gets_an_upper_bound_from_the_number_of_groups():
    lost = share_interval(np.zeros(400), np.repeat(np.arange(100), 4))
    assert (lost.value, lost.low) == (0.0, 0.0)
    assert lost.high == pytest.approx(wilson(0, 100).high, abs=0.002)


def test_the_p_value_against_a_null_agrees_with_the_bounds():
    share, variance, clusters, n = (np.array(x) for x in (0.27, 0.0001, 500, 2000))
    low, high = share_bounds(share, variance, clusters, n)
    for bound in (low, high):
        assert share_p_value(share, bound, variance, clusters, n) == pytest.approx(0.05)
    assert share_p_value(np.array(0.25), 0.25, np.array(0.0), clusters, n) == 1.0


def _covered(rng, interval, truth, draw, studies=2000):
    return np.mean([interval(*draw(rng)).holds(truth) for _ in range(studies)])


def test_share_intervals_cover_the_truth_when_groups_hang_together():
    def draw(rng):
        chance = rng.beta(2, 6, size=60)[:, None]  # games of a group share their luck; mean 0.25
        shares = (rng.random((60, 4)) < chance) * rng.choice([1.0, 0.5], size=(60, 4), p=[0.9, 0.1])
        return shares.ravel(), np.repeat(np.arange(60), 4)

    assert _covered(np.random.default_rng(1), share_interval, 0.25 * 0.95, draw) == pytest.approx(
        0.95, abs=0.012
    )


def test_mean_intervals_cover_the_truth_with_few_groups_of_unequal_size():
    def draw(rng):
        sizes = rng.integers(2, 5, size=15)
        luck = np.repeat(rng.normal(40, 6, size=15), sizes)
        return luck + rng.normal(0, 8, size=sizes.sum()), np.repeat(np.arange(15), sizes)

    assert _covered(np.random.default_rng(2), mean_interval, 40.0, draw) == pytest.approx(0.95, abs=0.012)


def test_forgetting_the_groups_would_cover_too_seldom():
    def draw(rng):
        return (np.repeat(rng.normal(0, 6, size=40), 4) + rng.normal(0, 4, size=160),)

    assert _covered(np.random.default_rng(3), mean_interval, 0.0, draw) < 0.85


def test_margins_of_independent_estimates_add_up_by_their_squares():
    first, second = Estimate(1.0, 0.7, 1.3, 60), Estimate(3.0, 2.6, 3.4, 60)
    found = difference(first, second)
    assert (found.value, found.margin, found.n) == pytest.approx((2.0, 0.5, 120))
    wide, few = difference(first, second, level=0.99), difference(first, second, level=0.99, clusters=5)
    assert wide.margin / found.margin == pytest.approx(stats.norm.ppf(0.995) / stats.norm.ppf(0.975))
    assert few.margin / found.margin == pytest.approx(stats.t.ppf(0.995, 4) / stats.t.ppf(0.975, 4))


def test_a_difference_takes_the_spread_of_single_observations_from_both():
    one, three = Estimate(0.0, -0.2, 0.2, 25), Estimate(0.0, -0.2, 0.2, 75)  # 1 and 3 squared units of spread
    spread = (1 * 25 + 3 * 75) / 100
    assert difference(one, three).margin == pytest.approx(math.sqrt(spread / 25 + spread / 75))


def test_a_difference_from_what_is_unknown_is_unknown():
    found = difference(Estimate(1.0, -math.inf, math.inf, 1), Estimate(3.0, 2.6, 3.4, 70))
    assert (found.value, found.low, found.high) == (2.0, -math.inf, math.inf)
