"""Every n that a page prints counts rows that were played."""

import re
from collections.abc import Callable

import polars as pl
import pytest

from khora_sim.pages.page_model import Section
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.table import Table

#: Columns by which rows of the players' table can be counted again.
KEYS = ("players", "city", "strategy", "seat")
#: Tables that count every row of their keys: nothing is left out or looked at twice.
WHOLE = ("cities", "city-by-strategy", "city-by-seat", "strategies", "points-by-city", "points-by-strategy")
#: One row is a pair of players, of which a game has up to six, or a kind of action of one player.
PAIRED = ("city-against-city", "strategy-against-strategy")

Tables = Callable[[StudyData], list[Table]]
ACTIONS = ("return", "lost")  # per action taken, and per tile placed


@pytest.fixture
def tables(sections: Callable[[StudyData], list[Section]]) -> Tables:
    return lambda data: [table for section in sections(data) for table in section.tables]


def played(data: StudyData, keys: list[str]) -> pl.DataFrame:
    """Rows of the players' table by keys."""
    players = data.study.players.with_columns(pl.col("players").cast(pl.Int64))
    if not keys:
        return players.select(played=pl.len()).collect()
    counted = players.group_by(keys).agg(played=pl.len())
    return counted.with_columns(pl.col(key).cast(pl.String) for key in keys).collect()


def of_players(table: Table) -> pl.DataFrame:
    """The rows of a table that count players; those of `ACTIONS` count actions, which are tested below."""
    return table.frame.filter(~pl.col("measure").is_in(ACTIONS)) if "measure" in table.frame else table.frame


@pytest.mark.parametrize("which", ["data", "mixed", "tiny"])
def test_no_n_is_larger_than_what_was_played(
    which: str, tables: Tables, request: pytest.FixtureRequest
) -> None:
    data = request.getfixturevalue(which)
    seen = 0
    for table in tables(data):
        counts = [name for name in table.frame.columns if re.search(r"(^|_)n(_|$)", name)]
        if table.name in PAIRED or table.name.startswith("published-") or not counts:
            continue
        keys = [key for key in KEYS if key in table.frame.columns]
        rows = of_players(table).with_columns(pl.col(key).cast(pl.String) for key in keys)
        both = rows.join(played(data, keys), on=keys) if keys else rows.join(played(data, []), how="cross")
        assert both.height == rows.height, table.name
        for name in counts:
            assert both.filter(pl.col(name) > pl.col("played")).is_empty(), (table.name, name)
        seen += 1
    assert seen > 10


@pytest.mark.parametrize("which", ["data", "mixed"])
def test_tables_of_all_players_count_each_row_once(
    which: str, tables: Tables, request: pytest.FixtureRequest
) -> None:
    data = request.getfixturevalue(which)
    for table in tables(data):
        if table.name not in WHOLE:
            continue
        keys = [key for key in KEYS if key in table.frame.columns]
        rows = table.frame.with_columns(pl.col(key).cast(pl.String) for key in keys)
        both = rows.join(played(data, keys), on=keys)
        assert (both["n"] == both["played"]).all(), table.name


def test_pairs_are_counted_as_often_as_both_sat_at_a_table(data: StudyData, tables: Tables) -> None:
    players = data.study.players.select("game", "seat", pl.col("city").cast(pl.String)).collect()
    met = players.join(players, on="game").filter(pl.col("seat") != pl.col("seat_right"))
    met = met.group_by(one="city", other="city_right").agg(pl.len().alias("played"))
    table = next(one for one in tables(data) if one.name == "city-against-city").frame
    both = table.with_columns(pl.col("one", "other").cast(pl.String)).join(met, on=["one", "other"])
    assert both.height == table.height
    assert (both["n"] == both["played"]).all()


def test_returns_are_counted_by_actions_taken(data: StudyData, tables: Tables) -> None:
    table = next(one for one in tables(data) if one.name == "actions").frame
    counts = {
        (action, measure): n for action, measure, n in table.select("action", "measure", "n").iter_rows()
    }
    for action in table["action"].unique():
        sums = data.study.players.select(
            taken=pl.col(f"actions_{action}").cast(pl.Int64).sum(),
            aside=pl.col(f"set_aside_{action}").cast(pl.Int64).sum(),
        )
        taken, aside = sums.collect().row(0)
        assert counts[action, "return"] == taken
        assert counts[action, "lost"] == taken + aside
