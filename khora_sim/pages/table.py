"""A table: rows, and typed columns that know how to show what they read from a row.

    Table.of("cities", "Every city", rows, [text("City", "city", names), share("Win rate"), count("n")])

A column reads a row by a key or attribute, or by a function. The terminal, the page, Markdown, CSV and
Parquet show the same columns.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import polars as pl

from khora_sim.pages.wording import (
    SHOWN_UNKNOWN,
    Row,
    effect,
    estimate_of,
    few,
    in_points,
    p_text,
    points_cell,
    rows_of,
)
from khora_sim.stats import Estimate, format_estimate

Key = float | str  # by which rows are sorted
Of = str | Callable[[Any], Any]  # the key or attribute of a row, or a function of it
Ends = tuple[str, str, str, str]  # the keys of value, low, high and n
BELOW_ALL = float("-inf")  # where what is unknown is sorted


class Cell(NamedTuple):
    """A cell as people read it, what it is sorted by, and if it rests on few games."""

    text: str
    key: Key
    faint: bool = False


@dataclass(frozen=True)
class Column:
    """A column: what it reads from a row, and how that is shown."""

    title: str
    read: Callable[[Any], Any]
    show: Callable[[Any], str]
    name: str = ""  # in files
    numeric: bool = True
    wrapped: bool = False  # over several lines, where it is too long for one
    unknown: str = SHOWN_UNKNOWN
    key: Callable[[Any], Key] | None = None  # of a row, where it is not sorted by what it reads
    faint: Callable[[Any], bool] | None = None  # rows that rest on few games

    def cell(self, row: Any) -> Cell:
        """The cell of a row."""
        value = self.read(row)
        number = value.value if isinstance(value, Estimate) else value
        if number is None or number != number:
            return Cell(self.unknown, BELOW_ALL)
        shown = self.show(value)
        key = self.key(row) if self.key else number if self.numeric else shown
        return Cell(shown, key, self.faint is not None and self.faint(row))


@dataclass(frozen=True)
class Table:
    """Rows with their columns, and what its files contain."""

    name: str  # of its files
    title: str
    data: Sequence[Any]  # the rows that the columns read
    columns: Sequence[Column]
    note: str = ""
    open: bool = False  # shown at once, not on demand
    frame: pl.DataFrame | None = None  # of its files, where they have more than the columns

    @classmethod
    def of(
        cls, name: str, title: str, data: pl.DataFrame | Iterable[Any], columns: Sequence[Column], **more: Any
    ) -> Self:
        """A table of a frame, whose files have all its columns, or of any rows."""
        if isinstance(data, pl.DataFrame):
            more.setdefault("frame", data)
            data = rows_of(data)
        return cls(name, title, list(data), columns, **more)

    @cached_property
    def rows(self) -> list[list[Cell]]:
        """The cells, row by row."""
        return [[column.cell(row) for column in self.columns] for row in self.data]

    @property
    def titles(self) -> list[str]:
        """The titles of the columns."""
        return [column.title for column in self.columns]

    @property
    def texts(self) -> list[list[str]]:
        """The texts of the cells, row by row."""
        return [[cell.text for cell in row] for row in self.rows]

    @property
    def has_faint(self) -> bool:
        """True if a cell rests on few games."""
        return any(cell.faint for row in self.rows for cell in row)

    def only(self, titles: Collection[str] | None = None, rows: Callable[[Any], bool] | None = None) -> Self:
        """The same table with some of its columns and rows."""
        columns = [one for one in self.columns if titles is None or one.title in titles]
        return replace(self, columns=columns, data=[row for row in self.data if rows is None or rows(row)])

    def without(self, *titles: str) -> Self:
        """The same table without some of its columns."""
        return self.only([title for title in self.titles if title not in titles])

    def column(self, title: str) -> list[str]:
        """The texts of a column."""
        place = self.titles.index(title)
        return [row[place] for row in self.texts]

    def file(self) -> pl.DataFrame:
        """The table for CSV and Parquet; names go out as plain text, so that every reader takes them."""
        if self.frame is not None:
            return self.frame.with_columns(pl.col(pl.Enum).cast(pl.String))
        found: dict[str, list[Any]] = {}
        for column in self.columns:
            values = [column.read(row) for row in self.data]
            name = column.name or (column.title or "row").lower().replace(" ", "_")
            if any(isinstance(value, Estimate) for value in values):
                for end, part in (("", "value"), ("_low", "low"), ("_high", "high")):
                    found[f"{name}{end}"] = [getattr(value, part, None) for value in values]
            else:
                found[name] = values
        return pl.DataFrame(found, strict=False)

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.titles, ["---"] * len(self.columns), *self.texts]
        return "\n".join(f"| {' | '.join(map(escaped, line))} |" for line in lines)


def escaped(text: str) -> str:
    """A text for Markdown: on one line, and as it is, whatever a file names a city."""
    marked = "".join(f"\\{letter}" if letter in "|<>[]`*_\\" else letter for letter in text)
    return " ".join(marked.split())


def text(
    title: str,
    of: Of,
    names: Mapping[Any, str] | None = None,
    *,
    key: Callable[[Any], Key] | None = None,
    long: bool = False,
) -> Column:
    """Words, or ids with their names; with a key they are sorted by a number. Long texts may be wrapped."""
    show = str if names is None else lambda value: names.get(value, str(value))
    return Column(title, _reader(of), show, _name(of), key is not None, long, unknown="", key=key)


def number(
    title: str, of: Of, show: str | Callable[[Any], str] = ",", unknown: str = SHOWN_UNKNOWN
) -> Column:
    """Numbers without a margin, in a format such as ".1f", or as a function shows them."""
    shown = show if callable(show) else lambda value: f"{value:{show}}"
    return Column(title, _reader(of), shown, _name(of), unknown=unknown)


def count(title: str, of: Of) -> Column:
    """Whole numbers."""
    return number(title, of)


def p_value(title: str = "p (Holm)", of: Of = "p_holm") -> Column:
    """P-values."""
    return number(title, of, p_text)


def share(title: str, of: Of | Ends = "value", *, signed: bool = False) -> Column:
    """Shares in per cent with their margins."""
    return _estimates(title, of, lambda one: format_estimate(one, percent=True, signed=signed, with_n=False))


def amount(title: str, of: Of | Ends = "value", *, signed: bool = False) -> Column:
    """Means, such as VP, or their differences, with their margins."""
    return _estimates(title, of, lambda one: format_estimate(one, signed=signed, with_n=False))


def pp(title: str, of: Of | Ends = "value", *, signed: bool = True, bounded: bool = False) -> Column:
    """Percentage points with their margins; where `bounded`, a margin of all there could be is none."""
    shown = points_cell if bounded else in_points
    return _estimates(title, of, lambda one: shown(one, signed=signed))


def shrunken(of: str, *, percent: bool = False) -> Column:
    """Effects moved towards their mean by the part that chance explains, of nested rows."""

    def show(row: Row) -> str:
        own = row[of]
        return effect(own["shrunken"], own["high"] - own["low"], as_percent=percent)

    return text("shrunken", show, key=lambda row: row[of]["shrunken"])


def sides(titles: tuple[str, str], kind: Callable[..., Column]) -> list[Column]:
    """Both sides of a comparison, each with its margin."""
    return [kind(title, side) for title, side in zip(titles, ("first", "second"), strict=True)]


def _estimates(title: str, of: Of | Ends, show: Callable[[Estimate], str]) -> Column:
    """A column of estimates: of rows that have value, low, high and n, or a row with these (see `nested`).

    Those of few games are faint.
    """
    if callable(of):
        return Column(title, of, show)
    head = "" if of == "value" else f"{of}_"
    ends = of if isinstance(of, tuple) else (of, f"{head}low", f"{head}high", "n")

    def read(row: Any) -> Estimate | None:
        found = row[ends[0]] if isinstance(row, Mapping) else getattr(row, ends[0])
        if isinstance(found, dict):
            return estimate_of(found)
        if found is None or isinstance(found, Estimate):
            return found
        return Estimate(found, row[ends[1]], row[ends[2]], row[ends[3]] or 0)

    def faint(row: Any) -> bool:
        if not isinstance(row, Mapping):
            return False
        own = row[ends[0]]
        if isinstance(own, dict):
            return few(own["n"], own.get("units"))
        return few(row[ends[3]], row.get("units"))

    return Column(title, read, show, ends[0], faint=faint)


def nested(
    tables: pl.DataFrame | Mapping[Any, pl.DataFrame], keys: Sequence[str], by: str = "measure"
) -> list[Row]:
    """One row per key of several tables, or of one that has them below each other.

    It has the row of each table by the table's name, or None.
    """
    if isinstance(tables, pl.DataFrame):
        parts = tables.partition_by(by, as_dict=True, maintain_order=True)
        tables = {names[0]: own for names, own in parts.items()}
    found: dict[tuple[Any, ...], Row] = {}
    for name, own in tables.items():
        for row in rows_of(own):
            at = {key: row[key] for key in keys}
            found.setdefault(tuple(at.values()), dict.fromkeys(tables) | at)[name] = row
    return list(found.values())


def _reader(of: Of) -> Callable[[Any], Any]:
    if callable(of):
        return of
    return lambda row: row[of] if isinstance(row, Mapping) else getattr(row, of)


def _name(of: Of) -> str:
    return "" if callable(of) else of


def grid(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()) -> Table:
    """A table of plain texts; the columns named in `right` hold numbers."""

    def column(place: int, title: str) -> Column:
        return Column(title, lambda row: row[place], str, numeric=title in right)

    return Table.of("", "", rows, [column(place, title) for place, title in enumerate(titles)])
