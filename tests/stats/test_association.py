import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from khora_sim.stats import correlation, flag_table
from tests.stats.observations import unpaired_difference


def test_a_flag_compares_those_with_it_to_those_without():
    frame = pl.DataFrame(
        {
            "rotation_group": range(8),
            "win_share": [1.0, 1.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0],
            "played": [1, 1, 1, 1, 0, 0, 0, None],
        }
    )
    row = flag_table(frame.lazy(), {"oracle": pl.col("played") == 1}).row(0, named=True)
    assert (row["n_with"], row["n_without"]) == (4, 4)
    assert (row["with"], row["without"], row["value"]) == (0.625, 0.25, 0.375)
    assert row["p_holm"] == row["p_value"]


def test_large_samples_agree_with_welch():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"rotation_group": np.arange(4000), "score": rng.normal(40, 8, 4000), "dealt": rng.random(4000) < 0.3}
    )
    row = flag_table(frame, {"card": pl.col("dealt")}, value="score").row(0, named=True)
    parts = [frame.filter(pl.col("dealt") == dealt)["score"] for dealt in (False, True)]
    welch = unpaired_difference(*parts)
    assert row["value"] == pytest.approx(welch.estimate.value)
    assert (row["low"], row["high"]) == pytest.approx((welch.estimate.low, welch.estimate.high), abs=0.02)


def test_a_flag_that_everyone_or_no_one_has_shows_nothing():
    frame = pl.DataFrame({"rotation_group": [1, 2], "win_share": [1.0, 0.0]})
    table = flag_table(frame, {"all": pl.lit(True), "none": pl.lit(False)})
    assert table["n_with"].to_list() == [2, 0]
    assert table["p_holm"].to_list() == [1.0, 1.0]
    assert table["low"].to_list() == [-math.inf, -math.inf]
    assert table["with"].to_list()[0] == 0.5


def test_differences_of_dealt_cards_cover_the_truth_when_groups_hang_together():
    rng, hits = np.random.default_rng(2), []
    for _ in range(400):
        luck = np.repeat(rng.normal(0, 5, 60), 4)
        dealt = rng.random((2, 240)) < np.array([[0.3], [0.5]])
        score = luck + rng.normal(0, 4, 240) + 2 * dealt[0]
        frame = pl.DataFrame(
            {"rotation_group": np.repeat(np.arange(60), 4), "score": score, "a": dealt[0], "b": dealt[1]}
        )
        table = flag_table(frame, {"a": pl.col("a"), "b": pl.col("b")}, value="score")
        hits += ((table["low"] <= pl.Series([2.0, 0.0])) & (pl.Series([2.0, 0.0]) <= table["high"])).to_list()
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)


def test_correlation_of_independent_games_is_pearsons_with_fishers_interval():
    rng = np.random.default_rng(3)
    x = rng.normal(3, 2, 3000)
    y = 0.5 * x + rng.normal(0, 2, 3000)
    theirs = stats.pearsonr(x, y)
    ours = correlation(
        pl.DataFrame({"rotation_group": np.arange(3000), "luck": x, "score": y}), "luck", "score"
    )
    assert ours.value == pytest.approx(theirs.statistic)
    interval = theirs.confidence_interval()
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=0.003)
    assert ours.n == 3000


def test_correlation_intervals_cover_the_truth_when_groups_hang_together():
    rng, hits = np.random.default_rng(4), []
    for _ in range(600):
        shared = np.repeat(rng.normal(size=(50, 2)), 4, axis=0)
        x, noise = (0.8 * shared + 0.6 * rng.normal(size=(200, 2))).T
        frame = pl.DataFrame(
            {"rotation_group": np.repeat(np.arange(50), 4), "x": x, "y": 0.6 * x + 0.8 * noise}
        )
        hits.append(correlation(frame, "x", "y").holds(0.6))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.025)


def test_a_column_without_spread_has_no_correlation():
    frame = pl.DataFrame({"rotation_group": [1, 2, 3], "x": [1.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0]})
    flat = correlation(frame, "x", "y")
    assert math.isnan(flat.value)
    assert (flat.low, flat.high) == (-1.0, 1.0)
    assert math.isnan(correlation(frame.clear(), "x", "y").value)
