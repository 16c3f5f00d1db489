import polars as pl
import pytest

from khora_sim.errors import UserError
from khora_sim.stats import read_rankings
from khora_sim.stats.plackett_luce import tie_orders


def _players(rows, cities=pl.String):
    """Rows of (game, city, place); each game a group of its own."""
    frame = pl.DataFrame(rows, schema={"game": pl.UInt64, "city": pl.String, "place": pl.UInt8}, orient="row")
    return frame.with_columns(pl.col("city").cast(cities), pl.col("game").alias("rotation_group"))


def _orders(rankings):
    """Weight of every order of finish, by names."""
    names, found = rankings.levels[0], {}
    for block in rankings.blocks:
        for kinds, weight in zip(block.kinds.T, block.weights, strict=True):
            order = "".join(names[rankings.kind_levels[kind, 0]] for kind in kinds)
            found[order] = found.get(order, 0) + weight
    return found


def test_orders_of_a_tie():
    assert tie_orders([False, False]) == [[0, 1, 2]]
    assert tie_orders([True, False]) == [[0, 1, 2], [1, 0, 2]]
    assert tie_orders([False, True]) == [[0, 1, 2], [0, 2, 1]]
    assert len(tie_orders([True, True, True])) == 24
    assert tie_orders([True, False, True]) == [[0, 1, 2, 3], [0, 1, 3, 2], [1, 0, 2, 3], [1, 0, 3, 2]]


@pytest.mark.parametrize("cities", [pl.String, pl.Categorical, pl.Enum(["d", "c", "b", "unused", "a"])])
def test_games_of_two_to_four_players_are_read_in_order_of_finish(cities):
    rows = [(1, "a", 2), (1, "b", 1), (2, "c", 3), (2, "a", 1), (2, "b", 2)]
    rows += [(3, "d", 1), (3, "a", 4), (3, "b", 2), (3, "c", 3)]
    rankings = read_rankings(_players(rows, cities), ["city"])
    assert _orders(rankings) == {"ba": 1, "abc": 1, "dbca": 1}
    assert sorted(rankings.levels[0]) == ["a", "b", "c", "d"]
    assert rankings.games == 3


def test_shared_places_count_as_all_orders_in_equal_parts():
    shared_first = [(1, "a", 1), (1, "b", 1), (1, "c", 3)]
    all_level = [(2, "a", 1), (2, "b", 1), (2, "c", 1)]
    assert _orders(read_rankings(_players(shared_first), ["city"])) == {"abc": 0.5, "bac": 0.5}
    assert set(_orders(read_rankings(_players(all_level), ["city"])).values()) == {1 / 6}


def test_rows_of_a_game_need_not_stand_together():
    rows = [(7, "a", 1), (3, "b", 1), (7, "b", 2), (3, "a", 2), (3, "c", 3)]
    assert _orders(read_rankings(_players(rows), ["city"])) == {"ab": 1, "bac": 1}


def test_a_lone_player_ranks_nowhere():
    rankings = read_rankings(_players([(1, "a", 1), (2, "a", 1), (2, "b", 2)]), ["city"])
    assert rankings.games == 1
    assert _orders(rankings) == {"ab": 1}


def test_factors_are_kept_apart_and_counted():
    frame = _players([(1, "a", 1), (1, "b", 2), (2, "a", 2), (2, "b", 1)])
    frame = frame.with_columns(pl.Series("seat", [1, 3, 3, 1], dtype=pl.Int8))
    rankings = read_rankings(frame.lazy(), ["city", "seat"])
    assert rankings.levels == (("a", "b"), ("1", "3"))
    assert rankings.kind_levels.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert rankings.kind_counts.tolist() == [1, 1, 1, 1]


def test_too_many_kinds_are_refused_in_one_line():
    frame = pl.DataFrame(
        {"game": range(3001), "place": [1] * 3001, "rotation_group": [1] * 3001, "city": range(3001)}
    )
    with pytest.raises(UserError, match="3,001 kinds of players are too many"):
        read_rankings(frame, ["city"])
    far = pl.DataFrame({"game": [1, 1], "place": [1, 2], "rotation_group": [1, 1], "city": [0, 2**40]})
    with pytest.raises(UserError, match="too far apart"):
        read_rankings(far, ["city"])
