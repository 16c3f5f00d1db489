"""What a report is made of: sections with sentences, figures and tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from khora_sim.pages.table import Column as TypedColumn
from khora_sim.pages.table import Table, grid
from khora_sim.pages.wording import INTERVALS, SHOWN_UNKNOWN, few, in_points
from khora_sim.stats import Estimate, format_estimate

__all__ = ["Table", "grid"]

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


@dataclass(frozen=True)
class Figure:
    """A picture, what it shows in a sentence, and how to draw it."""

    kind: str  # its name for `khora plot`
    title: str
    sentence: str
    draw: Callable[["Canvas"], None]
    height: float = 3.2  # inches; all figures are equally wide
    counted: str = ""  # what it rests on: "n 50,000 games; bars are 95 % intervals"


@dataclass(frozen=True)
class Column:
    """A column of a table as it is shown, and what sorting goes by."""

    title: str
    cells: Sequence[str]
    keys: Sequence[float | str]
    numeric: bool = True
    faint: Sequence[bool] = ()  # cells that rest on few games
    wrapped: bool = False  # over several lines, where it is too long for one


def filled(
    name: str,
    title: str,
    frame: pl.DataFrame | None,
    columns: Sequence[Column],
    note: str = "",
    open: bool = False,
) -> Table:
    """A table of columns that hold their cells."""

    def typed(one: Column) -> TypedColumn:
        faint = (lambda row: one.faint[row]) if one.faint else None
        return TypedColumn(
            one.title,
            lambda row: one.cells[row],
            str,
            numeric=one.numeric,
            wrapped=one.wrapped,
            key=lambda row: one.keys[row],
            faint=faint,
        )

    size = len(columns[0].cells) if columns else 0
    return Table(name, title, range(size), [typed(one) for one in columns], note, open, frame)


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    id: str
    title: str
    lead: str  # what it shows, in a sentence or two
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()  # warnings on how to read it
    missing: dict[str, str] = field(default_factory=dict)  # kind of figure -> why it is not there

    @property
    def unknown(self) -> list[str]:
        """What this study cannot tell, each thing once."""
        return list(dict.fromkeys(self.missing.values()))


def words(title: str, names: Sequence[str]) -> Column:
    """A column of names."""
    return Column(title, list(names), list(names), numeric=False)


def sentences(title: str, texts: Sequence[str]) -> Column:
    """A column of texts that are too long for one line of a phone."""
    return Column(title, list(texts), list(texts), numeric=False, wrapped=True)


def counts(title: str, numbers: Sequence[int]) -> Column:
    """A column of whole numbers."""
    return Column(title, [f"{number:,}" for number in numbers], list(numbers))


def ordered(title: str, texts: Sequence[str], keys: Sequence[float]) -> Column:
    """A column of texts that are sorted by a number."""
    return Column(title, list(texts), list(keys))


def percentage_points(title: str, found: Sequence[Estimate | None], *, signed: bool = False) -> Column:
    """A column of percentage points; a dash where something is compared with itself."""
    texts = [SHOWN_UNKNOWN if one is None else in_points(one, signed=signed) for one in found]
    return ordered(title, texts, [0.0 if one is None else one.value for one in found])


def estimated(
    title: str,
    table: pl.DataFrame,
    *,
    percent: bool = False,
    signed: bool = False,
    columns: tuple[str, str, str, str] = ("value", "low", "high", "n"),
    units: str | None = "units",
) -> Column:
    """A column of numbers with their intervals; those from few games are faint."""
    texts, keys, faint = [], [], []
    rest = table[units] if units and units in table.columns else [None] * len(table)
    for (value, low, high, n), groups in zip(table.select(columns).iter_rows(), rest, strict=True):
        known = value is not None and value == value
        estimate = Estimate(value, low, high, n or 0)
        texts.append(
            format_estimate(estimate, percent=percent, signed=signed, with_n=False)
            if known
            else SHOWN_UNKNOWN
        )
        keys.append(value if known else float("-inf"))
        faint.append(known and few(n, groups))
    return Column(title, texts, keys, faint=faint)


def both_sides(titles: tuple[str, str], table: pl.DataFrame, *, percent: bool) -> list[Column]:
    """Both sides of a comparison, each with an interval of its own."""
    return [
        estimated(title, table, percent=percent, columns=(side, f"{side}_low", f"{side}_high", "n"))
        for title, side in zip(titles, ("first", "second"), strict=True)
    ]


def aligned(rows: pl.DataFrame, keys: Sequence[str], table: pl.DataFrame) -> pl.DataFrame:
    """A table with exactly these rows in this order; what it does not have is unknown."""
    return rows.select(keys).join(table, on=list(keys), how="left", maintain_order="left")


@dataclass(frozen=True)
class Rung:
    """A city on its step of the ladder."""

    city: str
    name: str
    colour: str
    text: str  # its success with interval
    left: float  # bounds of its interval and its value, in per cent of the ladder's width
    at: float
    width: float
    unlocked: tuple[str, ...]  # how often developments 2, 3 and 4 are unlocked; empty where that is not known


@dataclass(frozen=True)
class Page:
    """What the template shows."""

    kind: str
    title: str
    facts: Sequence[str]
    headline: str
    detail: str
    sections: Sequence[Section]
    ladder: Sequence[Sequence[Rung]] = ()
    ladder_note: str = ""
    fair_at: float = 0.0
    by_table: Sequence[str] = ()
    by_table_title: str = "By number of players"
    sure: Sequence[str] = ()
    limits: Sequence[str] = ()
    limits_title: str = "For whom it holds"
    tables: Sequence[Table] = ()
    unlocked: Sequence[Table] = ()
    habits: Sequence[str] = ()
    plot: Callable[[str], str] | None = None  # the command that draws a figure of a kind
    made_by: str = ""  # the command that made the page
    origin: Sequence[str] = (INTERVALS,)
    commands: Sequence[str] = ()  # that repeat it, where that takes more than the one that made it
