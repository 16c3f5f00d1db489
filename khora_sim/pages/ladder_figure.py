"""The figure of a ladder: who wins how much against whom, and the ratings."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Canvas

from khora_sim.analyses.ladder import Ladder
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure
from khora_sim.pages.render import render
from khora_sim.stats import Estimate

KIND = "ladder"
ITSELF = "·"  # a strategy against itself wins its share, and is not played
SMALL, LARGE, MANY = 7, 8, 9  # sizes of numbers, and strategies from which on they are small
LONGEST = 20  # letters of a name
CELL, HEAD = 0.3, 1.5  # inches of a row of cells, and of names above and words below


def figure(ladder: Ladder) -> Figure:
    """The cross-table as a heat map, strongest first, over the ratings with their intervals."""
    names = ladder.names
    table, ratings = len(names) * CELL + HEAD, plots.dots_height(len(names))

    def draw(canvas: Canvas) -> None:
        upper, lower = canvas.subplots(2, 1, height_ratios=[table, ratings])
        _draw_shares(upper, ladder)
        rows = [plots.Dot(_short(rung.strategy), *_ends(rung.rating)) for rung in ladder.rungs]
        plots.dots(lower, rows)
        plots.as_plain(lower.xaxis)
        canvas.supxlabel(_caption(ladder), x=0.012, ha="left", fontsize=7.5)

    return Figure(
        KIND,
        f"Won by the row against {_table_of(ladder)} of the column, in %",
        "Blue rows win more than their share against the strategy above the column, orange ones less.",
        draw,
        height=table + ratings,
        counted=_caption(ladder),
    )


def _draw_shares(axes: object, ladder: Ladder) -> None:
    names = ladder.names
    cells = [[ladder.shares.get((row, column)) for column in names] for row in names]
    values = np.array([[_strength(cell, ladder.null) for cell in row] for row in cells])
    texts = [[ITSELF if cell is None else f"{100 * cell.value:.0f}" for cell in row] for row in cells]
    size = LARGE if len(names) < MANY else SMALL
    short = [_short(name) for name in names]
    plots.heat(axes, values, texts, short, short, 0.0, least=1.0, size=size)


def _short(name: str) -> str:
    """A strategy in the margin of a figure: without its folder, and cut where it is long."""
    name = Path(name).name
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _strength(share: Estimate | None, null: float) -> float:
    """How far a share lies from the null, as a part of how far it can."""
    if share is None:
        return float("nan")
    return (share.value - null) / (1 - null if share.value > null else null)


def _ends(rating: Estimate) -> tuple[float, float, float]:
    return rating.value, rating.low, rating.high


def _table_of(ladder: Ladder) -> str:
    others = ladder.plan.players - 1
    return {1: "one", 2: "two", 3: "three"}.get(others, str(others))


def _caption(ladder: Ladder) -> str:
    """What the numbers mean and rest on, in lines that fit the width."""
    margins = sorted(round(100 * share.margin) for share in ladder.shares.values())
    n = min(share.n for share in ladder.shares.values())
    return (
        f"Shares: n {n:,} games each, 95 % intervals of ± {margins[0]} to ± {margins[-1]} points,\n"
        f"chance alone {100 * ladder.null:.3g} %. Ratings: 400 more are odds of 10 to 1 to finish ahead."
    )


def write_figures(folder: Path, ladder: Ladder) -> list[Path]:
    """Write the figure into a folder, as SVG and PNG."""
    drawn = render(figure(ladder))
    paths = [folder / f"{KIND}.svg", folder / f"{KIND}.png"]
    for path, data in zip(paths, (drawn.svg.encode(), drawn.png), strict=True):
        with explain_write_errors(path, "choose another --out"):
            write_atomically(path, data)
    return paths
