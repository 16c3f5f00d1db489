"""Cities before and after a change, against the fair share, in one picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from khora_sim.report import forms
from khora_sim.report.palette import INK, MUTED, PAPER, city_colours, city_markers
from khora_sim.report.phrases import percent


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
    axes.axvline(fair, color=MUTED, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
    for y, row in zip(range(len(rows) - 1, -1, -1), rows, strict=True):
        look = {"marker": markers[row.city], "markersize": 6, "markeredgecolor": INK, "markeredgewidth": 0.7}
        if row.before is not None and row.after is not None:
            axes.plot([row.before, row.after], [y, y], color=INK, linewidth=1.3, zorder=2)
        if row.before is not None:
            axes.plot(row.before, y, markerfacecolor=PAPER, zorder=3, **look)
        if row.after is not None:
            axes.plot(row.after, y, markerfacecolor=colours[row.city], zorder=4, **look)
    axes.set_yticks(range(len(rows) - 1, -1, -1), [row.label for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.sure else "normal")
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.06)
    axes.annotate(
        f"fair share {percent(fair)}",
        (fair, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=7.5,
        color=MUTED,
    )
    axes.set_xlabel("win share")
    forms.as_percent(axes.xaxis)


def moves_height(rows: int) -> float:
    """Inches for so many cities."""
    return forms.dots_height(rows) + 0.1
