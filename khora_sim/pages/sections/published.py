"""The published verdict beside a study's own: the same cities with weaker and stronger players."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import polars as pl

from khora_sim.common.commands import measuring_cities
from khora_sim.common.options import as_arguments, differing, settings_of
from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import BESIDE, DASHED, INK, MUTED, city_colours, city_markers
from khora_sim.pages.published_answers import (
    CitiesAnswer,
    SelfPlay,
    TableVerdict,
    clauses,
    exploit_for,
    origin,
    published_for,
    sentences,
    who_tried,
)
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.table import Column, Table, nested, number, share, text
from khora_sim.pages.wording import bare_percent, percent

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

KIND = "city-ladder"
HEIGHT = 3.9  # inches
LABEL = 0.052  # part of the height that a city's name takes: names are moved apart by it
LONGEST = 14  # letters of a player's name
MOST_BESIDE = 5  # players whose names fit on one line; those of more take two lines in turn
RIGHT, LEFT = 1.5, 0.18  # columns beside the players, for names
CAPTION = 0.45  # inches below the drawing, for files; the page has its own captions
BAR, NEXT_BAR = 0.06, 0.034  # columns from the strongest player to the first bar of its peers, and on
KINDS = (KIND,)
ID, TITLE = "ladder", "With weaker and stronger players"


def section(data: StudyData) -> Section:
    """The published verdict, where there is one about the same game."""
    found = _published(data)
    if isinstance(found, str):
        return Section(ID, TITLE, found, missing={KIND: found})
    answer, table = found
    first, second, *notes = sentences(answer, table)
    return Section(
        ID,
        TITLE,
        f"Not from this study, but published for the same rules. {first} {second}",
        [ladder_figure(answer, table)],
        [
            shares_table(answer, table, "published-cities", "Published win shares"),
            *gains_tables(answer, table),
            unlocked_table(answer, table, "published-developments"),
        ],
        [*notes, f"The published verdict: {origin(answer)}."],
    )


def _published(data: StudyData) -> tuple[CitiesAnswer, TableVerdict] | str:
    """The published answer and its largest table that this study has too, or why there is none."""
    rules = data.manifest.rules
    answer = published_for(rules.hash, rules.version)
    if answer is None and rules.version_note:
        return f"No verdict along a ladder of players is published here for rules version {rules.version}."
    if answer is None:
        own = measuring_cities(rules.file)
        return f"No verdict along a ladder of players is published for rules {rules.name}; {own} makes one."
    if differing(settings_of(**as_arguments(data.manifest.plan))):
        return "The published verdict along the ladder of players is about games without special options."
    sizes = [table.players for table in answer.tables if table.players in data.tables_of]
    if not sizes:
        known = listed([str(table.players) for table in answer.tables], "or")
        return f"The published verdict along the ladder of players is about tables of {known}."
    table = answer.at(max(sizes))
    assert table is not None
    return answer, table


def shares_table(answer: CitiesAnswer, table: TableVerdict, name: str, title: str) -> Table:
    """The win shares of every city with every player, and the verdict on it in words."""
    frame = _frame(table)
    columns = [
        text("City", "city", answer.names),
        *(share(one.strategy, one.strategy) for one in table.ladder),
    ]
    if table.peers_of(table.strongest):
        columns.append(number("Between peers", lambda row: 100 * (table.spread(row["city"]) or 0.0), ".1f"))
    games = listed([f"{one.strategy} {one.games:,} games" for one in table.ladder])
    return Table.of(
        name,
        f"{title} at {table.players} players, stronger ones to the right",
        nested(frame.filter(measure="win_share"), ["city"], by="strategy"),
        [*columns, text("In words", "city", table.words)],
        note=f"Each player in every seat: {games}. Between peers: how far the shares of players like "
        f"{table.strongest.strategy}, trained independently, lie apart, in points; missing where unknown.",
        open=True,
        frame=frame,
    )


def gains_tables(answer: CitiesAnswer, table: TableVerdict) -> list[Table]:
    """The gains that a better-suited player could still make in each city, where they are published."""
    found = exploit_for(answer, table)
    if found is None:
        return []
    beside = clauses(found, table)
    rows = [[one.city, one.best.spec, *asdict(one.gain).values()] for one in found.cities]
    return [
        Table.of(
            "published-gains",
            f"What a better-suited player could still gain in each city against {found.strategy}",
            beside.items(),
            [text("City", lambda row: answer.names[row[0]]), text("In words", lambda row: row[1], long=True)],
            note=who_tried(found),
            open=True,
            frame=pl.DataFrame(rows, {"city": pl.String, "challenger": pl.String, **_NUMBERS}, orient="row"),
        )
    ]


def unlocked_table(answer: CitiesAnswer, table: TableVerdict, name: str) -> Table:
    """Shares of games in which every player unlocks developments in every city."""

    def unlocked(one: SelfPlay) -> Column:
        def show(city: str) -> str:
            rates = one.cities[city].unlocked.values()
            return "/".join(bare_percent(max(0.0, rate.value)) for rate in rates)

        return text(one.strategy, show, key=lambda city: one.cities[city].unlocked[2].value)

    n = min(city.share.n for one in table.ladder for city in one.cities.values())
    return Table.of(
        name,
        "How often these players unlock developments 2 / 3 / 4, in %",
        table.order,
        [text("City", lambda city: answer.names[city]), *(unlocked(one) for one in table.ladder)],
        note=f"Of at least {n:,} games of each city and player; intervals are in the files of this table. "
        "What a player hardly ever unlocks, the shares above do not know.",
        frame=_frame(table),
    )


_NUMBERS = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}


def _frame(table: TableVerdict) -> pl.DataFrame:
    """All numbers of a table, a row for each player, city and measure."""
    rows = []
    for one in table.ladder:
        for city in table.order:
            own = one.cities[city]
            measures = {"win_share": own.share} | {f"unlocked_{p}": rate for p, rate in own.unlocked.items()}
            for measure, rate in measures.items():
                rows.append([one.strategy, city, measure, *asdict(rate).values()])
    head = dict.fromkeys(("strategy", "city", "measure"), pl.String)
    return pl.DataFrame(rows, {**head, **_NUMBERS}, orient="row")


def ladder_figure(
    answer: CitiesAnswer, table: TableVerdict, kind: str = KIND, *, captioned: bool = False
) -> Figure:
    """Win share of each city with each player, with bands of 95 %; bars span players of the top kind."""

    def draw(canvas: "Canvas") -> None:
        _draw(canvas, answer, table)
        if captioned:
            canvas.supxlabel(_caption(answer, table), gid="caption", x=0.012, ha="left", fontsize=7)

    return Figure(
        kind,
        f"Win share of each city, by who plays ({table.players} players)",
        "A line for each city: above the dashed line it wins more than its share. Where lines cross, "
        "the order of the cities depends on who plays.",
        draw,
        height=HEIGHT + CAPTION * captioned,
        counted=rests_on(table),
    )


def _caption(answer: CitiesAnswer, table: TableVerdict) -> str:
    """The basis of the picture, in lines that fit the width."""
    rules = f"Rules {answer.rules.name} {answer.rules.hash[:12]}, khora {answer.khora}, seed {answer.seed}."
    return "\n".join([*wrap(f"{rests_on(table)}.", 82), rules])


def rests_on(table: TableVerdict) -> str:
    """The basis of the picture."""
    games = sorted({one.games for one in table.ladder})
    n = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
    peers, strongest = "", table.strongest
    if alike := table.peers_of(strongest):
        peers = f"; bars: lowest to highest of {len(alike) + 1} players like {strongest.strategy}"
    return f"n {n} games a player; shaded: 95 % intervals; dashed: the fair share{peers}"


def _draw(canvas: "Canvas", answer: CitiesAnswer, table: TableVerdict) -> None:
    axes = canvas.subplots()
    places = list(range(len(table.ladder)))
    colours, markers = city_colours(answer.names), city_markers(answer.names)
    for place, city in enumerate(reversed(table.order)):
        shares = [one.cities[city].share for one in table.ladder]
        low, high = [one.low for one in shares], [one.high for one in shares]
        axes.fill_between(places, low, high, color=colours[city], alpha=0.3, linewidth=0, zorder=1)
        plots.lines(axes, places, [(city, [s.value for s in shares], colours[city], markers[city])])
        ends = table.between_players(city)
        if ends is not None:
            x = places[-1] + BAR + NEXT_BAR * place
            axes.plot([x, x], ends, color=INK, linewidth=2.4, alpha=0.35, zorder=2)
            axes.plot([x, x], ends, color=colours[city], linewidth=1.8, zorder=3)
    _draw_axes(axes, table)
    axes.plot([-LEFT, places[-1]], [table.fair] * 2, **DASHED, zorder=1)
    left: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "xytext": (-3, 0), "ha": "right"}
    axes.annotate(f"fair {percent(table.fair)}", (0, table.fair), **left, va="center", **BESIDE)
    beside = BAR + NEXT_BAR * len(table.order) if table.peers_of(table.strongest) else 0.0
    _name_cities(axes, answer, table, places[-1], beside + 0.2)


def _draw_axes(axes: Any, table: TableVerdict) -> None:
    last = len(table.ladder) - 1
    axes.set_xlim(-LEFT, last + RIGHT * max(last, 1) / 4)
    most = max(one.cities[city].share.high for one in table.ladder for city in table.order)
    ends = [table.between_players(city) for city in table.order]
    axes.set_ylim(0, min(max([most, *(end[1] for end in ends if end)]) * 1.04, 1.0))
    names = [_short(one.strategy) for one in table.ladder]
    if len(names) > MOST_BESIDE:
        names[1::2] = [f"\n{name}" for name in names[1::2]]
    axes.set_xticks(range(last + 1), names)
    axes.set_xlabel("who plays all cities, stronger to the right")
    plots.as_percent(axes.yaxis, most=6)
    axes.tick_params(axis="x", length=0)
    for x in range(last + 1):
        axes.axvline(x, color=MUTED, linewidth=0.5, alpha=0.35, zorder=0)


def _name_cities(axes: Any, answer: CitiesAnswer, table: TableVerdict, x: float, beside: float) -> None:
    """Names at the right ends of the lines, moved apart where they would overlap, each with its share."""
    values = [table.strongest.cities[city].share.value for city in table.order]
    top = axes.get_ylim()[1]
    line = {"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
    look = {"fontsize": 8.5, "color": INK, "va": "center", "annotation_clip": False, "arrowprops": line}
    for city, value, y in zip(table.order, values, apart(values, LABEL * top, top), strict=True):
        name = f"{answer.names[city]} {bare_percent(value)}"
        axes.annotate(name, (x, value), xytext=(x + beside, y), **look)


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
    """The place of the first label of a block so that all of it lies around its values."""
    return block[0] / block[1]


def _short(name: str) -> str:
    name = Path(name).name
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
