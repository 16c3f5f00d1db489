"""City against city: who finishes ahead of whom, at tables of two and at larger ones."""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.report import forms
from khora_sim.report.load import Material
from khora_sim.report.pairs import tallies
from khora_sim.report.phrases import (
    ALPHA,
    SHOWN_UNKNOWN,
    Row,
    estimate_of,
    few,
    overstates,
    p_text,
    percent,
    rows_of,
    share,
    stands,
    with_shrunken,
)
from khora_sim.report.shapes import Figure, Section, Table, counts, estimated, ordered, words
from khora_sim.report.verdict import city_tiers
from khora_sim.stats import holm

KINDS = ("city-by-opponent",)
SIZES = (True, False)  # whether only two sat at the table


def section(material: Material) -> Section:
    """Cities by opponent."""
    found = {two: against(material, "city", two) for two in SIZES if ("city", two) in tallies(material)}
    order = city_tiers(material).table["item"].to_list()
    return Section(
        id="opponents",
        title="City against city",
        lead=_lead(material, found),
        figures=[_figure(material, found, order)],
        tables=[_table(material, table, two) for two, table in found.items()],
    )


def at_tables(material: Material, two: bool) -> str:
    """Where a comparison was made."""
    size = material.only_players
    return "at tables of 2" if two else f"at tables of {size}" if size else "at larger tables"


def against(material: Material, column: str, two: bool) -> pl.DataFrame:
    """Share of meetings in which one finished ahead of the other, Holm corrected over the pairs."""
    table = tallies(material)[column, two].table(material.rows_per_group)
    # A pair stands in the table both ways round and is one comparison.
    once = table.filter(pl.col("one").to_physical() < pl.col("other").to_physical())
    corrected = once.select("one", "other", pl.Series("p_holm", holm(once["p_value"].to_numpy())))
    both = pl.concat([corrected, corrected.select(one="other", other="one", p_holm="p_holm")])
    # Both ways round are there, so the differences are shrunken towards one half.
    return with_shrunken(table.join(both, on=["one", "other"], how="left").sort("one", "other"), 0.5)


def _lead(material: Material, found: dict[bool, pl.DataFrame]) -> str:
    sentences = []
    for two, table in found.items():
        where = at_tables(material, two).capitalize()
        sure = table.filter((pl.col("p_holm") < ALPHA) & (pl.col("value") > 0.5))
        if sure.is_empty():
            sentences.append(f"{where} no city can be said to beat another.")
            continue
        row = rows_of(sure.sort("value"))[-1]
        sentences.append(
            f"{where}, {len(sure)} of {len(table) // 2} pairs have a clear favourite; the most one-sided is "
            f"{material.city(row['one'])} ahead of {material.city(row['other'])} in "
            f"{percent(row['shrunken'], 1)} of their games (measured {share(estimate_of(row))}; "
            f"{overstates(len(table) // 2)})."
        )
    return " ".join(sentences)


def meetings(
    table: pl.DataFrame, order: Sequence[str], name: Callable[[str], str]
) -> tuple[np.ndarray, list[list[str]], list[str]]:
    """Values, texts and names of a table of all against all."""
    cells = {(row["one"], row["other"]): row for row in rows_of(table)}
    values, texts = np.full((len(order), len(order)), np.nan), []
    for r, one in enumerate(order):
        line = []
        for c, other in enumerate(order):
            row = cells.get((one, other))
            values[r, c] = row["value"] if row else np.nan
            line.append("" if one == other else SHOWN_UNKNOWN if row is None else _cell(row))
        texts.append(line)
    return values, texts, [name(one) for one in order]


def _cell(row: Row) -> str:
    text = f"{100 * row['value']:.0f}"
    return f"({text})" if few(row["n"], row["units"]) else text


def _figure(material: Material, found: dict[bool, pl.DataFrame], order: list[str]) -> Figure:
    size = 8 if len(order) <= 9 else 6

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(len(found), 1, squeeze=False)[:, 0]
        for axes, (two, table) in zip(panels, found.items(), strict=True):
            values, texts, names = meetings(table, order, material.city)
            forms.heat(axes, values, texts, names, names, 0.5, least=0.2, size=size)
            if len(found) > 1:
                axes.set_title(at_tables(material, two), pad=8)

    return Figure(
        "city-by-opponent",
        "How often the row finishes ahead of the column, in %",
        "Blue: the row's city comes out ahead more often than not; orange: less often. Read a row "
        "from left to right "
        "to see whom a city fears.",
        draw,
        height=(len(order) * 0.27 + 0.75) * len(found),
        counted=f"n {sum(int(t['n'].sum()) // 2 for t in found.values()):,} meetings of two cities; "
        "in brackets: few games",
    )


def _table(material: Material, table: pl.DataFrame, two: bool) -> Table:
    rows = rows_of(table)
    return Table(
        "city-against-city-2" if two else "city-against-city",
        f"City against city {at_tables(material, two)}",
        table,
        [
            words("City", [material.city(row["one"]) for row in rows]),
            words("Against", [material.city(row["other"]) for row in rows]),
            counts("Meetings", [row["n"] for row in rows]),
            estimated("Finishes ahead", table, percent=True),
            ordered("p (Holm)", [p_text(row["p_holm"]) for row in rows], [row["p_holm"] for row in rows]),
            words("Favourite", [_favourite(material, row) for row in rows]),
        ],
    )


def _favourite(material: Material, row: Row) -> str:
    if not stands(row["p_holm"]):
        return "open"
    return material.city(row["one"] if row["value"] > 0.5 else row["other"])
