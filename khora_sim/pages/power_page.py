"""The page of an answer about power: every thing over all cities, then every thing with every city."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.analyses.power import Plan
from khora_sim.analyses.power_answer import ALL, HAPPENS, Power, Worth
from khora_sim.analyses.power_labels import RULES
from khora_sim.pages import forms
from khora_sim.pages import power_words as say
from khora_sim.pages.compose import INTERVALS
from khora_sim.pages.page import Page
from khora_sim.pages.palette import ABOVE, ACCENT, BELOW
from khora_sim.pages.phrases import capital, is_significant, p_text
from khora_sim.pages.publish import Written, write_page
from khora_sim.pages.shapes import Column, Figure, Section, Table, counts, ordered, sentences, words
from khora_sim.pages.what_if_words import in_points
from khora_sim.stats import Estimate, format_estimate

HEAT_ROW, HEAT_HEAD = 0.19, 0.75  # inches of a row of the heat map, and of the names above it
FAINTEST = 0.02  # a heat map of differences below two points never looks strong


def write(answer: Power, plan: Plan, out: Path, progress: Callable[[str], None] = lambda _: None) -> Written:
    """Write the page with its tables and figures."""
    return write_page(page_of(answer, plan, out), out, progress)


def page_of(answer: Power, plan: Plan, out: Path) -> Page:
    """The page, the main way first."""
    made_by = say.command(answer, plan.rules, str(out))
    return Page(
        kind="Power",
        title=f"What {answer.kind} are worth",
        facts=say.facts(answer),
        headline=say.headline(answer),
        detail=" ".join([*say.strong_in_few(answer), *say.precision(answer)]),
        sure=say.reading(answer),
        limits=[say.ADAPTED, f"All of it holds for {say.who(answer)}, at tables of {answer.players}."],
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
    title = f"{say.TITLES[way]}: " if len(answer.ways) > 1 else ""
    by_points = way == HAPPENS
    lead = f"What each of the {answer.kind} is worth, {say.COMPARED[way]}."
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
        forms.Dot(
            answer.things[row.thing],
            value(row).value,
            value(row).low,
            value(row).high,
            ACCENT if not sure(row) else ABOVE if value(row).value > 0 else BELOW,
            faint=not sure(row),
        )
        for row in rows
    ]

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        forms.dots(axes, dots, null=0.0)
        if by_points:
            forms.as_plain(axes.xaxis)
        else:
            forms.as_percent(axes.xaxis)
        axes.set_xlabel("points" if by_points else "win share")

    least = min(row.wins.n for row in rows)
    return Figure(
        f"power-{way}",
        f"What {answer.kind} are worth: {'points' if by_points else say.TITLES[way].lower()}",
        f"Filled: {say.BY_CITY}. With {say.who(answer)}.",
        draw,
        forms.dots_height(len(dots)),
        f"n {least:,} or more for each; bars are 95 % intervals",
    )


def _heat(answer: Power, way: str, rows: Sequence[Worth]) -> Figure:
    cells = [[answer.of(row.thing, city, way) for city in answer.cities] for row in rows]
    values = np.array([[one.shrunken for one in row] for row in cells])
    texts = [[say.cell(one) for one in row] for row in cells]
    names = [answer.things[row.thing] for row in rows]

    def draw(canvas: Canvas) -> None:
        forms.heat(
            canvas.subplots(), values, texts, names, list(answer.cities.values()), 0.0, FAINTEST, size=6.5
        )

    least = min(one.wins.n for row in cells for one in row)
    return Figure(
        f"power-{way}-cities",
        f"{answer.kind.capitalize()} by city: {say.TITLES[way].lower()}",
        f"Win share in {say.POINTS}, shrunken; blue: more with it, orange: less; * {say.BY_CITY}.",
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
    return Table(
        name,
        title,
        frame.with_columns(pl.Series("place", keys)).sort("place").drop("place"),
        [
            words(say.ONE[answer.kind], [answer.things[row.thing] for row in rows]),
            *cities,
            words(say.LABEL, [row.label for row in rows]),
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
    table = Table(
        "labels",
        "The rules of the labels",
        frame,
        [words(say.LABEL, frame["label"].to_list()), sentences("Given when", frame["rule"].to_list())],
        note="By win share. A difference is significant where its p-value, corrected by Holm for all things "
        "and cities measured in the same way, is below 5 %.",
        open=True,
    )
    return Section("labels", "What the labels mean", "", tables=[table])
