"""The page: one self-contained HTML file, from a template, a style sheet and a few lines of script."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from jinja2 import DictLoader, Environment
from markupsafe import Markup

from khora_sim.pages.shapes import Section, Table
from khora_sim.pages.verdict import Rung

STICKY = "\N{NO-BREAK SPACE}"


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
    limits_title: str = "What this study does not show"
    tables: Sequence[Table] = ()
    unlocked: Sequence[Table] = ()
    habits: Sequence[str] = ()
    plot: Callable[[str], str] | None = None  # the command that draws a figure of a kind
    made_by: str = ""  # the command that made the page
    origin: Sequence[str] = ()
    commands: Sequence[str] = field(default_factory=list)


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
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    names = ("page.html", "table.html")
    return Environment(
        loader=DictLoader({name: _text(name) for name in names}),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
