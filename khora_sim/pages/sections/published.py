"""The published verdict beside a study's own: what the same cities win with weaker and stronger players."""

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
from khora_sim.pages.city_verdict import (
    CitiesAnswer,
    TableVerdict,
    headline,
    never_sentence,
    origin,
    published_for,
    range_sentence,
    uncertainty_sentence,
)
from khora_sim.pages.exploit_answer import clauses, exploit_for, who_tried
from khora_sim.pages.page_model import Figure, Section, Table, estimated, filled, ordered, sentences, words
from khora_sim.pages.plots import INK, MUTED, city_colours, city_markers
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.wording import percent
from khora_sim.stats import Estimate

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

KIND = "city-ladder"
HEIGHT = 3.9  # inches
LABEL = 0.052  # part of the height that a city's name takes: names are moved apart by it
LONGEST = 14  # letters of a player's name
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
    notes = [uncertainty_sentence(answer, table), never_sentence(answer, table)]
    return Section(
        id=ID,
        title=TITLE,
        lead=f"Not from this study, but published for the same rules. {headline(answer, table)} "
        f"{range_sentence(answer, table)}",
        figures=[ladder_figure(answer, table)],
        tables=[
            shares_table(answer, table, "published-cities", "Published win shares"),
            *_gains(answer, table),
            unlocked_table(answer, table, "published-developments"),
        ],
        notes=[*(note for note in notes if note), f"The published verdict: {origin(answer)}."],
    )


def _published(data: StudyData) -> tuple[CitiesAnswer, TableVerdict] | str:
    """The published answer and its largest table that this study has too, or why there is none."""
    rules = data.manifest.rules
    answer = published_for(rules.hash, rules.version)
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
    """The win shares of every city with every player, and what is said of it."""
    columns = []
    for one in table.ladder:
        estimates = [one.cities[city].share.estimate for city in table.order]
        rows = pl.DataFrame([[e.value, e.low, e.high, e.n] for e in estimates], _NUMBERS, orient="row")
        columns.append(estimated(one.strategy, rows, percent=True, units=None))
    if table.peers:
        spreads = [table.spread(city) or 0.0 for city in table.order]
        columns.append(ordered("Between peers", [f"{100 * spread:.1f}" for spread in spreads], spreads))
    games = listed([f"{one.strategy} {one.games:,} games" for one in table.ladder])
    return filled(
        name,
        f"{title} at {table.players} players, stronger ones to the right",
        _frame(table),
        [
            words("City", [answer.names[city] for city in table.order]),
            *columns,
            words("In words", [table.words[city] for city in table.order]),
        ],
        note=f"Each player in every seat: {games}. Between peers: how far the shares of players like "
        f"{table.strongest.strategy}, trained independently, lie apart, in points; missing where unknown.",
        open=True,
    )


def _gains(answer: CitiesAnswer, table: TableVerdict) -> list[Table]:
    """What a better-suited player could still gain beside each city, where that is published."""
    found = exploit_for(answer, table)
    if found is None:
        return []
    beside = clauses(found, table)
    rows = [[one.city, one.best.spec, *asdict(one.gain).values()] for one in found.cities]
    return [
        filled(
            "published-gains",
            f"What a better-suited player could still gain in each city against {found.strategy}",
            pl.DataFrame(rows, {"city": pl.String, "challenger": pl.String, **_NUMBERS}, orient="row"),
            [
                words("City", [answer.names[city] for city in beside]),
                sentences("In words", [*beside.values()]),
            ],
            note=who_tried(found),
            open=True,
        )
    ]


def unlocked_table(answer: CitiesAnswer, table: TableVerdict, name: str) -> Table:
    """How often every player unlocks developments in every city."""
    rows = [answer.names[city] for city in table.order]
    columns = []
    for one in table.ladder:
        rates = [one.cities[city].unlocked for city in table.order]
        texts = [" / ".join(f"{100 * (x.value or 0):.0f}" for x in rate.values()) for rate in rates]
        columns.append(ordered(one.strategy, texts, [rate[2].value or 0.0 for rate in rates]))
    n = min(city.share.n for one in table.ladder for city in one.cities.values())
    return filled(
        name,
        "How often these players unlock developments 2 / 3 / 4, in %",
        _frame(table),
        [words("City", rows), *columns],
        note=f"Of at least {n:,} games of each city and player; intervals are in the files of this table. "
        "What a player hardly ever unlocks, the shares above do not know.",
    )


_NUMBERS: dict[str, type[pl.DataType]] = {
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
}


def _frame(table: TableVerdict) -> pl.DataFrame:
    """All numbers of a table, a row for each player, city and measure."""
    rows = []
    for one in table.ladder:
        for city in table.order:
            own = one.cities[city]
            measures = {"win_share": own.share} | {f"unlocked_{p}": rate for p, rate in own.unlocked.items()}
            for measure, number in measures.items():
                e = number.estimate
                rows.append([one.strategy, city, measure, e.value, e.low, e.high, e.n])
    head: dict[str, type[pl.DataType]] = {"strategy": pl.String, "city": pl.String, "measure": pl.String}
    return pl.DataFrame(rows, {**head, **_NUMBERS}, orient="row")


def ladder_figure(
    answer: CitiesAnswer, table: TableVerdict, kind: str = KIND, *, captioned: bool = False
) -> Figure:
    """Win share of each city with each player, with bands of 95 %; bars span players of the top kind."""

    def draw(canvas: "Canvas") -> None:
        _draw(canvas, answer, table)
        if captioned:
            canvas.supxlabel(_caption(answer, table), x=0.012, ha="left", fontsize=7)

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


def _draw(canvas: "Canvas", answer: CitiesAnswer, table: TableVerdict) -> None:
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
    _draw_axes(axes, table)
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


def _draw_axes(axes: Any, table: TableVerdict) -> None:
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
