"""Write a page into a folder: one self-contained HTML file, its figures, its tables and a summary.

All figures have one look: SVG and PNG for files, and an SVG for the page that follows light and dark.
"""

import io
import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from jinja2 import DictLoader, Environment
from markupsafe import Markup
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from PIL import Image

from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.pages.page_model import Figure, Page
from khora_sim.pages.plots import INK, MUTED, PAPER, RULE
from khora_sim.pages.table import Table

Progress = Callable[[str], None]
TEMPLATE = Path(__file__).parent / "template"
STICKY = "\N{NO-BREAK SPACE}"
WIDTH = 4.3  # inches: readable on a phone, and two fit side by side on a desk
TITLE_BAND = 0.42  # inches above the drawing, for files; the page has its own titles
DPI = 180
COLOURS = 128  # of a PNG
FONT = "DejaVu Sans"  # comes with matplotlib, so that figures are the same everywhere

LOOK: dict[Any, Any] = {
    "font.family": [FONT],
    "font.size": 8.5,
    "svg.fonttype": "none",
    "text.hinting": "no_hinting",  # else a text is wider or narrower by the resolution it is measured at
    "text.color": INK,
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.labelsize": 8.5,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.handlelength": 1.2,
    "legend.columnspacing": 1.2,
    "patch.linewidth": 0.0,
}


class Written(NamedTuple):
    """A report that was written: its page, and what it says first."""

    page: Path
    headline: str
    detail: str
    caveats: Sequence[str] = ()  # that the terminal prints, too

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


class Rendered(NamedTuple):
    """A figure as bytes: files with title and white ground, and the drawing for the page."""

    svg: str
    png: bytes
    inline: str


def render(figure: Figure, png: bool = True) -> Rendered:
    """Draw a figure; `savefig` would do, but draws everything once more for each file."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a `matplotlibrc`, such as one in the current folder, changes no figure
        matplotlib.rcParams.update(LOOK | {"svg.hashsalt": figure.kind})
        height = figure.height + TITLE_BAND
        canvas = Canvas(figsize=(WIDTH, height), dpi=DPI, layout="constrained", facecolor=PAPER)
        engine: Any = canvas.get_layout_engine()
        engine.set(rect=(0.0, 0.0, 1.0, figure.height / height), w_pad=0.05, h_pad=0.05)
        figure.draw(canvas)
        engine.execute(canvas)
        canvas.set_layout_engine("none")  # settled: the two files need not compute it again
        look: dict[str, Any] = {"weight": "bold", "size": 9.5, "va": "top", "ha": "left"}
        canvas.text(0.012, 1 - 0.11 / height, figure.title, gid="title", **look)
        svg = _svg(canvas)
        picture = _png(canvas) if png else b""
    return Rendered(svg, picture, _inline(svg, figure))


def _png(canvas: Canvas) -> bytes:
    """A PNG of few colours: a third of the size, and no difference to see."""
    canvas.dpi = DPI  # writing the SVG leaves it at 72
    agg = FigureCanvasAgg(canvas)
    agg.draw()
    picture = Image.fromarray(np.asarray(agg.buffer_rgba())[..., :3])
    written = io.BytesIO()
    few = picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(written, "png", dpi=(DPI, DPI))
    return written.getvalue()


def _svg(canvas: Canvas) -> str:
    written = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    FigureCanvasSVG(canvas).print_svg(written, metadata=nothing)
    svg = re.sub(r"<!--.*?-->\s*", "", written.getvalue(), flags=re.DOTALL)
    return svg.replace(f"'{FONT}'", f"'{FONT}', 'Verdana', sans-serif")


def _inline(svg: str, figure: Figure) -> str:
    """The drawing without ground and title, in the page's own colours and font, with ids of its own."""
    drawing = svg[svg.index("<svg") :]
    drawing = re.sub(r'<g id="(title|caption)">.*?</g>', "", drawing, flags=re.DOTALL)
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    # Its style would reach beyond the drawing, over the whole page.
    drawing = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", drawing, count=1, flags=re.DOTALL)
    drawing = drawing.replace(f"fill: {PAPER}", "fill: none", 1)
    for colour, name in ((INK, "ink"), (MUTED, "muted"), (RULE, "rule"), (PAPER, "paper")):
        drawing = drawing.replace(colour, f"var(--{name})")
    drawing = drawing.replace(f"'{FONT}', 'Verdana', sans-serif", "var(--sans)")
    drawing = re.sub(r'(id="|url\(#|href="#)', rf"\1{figure.kind}-", drawing)
    width, height = WIDTH * 72, figure.height * 72
    head = (
        f'<svg role="img" aria-label="{escape(figure.title)}" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 {TITLE_BAND * 72:.2f} {width:.2f} {height:.2f}">'
    )
    return head + drawing[drawing.index(">") + 1 :]


def html(page: Page, drawings: dict[str, str]) -> str:
    """The page as one file; drawings are SVGs by kind of figure."""
    environment = _environment()
    table = environment.get_template("table.html")

    def show(one: Table) -> Markup:
        return Markup(table.render(table=one, sort_key=_sort_key))  # the template has escaped what it holds

    css, js = Markup(_text("page.css")), Markup(_text("page.js"))
    template = environment.get_template("page.html")
    whole = template.render(page=page, drawings=drawings, show=show, css=css, js=js)
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
    loader = DictLoader({name: _text(name) for name in ("page.html", "table.html")})
    return Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)


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
