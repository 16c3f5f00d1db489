"""One table, shown on the terminal, on a page, in Markdown and in files."""

import polars as pl
import pytest

from khora_sim.pages.table import Table, amount, count, number, p_value, pp, share, text
from khora_sim.stats import Estimate

NAMES = {"argos": "Argos", "sparta": "Sp|arta"}
FRAME = pl.DataFrame(
    {
        "city": ["argos", "sparta"],
        "value": [0.274, None],
        "low": [0.268, None],
        "high": [0.280, None],
        "n": [20_000, 0],
        "units": [500, 0],
        "p_holm": [0.0004, None],
    }
)


@pytest.fixture
def table() -> Table:
    columns = [text("City", "city", NAMES), share("Win rate"), p_value(), count("Games", "n")]
    return Table.of("cities", "Every city", FRAME, columns)


def test_columns_show_names_shares_and_what_is_unknown(table: Table) -> None:
    assert table.texts == [["Argos", "27.4 % ± 0.6", "< 0.001", "20,000"], ["Sp|arta", "–", "–", "0"]]


def test_rows_are_sorted_by_values_and_what_is_unknown_comes_last(table: Table) -> None:
    assert [[cell.key for cell in row] for row in table.rows] == [
        ["Argos", 0.274, 0.0004, 20_000],
        ["Sp|arta", float("-inf"), float("-inf"), 0],
    ]


def test_a_share_of_few_games_is_faint() -> None:
    few = FRAME.head(1).with_columns(n=99)
    assert Table.of("cities", "", few, [share("Win rate")]).has_faint
    few_clusters = FRAME.head(1).with_columns(units=19)
    assert Table.of("cities", "", few_clusters, [share("Win rate")]).has_faint
    assert not Table.of("cities", "", FRAME.head(1), [share("Win rate")]).has_faint


def test_the_terminal_takes_some_columns_and_rows_of_it(table: Table) -> None:
    some = table.only(("City", "Games"), lambda row: row["n"] > 0)
    assert some.titles == ["City", "Games"]
    assert some.texts == [["Argos", "20,000"]]


def test_markdown_escapes_what_a_file_names_a_city(table: Table) -> None:
    lines = table.only(("City", "Games")).markdown().splitlines()
    assert lines == ["| City | Games |", "| --- | --- |", "| Argos | 20,000 |", "| Sp\\|arta | 0 |"]


def test_the_files_of_a_frame_have_all_its_columns(table: Table) -> None:
    assert table.file().columns == FRAME.columns


def test_the_files_of_other_rows_have_values_and_ends_of_the_columns() -> None:
    rows = [(3, Estimate(0.02, -0.01, 0.05, 400), Estimate(1.5, 1.0, 2.0, 400)), (4, None, None)]
    columns = [
        number("Value", lambda row: row[0]),
        pp("Change", lambda row: row[1]),
        amount("VP", lambda row: row[2], signed=True),
    ]
    table = Table.of("values", "", rows, columns)
    assert table.texts == [["3", "+2 ± 3", "+1.5 ± 0.5"], ["4", "–", "–"]]
    assert table.file().to_dict(as_series=False) == {
        "value": [3, 4],
        "change": [0.02, None],
        "change_low": [-0.01, None],
        "change_high": [0.05, None],
        "vp": [1.5, None],
        "vp_low": [1.0, None],
        "vp_high": [2.0, None],
    }
