"""Who finishes ahead of whom, all against all, for cities and for strategies: numbers, drawing, columns."""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import forms
from khora_sim.pages.load import Material
from khora_sim.pages.pairs import tallies
from khora_sim.pages.phrases import SHOWN_UNKNOWN, Row, few, p_text, rows_of, with_shrunken
from khora_sim.pages.shapes import Column, counts, estimated, ordered, words
from khora_sim.stats import holm

Meetings = dict[bool, pl.DataFrame]  # by whether only two sat at the table
SIZES = (True, False)


def meetings(material: Material, column: str) -> Meetings:
    """Who finished ahead of whom, by city or by strategy, at tables of two and at larger ones."""
    there = [two for two in SIZES if (column, two) in tallies(material)]
    return {two: against(material, column, two) for two in there}


def against(material: Material, column: str, two: bool) -> pl.DataFrame:
    """Share of meetings in which one finished ahead of the other, Holm corrected over the pairs."""
    table = tallies(material)[column, two].table(material.rows_per_group)
    # A pair stands in the table both ways round and is one comparison.
    once = table.filter(pl.col("one").to_physical() < pl.col("other").to_physical())
    corrected = once.select("one", "other", pl.Series("p_holm", holm(once["p_value"].to_numpy())))
    both = pl.concat([corrected, corrected.select(one="other", other="one", p_holm="p_holm")])
    # Both ways round are there, so the differences are shrunken towards one half.
    return with_shrunken(table.join(both, on=["one", "other"], how="left").sort("one", "other"), 0.5)


def at_tables(material: Material, two: bool) -> str:
    """Where a comparison was made."""
    size = material.only_players
    return "at tables of 2" if two else f"at tables of {size}" if size else "at larger tables"


def draw_meetings(
    canvas: Canvas, material: Material, found: Meetings, order: Sequence[str], name: Callable[[str], str]
) -> None:
    """A heat map for each kind of table: how often the row finishes ahead of the column."""
    names, size = [name(one) for one in order], 8 if len(order) <= 9 else 6
    panels = canvas.subplots(len(found), 1, squeeze=False)[:, 0]
    for axes, (two, table) in zip(panels, found.items(), strict=True):
        values, texts = _cells(table, order)
        forms.heat(axes, values, texts, names, names, 0.5, least=0.2, size=size)
        if len(found) > 1:
            axes.set_title(at_tables(material, two), pad=8)


def counted_meetings(found: Meetings, who: str) -> str:
    """What such a drawing rests on."""
    met = sum(int(table["n"].sum()) // 2 for table in found.values())
    return f"n {met:,} meetings of two {who}; in brackets: few games"


def meeting_columns(title: str, table: pl.DataFrame, name: Callable[[str], str]) -> list[Column]:
    """The columns of a table of all against all."""
    rows = rows_of(table)
    return [
        words(title, [name(row["one"]) for row in rows]),
        words("Against", [name(row["other"]) for row in rows]),
        counts("Meetings", [row["n"] for row in rows]),
        estimated("Finishes ahead", table, percent=True),
        ordered("p (Holm)", [p_text(row["p_holm"]) for row in rows], [row["p_holm"] for row in rows]),
    ]


def _cells(table: pl.DataFrame, order: Sequence[str]) -> tuple[np.ndarray, list[list[str]]]:
    """Values and texts of a table of all against all."""
    cells = {(row["one"], row["other"]): row for row in rows_of(table)}
    values, texts = np.full((len(order), len(order)), np.nan), []
    for r, one in enumerate(order):
        line = []
        for c, other in enumerate(order):
            row = cells.get((one, other))
            values[r, c] = row["value"] if row else np.nan
            line.append("" if one == other else SHOWN_UNKNOWN if row is None else _cell(row))
        texts.append(line)
    return values, texts


def _cell(row: Row) -> str:
    text = f"{100 * row['value']:.0f}"
    return f"({text})" if few(row["n"], row["units"]) else text
