"""The picture of cities along a ladder of players: a line for each city, a column for each player."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.common.writing import told_if_not_written, write_whole
from khora_sim.questions.cities_answer import CitiesAnswer, TableVerdict
from khora_sim.questions.city_words import headline
from khora_sim.report import forms
from khora_sim.report.palette import INK, MUTED, city_colours, city_markers
from khora_sim.report.phrases import percent
from khora_sim.report.render import render
from khora_sim.report.shapes import Figure
from khora_sim.stats import Estimate

KIND = "city-ladder"
HEIGHT = 3.9  # inches
LABEL = 0.052  # part of the height that a city's name takes: names are moved apart by it
LONGEST = 14  # letters of a player's name
RIGHT, LEFT = 1.15, 0.18  # columns beside the players, for names


def figure(answer: CitiesAnswer, table: TableVerdict) -> Figure:
    """Win share of each city with each player, with bands of 95 %; bars span players of the top kind."""
    return Figure(
        KIND,
        f"Win share of each city, by who plays ({table.players} players)",
        headline(answer, table),
        lambda canvas: _draw(canvas, answer, table),
        height=HEIGHT,
        counted=counted(table),
    )


def counted(table: TableVerdict) -> str:
    """What the picture rests on."""
    games = sorted({one.games for one in table.ladder})
    n = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
    peers = ""
    if table.peers:
        peers = (
            f"; bars on the right: {len(table.peers) + 1} players of the kind of {table.strongest.strategy}"
        )
    return f"n {n} games a player; shaded: 95 % intervals; dashed: the fair share{peers}"


def _draw(canvas: Canvas, answer: CitiesAnswer, table: TableVerdict) -> None:
    axes = canvas.subplots()
    places = list(range(len(table.ladder)))
    colours, markers = city_colours(answer.names), city_markers(answer.names)
    for city in reversed(table.order):
        shares = [one.cities[city].share.estimate for one in table.ladder]
        low, high = _bounds(shares)
        axes.fill_between(places, low, high, color=colours[city], alpha=0.3, linewidth=0, zorder=1)
        forms.lines(axes, places, [(city, [s.value for s in shares], colours[city], markers[city])])
        ends = table.between_players(city)
        if ends is not None:
            axes.plot([places[-1]] * 2, ends, color=colours[city], linewidth=5, alpha=0.55, zorder=2)
    axes.axhline(table.fair, color=MUTED, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
    axes.text(-LEFT, table.fair, percent(table.fair), fontsize=7.5, color=MUTED, va="bottom", ha="left")
    _frame(axes, table)
    _name_cities(axes, answer, table, places[-1])


def _bounds(shares: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    return [one.low for one in shares], [one.high for one in shares]


def _frame(axes: Any, table: TableVerdict) -> None:
    last = len(table.ladder) - 1
    axes.set_xlim(-LEFT, last + RIGHT * max(last, 1) / 4)
    most = max(one.cities[city].share.estimate.high for one in table.ladder for city in table.order)
    ends = [table.between_players(city) for city in table.order]
    axes.set_ylim(0, min(max([most, *(end[1] for end in ends if end)]) * 1.04, 1.0))
    axes.set_xticks(range(last + 1), [_short(one.strategy) for one in table.ladder])
    axes.set_xlabel("who plays all cities, weakest first")
    axes.set_ylabel("win share")
    forms.as_percent(axes.yaxis, most=6)
    axes.tick_params(axis="x", length=0)
    for x in range(last + 1):
        axes.axvline(x, color=MUTED, linewidth=0.5, alpha=0.35, zorder=0)


def _name_cities(axes: Any, answer: CitiesAnswer, table: TableVerdict, x: float) -> None:
    """Names at the right ends of the lines, moved apart where they would overlap, each with its share."""
    values = [table.strongest.cities[city].share.estimate.value for city in table.order]
    top = axes.get_ylim()[1]
    for city, value, y in zip(table.order, values, apart(values, LABEL * top, top), strict=True):
        axes.annotate(
            f"{answer.names[city]} {100 * value:.0f}",
            (x, value),
            xytext=(x + 0.2, y),
            fontsize=8.5,
            color=INK,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3},
        )


def apart(values: Sequence[float], least: float, top: float) -> list[float]:
    """Places for labels, highest first, as near their values as labels of this height can be."""
    places = sorted(values, reverse=True)
    blocks: list[list[float]] = []  # sum of wished tops of their first label, labels
    for number, value in enumerate(places):
        del number
        blocks.append([value, 1])
        while len(blocks) > 1 and _first(blocks[-2]) - blocks[-2][1] * least < _first(blocks[-1]):
            wished, count = blocks.pop()
            blocks[-1][0] += wished + count * blocks[-1][1] * least
            blocks[-1][1] += count
    found = [_first(block) - place * least for block in blocks for place in range(int(block[1]))]
    below = max(least / 2 - found[-1], 0.0)
    return [min(one + below, top) for one in found]


def _first(block: list[float]) -> float:
    """Where the first label of a block stands so that all of it lies around its values."""
    return block[0] / block[1]


def _short(name: str) -> str:
    name = Path(name).name
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def write_figures(folder: Path, answer: CitiesAnswer) -> list[Path]:
    """Write a picture for each size of table into a folder, as SVG and PNG."""
    paths = []
    for table in answer.tables:
        drawn = render(figure(answer, table))
        for ending, data in ((".svg", drawn.svg.encode()), (".png", drawn.png)):
            path = folder / f"cities-{table.players}{ending}"
            with told_if_not_written(path, "choose another --out"):
                write_whole(path, data)
            paths.append(path)
    return paths


def file_names(answer: CitiesAnswer) -> str:
    """The pictures of an answer in a sentence."""
    return listed([f"cities-{table.players}.svg and .png" for table in answer.tables])
