import numpy as np
import polars as pl
import pytest

from khora_sim.stats import first_places, rate, read_rankings
from tests.stats.worlds import players_table, rotated_study


def _found(study: pl.DataFrame, factors: list[str]) -> pl.DataFrame:
    rankings = read_rankings(study, factors)
    return first_places(rankings, rate(rankings, replicates=2))


def test_measured_first_places_are_those_of_the_games():
    study = rotated_study(np.random.default_rng(1), 80)
    found = _found(study, ["city", "seat"])
    own = study.group_by("city").agg(pl.col("win_share").mean(), pl.len().alias("n")).sort("city")
    cities = found.filter(factor="city")
    assert cities["measured"].to_list() == pytest.approx(own["win_share"].to_list())
    assert cities["n"].to_list() == own["n"].to_list()
    assert (cities["value"] * cities["n"]).sum() == pytest.approx(0.0, abs=1e-6)


def test_a_city_that_wins_or_ends_last_is_seen_to_win_more_often_than_the_model_expects():
    rng = np.random.default_rng(2)
    groups = 400
    city = np.tile(np.arange(4), (groups, 1, 1))
    power = rng.gumbel(size=(groups, 1, 4))
    power[..., 0] = np.where(rng.random((groups, 1)) < 0.5, 99.0, -99.0)  # all or nothing
    found = _found(players_table(city, (-power).argsort(axis=2).argsort(axis=2) + 1), ["city"])
    gambler = found.row(0, named=True)
    assert gambler["measured"] == pytest.approx(0.5, abs=0.06)
    assert gambler["fitted"] < 0.35
    assert gambler["low"] > 0.1
    assert gambler["p_holm"] < 0.001


def test_where_the_model_is_right_its_misfit_holds_zero_as_often_as_it_should():
    rng, hits = np.random.default_rng(3), []
    for _ in range(120):
        found = _found(rotated_study(rng, 60), ["city", "seat"])
        hits.append(((found["low"] <= 0) & (found["high"] >= 0)).to_numpy())
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)
