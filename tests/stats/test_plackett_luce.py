import math
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

from khora_sim.errors import UserError
from khora_sim.stats import rate, read_rankings, tiers
from khora_sim.stats.plackett_luce import known_levels, likelihood
from tests.stats.worlds import CITY_TERMS, SEAT_TERMS, rotated_study


def _games(orders, group_size=1):
    """A players table from orders of finish; equal neighbours inside a tuple share the place."""
    rows = []
    for game, order in enumerate(orders):
        place = 1
        for level in order:
            names = level if isinstance(level, tuple) else (level,)
            rows += [(game, game // group_size, name, place) for name in names]
            place += len(names)
    schema = {"game": pl.UInt64, "rotation_group": pl.UInt64, "city": pl.String, "place": pl.UInt8}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _strengths(ratings, factor="city"):
    table = ratings.table.filter(pl.col("factor") == factor)
    return dict(zip(table["level"], table["value"], strict=True))


# Agresti, Categorical Data Analysis: the American League of 1987, wins of row over column in 13 games each.
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
WINS = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]


def test_two_players_are_bradley_terry_as_in_agrestis_baseball_table():
    orders = [(TEAMS[i], TEAMS[j]) for i in range(7) for j in range(7) for _ in range(WINS[i][j])]
    found = _strengths(rate(read_rankings(_games(orders), ["city"])))
    against_baltimore = [round(found[team] - found["Baltimore"], 2) for team in TEAMS]
    assert against_baltimore == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]


def test_two_cities_differ_by_the_log_odds_of_a_win_with_its_textbook_interval():
    ratings = rate(read_rankings(_games([("a", "b")] * 150 + [("b", "a")] * 50), ["city"]), replicates=8000)
    low, value, high = (ratings.table[c][0] for c in ("low", "value", "high"))
    assert 2 * value == pytest.approx(math.log(3), abs=1e-4)
    margin = stats.t.ppf(0.975, 199) * math.sqrt(1 / 150 + 1 / 50)
    assert 2 * (high - low) / 2 == pytest.approx(margin, rel=0.03)


def test_a_draw_is_half_a_win():
    drawn = rate(
        read_rankings(_games([("a", "b")] * 60 + [("b", "a")] * 20 + [(("a", "b"),)] * 40), ["city"])
    )
    assert 2 * drawn.table["value"][0] == pytest.approx(math.log(80 / 40), abs=1e-4)


def test_likelihood_of_one_ranking_is_the_product_of_its_choices():
    rankings = read_rankings(_games([("b", "c", "a")]), ["city"])
    value, _, _ = likelihood(rankings.blocks, np.log([2.0, 3.0, 5.0]))
    assert value == pytest.approx(math.log(3 / 10 * 5 / 7))


def test_gradient_and_curvature_are_those_of_the_likelihood():
    orders = [("a", "b", "c", "d"), ("c", ("a", "d"), "b"), ("d", "c"), (("a", "b", "c"),)]
    rankings = read_rankings(_games(orders), ["city"])
    at = np.array([0.3, -0.2, 0.5, 0.1])
    _, gradient, curvature = likelihood(rankings.blocks, at)
    step = 1e-5 * np.eye(4)
    by_value = [
        (likelihood(rankings.blocks, at + s)[0] - likelihood(rankings.blocks, at - s)[0]) / 2e-5 for s in step
    ]
    by_slope = [
        (likelihood(rankings.blocks, at + s)[1] - likelihood(rankings.blocks, at - s)[1]) / 2e-5 for s in step
    ]
    assert gradient == pytest.approx(np.array(by_value), abs=1e-8)
    assert -curvature == pytest.approx(np.array(by_slope), abs=1e-8)


def test_the_fit_is_where_scipy_finds_the_highest_likelihood():
    rng = np.random.default_rng(1)
    orders = [tuple(rng.permutation(list("abcd"))[: rng.integers(2, 5)]) for _ in range(80)]
    orders += [(("a", "c"), "b")] * 10

    def minus_log(strengths):
        odds, total = dict(zip("abcd", np.exp(np.append(strengths, 0.0)), strict=True)), 0.0
        for order in orders:
            ways = [order] if not isinstance(order[0], tuple) else [("a", "c", "b"), ("c", "a", "b")]
            for way in ways:
                chances = [odds[way[i]] / sum(odds[x] for x in way[i:]) for i in range(len(way))]
                total -= math.log(math.prod(chances)) / len(ways)
        return total

    best = optimize.minimize(minus_log, np.zeros(3), tol=1e-10)
    ratings = rate(read_rankings(_games(orders), ["city"]))
    found = _strengths(ratings)
    assert [found[x] - found["d"] for x in "abc"] == pytest.approx(best.x.tolist(), abs=2e-4)
    assert ratings.log_likelihood == pytest.approx(-best.fun, abs=1e-3)


def test_expected_frequencies_give_back_the_strengths_they_came_from():
    terms = dict(zip("abc", [0.5, 0.0, -0.5], strict=True))
    orders = []
    for order in permutations("abc"):
        odds = [math.exp(terms[x]) for x in order]
        chance = math.prod(odds[i] / sum(odds[i:]) for i in range(3))
        orders += [order] * round(20_000 * chance)
    assert _strengths(rate(read_rankings(_games(orders), ["city"]))) == pytest.approx(terms, abs=0.001)


def test_terms_of_every_factor_sum_to_zero():
    table = rate(read_rankings(rotated_study(np.random.default_rng(2), 100), ["city", "seat"])).table
    sums = table.group_by("factor").agg(pl.col("value").sum())["value"]
    assert sums.to_list() == pytest.approx([0.0, 0.0], abs=1e-9)
    assert table.filter(pl.col("factor") == "seat")["n"].to_list() == [400] * 4


def test_a_city_is_not_credited_with_its_players_skill():
    rng = np.random.default_rng(3)
    games = 4000
    strong_hand = rng.random((games, 2)) < np.array([0.9, 0.3])  # city a is mostly in strong hands
    power = 1.5 * strong_hand + np.array([0.0, 0.5]) + rng.gumbel(size=(games, 2))  # but city b is stronger
    frame = pl.DataFrame(
        {
            "game": np.repeat(np.arange(games), 2),
            "rotation_group": np.repeat(np.arange(games), 2),
            "city": ["a", "b"] * games,
            "strategy": np.where(strong_hand.ravel(), "strong", "weak"),
            "place": np.argsort(np.argsort(-power, axis=1), axis=1).ravel() + 1,
        }
    )
    alone = _strengths(rate(read_rankings(frame, ["city"])))
    together = rate(read_rankings(frame, ["city", "strategy"]))
    assert alone["a"] > alone["b"]
    truth = np.array([-0.25, 0.25, 0.75, -0.75])
    assert (together.table["low"].to_numpy() <= truth).all()
    assert (together.table["high"].to_numpy() >= truth).all()
    assert together.table["value"].to_numpy() == pytest.approx(truth, abs=0.08)


def test_a_large_study_gives_back_its_truth():
    ratings = rate(read_rankings(rotated_study(np.random.default_rng(4), 5000), ["city", "seat"]))
    truth = np.concatenate([CITY_TERMS, SEAT_TERMS])
    assert ratings.games == 20_000
    assert ratings.table["value"].to_numpy() == pytest.approx(truth, abs=0.06)
    assert ratings.table["known"].all()
    order = tiers(ratings.measured["city"]).table["item"].to_list()
    assert order == ["c6", "c5", "c4", "c3", "c2", "c1", "c0"]


def test_intervals_cover_the_truth_when_the_games_of_a_group_share_their_luck():
    rng, truth, hits = np.random.default_rng(5), np.concatenate([CITY_TERMS, SEAT_TERMS]), []
    for study in range(250):
        table = rate(
            read_rankings(rotated_study(rng, 60), ["city", "seat"]), replicates=800, seed=study
        ).table
        hits.append((table["low"].to_numpy() <= truth) & (truth <= table["high"].to_numpy()))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.015)


def test_one_newton_step_per_resample_agrees_with_full_refits():
    study = rotated_study(np.random.default_rng(6), 150)
    table = rate(read_rankings(study, ["city", "seat"])).table
    rng, refits = np.random.default_rng(7), []
    rows = study.partition_by("rotation_group", maintain_order=True)
    for _ in range(100):
        drawn = [
            rows[g].with_columns(pl.col("game") + 10_000 * i)
            for i, g in enumerate(rng.integers(150, size=150))
        ]
        refits.append(
            rate(read_rankings(pl.concat(drawn), ["city", "seat"]), replicates=2).table["value"].to_numpy()
        )
    spread = (table["high"] - table["low"]).to_numpy() / (2 * 1.976)
    assert spread / np.std(refits, axis=0, ddof=1) == pytest.approx(np.ones(11), abs=0.25)


def test_who_always_loses_gets_no_interval_and_shifts_no_one():
    study = rotated_study(np.random.default_rng(8), 100).filter(pl.col("seat") < 3)
    without = rate(read_rankings(study, ["city"])).table
    idle = study.filter(pl.col("seat") == 0).with_columns(
        pl.lit("idle").alias("city"), place=pl.lit(9, dtype=pl.UInt8)
    )
    table = rate(read_rankings(pl.concat([study, idle.select(study.columns)]).sort("game"), ["city"])).table
    row = table.filter(pl.col("level") == "idle").row(0, named=True)
    assert (row["known"], row["low"], row["high"]) == (False, -math.inf, math.inf)
    others = table.filter(pl.col("level") != "idle")
    for column in ("value", "low", "high"):
        assert others[column].to_numpy() == pytest.approx(without[column].to_numpy(), abs=0.01)


def test_factors_that_always_go_together_are_not_distinguishable():
    frame = _games([("a", "b")] * 30 + [("b", "a")] * 20).with_columns(pl.col("city").alias("strategy"))
    assert rate(read_rankings(frame, ["city", "strategy"])).table["known"].to_list() == [False] * 4


def test_known_levels_are_the_largest_set_that_can_be_compared():
    spread = np.diag([0.01, 0.01, 100.0, 0.01])
    assert known_levels(spread).tolist() == [True, True, False, True]
    assert known_levels(np.diag([9.0, 9.0])).tolist() == [False, False]


def test_the_same_seed_gives_the_same_table():
    rankings = read_rankings(rotated_study(np.random.default_rng(9), 50), ["city", "seat"])
    assert rate(rankings, seed=1).table.equals(rate(rankings, seed=1).table)


def test_nothing_to_rate_is_reported():
    with pytest.raises(UserError, match="no game of two or more players"):
        rate(read_rankings(_games([]), ["city"]))
