"""Figures: colours, and the few forms that all of them are drawn in.

The forms are dots with intervals, stacked bars, heat maps and lines.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from khora_sim.pages.page_model import Figure
from khora_sim.pages.wording import SHOWN_UNKNOWN, Row, few, is_significant, percent
from khora_sim.stats import Estimate

if TYPE_CHECKING:
    from matplotlib import figure

    Canvas = figure.Figure

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
SOURCES = ("#4477AA", "#EE9944", "#AA5511", "#228833", "#CCBB44", "#AA3377", "#66CCEE", "#BBBBBB", "#8877CC")
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


ROW = 0.25  # inches that a row of dots or bars takes
DASHED: dict[str, Any] = {"color": MUTED, "linewidth": 1, "linestyle": (0, (3, 3))}  # what chance alone gives
BESIDE: dict[str, Any] = {"textcoords": "offset points", "fontsize": 7.5, "color": MUTED}  # its name


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


def share_dot(label: str, row: Row, colour: str = ACCENT, marker: str = "o", whole: float = 1.0) -> Dot:
    """A share as a dot; without a bar where its interval is all there could be."""
    known = row["high"] - row["low"] < whole
    low, high = (row["low"], row["high"]) if known else (math.nan, math.nan)
    return Dot(label, row["value"], low, high, colour, marker, faint=few(row["n"], row["units"]))


def dots(axes: Any, rows: Sequence[Dot], *, null: float | None = None, null_label: str = "") -> None:
    """Dots with 95 % intervals, first row on top; a dashed line marks what chance alone gives."""
    if null is not None:
        reference_line(axes, null, null_label)
    for y, row in zip(row_places(len(rows)), rows, strict=True):
        if not math.isfinite(row.value):
            continue
        if math.isfinite(row.low) and math.isfinite(row.high):
            axes.plot([row.low, row.high], [y, y], color=INK, linewidth=1.3, zorder=2)
        dot(axes, row.value, y, row.marker, PAPER if row.faint else row.colour)
    name_rows(axes, [row.label for row in rows])
    axes.xaxis.set_major_locator(_round_ticks(5))


def _round_ticks(most: int, **more: Any) -> Any:
    """At most so many ticks, at round numbers; matplotlib is loaded when a figure is drawn."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, **more)


def row_places(rows: int) -> np.ndarray:
    """The heights of the rows of a figure, the first on top."""
    return np.arange(rows)[::-1]


def dot(axes: Any, x: float, y: float, marker: str, face: str, zorder: int = 3) -> None:
    """A dot with a thin dark edge."""
    look = {"markersize": 6, "markerfacecolor": face, "markeredgecolor": INK, "markeredgewidth": 0.7}
    axes.plot(x, y, marker, zorder=zorder, **look)


def name_rows(axes: Any, labels: Sequence[str]) -> None:
    """Name the rows of a figure, the first on top, with a faint line along each."""
    axes.set_yticks(row_places(len(labels)), labels)
    axes.set_ylim(-0.7, len(labels) - 0.3)
    light_frame(axes)
    axes.margins(x=0.06)


def light_frame(axes: Any) -> None:
    """Faint lines across in place of an axis on the left."""
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)


def reference_line(axes: Any, at: float, label: str = "") -> None:
    """A dashed line with its name on top."""
    axes.axvline(at, **DASHED, zorder=1)
    if label:
        place = {"xycoords": ("data", "axes fraction"), "xytext": (0, 2), "ha": "center", "va": "bottom"}
        axes.annotate(label, (at, 1), **place, **BESIDE)


def effect_panels(
    canvas: Any,
    labels: Sequence[str],
    panels: Sequence[tuple[str, Sequence[Row | None], bool]],
    size: float = 7,
) -> None:
    """Two kinds of effects on the same things, side by side: title, rows, and if these are shares.

    Dots are hollow where an effect is not significant after correction.
    """

    def dot_of(label: str, row: Row | None, colour: str) -> Dot:
        if row is None or row["value"] is None or row.get("n_with") == 0:
            return Dot(label, math.nan, math.nan, math.nan)
        faint = not is_significant(row["p_holm"])
        return Dot(label, row["value"], row["low"], row["high"], colour, faint=faint)

    both = canvas.subplots(1, 2, sharey=True)
    for axes, (title, rows, as_shares), colour in zip(both, panels, FEW, strict=False):
        dots(axes, [dot_of(*one, colour) for one in zip(labels, rows, strict=True)], null=0.0)
        axes.set_title(title, fontsize=8)
        axes.tick_params(axis="y", labelsize=size)
        if as_shares:
            as_percent(axes.xaxis, most=4)
        else:
            as_plain(axes.xaxis)
    both[1].tick_params(axis="y", labelleft=False)


def upright_dots(
    axes: Any, x: Sequence[float], rows: Sequence[Row], null: float, colour: str, whole: float
) -> None:
    """Shares as dots above their places; hollow where they rest on few games."""
    axes.axhline(null, **DASHED)
    for at, row in zip(x, rows, strict=True):
        one = share_dot("", row, colour, whole=whole)
        axes.plot([at, at], [one.low, one.high], color=INK, linewidth=1.3)
        dot(axes, at, one.value, one.marker, PAPER if one.faint else colour)
    light_frame(axes)


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
        colour = INK if np.isfinite(value) else MUTED
        axes.text(c, r, texts[r][c], ha="center", va="center", fontsize=size, color=colour)
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


Cells = Mapping[tuple[Any, Any], tuple[float, str]]  # values and texts by row and column


def heat_cells(
    axes: Any, cells: Cells, rows: Mapping[Any, str], columns: Mapping[Any, str], centre: float, **look: float
) -> None:
    """A heat map of named rows and columns; a cell that is not there is unknown."""
    found = [[cells.get((row, column), (math.nan, SHOWN_UNKNOWN)) for column in columns] for row in rows]
    values = np.array([[value for value, _ in line] for line in found])
    texts = [[text for _, text in line] for line in found]
    heat(axes, values, texts, [*rows.values()], [*columns.values()], centre, **look)


def heat_figure(
    kind: str,
    title: str,
    sentence: str,
    cells: Cells,
    rows: Mapping[Any, str],
    columns: Mapping[Any, str],
    *,
    centre: float = 0.0,
    head: float = 0.6,  # inches for the names of the columns
    counted: str,
) -> Figure:
    """A figure that is one heat map."""

    def draw(canvas: "Canvas") -> None:
        heat_cells(canvas.subplots(), cells, rows, columns, centre)

    return Figure(kind, title, sentence, draw, heat_height(len(rows), head), counted)


def heat_height(rows: int, head: float) -> float:
    """Inches for a heat map."""
    return rows * 0.27 + head


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


Series = tuple[str, Sequence[float], str, str]  # label, values, colour and marker
Measured = tuple[str, Sequence[Estimate], str, str]


def lines(axes: Any, x: Sequence[float], series: Sequence[Series], *, markers: bool = True) -> None:
    """Lines with markers; a thin dark edge keeps light colours readable."""
    edge = {"markersize": 4.5, "markeredgecolor": INK, "markeredgewidth": 0.4}
    for label, y, colour, marker in series:
        shown = marker if markers else ""
        axes.plot(x, y, color=INK, linewidth=2.2, alpha=0.25, zorder=2)
        axes.plot(x, y, color=colour, marker=shown, **edge, linewidth=1.6, label=label, zorder=3)
    light_frame(axes)


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


def as_percent(axis: Any, most: int = 5) -> None:
    """Label an axis in per cent, at round numbers."""
    axis.set_major_locator(_round_ticks(most, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(lambda value, _: f"{round(100 * value, 6):g} %".replace("-", "−"))


def as_plain(axis: Any) -> None:
    """Label an axis with a true minus sign and no more digits than needed."""
    axis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))


def legend_below(canvas: Any, axes: Any, columns: int) -> None:
    """One legend under the whole figure."""
    canvas.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=columns)


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
