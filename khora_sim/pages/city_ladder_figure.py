"""The picture of cities along a ladder of players: a line for each city, a column for each player."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from matplotlib.figure import Figure as Canvas

from khora_sim.analyses.cities_answer import CitiesAnswer, TableVerdict
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure
from khora_sim.pages.plots import INK, MUTED, city_colours, city_markers
from khora_sim.pages.render import render
from khora_sim.pages.wording import percent
from khora_sim.stats import Estimate

KIND = "city-ladder"
HEIGHT = 3.9  # inches
LABEL = 0.052  # part of the height that a city's name takes: names are moved apart by it
LONGEST = 14  # letters of a player's name
RIGHT, LEFT = 1.5, 0.18  # columns beside the players, for names
CAPTION = 0.45  # inches below the drawing, for files; the page has its own captions
BAR, NEXT_BAR = 0.06, 0.034  # columns from the strongest player to the first bar of its peers, and on


def figure(answer: CitiesAnswer, table: TableVerdict, *, captioned: bool = False) -> Figure:
    """Win share of each city with each player, with bands of 95 %; bars span players of the top kind."""

    def draw(canvas: Canvas) -> None:
        _draw(canvas, answer, table)
        if captioned:
            canvas.supxlabel(_caption(answer, table), x=0.012, ha="left", fontsize=7)

    return Figure(
        KIND,
        f"Win share of each city, by who plays ({table.players} players)",
        "A line for each city: above the dashed line it wins more than its share. Where lines cross, "
        "the order of the cities depends on who plays.",
        draw,
        height=HEIGHT + CAPTION * captioned,
        counted=rests_on(table),
    )


def _caption(answer: CitiesAnswer, table: TableVerdict) -> str:
    """What the picture rests on, in lines that fit the width."""
    rules = f"Rules {answer.rules.name} {answer.rules.hash[:12]}, khora {answer.khora}, seed {answer.seed}."
    return "\n".join([*wrap(f"{rests_on(table)}.", 82), rules])


def rests_on(table: TableVerdict) -> str:
    """What the picture rests on."""
    games = sorted({one.games for one in table.ladder})
    n = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
    peers = ""
    if table.peers:
        peers = f"; bars: lowest to highest of {len(table.peers) + 1} players like {table.strongest.strategy}"
    return f"n {n} games a player; shaded: 95 % intervals; dashed: the fair share{peers}"


def _draw(canvas: Canvas, answer: CitiesAnswer, table: TableVerdict) -> None:
    axes = canvas.subplots()
    places = list(range(len(table.ladder)))
    colours, markers = city_colours(answer.names), city_markers(answer.names)
    for number, city in enumerate(reversed(table.order)):
        shares = [one.cities[city].share.estimate for one in table.ladder]
        low, high = _bounds(shares)
        axes.fill_between(places, low, high, color=colours[city], alpha=0.3, linewidth=0, zorder=1)
        plots.lines(axes, places, [(city, [s.value for s in shares], colours[city], markers[city])])
        ends = table.between_players(city)
        if ends is not None:
            x = places[-1] + BAR + NEXT_BAR * number
            axes.plot([x, x], ends, color=INK, linewidth=2.4, alpha=0.35, zorder=2)
            axes.plot([x, x], ends, color=colours[city], linewidth=1.8, zorder=3)
    _frame(axes, table)
    _draw_fair(axes, table, places[-1])
    beside = BAR + NEXT_BAR * len(table.order) if table.peers else 0.0
    _name_cities(axes, answer, table, places[-1], beside + 0.2)


def _draw_fair(axes: Any, table: TableVerdict, last: int) -> None:
    axes.plot([-LEFT, last], [table.fair] * 2, color=MUTED, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
    axes.annotate(
        f"fair {percent(table.fair)}",
        (0, table.fair),
        xycoords=("axes fraction", "data"),
        xytext=(-3, 0),
        textcoords="offset points",
        fontsize=7.5,
        color=MUTED,
        ha="right",
        va="center",
    )


def _bounds(shares: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    return [one.low for one in shares], [one.high for one in shares]


def _frame(axes: Any, table: TableVerdict) -> None:
    last = len(table.ladder) - 1
    axes.set_xlim(-LEFT, last + RIGHT * max(last, 1) / 4)
    most = max(one.cities[city].share.estimate.high for one in table.ladder for city in table.order)
    ends = [table.between_players(city) for city in table.order]
    axes.set_ylim(0, min(max([most, *(end[1] for end in ends if end)]) * 1.04, 1.0))
    axes.set_xticks(range(last + 1), [_short(one.strategy) for one in table.ladder])
    axes.set_xlabel("who plays all cities, stronger to the right")
    plots.as_percent(axes.yaxis, most=6)
    axes.tick_params(axis="x", length=0)
    for x in range(last + 1):
        axes.axvline(x, color=MUTED, linewidth=0.5, alpha=0.35, zorder=0)


def _name_cities(axes: Any, answer: CitiesAnswer, table: TableVerdict, x: float, beside: float) -> None:
    """Names at the right ends of the lines, moved apart where they would overlap, each with its share."""
    values = [table.strongest.cities[city].share.estimate.value for city in table.order]
    top = axes.get_ylim()[1]
    for city, value, y in zip(table.order, values, apart(values, LABEL * top, top), strict=True):
        axes.annotate(
            f"{answer.names[city]} {100 * value:.0f}",
            (x, value),
            xytext=(x + beside, y),
            fontsize=8.5,
            color=INK,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3},
        )


def apart(values: Sequence[float], least: float, top: float) -> list[float]:
    """Places for labels, highest first, as near their values as labels of this height can be."""
    places = sorted(values, reverse=True)
    blocks: list[list[float]] = []  # sum of where each label wants the first one to be, and labels
    for value in places:
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
        drawn = render(figure(answer, table, captioned=True))
        for ending, data in ((".svg", drawn.svg.encode()), (".png", drawn.png)):
            path = folder / f"cities-{table.players}{ending}"
            with explain_write_errors(path, "choose another --out"):
                write_atomically(path, data)
            paths.append(path)
    return paths


def file_names(answer: CitiesAnswer) -> str:
    """The pictures of an answer in a sentence."""
    return listed([f"cities-{table.players}.svg and .png" for table in answer.tables])
