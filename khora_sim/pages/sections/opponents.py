"""City against city: who finishes ahead of whom, at tables of two and at larger ones."""

import polars as pl

from khora_sim.pages.meetings import (
    Meetings,
    at_tables,
    counted_meetings,
    draw_meetings,
    meeting_columns,
    meetings,
)
from khora_sim.pages.page_model import Figure, Section, Table, filled, words
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.verdict import city_tiers
from khora_sim.pages.wording import (
    ALPHA,
    Row,
    estimate_of,
    is_significant,
    overstates,
    percent,
    rows_of,
    share,
)

KINDS = ("city-by-opponent",)


def section(data: StudyData) -> Section:
    """Cities by opponent."""
    found = meetings(data, "city")
    order = city_tiers(data).table["item"].to_list()
    return Section(
        id="opponents",
        title="City against city",
        lead=_lead(data, found),
        figures=[_figure(data, found, order)],
        tables=[_table(data, table, two) for two, table in found.items()],
    )


def _lead(data: StudyData, found: Meetings) -> str:
    sentences = []
    for two, table in found.items():
        where = at_tables(data, two).capitalize()
        sure = table.filter((pl.col("p_holm") < ALPHA) & (pl.col("value") > 0.5))
        if sure.is_empty():
            sentences.append(f"{where} no city can be said to beat another.")
            continue
        row = rows_of(sure.sort("value"))[-1]
        sentences.append(
            f"{where}, {len(sure)} of {len(table) // 2} pairs have a clear favourite; the most one-sided is "
            f"{data.city(row['one'])} ahead of {data.city(row['other'])} in "
            f"{percent(row['shrunken'], 1)} of their games (measured {share(estimate_of(row))}; "
            f"{overstates(len(table) // 2)})."
        )
    return " ".join(sentences)


def _figure(data: StudyData, found: Meetings, order: list[str]) -> Figure:
    return Figure(
        "city-by-opponent",
        "How often the row finishes ahead of the column, in %",
        "Blue: the row's city comes out ahead more often than not; orange: less often. Read a row "
        "from left to right "
        "to see whom a city fears.",
        lambda canvas: draw_meetings(canvas, data, found, order, data.city),
        height=(len(order) * 0.27 + 0.75) * len(found),
        counted=counted_meetings(found, "cities"),
    )


def _table(data: StudyData, table: pl.DataFrame, two: bool) -> Table:
    favourites = [_favourite(data, row) for row in rows_of(table)]
    return filled(
        "city-against-city-2" if two else "city-against-city",
        f"City against city {at_tables(data, two)}",
        table,
        [*meeting_columns("City", table, data.city), words("Favourite", favourites)],
    )


def _favourite(data: StudyData, row: Row) -> str:
    if not is_significant(row["p_holm"]):
        return "open"
    return data.city(row["one"] if row["value"] > 0.5 else row["other"])
