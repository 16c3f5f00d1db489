import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from khora_sim.errors import UserError
from khora_sim.stats import holm, mean_table, paired_table, share_table, unpaired_table
from khora_sim.stats.paired import paired_tables
from tests.stats.observations import paired_difference, unpaired_difference

# Student (1908): hours of sleep gained by ten patients under each of two drugs.
DRUG_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
DRUG_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_students_sleep_data_paired():
    found = paired_difference(DRUG_1, DRUG_2)
    assert found.estimate.value == pytest.approx(1.58)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((0.7001142, 2.4598858))
    assert found.p_value == pytest.approx(0.002833, abs=1e-6)


def test_students_sleep_data_unpaired():
    found = unpaired_difference(DRUG_1, DRUG_2)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((-0.2054832, 3.3654832))
    assert found.p_value == pytest.approx(0.07939, abs=1e-5)
    assert (found.estimate.n, found.pairing_gain) == (20, None)


def test_pairing_gain_is_the_ratio_of_the_variances():
    gain = paired_difference(DRUG_1, DRUG_2).pairing_gain
    difference = np.subtract(DRUG_2, DRUG_1)
    assert gain == pytest.approx((np.var(DRUG_1) + np.var(DRUG_2)) / np.var(difference))


def test_identical_studies_do_not_differ_but_a_change_that_was_not_seen_is_not_excluded():
    same = paired_difference(DRUG_1, DRUG_1)
    assert (same.estimate.value, same.p_value) == (0.0, 1.0)
    most = 3.7 + 1.6  # as far as one patient could have moved
    reach = stats.t.ppf(0.975, 9)
    assert same.estimate.high == pytest.approx(reach**2 * most / 10)
    assert same.estimate.low == -same.estimate.high
    assert same.pairing_gain == pytest.approx(2 * np.var(DRUG_1, ddof=1) / 10 / (reach * most / 10) ** 2)


def test_steady_differences_are_as_sure_as_a_sign_test():
    steady = paired_difference([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0])
    assert steady.p_value == 2 * 0.5**4


def test_grouped_pairs_are_tested_by_group():
    groups = np.repeat(np.arange(5), 2)
    means = np.subtract(DRUG_2, DRUG_1).reshape(5, 2).mean(axis=1)
    assert paired_difference(DRUG_1, DRUG_2, groups).p_value == pytest.approx(
        stats.ttest_1samp(means, 0).pvalue
    )
    by_group = stats.ttest_ind(
        *(np.reshape(x, (5, 2)).mean(axis=1) for x in (DRUG_2, DRUG_1)), equal_var=False
    )
    assert unpaired_difference(DRUG_1, DRUG_2, groups, groups).p_value == pytest.approx(by_group.pvalue)


def test_one_group_or_no_pair_shows_nothing():
    one = paired_difference([1.0, 2.0], [3.0, 3.0], [0, 0])
    assert (one.estimate.low, one.estimate.high, one.p_value) == (-math.inf, math.inf, 1.0)
    none = paired_difference([], [])
    assert none.p_value == 1.0
    assert none.estimate.n == 0
    assert unpaired_difference([1.0], [2.0, 3.0]).p_value == 1.0
    with pytest.raises(ValueError, match="got 1 and 2"):
        paired_difference([1.0], [1.0, 2.0])


def _studies(rng, groups=80, effect=1.5):
    """The same luck twice; the second study's rule gives city b more points."""
    games = groups * 2
    luck = rng.normal(40, 8, size=(groups, 1, 2)) + rng.normal(0, 3, size=(groups, 2, 2))
    base = pl.DataFrame(
        {
            "game": np.repeat(np.arange(games, dtype=np.uint64), 2),
            "rotation_group": np.repeat(np.arange(groups, dtype=np.uint64), 4),
            "seat": np.tile([0, 1], games),
            "city": ["a", "b", "b", "a"] * groups,
            "score": luck.ravel(),
        }
    )
    noise = pl.Series(rng.normal(0, 2, size=len(base)))
    bonus = pl.when(pl.col("city") == "b").then(effect).otherwise(0.0)
    return base, base.with_columns((pl.col("score") + bonus + noise).alias("score"))


def test_only_rows_of_the_same_game_and_seat_are_paired():
    first = pl.DataFrame(
        {"game": [1, 1, 2], "seat": [0, 1, 0], "rotation_group": [9, 9, 9], "score": [10, 20, 30]}
    )
    second = pl.DataFrame(
        {"game": [3, 1, 1], "seat": [0, 1, 0], "rotation_group": [9, 9, 9], "score": [1, 25, 11]}
    )
    table = paired_table(first, second.lazy(), "seat")
    assert table.select("seat", "first", "second", "value", "n").rows() == [
        (0, 10, 11, 1, 1),
        (1, 20, 25, 5, 1),
    ]
    with pytest.raises(UserError, match="share no game and seat"):
        paired_table(first, second.filter(pl.col("game") == 3), "seat")


def test_pairs_found_by_checksum_and_by_joining_are_the_same():
    first, second = _studies(np.random.default_rng(4))
    stranger = second.head(1).with_columns(pl.lit(10**6, dtype=pl.UInt64).alias("game"))
    whole = paired_table(first, second.sample(fraction=1, shuffle=True, seed=1), "city")
    joined = paired_table(first, pl.concat([second, stranger]), "city")
    for column in whole.columns[1:]:
        assert whole[column].to_list() == pytest.approx(joined[column].to_list())


def test_a_paired_table_finds_what_an_unpaired_one_cannot():
    first, second = _studies(np.random.default_rng(1))
    paired = paired_table(first, second, "city")
    assert paired["city"].to_list() == ["a", "b"]
    assert paired["p_holm"][0] > 0.05 > 0.001 > paired["p_holm"][1]
    assert paired["n"].to_list() == [160, 160]
    assert paired["pairing_gain"].min() > 10
    apart = unpaired_table(first, second, "city")
    assert apart["value"].to_list() == pytest.approx(paired["value"].to_list())
    assert apart["p_holm"].min() > 0.05
    assert apart["n"].to_list() == [320, 320]


@pytest.mark.parametrize("compared", [paired_table, unpaired_table])
def test_differences_are_corrected_for_the_number_of_items(compared):
    table = compared(*_studies(np.random.default_rng(9)), "city")
    assert table["p_holm"].to_list() == holm(table["p_value"]).tolist()
    assert table["p_holm"].min() == pytest.approx(2 * table["p_value"].min())


@pytest.mark.parametrize("compared", [paired_table, unpaired_table])
def test_both_sides_have_the_intervals_that_each_has_by_itself(compared):
    first, second = _studies(np.random.default_rng(7))
    table = compared(first, second, "city")
    for name, side in (("first", first), ("second", second)):
        alone = mean_table(side, "city")
        columns = [table[one].to_list() for one in (name, f"{name}_low", f"{name}_high")]
        assert columns == [pytest.approx(alone[one].to_list()) for one in ("value", "low", "high")]


@pytest.mark.parametrize("compared", [paired_table, unpaired_table])
def test_a_share_of_one_side_stays_between_nothing_and_all(compared):
    first, second = (
        side.with_columns(win_share=pl.when(city="a").then(pl.col("score") > above).otherwise(False))
        for side, above in zip(_studies(np.random.default_rng(8)), (0, 5), strict=True)
    )
    table = compared(first, second, "city", value="win_share")
    alone = share_table(first.with_columns(pl.col("win_share").cast(pl.Float64)), "city")
    for one, own in (("first", "value"), ("first_low", "low"), ("first_high", "high")):
        assert table[one].to_list() == pytest.approx(alone[own].to_list())
    assert table["second_low"][1] == 0 < table["second_high"][1] < 0.2


def test_studies_that_list_different_names_are_compared_where_both_have_them():
    first, second = _studies(np.random.default_rng(5))
    first = first.with_columns(pl.col("city").cast(pl.Enum(["a", "b", "c"])))
    second = second.with_columns(pl.col("city").cast(pl.Enum(["b", "a"])))
    assert unpaired_table(first, second, "city")["city"].to_list() == ["a", "b"]
    assert paired_table(first, second, "city")["city"].to_list() == ["a", "b"]


def test_tables_and_arrays_agree():
    first, second = _studies(np.random.default_rng(2))
    row = paired_table(first, second, "city").row(1, named=True)
    mask = first["city"] == "b"
    alone = paired_difference(
        first["score"].filter(mask), second["score"].filter(mask), first["rotation_group"].filter(mask)
    )
    assert (row["low"], row["high"], row["p_value"]) == pytest.approx(
        (alone.estimate.low, alone.estimate.high, alone.p_value)
    )
    assert row["pairing_gain"] == pytest.approx(alone.pairing_gain)


def test_paired_and_unpaired_intervals_cover_the_true_difference():
    rng, paired, apart = np.random.default_rng(3), [], []
    for _ in range(1500):
        luck = np.repeat(rng.normal(0, 5, size=(2, 25)), 4, axis=1)
        first, second, other = rng.normal(0, 3, size=(3, 100))
        groups = np.repeat(np.arange(25), 4)
        paired.append(paired_difference(luck[0] + first, luck[0] + second + 1, groups).estimate.holds(1.0))
        apart.append(
            unpaired_difference(luck[0] + first, luck[1] + other + 1, groups, groups).estimate.holds(1.0)
        )
    assert np.mean(paired) == pytest.approx(0.95, abs=0.015)
    assert np.mean(apart) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("rows", [slice(None), slice(4, None)], ids=["same rows", "some without a partner"])
def test_values_that_are_compared_together_come_out_as_each_alone(rows: slice) -> None:
    rng, n = np.random.default_rng(7), 160
    both = [
        pl.DataFrame(
            {
                "game": np.repeat(np.arange(n // 4), 4),
                "seat": np.tile(np.arange(1, 5), n // 4),
                "rotation_group": np.repeat(np.arange(n // 16), 16),
                "city": np.tile(["argos", "athens", "corinth", "miletus"], n // 4),
                "score": rng.integers(0, 40, n),
                "margin": rng.integers(0, 9, n),
                "win_share": rng.integers(0, 3, n) / 2,
                "flag": np.zeros(n, bool),
            }
        )
        for _ in range(2)
    ]
    first, second = both[0], both[1][rows]
    values = ("score", "margin", "win_share", "flag")
    found = paired_tables(first, second, "city", values)
    for value in values:
        assert found[value].equals(paired_table(first, second, "city", value=value)), value
