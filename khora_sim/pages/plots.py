"""Figures: colours, and the few forms that all of them are drawn in."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from khora_sim.pages.wording import percent
from khora_sim.stats import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Canvas = Figure

# Okabe and Ito's colours; the seven cities of the base game keep theirs whatever a study holds.
CITIES = {
    "corinth": "#E69F00",
    "thebes": "#CC79A7",
    "miletus": "#56B4E9",
    "sparta": "#D55E00",
    "olympia": "#F0E442",
    "argos": "#009E73",
    "athens": "#0072B2",
}
# Paul Tol's muted colours, for cities that a variant adds.
MORE = ("#882255", "#44AA99", "#DDCC77", "#332288", "#AA4499", "#999933", "#88CCEE", "#CC6677", "#117733")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d", "H", "8", "o")

# Stand-ins that the page replaces by its own colours, so that figures follow light and dark.
INK, MUTED, RULE, PAPER = "#1c1d21", "#62656d", "#d9dade", "#fffffe"
ACCENT = "#2f6fa8"  # of what is neither city nor source
ABOVE, BELOW = "#0072B2", "#D55E00"  # more and less than expected

# Sources of points, in their order: actions, cards, the city, the tracks, the rest.
SOURCES = (
    "#4477AA",
    "#EE9944",
    "#AA5511",
    "#228833",
    "#CCBB44",
    "#AA3377",
    "#66CCEE",
    "#BBBBBB",
    "#8877CC",
)
# Few things at once: tracks, achievements, sizes of tables.
FEW = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8877CC")


def city_colours(cities: Iterable[str]) -> dict[str, str]:
    """The colour of each city."""
    added = iter(MORE * 2)
    return {city: CITIES.get(city) or next(added) for city in cities}


def city_markers(cities: Iterable[str]) -> dict[str, str]:
    """The marker of each city, so that colour is never all there is to go by."""
    known = [*CITIES, *(city for city in cities if city not in CITIES)]
    return {city: MARKERS[place % len(MARKERS)] for place, city in enumerate(known)}


# The few forms that all figures are drawn in: dots with intervals, stacked bars, heat maps, lines, bars.


ROW = 0.25  # inches that a row of dots or bars takes


@dataclass(frozen=True)
class Dot:
    """A value with its interval on a row of its own."""

    label: str
    value: float
    low: float
    high: float
    colour: str = ACCENT
    marker: str = "o"
    faint: bool = False  # rests on few games, or is not distinguishable from zero


def dots(
    axes: Any, rows: Sequence[Dot], *, null: float | None = None, null_label: str = "", labels: bool = True
) -> None:
    """Dots with 95 % intervals, first row on top; a dashed line marks what chance alone gives."""
    if null is not None:
        reference_line(axes, null, null_label)
    for y, row in zip(row_places(len(rows)), rows, strict=True):
        if not math.isfinite(row.value):
            continue
        if math.isfinite(row.low) and math.isfinite(row.high):
            axes.plot([row.low, row.high], [y, y], color=INK, linewidth=1.3, zorder=2)
        dot(axes, row.value, y, row.marker, PAPER if row.faint else row.colour)
    name_rows(axes, [row.label for row in rows] if labels else [""] * len(rows))
    axes.xaxis.set_major_locator(_round_ticks(5))


def _round_ticks(most: int, **more: Any) -> Any:
    """At most so many ticks, at round numbers; matplotlib is loaded when a figure is drawn."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, **more)


def row_places(rows: int) -> np.ndarray:
    """Where the rows of a figure lie, the first on top."""
    return np.arange(rows)[::-1]


def dot(axes: Any, x: float, y: float, marker: str, face: str, zorder: int = 3) -> None:
    """A dot with a thin dark edge."""
    look = {"markersize": 6, "markerfacecolor": face, "markeredgecolor": INK, "markeredgewidth": 0.7}
    axes.plot(x, y, marker, zorder=zorder, **look)


def name_rows(axes: Any, labels: Sequence[str]) -> None:
    """Name the rows of a figure, the first on top, with a faint line along each."""
    axes.set_yticks(row_places(len(labels)), labels)
    axes.set_ylim(-0.7, len(labels) - 0.3)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.06)


def reference_line(axes: Any, at: float, label: str = "") -> None:
    """A dashed line with its name on top."""
    axes.axvline(at, color=MUTED, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
    if label:
        axes.annotate(
            label,
            (at, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=7.5,
            color=MUTED,
        )


def shares_by_size(canvas: Any, dots_of: Mapping[int, Sequence[Dot]], heights: Sequence[float]) -> None:
    """Win shares as dots, a panel for each number of players, against the fair share of each."""
    panels = canvas.subplots(len(dots_of), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (players, rows) in zip(panels, dots_of.items(), strict=True):
        fair = 1 / players
        dots(axes, rows, null=fair, null_label=f"fair share {percent(fair)}")
        as_percent(axes.xaxis)
        if len(dots_of) > 1:
            axes.set_title(f"{players} players", pad=14)
    panels[-1].set_xlabel("win share")


def dots_height(rows: int, panels: int = 1) -> float:
    """Inches for rows of dots in panels one above the other."""
    return rows * ROW + panels * 0.62


def heat(
    axes: Any,
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    centre: float,
    least: float = 0.0,
    size: float = 8,
) -> None:
    """Cells, the stronger in colour the farther they lie from the centre; blue is more, orange less."""
    from matplotlib.patches import Rectangle

    away = np.abs(values[np.isfinite(values)] - centre)
    reach = float(away.max(initial=least)) or 1.0  # smaller differences than `least` never look strong
    for (r, c), value in np.ndenumerate(values):
        if np.isfinite(value):
            strength = min(abs(value - centre) / reach, 1.0) * 0.75
            colour = ABOVE if value >= centre else BELOW
            axes.add_patch(Rectangle((c - 0.48, r - 0.47), 0.96, 0.94, color=colour, alpha=strength))
        axes.text(
            c,
            r,
            texts[r][c],
            ha="center",
            va="center",
            fontsize=size,
            color=INK if np.isfinite(value) else MUTED,
        )
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    longest = max((len(name) for name in columns), default=0)
    turned = 0 if longest * len(columns) <= 44 else 35 if longest <= 12 and len(columns) <= 8 else 60
    axes.set_xticks(range(len(columns)), columns, rotation=turned, ha="left" if turned else "center")
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def stacked(
    axes: Any, labels: Sequence[str], names: Sequence[str], values: np.ndarray, colours: Sequence[str]
) -> None:
    """Bars of parts (rows by parts), first row on top; what is below zero goes to the left."""
    places = np.arange(len(labels))[::-1]
    right, left = np.zeros(len(labels)), np.zeros(len(labels))
    for part, name in enumerate(names):
        width = values[:, part]
        start = np.where(width >= 0, right, left)
        axes.barh(places, width, left=start, height=0.72, color=colours[part], label=name, edgecolor="none")
        right, left = right + np.maximum(width, 0), left + np.minimum(width, 0)
    axes.axvline(0, color=MUTED, linewidth=0.8)
    axes.set_yticks(places, labels)
    axes.set_ylim(-0.6, len(labels) - 0.4)
    axes.spines["left"].set_visible(False)


def lines(
    axes: Any,
    x: Sequence[float],
    series: Sequence[tuple[str, Sequence[float], str, str]],
    *,
    markers: bool = True,
) -> None:
    """Lines of label, values, colour and marker; a thin dark edge keeps light colours readable."""
    for label, y, colour, marker in series:
        axes.plot(x, y, color=INK, linewidth=2.2, alpha=0.25, zorder=2)
        axes.plot(
            x,
            y,
            color=colour,
            marker=marker if markers else "",
            markersize=4.5,
            markeredgecolor=INK,
            markeredgewidth=0.4,
            linewidth=1.6,
            label=label,
            zorder=3,
        )
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)


def measured_lines(
    axes: Any,
    x: Sequence[float],
    series: Sequence[tuple[str, Sequence[Estimate], str, str]],
    scale: float = 1,
) -> None:
    """Lines of label, estimates, colour and marker, with thin bars over their intervals."""
    values = []
    for label, found, colour, marker in series:
        y, low, high = (
            scale * np.array([getattr(one, end) for one in found]) for end in ("value", "low", "high")
        )
        reach = [np.maximum(y - low, 0.0), np.maximum(high - y, 0.0)]
        axes.errorbar(x, y, reach, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2, zorder=4)
        values.append((label, y.tolist(), colour, marker))
    lines(axes, x, values)


def band(axes: Any, x: Sequence[float], low: Sequence[float], high: Sequence[float], label: str = "") -> None:
    """A shaded range behind lines."""
    axes.fill_between(x, low, high, color=MUTED, alpha=0.16, linewidth=0, label=label or None, zorder=1)


def bars(
    axes: Any, x: Sequence[float], heights: Sequence[float], colour: str = ACCENT, width: float = 0.82
) -> None:
    """Upright bars."""
    axes.bar(x, heights, width=width, color=colour)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)


def as_percent(axis: Any, most: int = 5) -> None:
    """Label an axis in per cent, at round numbers."""
    axis.set_major_locator(_round_ticks(most, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(lambda value, _: f"{round(100 * value, 6):g} %".replace("-", "−"))


def as_plain(axis: Any) -> None:
    """Label an axis with a true minus sign and no more digits than needed."""
    axis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))


def legend_below(canvas: Any, axes: Any, columns: int, title: str | None = None) -> None:
    """One legend under the whole figure."""
    handles, labels = axes.get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower left", ncols=columns, title=title)


# Shares before and after a change, against the fair share.


@dataclass(frozen=True)
class Move:
    """A city's win share before and after; None where it is not in the game."""

    label: str
    before: float | None
    after: float | None
    city: str
    sure: bool  # that it changes


def moves(canvas: "Canvas", rows: Sequence[Move], fair: float) -> None:
    """A row for each city: hollow before, filled after, and the way between them."""
    axes = canvas.subplots()
    names = [row.city for row in rows]
    colours, markers = city_colours(names), city_markers(names)
    reference_line(axes, fair, f"fair share {percent(fair)}")
    for y, row in zip(row_places(len(rows)), rows, strict=True):
        if row.before is not None and row.after is not None:
            axes.plot([row.before, row.after], [y, y], color=INK, linewidth=1.3, zorder=2)
        if row.before is not None:
            dot(axes, row.before, y, markers[row.city], PAPER)
        if row.after is not None:
            dot(axes, row.after, y, markers[row.city], colours[row.city], zorder=4)
    name_rows(axes, [row.label for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.sure else "normal")
    axes.set_xlabel("win share")
    as_percent(axes.xaxis)


def moves_height(rows: int) -> float:
    """Inches for so many cities."""
    return dots_height(rows) + 0.1
