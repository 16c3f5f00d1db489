"""The answer of `power` in sentences, tables and figures, for the terminal and for the page."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from khora_sim.analyses.power.worth import (
    ALL,
    ALLOWED,
    DEAD,
    DEALT,
    GIVEN,
    HAPPENS,
    MUST_HAVE,
    ONLY,
    RULES,
    STRONG,
    WEAK,
    Power,
    Worth,
)
from khora_sim.common.wording import counted, listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import (
    Column,
    Figure,
    Page,
    Section,
    Table,
    counts,
    filled,
    grid,
    ordered,
    sentences,
    words,
)
from khora_sim.pages.plots import ABOVE, ACCENT, BELOW
from khora_sim.pages.wording import (
    INTERVALS,
    SHOWN_UNKNOWN,
    capital,
    in_points,
    is_significant,
    p_text,
    points_cell,
    shortened,
)
from khora_sim.simulation.run_dir import RunOptions
from khora_sim.stats import Estimate, format_estimate

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

POINTS = "percentage points"
ONE = {kind: kind.removesuffix("s").capitalize() for kind in ("cards", "events", "developments")}
ONE |= {"actions": "Action", "tracks": "Track", "spaces": "Space"}
#: What a number compares, in each way.
COMPARED = {
    DEALT: "from the deck to a player before the draft, in place of a random card of the hand that was dealt",
    GIVEN: "from the deck to a player after the draft, in place of a random card of the hand that was kept",
    HAPPENS: "with the event as it is, against the same round in which nothing happens, where it comes",
    ALLOWED: "allowed, against one player who never uses it where there is another choice",
}
TITLES = {DEALT: "Dealt", GIVEN: "Given", HAPPENS: "Win share", ALLOWED: "Win share"}
LABEL, BY_CITY = "Label", "significant after correction for all things and cities"
TEXTS = (*ONE.values(), LABEL)
ADAPTED = (
    "Players do not plan for a swap or a ban: who is barred from a thing plays on as if it could be used "
    "later. A player who adapts loses less without it."
)


def who(answer: Power) -> str:
    """Who played: what is said holds for these players."""
    if len(answer.strategies) == 1:
        return f"{answer.strategies[0]} in every seat"
    return f"{shortened(answer.strategies, 'more strategies')} at the table"


def facts(answer: Power) -> list[str]:
    """What was played, in a few words each."""
    return [
        f"{counted(answer.games, 'game')} of each of {answer.sides} sides with {who(answer)}",
        f"{answer.players} players",
        f"seed {answer.seed}",
        f"rules {answer.rules.hash[:12]}",
    ]


def headline(answer: Power) -> str:
    """The things that stand out, with whom it holds for."""
    rows = answer.overall()
    if answer.ways == (HAPPENS,):
        uneven = [f"{answer.things[row.thing]} ({row.label})" for row in rows if "for" in row.label.split()]
        events = f"events that favour some cities: {listed(uneven)}" if uneven else "no event favours a city"
        return f"With {who(answer)}, {events}."
    parts = [
        f"{label}: {listed([answer.things[row.thing] for row in rows if row.label == label])}"
        for label in (MUST_HAVE, STRONG, WEAK, DEAD)
        if any(row.label == label for row in rows)
    ]
    if not parts:
        return f"With {who(answer)}, none of the {answer.kind} stands out over all cities."
    return f"With {who(answer)}: {'; '.join(parts)}."


def strong_in_few(answer: Power) -> list[str]:
    """The things that stand out with one or two cities only, as a sentence; none where there are none."""
    few = [row for row in answer.overall() if row.label.startswith(ONLY)]
    found = [f"{answer.things[row.thing]} {row.label.removeprefix('only ')}" for row in few]
    return [f"Strong or must-have in one or two cities only: {'; '.join(found)}."] if few else []


def cell(row: Worth) -> str:
    """A cell of the table of cities: its shrunken win share in points, marked where it is significant."""
    if row.shrunken != row.shrunken:
        return SHOWN_UNKNOWN
    points = round(100 * row.shrunken, 1) + 0.0  # adding zero turns -0.0 into 0.0
    text = f"{points:{'+' if points else ''}.1f}".replace("-", "\N{MINUS SIGN}")
    return f"{text}{'*' if is_significant(row.p_wins) else ''}"


def overall_table(answer: Power) -> tuple[list[str], list[list[str]]]:
    """The table of the terminal: every thing over all cities, and what it is worth with each of them.

    The win share of an event over all cities is 0 by necessity, and left out.
    """
    others = answer.ways[1:]
    shares = [way for way in answer.ways if way != HAPPENS]
    columns = [ONE[answer.kind], LABEL, *(TITLES[way] for way in shares[:1]), "p (Holm)", "Points"]
    columns += [*(TITLES[way] for way in others), "n", *answer.cities.values()]
    rows = []
    for row in answer.overall():
        first, *second = [points_cell(answer.of(row.thing, ALL, way).wins) for way in shares] or [""]
        rows.append(
            [
                answer.things[row.thing],
                row.label,
                *([first] if shares else []),
                p_text(row.p_wins if shares else row.p_points),
                format_estimate(row.points, signed=True, with_n=False),
                *second,
                f"{row.wins.n:,}",
                *(cell(answer.of(row.thing, city)) for city in answer.cities),
            ]
        )
    return columns, rows


def reading(answer: Power) -> list[str]:
    """How the columns are read."""
    lines = [f"{TITLES[way]}: win share in {POINTS}, {COMPARED[way]}." for way in answer.ways]
    if answer.ways == (HAPPENS,):
        lines = [f"Points and win share: {COMPARED[HAPPENS]}."]
    column = f" ({TITLES[answer.ways[0]].lower()})" if len(answer.ways) > 1 else ""
    lines.append(
        f"With a city: win share in {POINTS}, moved towards the thing's own mean by what chance explains; "
        f"* {BY_CITY}{column}."
    )
    return lines


def _known(overall: float, cells: float) -> str:
    """The widest half intervals, in percentage points; one of 100 or more holds all there could be."""
    if not overall < 100:
        return "too few games for some of them"
    with_city = f"and to ± {cells:.2g} with a city" if cells < 100 else "and with a city not all are known"
    return f"known to ± {overall:.2g} {POINTS} or better over all cities, {with_city}"


def precision(answer: Power) -> list[str]:
    """How well things are known: every thing over all cities, and every thing with every city."""
    lines = []
    for way in answer.ways:
        overall, cells = answer.reached(way, overall=True), answer.reached(way)
        head = TITLES[way] if len(answer.ways) > 1 else "Win share"
        lines.append(f"{head}: {_known(overall, cells)}.")
    return lines


def brief(answer: Power) -> list[str | Table]:
    """What the terminal prints: the headline, every thing over all cities, and how to read it."""
    columns, rows = overall_table(answer)
    return [
        f"What {answer.kind} are worth: {', '.join(facts(answer))}\n",
        headline(answer),
        *strong_in_few(answer),
        grid(columns, rows, right=[title for title in columns if title not in TEXTS]),
        *(f"  {line}" for line in (*reading(answer), *precision(answer))),
    ]


# The page of an answer about power: every thing over all cities, then every thing with every city.


HEAT_ROW, HEAT_HEAD = 0.19, 0.75  # inches of a row of the heat map, and of the names above it
FAINTEST = 0.02  # a heat map of differences below two points never looks strong


def page_of(answer: Power, options: RunOptions) -> Page:
    """The page, the main way first."""
    made_by = options.typed(out=options.out)
    return Page(
        kind="Power",
        title=f"What {answer.kind} are worth",
        facts=facts(answer),
        headline=headline(answer),
        detail=" ".join([*strong_in_few(answer), *precision(answer)]),
        sure=reading(answer),
        limits=[ADAPTED, f"All of it holds for {who(answer)}, at tables of {answer.players}."],
        limits_title="For whom it holds",
        sections=[
            *(_of_way(answer, way) for way in answer.ways),
            _labels(),
        ],
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _of_way(answer: Power, way: str) -> Section:
    """Every thing over all cities, and with every city."""
    rows = answer.overall(way)
    title = f"{TITLES[way]}: " if len(answer.ways) > 1 else ""
    by_points = way == HAPPENS
    lead = f"What each of the {answer.kind} is worth, {COMPARED[way]}."
    if by_points:
        lead += " An event meets everyone: over all cities points change, and with a city win shares."
    cells = [answer.of(row.thing, city, way) for row in rows for city in answer.cities]
    return Section(
        way,
        capital(f"{title}over all cities and with each"),
        lead,
        [_dots(answer, way, rows, by_points), _heat(answer, way, rows)],
        [
            _table(answer, f"power-{way}", capital(f"{title}all {answer.kind}"), rows, shown=True),
            _table(answer, f"power-{way}-cities", capital(f"{title}all {answer.kind} by city"), cells),
        ],
        notes=[
            "The numbers of the heat map are moved towards the mean of their row by the part that chance "
            "explains; the table of cities has them as measured, with their intervals."
        ],
    )


def _dots(answer: Power, way: str, rows: Sequence[Worth], by_points: bool) -> Figure:
    def value(row: Worth) -> Estimate:
        return row.points if by_points else row.wins

    def sure(row: Worth) -> bool:
        return is_significant(row.p_points if by_points else row.p_wins)

    dots = [
        plots.Dot(
            answer.things[row.thing],
            value(row).value,
            value(row).low,
            value(row).high,
            ACCENT if not sure(row) else ABOVE if value(row).value > 0 else BELOW,
            faint=not sure(row),
        )
        for row in rows
    ]

    def draw(canvas: "Canvas") -> None:
        axes = canvas.subplots()
        plots.dots(axes, dots, null=0.0)
        if by_points:
            plots.as_plain(axes.xaxis)
        else:
            plots.as_percent(axes.xaxis)
        axes.set_xlabel("points" if by_points else "win share")

    least = min(row.wins.n for row in rows)
    return Figure(
        f"power-{way}",
        f"What {answer.kind} are worth: {'points' if by_points else TITLES[way].lower()}",
        f"Filled: {BY_CITY}. With {who(answer)}.",
        draw,
        plots.dots_height(len(dots)),
        f"n {least:,} or more for each; bars are 95 % intervals",
    )


def _heat(answer: Power, way: str, rows: Sequence[Worth]) -> Figure:
    cells = [[answer.of(row.thing, city, way) for city in answer.cities] for row in rows]
    values = np.array([[one.shrunken for one in row] for row in cells])
    texts = [[cell(one) for one in row] for row in cells]
    names = [answer.things[row.thing] for row in rows]

    def draw(canvas: "Canvas") -> None:
        plots.heat(
            canvas.subplots(), values, texts, names, list(answer.cities.values()), 0.0, FAINTEST, size=6.5
        )

    least = min(one.wins.n for row in cells for one in row)
    return Figure(
        f"power-{way}-cities",
        f"{answer.kind.capitalize()} by city: {TITLES[way].lower()}",
        f"Win share in {POINTS}, shrunken; blue: more with it, orange: less; * {BY_CITY}.",
        draw,
        HEAT_HEAD + HEAT_ROW * len(names),
        f"n {least:,} or more for each cell; 95 % intervals are in the table",
    )


def _table(answer: Power, name: str, title: str, rows: Sequence[Worth], shown: bool = False) -> Table:
    """Rows with both values, their intervals, corrected p-values and labels."""
    with_city = any(row.city != ALL for row in rows)
    cities = [words("City", [answer.cities.get(row.city, row.city) for row in rows])] if with_city else []
    wanted = {(row.thing, row.city, row.way) for row in rows}
    frame = answer.table().filter(
        [key in wanted for key in answer.table().select("thing", "city", "way").iter_rows()]
    )
    order = {(row.thing, row.city): place for place, row in enumerate(rows)}
    keys = [order[key] for key in frame.select("thing", "city").iter_rows()]
    return filled(
        name,
        title,
        frame.with_columns(pl.Series("place", keys)).sort("place").drop("place"),
        [
            words(ONE[answer.kind], [answer.things[row.thing] for row in rows]),
            *cities,
            words(LABEL, [row.label for row in rows]),
            _estimates("Win share (points)", [row.wins for row in rows], in_points),
            ordered("p (Holm)", [p_text(row.p_wins) for row in rows], [row.p_wins for row in rows]),
            _estimates("Points", [row.points for row in rows], _plain),
            ordered("p, points", [p_text(row.p_points) for row in rows], [row.p_points for row in rows]),
            counts("n", [row.wins.n for row in rows]),
        ],
        open=shown,
    )


def _plain(estimate: Estimate) -> str:
    return format_estimate(estimate, signed=True, with_n=False)


def _estimates(title: str, numbers: Sequence[Estimate], text: Callable[[Estimate], str]) -> Column:
    return ordered(title, [text(one) for one in numbers], [one.value for one in numbers])


def _labels() -> Section:
    frame = pl.DataFrame({"label": [one for one, _ in RULES], "rule": [rule for _, rule in RULES]})
    table = filled(
        "labels",
        "The rules of the labels",
        frame,
        [words(LABEL, frame["label"].to_list()), sentences("Given when", frame["rule"].to_list())],
        note="By win share. A difference is significant where its p-value, corrected by Holm for all things "
        "and cities measured in the same way, is below 5 %.",
        open=True,
    )
    return Section("labels", "What the labels mean", "", tables=[table])
