import numpy as np
import polars as pl
import pytest

from khora_sim.simulation.summing import with_clusters
from khora_sim.stats import (
    mean_interval,
    measure,
    paired_table,
    share_table,
    tiers,
    unpaired_table,
)
from khora_sim.stats.ratios import means
from khora_sim.stats.sums import MOST_CLUSTERS, sums_of
from tests.stats.worlds import plan_of_all_sets, study_of_all_sets


def in_strata(groups: int, rng: np.random.Generator) -> pl.LazyFrame:
    return with_clusters(study_of_all_sets(rng, groups).lazy(), plan_of_all_sets(groups), 7)


def two_strata(values: list[float], sizes: tuple[int, int] = (3, 3)) -> pl.DataFrame:
    """One row per group, the groups of a stratum one after the other."""
    strata = np.repeat([0, 1], sizes)
    clusters = np.arange(len(values))
    return pl.DataFrame(
        {"rotation_group": clusters, "unit": clusters, "stratum": strata, "x": values, "all": 1}
    )


def test_what_differs_between_strata_is_in_no_interval():
    frame = two_strata([1.0, 2.0, 3.0, 11.0, 12.0, 13.0])
    table = means(sums_of(frame, ["all"], {"x": pl.col("x")}), ["all"], "x").row(0, named=True)
    # Inside both strata the variance of a group is 1, so that of a mean of six is 1/6; 4 degrees of freedom.
    assert table["value"] == 7.0
    assert table["units"] == 5
    assert (table["high"] - table["low"]) / 2 == pytest.approx(2.7764451 / np.sqrt(6))
    blind = means(sums_of(frame.drop("unit", "stratum"), ["all"], {"x": pl.col("x")}), ["all"], "x")
    assert (blind["high"] - blind["low"]).item() / 2 == pytest.approx(
        mean_interval([1, 2, 3, 11, 12, 13]).margin
    )


def test_what_the_design_settles_is_known_exactly_and_not_to_a_rounding_error():
    frame = two_strata([0.0] * 390 + [1.0] * 520, (390, 520))
    table = means(sums_of(frame, ["all"], {"x": pl.col("x")}), ["all"], "x")
    assert table["low"].item() == table["value"].item() == table["high"].item()


def test_what_the_design_settles_on_both_sides_changes_by_exactly_nothing():
    frame = two_strata([0.0] * 390 + [1.0] * 520, (390, 520)).with_columns(game=pl.col("rotation_group"))
    row = paired_table(frame, frame, "all", value="x", keys=("game",)).row(0, named=True)
    assert (row["value"], row["low"], row["high"]) == (0.0, 0.0, 0.0)
    assert row["p_value"] == 1.0


def test_a_score_that_was_the_same_in_every_game_may_still_change_in_one_that_was_not_played():
    frame = two_strata([3.0] * 390 + [7.0] * 520, (390, 520)).with_columns(game=pl.col("rotation_group"))
    row = paired_table(frame, frame, "all", value="x", keys=("game",)).row(0, named=True)
    assert row["low"] < row["value"] == 0.0 < row["high"]


def test_a_stratum_of_one_group_says_nothing_so_all_are_taken_as_one():
    frame = two_strata([1.0, 2.0, 3.0, 12.0], (3, 1))
    table = means(sums_of(frame, ["all"], {"x": pl.col("x")}), ["all"], "x")
    assert (table["high"] - table["low"]).item() / 2 == pytest.approx(mean_interval([1, 2, 3, 12]).margin)


def test_how_often_an_item_comes_up_in_a_stratum_is_chance_where_it_was_drawn():
    frame = two_strata([1.0, 1.0, 1.0, 5.0, 5.0, 5.0]).with_columns(drawn=pl.Series([1, 1, 0, 1, 0, 0]))
    table = means(sums_of(frame, ["drawn"], {"x": pl.col("x")}), ["drawn"], "x")
    # All values of a stratum are equal, yet the mean of what was drawn depends on how many came from where.
    row = table.filter(drawn=1).row(0, named=True)
    assert row["value"] == pytest.approx(7 / 3)
    rest = np.array([-4 / 3, -4 / 3, 0.0, 8 / 3, 0.0, 0.0]) / 3
    inside = sum(((part - part.mean()) ** 2).sum() * 3 / 2 for part in (rest[:3], rest[3:]))
    assert (row["high"] - row["low"]) / 2 == pytest.approx(4.3026527 * np.sqrt(inside))  # 3 groups saw it


def test_tiers_and_tables_give_a_city_the_same_interval():
    frame = in_strata(140, np.random.default_rng(1))
    table = share_table(frame, "city")
    judged = tiers(measure(frame, "win_share", "city"), share=True).table.sort("item")
    assert judged["low"].to_list() == pytest.approx(table["low"].to_list())
    assert judged["high"].to_list() == pytest.approx(table["high"].to_list())


@pytest.mark.parametrize("groups", [35 * 30, 35 * 400])
def test_bundles_of_groups_give_the_interval_of_the_groups(groups):
    frame = in_strata(groups, np.random.default_rng(2))
    exact = frame.with_columns(
        pl.col("rotation_group").alias("unit"), (pl.col("rotation_group") % 35).alias("stratum")
    )
    bundled, single = (share_table(one, "city") for one in (frame, exact))
    assert frame.select(pl.col("unit").n_unique()).collect().item() == 35 * 29 <= MOST_CLUSTERS
    for low, high, other_low, other_high in zip(
        bundled["low"], bundled["high"], single["low"], single["high"], strict=True
    ):
        assert high - low == pytest.approx(other_high - other_low, rel=0.08)


def test_intervals_of_all_sets_of_cities_cover_the_truth_in_94_to_96_of_100_studies():
    rng, studies, groups = np.random.default_rng(4), 400, 105
    shares = study_of_all_sets(rng, 35 * 1500).group_by("city").agg(pl.col("win_share").mean())
    # Many studies in one frame, each with groups that count from 0 and the strata of its plan.
    many = study_of_all_sets(rng, studies * groups).with_columns(
        study=pl.col("rotation_group") // groups, rotation_group=pl.col("rotation_group") % groups
    )
    frame = with_clusters(many.lazy(), plan_of_all_sets(groups), 7).collect()

    def covered(table: pl.DataFrame) -> float:
        truth = table.join(shares, on="city")["win_share"]
        return ((table["low"] <= truth) & (truth <= table["high"])).mean()

    by = ["study", "city"]
    assert 0.94 < covered(share_table(frame, by, rows_per_group=16)) < 0.96
    blind = share_table(frame.drop("unit", "stratum"), by, rows_per_group=16)
    assert covered(blind) > 0.97  # what ignoring the strata gives: half as many games again would be needed


def test_differences_use_the_strata_too():
    rng = np.random.default_rng(5)
    first, second = (in_strata(105, rng).collect() for _ in range(2))
    for compare in (unpaired_table, paired_table):
        inside = compare(first, second, "city", value="win_share")
        without = compare(
            first.drop("unit", "stratum"), second.drop("unit", "stratum"), "city", value="win_share"
        )
        widths = [(one["high"] - one["low"]).sum() for one in (inside, without)]
        assert inside["value"].to_list() == without["value"].to_list()
        assert widths[0] < (0.9 if compare is unpaired_table else 1.02) * widths[1]
