"""The same share has the same interval wherever it is printed: `data show`, the report and the ladder."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import khora_sim
from khora_sim.cli.main import app
from khora_sim.common.seed_ranges import JUDGING
from khora_sim.pages import verdict
from khora_sim.pages.sections import cities, seats, strategies
from khora_sim.pages.study_data import load
from khora_sim.pages.table import Table
from khora_sim.stats import format_estimate
from tests.simulation.folders import run


def shown(folder: Path) -> dict[str, str]:
    """The win shares that `khora data show` prints, by name of city, strategy or seat."""
    printed = CliRunner().invoke(app, ["data", "show", str(folder)], catch_exceptions=False).output
    rows = [line.split("  ") for line in printed.splitlines() if " % ±" in line or "% (" in line]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    return {row[0]: row[1] for row in cells}


def column(table: Table, title: str) -> list[str]:
    return table.column(title)


@pytest.fixture(scope="module")
def all_sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every set of cities in turn, two strategies, more groups than units."""
    folder = tmp_path_factory.mktemp("studies") / "all"
    run(folder, games=4900, cities="all", strategies="random,first-legal", rotate="cities")
    return folder


def test_cities_have_the_same_interval_in_data_show_in_the_verdict_and_in_the_tables(all_sets: Path) -> None:
    intervals, data = shown(all_sets), load(all_sets)
    assert data.group_count == 1225
    wanted = {data.city(city): intervals[city] for city in data.cities}
    judged = verdict.verdict(data)
    assert {rung.name: rung.text for tier in judged.ladder for rung in tier} == wanted
    table = next(one for one in cities.section(data).tables if "city" in one.frame.columns)
    assert dict(zip(column(table, "City"), column(table, "Win share"), strict=True)) == wanted


def test_not_only_the_printed_digits_are_the_same(all_sets: Path) -> None:
    printed = (
        CliRunner().invoke(app, ["data", "show", str(all_sets), "--json"], catch_exceptions=False).output
    )
    shares = {row["city"]: (row["low"], row["high"]) for row in json.loads(printed)["win_shares"]["city"]}
    data = load(all_sets)
    tiers = verdict.city_tiers(data).table.select("item", "low", "high")
    table = cities.strengths(data).select(pl.col("city").cast(pl.String), "low", "high")
    for frame in (tiers, table):
        assert {name: pytest.approx(bounds, rel=1e-12) for name, *bounds in frame.iter_rows()} == {
            name: list(bounds) for name, bounds in shares.items()
        }


def test_strategies_and_seats_have_the_same_interval_in_data_show_and_in_the_report(all_sets: Path) -> None:
    intervals, data = shown(all_sets), load(all_sets)
    table = strategies.section(data).tables[0]
    names = column(table, "Strategy")
    assert dict(zip(names, column(table, "Win share"), strict=True)) == {
        name: intervals[name] for name in names
    }
    table = seats.section(data).tables[0]
    for where, share in zip(column(table, "Place"), column(table, "Win share"), strict=True):
        if where.startswith("Seat "):
            assert intervals[where.removeprefix("Seat ")] == share


@pytest.mark.parametrize("one", ["first-legal", "idle"])
def test_the_ladder_gives_the_share_of_a_study_of_the_same_games(one: str, tmp_path: Path) -> None:
    run(
        tmp_path / "study",
        games=160,
        strategies=f"{one},random,random,random",
        rotate="strategies",
        seed=JUDGING[7],
    )
    share = khora_sim.ladder(one, "random", games=160, seed=7).shares[one, "random"]
    expected = format_estimate(share, percent=True, with_n=False)
    assert shown(tmp_path / "study")[one] == expected
    table = strategies.section(load(tmp_path / "study")).tables[0]
    assert column(table, "Win share")[column(table, "Strategy").index(one)] == expected
