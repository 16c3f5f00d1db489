import numpy as np
import polars as pl
import pytest
from scipy import stats

from khora_sim.stats import measure, tiers
from khora_sim.stats.sums import from_sums
from khora_sim.stats.tiers import rank_chances
from tests.stats.worlds import players_table, rotated_study


def _independent_groups(rng, means, groups=200):
    """One observation per item and group, all independent."""
    values = rng.normal(means, 1.0, size=(groups, len(means)))
    return from_sums([f"i{k}" for k in range(len(means))], values, np.ones_like(values)), values


def test_items_far_apart_get_tiers_of_their_own_and_close_ones_share():
    measured, _ = _independent_groups(np.random.default_rng(1), [3.0, 0.02, 5.0, 0.0])
    found = tiers(measured)
    assert found.groups()[:2] == [["i2"], ["i0"]]
    assert sorted(found.groups()[2]) == ["i1", "i3"]
    assert found.table["tier"].to_list() == [1, 2, 3, 3]


def test_pairs_are_paired_t_tests_with_holms_correction():
    measured, values = _independent_groups(np.random.default_rng(2), [0.3, 0.0, 0.1])
    pairs = tiers(measured).pairs
    for row in pairs.iter_rows(named=True):
        better, worse = values[:, int(row["better"][1])], values[:, int(row["worse"][1])]
        theirs = stats.ttest_rel(better, worse)
        assert row["p_value"] == pytest.approx(theirs.pvalue)
        assert (row["low"], row["high"]) == pytest.approx(tuple(theirs.confidence_interval()))
    assert (pairs["p_holm"] >= pairs["p_value"]).all()


def test_a_chain_that_cannot_be_cut_stays_one_tier():
    # The ends differ clearly, but the middle is distinguishable from neither.
    noise = np.random.default_rng(3).normal(size=(150, 3))
    values = noise - noise.mean(axis=0) + [0.4, 0.2, 0.0]
    measured = from_sums(("i0", "i1", "i2"), values, np.ones_like(values))
    found = tiers(measured)
    ends = found.pairs.filter((pl.col("better") == "i0") & (pl.col("worse") == "i2"))
    assert ends["p_holm"].item() < 0.05
    assert found.groups() == [["i0", "i1", "i2"]]


def test_a_tier_ends_only_where_differences_stand_after_the_correction():
    noise = np.random.default_rng(9).normal(size=(150, 3))
    values = np.linalg.qr(noise - noise.mean(axis=0))[0] * np.sqrt(149) + [0.26, 0.0, 0.0]
    found = tiers(from_sums(("i0", "i1", "i2"), values, np.ones_like(values)))
    best = found.pairs.filter(better="i0")
    assert best["p_value"].to_list() == pytest.approx([0.026, 0.026], abs=0.001)
    assert best["p_holm"].to_list() == pytest.approx([0.078, 0.078], abs=0.003)
    assert found.groups() == [["i0", "i1", "i2"]]


def test_equal_items_are_one_tier_and_every_rank_is_as_likely():
    city = np.tile(np.stack([np.roll(np.arange(3), turn) for turn in range(3)]), (30, 1, 1))
    study = players_table(city, np.tile([1, 2, 3], (30, 3, 1)))  # seat 0 always wins, cities rotate
    found = tiers(measure(study, "win_share", "city"), share=True)
    assert found.table["tier"].to_list() == [1, 1, 1]
    assert found.table["value"].to_list() == pytest.approx([1 / 3] * 3)
    assert found.ranks.drop("item").to_numpy() == pytest.approx(np.full((3, 3), 1 / 3))
    assert found.table["above_next"].to_list() == [0.5, 0.5, None]


def test_the_chance_of_the_same_order_again_allows_for_the_luck_of_both_studies():
    measured, values = _independent_groups(np.random.default_rng(4), [0.1, 0.0], groups=400)
    found = tiers(measured)
    difference = values[:, 0] - values[:, 1]
    # Were the measured difference the true one, a repetition would still have luck of its own.
    no_more = stats.norm.cdf(abs(difference.mean()) / (difference.std() / 20) / np.sqrt(2))
    assert 0.5 < found.table["above_next"][0] < no_more
    assert found.table["top"].sum() == pytest.approx(1.0)


def test_rank_chances_count_draws():
    draws = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [1.0, 1.0, 0.0], [0.0, 5.0, 5.0]])
    assert rank_chances(draws).tolist() == [[0.625, 0.125, 0.25], [0.25, 0.5, 0.25], [0.125, 0.375, 0.5]]


def test_shares_keep_their_bounds_between_zero_and_one():
    study = rotated_study(np.random.default_rng(5), 30)
    table = tiers(measure(study, "win_share", "city"), share=True).table
    assert table["low"].min() >= 0
    assert table["value"].is_sorted(descending=True)
    assert table["n"].sum() == len(study)


def test_tiers_find_a_difference_where_none_is_in_at_most_one_study_of_twenty():
    rng, split = np.random.default_rng(6), 0
    for _ in range(400):
        values = rng.normal(size=(60, 5))
        split += tiers(from_sums("abcde", values, np.ones_like(values)), draws=20).table["tier"].max() > 1
    assert split / 400 < 0.06


def test_the_same_seed_gives_the_same_tiers():
    measured, _ = _independent_groups(np.random.default_rng(7), [0.1, 0.0, 0.05])
    assert tiers(measured, seed=3).ranks.equals(tiers(measured, seed=3).ranks)


def test_one_item_is_a_tier_and_no_item_is_none():
    values = np.random.default_rng(8).normal(size=(30, 1))
    alone = tiers(from_sums("a", values, np.ones_like(values)))
    assert alone.groups() == [["a"]]
    assert alone.table.select("top", "above_next").row(0) == (1.0, None)
    nobody = tiers(from_sums("", values[:, :0], values[:, :0]))
    assert nobody.groups() == []
    assert nobody.table.columns == alone.table.columns
