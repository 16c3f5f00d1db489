import polars as pl
import pytest

from khora_sim.pages.study_data import StudyData, quantiles
from khora_sim.stats import mean_table, means, measure, measured, share_table, shares, sums_of
from khora_sim.stats.sums import from_cells


def test_shares_from_sums_are_those_of_the_statistics(data: StudyData) -> None:
    mine = shares(data.standing, ["players", "city"], "win_share", null=0.25)
    theirs = share_table(data.players, ["players", "city"], null=0.25)
    assert mine.columns == theirs.columns
    for column in ("value", "low", "high", "n", "units", "p_value"):
        assert mine[column].to_list() == pytest.approx(theirs[column].to_list())


def test_means_from_sums_are_those_of_the_statistics(data: StudyData) -> None:
    mine = means(data.standing, ["city"], "score")
    theirs = mean_table(data.players, "city").drop("sd")
    for column in theirs.columns[1:]:
        assert mine[column].to_list() == pytest.approx(theirs[column].to_list())


def test_a_mean_over_another_sum_is_a_ratio_of_totals(data: StudyData) -> None:
    sums = {
        "returns": pl.col("returns_trade").cast(pl.Int64),
        "actions": pl.col("actions_trade").cast(pl.Int64),
    }
    found = means(sums_of(data.players, [], sums), [], "returns", "actions")
    assert found["value"].item() == pytest.approx(2.0)  # every made-up trade brings two drachmas
    assert (
        found["n"].item()
        == data.players.select(pl.col("actions_trade").cast(pl.Int64).sum()).collect().item()
    )


def test_what_is_measured_for_tiers_is_that_of_the_statistics(data: StudyData) -> None:
    mine, theirs = (
        measured(data.standing, "city", "win_share"),
        measure(data.players, "win_share", "city"),
    )
    places = [mine.items.index(item) for item in theirs.items]
    assert mine.values[places] == pytest.approx(theirs.values)
    assert mine.covariance()[places][:, places] == pytest.approx(theirs.covariance())


def test_a_share_that_never_happened_is_bounded_by_its_groups() -> None:
    sums = from_cells(pl.DataFrame({"__unit": [0, 1, 2], "c": [4000] * 3, "never": [0, 0, 0]}), [])
    few = shares(sums, [], "never").row(0, named=True)
    many = shares(sums, [], "never", rows_per_group=4).row(0, named=True)
    assert few["value"] == many["value"] == 0
    assert many["high"] < 0.01 < few["high"]


def test_quantiles_are_values_that_occur() -> None:
    frame = pl.LazyFrame({"city": ["a"] * 10, "score": list(range(10))})
    row = quantiles(frame, "city", "score", (0.1, 0.5, 0.9)).row(0, named=True)
    assert (row["q10"], row["q50"], row["q90"], row["mean"], row["n"]) == (0, 4, 8, 4.5, 10)
