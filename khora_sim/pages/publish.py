"""Write a page into a folder: one self-contained HTML file, its figures, its tables and a summary."""

import io
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import DictLoader, Environment
from markupsafe import Markup

from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.pages.page_model import Page, Table
from khora_sim.pages.render import render

Progress = Callable[[str], None]
TEMPLATE = Path(__file__).parent / "template"
STICKY = "\N{NO-BREAK SPACE}"


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


def write_page(page: Page, out: Path, progress: Progress) -> Written:
    """Write a page with its figures, tables and summary."""
    tables = [*page.tables, *page.unlocked, *(table for section in page.sections for table in section.tables)]
    figures = [figure for section in page.sections for figure in section.figures]
    drawings = {}
    for number, figure in enumerate(figures, 1):
        progress(f"drawing figure {number} of {len(figures)}")
        drawn = render(figure)
        drawings[figure.kind] = drawn.inline
        put(out / "figures" / f"{figure.kind}.svg", drawn.svg.encode())
        put(out / "figures" / f"{figure.kind}.png", drawn.png)
    progress("writing tables and the page")
    for table in tables:
        _put_table(out / "tables", table)
    put(out / "summary.md", summary(page).encode())
    put(out / "index.html", html(page, drawings).encode())
    return Written(out / "index.html", page.headline, page.detail)


def put(path: Path, data: bytes) -> None:
    """Write a file of a page."""
    with explain_write_errors(path, "choose another --out"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def _put_table(folder: Path, table: Table) -> None:
    frame = table.file()
    for ending, write in (("csv", frame.write_csv), ("parquet", frame.write_parquet)):
        data = io.BytesIO()
        write(data)
        put(folder / f"{table.name}.{ending}", data.getvalue())


def html(page: Page, drawings: dict[str, str]) -> str:
    """The page as one file; drawings are SVGs by kind of figure."""
    environment = _environment()
    table = environment.get_template("table.html")

    def show(one: Table) -> Markup:
        return Markup(table.render(table=one, sort_key=_sort_key))  # the template has escaped what it holds

    css, js = Markup(_text("page.css")), Markup(_text("page.js"))
    whole = environment.get_template("page.html").render(
        page=page, drawings=drawings, show=show, css=css, js=js
    )
    # A number, its sign and its margin stay on one line.
    return whole.replace(" %", f"{STICKY}%").replace(" ± ", f"{STICKY}±{STICKY}")


def _sort_key(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "-1e308" if value < 0 or math.isnan(value) else "1e308"
    return f"{value:.8g}"


def _text(name: str) -> str:
    return (TEMPLATE / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    names = ("page.html", "table.html")
    return Environment(
        loader=DictLoader({name: _text(name) for name in names}),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def summary(page: Page) -> str:
    """The verdict, its limits, and the main sentence of every section."""
    lines = [f"# {page.title}", "", " · ".join(page.facts), "", f"**{page.headline}** {page.detail}", ""]
    if page.ladder:
        places = range(2, 2 + len(page.ladder[0][0].unlocked))
        titles = ["tier", "city", "result", *(f"development {place}" for place in places)]
        lines += [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
        lines += [
            f"| {' | '.join([str(tier), rung.name, rung.text, *rung.unlocked])} |"
            for tier, rungs in enumerate(page.ladder, 1)
            for rung in rungs
        ]
        unlocked = " Developments: share of a city's games in which each is unlocked." if places else ""
        lines += ["", f"{page.ladder_note}{unlocked}", ""]
    lines += [f"- {line}" for line in page.habits] + [""] * bool(page.habits)
    lines += [f"- {line}" for line in page.by_table] + [""] * bool(page.by_table)
    for title, lines_below in (("How sure that is", page.sure), (page.limits_title, page.limits)):
        if lines_below:
            lines += [f"## {title}", "", *(f"- {line}" for line in lines_below), ""]
    for section in page.sections:
        lines += [f"## {section.title}", "", section.lead, ""]
        for figure in section.figures:
            lines += [f"- [{figure.title}](figures/{figure.kind}.png): {figure.sentence} ({figure.counted})"]
        lines += [f"- {line}" for line in section.unknown if line != section.lead]
        lines += [f"- {note}" for note in section.notes]
        lines += [""] if section.figures or section.notes or section.unknown else []
    lines += ["## Where this comes from", "", *page.origin, ""]
    lines = [line.replace("<", "&lt;") for line in lines]  # a name in a stranger's study may hold HTML
    lines += ["```console", *(f"$ {command}" for command in page.commands or [page.made_by]), "```", ""]
    return "\n".join(lines)
