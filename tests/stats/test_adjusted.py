"""Effects from games and their twins: exact where twins are alike, right on average, and honest intervals."""

import numpy as np
import pytest

from khora_sim.stats import holm
from khora_sim.stats.adjusted import Counted, Effects, effects, fitted_slope, off_an_end

CLUSTERS = 60


def counted(
    changed: np.ndarray, twin: np.ndarray, control: np.ndarray, slope: float | None = None
) -> Counted:
    """One thing and one city: results by cluster and place, with their twins and a control of other games."""

    def summed(values: np.ndarray) -> np.ndarray:
        return values.sum(axis=1)[None, None]

    def total(values: np.ndarray) -> np.ndarray:
        return np.array([[values.sum()]])

    n, size = (np.full((1, 1, CLUSTERS), values.shape[1]) for values in (changed, control))
    sums = [total(one) for one in (np.ones_like(changed), changed, twin, changed * twin, twin * twin)]
    slopes = fitted_slope(*sums) if slope is None else np.array([slope])
    return Counted(n, summed(changed), summed(twin), size, summed(control), summed(changed != twin), slopes)


def drawn(seed: int, effect: int, shared: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Results whose twins share some luck, and other games without the effect."""
    chance = np.random.default_rng(seed)
    luck = chance.integers(0, 10 * shared, (CLUSTERS, 8))
    changed, twin = (luck + chance.integers(0, 30, luck.shape) for _ in range(2))
    control = chance.integers(0, 10 * shared, (CLUSTERS, 40)) + chance.integers(0, 30, (CLUSTERS, 40))
    return changed + effect, twin, control


def test_games_that_equal_their_twins_have_exactly_no_effect():
    _, twin, control = drawn(1, 0)
    sums = counted(twin, twin, control)
    found = effects(sums, 1, 1.0)
    assert sums.slope.tolist() == [1.0]
    assert found.values.tolist() == [[0.0]]
    assert found.p_values().tolist() == [[1.0]]
    ((estimate,),) = found.estimates()
    assert estimate.low < 0 < estimate.high  # for changes that were not seen
    assert estimate.margin == pytest.approx(2.0010**2 / (8 * CLUSTERS), rel=1e-3)


def test_the_slope_says_how_much_a_twin_foretells():
    changed, twin, control = drawn(2, 0)
    chance = np.random.default_rng(3)
    unrelated = chance.integers(0, 30, twin.shape)
    assert 0.35 < counted(changed, twin, control).slope[0] < 0.65
    assert counted(unrelated, twin, control).slope[0] < 0.1


def test_a_slope_is_never_below_nothing_or_above_all():
    _, twin, control = drawn(2, 0)
    assert counted(100 - twin, twin, control).slope.tolist() == [0.0]
    assert counted(2 * twin, twin, control).slope.tolist() == [1.0]


def test_a_slope_of_one_is_the_mean_of_the_differences():
    changed, twin, control = drawn(4, 5)
    found = effects(counted(changed, twin, control, slope=1.0), 1, 1.0)
    assert found.values[0, 0] == pytest.approx((changed - twin).mean())
    by_cluster = (changed - twin).mean(axis=1)
    assert found.variances()[0, 0] == pytest.approx(by_cluster.var(ddof=1) / CLUSTERS)


def test_a_slope_of_nothing_compares_with_all_other_games():
    changed, twin, control = drawn(5, 5)
    found = effects(counted(changed, twin, control, slope=0.0), 1, 1.0)
    assert found.values[0, 0] == pytest.approx(changed.mean() - control.mean())


def test_intervals_hold_the_true_effect_about_as_often_as_they_say_and_are_narrower_than_differences():
    held, widths = 0, []
    for seed in range(400):
        changed, twin, control = drawn(100 + seed, 5)
        ((estimate,),) = effects(counted(changed, twin, control), 1, 1.0).estimates()
        ((plain,),) = effects(counted(changed, twin, control, slope=1.0), 1, 1.0).estimates()
        held += estimate.holds(5)
        widths.append(estimate.margin / plain.margin)
    assert 360 <= held <= 394  # 95 % of 400, and four standard errors to each side
    assert np.mean(widths) < 0.95


def test_the_mean_over_strata_weighs_each_the_same():
    values = np.array([[1.0, 5.0, np.nan]])
    found = Effects(
        values, np.zeros((1, 3, 4)), np.zeros((1, 3)), np.array([[10, 1000, 0]]), np.array([[4, 4, 0]])
    )
    assert found.averaged().values.tolist() == [[3.0]]
    assert found.averaged().n.tolist() == [[1010]]


def test_a_unit_is_off_the_end_that_most_units_are_at():
    n = np.array([[[2, 2, 2, 0], [2, 2, 2, 2]]])
    wins = np.array([[[0, 0, 1, 0], [2, 2, 1, 0]]])
    assert off_an_end(n, wins, 1).tolist() == [[[False, False, True, False], [False, False, True, True]]]


def test_of_pages_with_few_rows_of_each_item_and_city_at_most_5_of_100_claim_something():
    chance, shape, claims = np.random.default_rng(6), (40, 7, 40), 0
    for _ in range(40):
        n = 2 * chance.integers(0, 2, shape)  # the same card on two sides with nearly the same luck
        wins = n * (chance.random(shape) < 0.25)
        control_n = 4 * (n == 0)
        control = chance.binomial(control_n, 0.25)
        sums = Counted(n, wins, 0 * n, control_n, control, off_an_end(n, wins, 1), np.zeros(40))
        claims += holm(effects(sums, 1, 2.0).p_values().ravel()).min() < 0.05
    assert claims <= 6  # of 40; chance alone exceeds it in less than 1 of 100 where 5 % claim something
