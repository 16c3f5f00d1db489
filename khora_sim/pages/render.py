"""From a figure to SVG and PNG: one look for all, and an SVG for the page that follows light and dark."""

import io
import re
from dataclasses import dataclass
from html import escape
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from PIL import Image

from khora_sim.pages.page_model import Figure
from khora_sim.pages.plots import INK, MUTED, PAPER, RULE

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
    "axes.grid": False,
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


@dataclass(frozen=True)
class Rendered:
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
        canvas.text(
            0.012, 1 - 0.11 / height, figure.title, gid="title", weight="bold", size=9.5, va="top", ha="left"
        )
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
    svg = written.getvalue()
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    return svg.replace(f"'{FONT}'", f"'{FONT}', 'Verdana', sans-serif")


def _inline(svg: str, figure: Figure) -> str:
    """The drawing without ground and title, in the page's own colours and font, with ids of its own."""
    drawing = svg[svg.index("<svg") :]
    drawing = re.sub(r'<g id="title">.*?</g>', "", drawing, flags=re.DOTALL)
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    # Its style would reach beyond the drawing, over the whole page.
    drawing = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", drawing, count=1, flags=re.DOTALL)
    ground = f"fill: {PAPER}"
    drawing = drawing.replace(ground, "fill: none", 1)
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
