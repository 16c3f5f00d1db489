"""Rankings from counts of where the one finished: the same fit as from the games themselves."""

import numpy as np
import polars as pl
import pytest

from khora_sim.stats import rankings_of_one, rate, read_rankings
from khora_sim.stats.sums import CLUSTER
from tests.stats.test_rankings import _orders

COUNTS = {"one": pl.String, "other": pl.String, CLUSTER: pl.UInt16, "place": pl.UInt8, "sharing": pl.UInt8}
SCHEMA = COUNTS | {"c": pl.Int64}


def test_the_place_of_the_one_is_the_order_of_finish():
    counts = pl.DataFrame([("a", "b", 0, 1, 1, 3), ("a", "b", 1, 3, 1, 2)], schema=SCHEMA, orient="row")
    rankings = rankings_of_one(counts, 3, "strategy")
    assert _orders(rankings) == {"abb": 3, "bba": 2}
    assert (rankings.games, rankings.kind_counts.tolist()) == (5, [5, 10])


def test_a_place_that_three_share_counts_as_three_places_in_equal_parts():
    counts = pl.DataFrame([("a", "b", 0, 2, 3, 6)], schema=SCHEMA, orient="row")
    assert _orders(rankings_of_one(counts, 4, "strategy")) == {"babb": 2, "bbab": 2, "bbba": 2}


def test_the_fit_is_that_of_the_games():
    rng = np.random.default_rng(5)
    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]
    rows, counts = [], []
    for game in range(900):
        one, other = pairs[game % 6]
        places = sorted(rng.choice([[1, 2, 3, 4], [1, 1, 3, 4], [1, 2, 2, 4], [1, 2, 3, 3]]))
        rng.shuffle(places)
        cluster = game // 6 % 50
        rows += [
            (game, cluster, name, place) for name, place in zip([one, *[other] * 3], places, strict=True)
        ]
        counts.append((one, other, cluster, places[0], places.count(places[0]), 1))
    games = pl.DataFrame(rows, schema=["game", "rotation_group", "strategy", "place"], orient="row")
    whole = rate(read_rankings(games, ["strategy"])).table
    summed = rate(rankings_of_one(pl.DataFrame(counts, schema=SCHEMA, orient="row"), 4, "strategy")).table
    for column in ("value", "low", "high", "n"):
        assert summed[column].to_list() == pytest.approx(whole[column].to_list(), abs=1e-9)
