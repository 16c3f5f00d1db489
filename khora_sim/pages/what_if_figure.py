"""Cities before and after a change, against the fair share, in one picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from khora_sim.pages import plots
from khora_sim.pages.plots import INK, PAPER, city_colours, city_markers
from khora_sim.pages.wording import percent


@dataclass(frozen=True)
class Move:
    """A city's win share before and after; None where it is not in the game."""

    label: str
    before: float | None
    after: float | None
    city: str
    sure: bool  # that it changes


def moves(canvas: Any, rows: Sequence[Move], fair: float) -> None:
    """A row for each city: hollow before, filled after, and the way between them."""
    axes = canvas.subplots()
    names = [row.city for row in rows]
    colours, markers = city_colours(names), city_markers(names)
    plots.reference_line(axes, fair, f"fair share {percent(fair)}")
    for y, row in zip(plots.row_places(len(rows)), rows, strict=True):
        if row.before is not None and row.after is not None:
            axes.plot([row.before, row.after], [y, y], color=INK, linewidth=1.3, zorder=2)
        if row.before is not None:
            plots.dot(axes, row.before, y, markers[row.city], PAPER)
        if row.after is not None:
            plots.dot(axes, row.after, y, markers[row.city], colours[row.city], zorder=4)
    plots.name_rows(axes, [row.label for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.sure else "normal")
    axes.set_xlabel("win share")
    plots.as_percent(axes.xaxis)


def moves_height(rows: int) -> float:
    """Inches for so many cities."""
    return plots.dots_height(rows) + 0.1
