"""The pictures of a sweep: response curves of one number, a heat map of two, a ranking of more."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.analyses.sweep_answer import Sweep
from khora_sim.pages import plots
from khora_sim.pages import sweep_words as say
from khora_sim.pages.page_model import Figure
from khora_sim.pages.plots import ACCENT, INK, MUTED, city_colours, city_markers
from khora_sim.pages.wording import percent

RANKED = 20  # variants that a picture shows
TEXT_COLUMNS = 10  # of a heat map whose cells have room for numbers
TICKS = 12


def figures(answer: Sweep) -> list[Figure]:
    """The pictures that fit so many numbers."""
    if len(answer.numbers) == 1:
        return [_curves(answer), _distances(answer)]
    return [_heat(answer)] if len(answer.numbers) == 2 else [_ranking(answer)]


def _rows(answer: Sweep) -> list[dict[str, Any]]:
    """The variants of one number by its value."""
    return answer.variants.sort(answer.numbers[0].path).to_dicts()


def _curves(answer: Sweep) -> Figure:
    (number,) = answer.numbers
    rows, fair = _rows(answer), 1 / answer.players
    values = [row[number.path] for row in rows]
    colours, markers = city_colours(answer.names), city_markers(answer.names)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        axes.axhline(fair, color=MUTED, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
        axes.axvline(number.base, color=MUTED, linewidth=1, linestyle=(0, (1, 2)), zorder=1)
        series = []
        for city in answer.concerned:
            shares = [answer.share(row, city) for row in rows]
            centre = [one["value"] for one in shares]
            reach = [
                [one["change"] - one["change_low"] for one in shares],
                [one["change_high"] - one["change"] for one in shares],
            ]
            axes.errorbar(values, centre, reach, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2, zorder=4)
            series.append((answer.names[city], centre, colours[city], markers[city]))
        plots.lines(axes, values, series)
        _value_axis(axes, values, number.path)
        axes.set_ylabel("win share")
        plots.as_percent(axes.yaxis)
        plots.legend_below(canvas, axes, 4)

    return Figure(
        "sweep-cities",
        "Win share of every city at every value",
        f"With {say.who(answer)}; dashed: the fair share {percent(fair)}, dotted: the base game.",
        draw,
        3.9,
        f"n {answer.games:,} games of each value; bars: paired 95 % intervals of changes from the base",
    )


def _distances(answer: Sweep) -> Figure:
    (number,) = answer.numbers
    rows = _rows(answer)
    values = [row[number.path] for row in rows]

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        axes.axvline(number.base, color=MUTED, linewidth=1, linestyle=(0, (1, 2)), zorder=1)
        centre = [100 * row["distance"] for row in rows]
        reach = [
            [max(100 * (row["distance"] - row["distance_low"]), 0.0) for row in rows],
            [max(100 * (row["distance_high"] - row["distance"]), 0.0) for row in rows],
        ]
        axes.errorbar(values, centre, reach, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2, zorder=4)
        plots.lines(axes, values, [("distance", centre, ACCENT, "o")])
        _value_axis(axes, values, number.path)
        axes.set_ylim(bottom=0)
        axes.set_ylabel(f"distance, {say.POINTS}")
        plots.as_plain(axes.yaxis)

    return Figure(
        "sweep-distance",
        "Distance from the target at every value",
        f"Target: {answer.target.in_words(answer.names)}. Lower is nearer; dotted: the base game.",
        draw,
        2.9,
        f"n {answer.games:,} games of each value; bars are 95 % intervals, and differences are known better",
    )


def _value_axis(axes: Any, values: Sequence[int], label: str) -> None:
    if len(values) <= TICKS:
        axes.set_xticks(values)
    axes.set_xlabel(label)


def _heat(answer: Sweep) -> Figure:
    down, across = answer.numbers
    cells = {answer.values(row): row for row in answer.variants.to_dicts()}
    columns = sorted({values[1] for values in cells})
    lines = sorted({values[0] for values in cells})
    grid = np.full((len(lines), len(columns)), np.nan)
    for (y, x), row in cells.items():
        grid[lines.index(y), columns.index(x)] = 100 * row["distance"]
    shown = len(columns) <= TEXT_COLUMNS
    texts = [["" if np.isnan(one) or not shown else f"{one:.1f}" for one in line] for line in grid]
    base = 100 * answer.base["distance"]
    # What chance alone explains should look pale.
    judged = [row for row in cells.values() if row["stage"] is None and not answer.is_base(row)]
    unsure = max((100 * say.change(row).margin for row in judged), default=0.0)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        names = [str(y) for y in lines], [str(x) for x in columns]
        plots.heat(axes, -grid, texts, *names, -base, max(unsure, 0.5))  # less distance is better: blue
        y, x = lines.index(down.base), columns.index(across.base)
        axes.plot([x - 0.4, x + 0.4], [y + 0.38] * 2, color=INK, linewidth=1.2)
        axes.set_xlabel(say.short(across))
        axes.xaxis.set_label_position("top")
        axes.set_ylabel(say.short(down))

    return Figure(
        "sweep-heat",
        "Distance from the target",
        f"Target: {answer.target.in_words(answer.names)}. In {say.POINTS}; blue: nearer than the base game "
        "(underlined), orange: farther; pale: within what chance explains.",
        draw,
        max(0.9 + 0.28 * len(lines), 0.8 + 0.08 * len(say.short(down))),
        "intervals and n of every variant are in the table",
    )


def _ranking(answer: Sweep) -> Figure:
    rows = answer.variants.filter(pl.col("stage").is_null()).head(RANKED).to_dicts()
    dots = [
        plots.Dot(
            "base game" if answer.is_base(row) else " · ".join(map(str, answer.values(row))),
            100 * row["distance"],
            100 * row["distance_low"],
            100 * row["distance_high"],
        )
        for row in rows
    ]

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        plots.dots(axes, dots, null=100 * answer.base["distance"], null_label="the base game")
        axes.set_xlabel(f"distance from the target, {say.POINTS}")
        plots.as_plain(axes.xaxis)

    paths = " · ".join(map(say.short, answer.numbers))
    return Figure(
        "sweep-ranking",
        "The variants nearest to the target",
        f"Target: {answer.target.in_words(answer.names)}. Values of {paths}.",
        draw,
        plots.dots_height(len(dots)) + 0.1,
        f"n {answer.games:,} games of each judged; bars: 95 % intervals; differences are known better",
    )
