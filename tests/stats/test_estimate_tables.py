import numpy as np
import polars as pl
import pytest

from khora_sim.stats import Estimate, estimates, mean_interval, mean_table, share_interval, share_table
from tests.stats.worlds import rotated_study, true_win_shares


def test_a_table_has_the_same_intervals_as_its_rows_one_by_one():
    study = rotated_study(np.random.default_rng(1), 40)
    table = share_table(study, "city")
    assert table.columns == ["city", "value", "low", "high", "n", "units"]
    for city, estimate in zip(table["city"], estimates(table), strict=True):
        rows = study.filter(pl.col("city") == city)
        alone = share_interval(rows["win_share"], rows["rotation_group"])
        assert (estimate.low, estimate.high) == pytest.approx((alone.low, alone.high))
        assert estimate.n == alone.n


def test_means_come_with_the_spread_of_single_games():
    frame = pl.DataFrame({"rotation_group": [1, 2, 3, 4], "city": ["a"] * 4, "score": [30, 40, 50, 60]})
    table = mean_table(frame.lazy(), "city")
    alone = mean_interval([30, 40, 50, 60])
    assert table.row(0) == pytest.approx(
        ("a", 45.0, alone.low, alone.high, 4, 4, np.std([3, 4, 5, 6], ddof=1) * 10)
    )


def test_tables_by_several_columns_are_sorted_and_skip_missing_values():
    frame = pl.DataFrame(
        {
            "round": [1, 1, 2, 1],
            "seat": [2, 1, 1, 1],
            "rotation_group": [1, 1, 1, 2],
            "win_share": [1.0, 0.5, None, 0.0],
        }
    )
    table = share_table(frame, ["round", "seat"])
    assert table.select("round", "seat", "value", "n").rows() == [(1, 1, 0.25, 2), (1, 2, 1.0, 1)]
    assert estimates(table)[1] == Estimate(1.0, 0.0, 1.0, 1)


def test_an_empty_frame_gives_an_empty_table():
    empty = rotated_study(np.random.default_rng(1), 1).clear()
    assert share_table(empty, "city", null=0.25).shape == (0, 7)
    assert mean_table(empty, "city", value="win_share").shape == (0, 7)


def test_a_null_asks_whether_the_share_is_that_of_chance():
    study = pl.DataFrame(
        {"rotation_group": np.arange(400), "city": ["a"] * 400, "win_share": [1.0, 0.0, 0.0, 0.0] * 100}
    )
    table = share_table(study, "city", null=0.25)
    assert table["p_value"].item() == 1.0
    assert share_table(study, "city", null=0.35)["p_value"].item() < 1e-4


def test_intervals_of_rotated_win_shares_cover_the_truth():
    rng = np.random.default_rng(2)
    truth = true_win_shares(rng)
    hits = [
        [estimate.holds(truth[city]) for city, estimate in zip(table["city"], estimates(table), strict=True)]
        for table in (share_table(rotated_study(rng, 50), "city") for _ in range(500))
    ]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.012)


def test_who_never_wins_is_bounded_by_the_number_of_groups_however_many():
    games = np.arange(50_000)
    study = pl.DataFrame(
        {"rotation_group": games // 4, "city": ["idle"] * 50_000, "win_share": [0.0] * 50_000}
    )
    estimate = estimates(share_table(study, "city"))[0]
    assert (estimate.value, estimate.low, estimate.n) == (0.0, 0.0, 50_000)
    assert estimate.high == pytest.approx(1.96**2 / (12_500 + 1.96**2), rel=0.01)
