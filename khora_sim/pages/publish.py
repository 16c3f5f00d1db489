"""Write a report into a folder: the page, the figures, the tables and a summary."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import polars as pl

from khora_sim.common.commands import checking_data
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.pages.comparison import Comparison, compare
from khora_sim.pages.compose import compare_page, study_page
from khora_sim.pages.load import load
from khora_sim.pages.page import Page, html
from khora_sim.pages.render import render
from khora_sim.pages.sections import check_kind, figure_of
from khora_sim.pages.shapes import Table
from khora_sim.pages.summary import summary

Progress = Callable[[str], None]
PICTURES = (".svg", ".png")


class Written(NamedTuple):
    """A report that was written: its page, and what it says first."""

    page: Path
    headline: str
    detail: str

    @property
    def summary(self) -> Path:
        """The same in Markdown, without figures."""
        return self.page.with_name("summary.md")

    @property
    def figures(self) -> Path:
        """The folder of figures, each as SVG and PNG."""
        return self.page.with_name("figures")

    @property
    def tables(self) -> Path:
        """The folder of tables, each as CSV and Parquet."""
        return self.page.with_name("tables")


def write_report(folder: str | Path, out: str | Path, progress: Progress = lambda _: None) -> Written:
    """Report on a study."""
    _check_folder(Path(out))
    with _readable(folder):
        page = study_page(load(folder), str(out), progress)
    return write_page(page, Path(out), progress)


def write_comparison(
    first: str | Path, second: str | Path, out: str | Path, progress: Progress = lambda _: None
) -> Written:
    """Compare two studies."""
    _check_folder(Path(out))
    with _readable(first, second):
        page = compare_page(load(first), load(second), str(out), progress)
    return write_page(page, Path(out), progress)


def compare_studies(first: str | Path, second: str | Path) -> Comparison:
    """What changes from one study to another, without a page."""
    with _readable(first, second):
        return compare(load(first), load(second))


def write_figure(folder: str | Path, kind: str, out: str | Path) -> Path:
    """Draw one figure into a file, SVG or PNG by its ending."""
    path = Path(out)
    if path.suffix not in PICTURES:
        raise UserError(f"{out}: a figure is written as .svg or .png; try {path.with_suffix('.svg')}")
    check_kind(kind)
    with _readable(folder):
        figure = figure_of(load(folder), kind)
    picture = render(figure, png=path.suffix == ".png")
    _put(path, picture.png if path.suffix == ".png" else picture.svg.encode())
    return path


@contextmanager
def _readable(*folders: str | Path) -> Iterator[None]:
    """Tell in one line when files of a study cannot be read."""
    try:
        yield
    except (pl.exceptions.ComputeError, OSError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        tries = listed([checking_data(folder) for folder in folders])
        raise UserError(f"the study cannot be read: {reason}; try: {tries}") from None


def write_page(page: Page, out: Path, progress: Progress) -> Written:
    """Write a page with its figures, tables and summary."""
    tables = [*page.tables, *page.unlocked, *(table for section in page.sections for table in section.tables)]
    figures = [figure for section in page.sections for figure in section.figures]
    drawings = {}
    for number, figure in enumerate(figures, 1):
        progress(f"drawing figure {number} of {len(figures)}")
        drawn = render(figure)
        drawings[figure.kind] = drawn.inline
        _put(out / "figures" / f"{figure.kind}.svg", drawn.svg.encode())
        _put(out / "figures" / f"{figure.kind}.png", drawn.png)
    progress("writing tables and the page")
    for table in tables:
        _put_table(out / "tables", table)
    _put(out / "summary.md", summary(page).encode())
    _put(out / "index.html", html(page, drawings).encode())
    return Written(out / "index.html", page.headline, page.detail)


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: is a file; --out should name a folder")
    if (out / "manifest.json").exists():
        raise UserError(
            f"{out}: holds a study; write the report into another folder, such as reports/{out.name}"
        )


def _put(path: Path, data: bytes) -> None:
    with explain_write_errors(path, "choose another --out"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def _put_table(folder: Path, table: Table) -> None:
    # Names go out as plain text, so that every reader of CSV and Parquet takes them.
    frame = table.frame.with_columns(pl.col(pl.Enum).cast(pl.String))
    for ending, write in (("csv", frame.write_csv), ("parquet", frame.write_parquet)):
        data = io.BytesIO()
        write(data)
        _put(folder / f"{table.name}.{ending}", data.getvalue())
