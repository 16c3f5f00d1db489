"""The answer of `sweep` in sentences, tables and figures, for the terminal and for the page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from khora_sim.analyses.sweep.ranking import Sweep
from khora_sim.analyses.variants import Row, Stage, values_of
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
    percentage_points,
    sentences,
    words,
)
from khora_sim.pages.plots import ACCENT, INK, MUTED, city_colours, city_markers
from khora_sim.pages.wording import (
    INTERVALS,
    NOT_ADAPTED,
    POINTS,
    estimate_of,
    in_points,
    p_text,
    percent,
    seated,
    share,
    shortened,
)
from khora_sim.rules.ranges import Number
from khora_sim.stats import Estimate, format_estimate

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

MOST_VALUES = 8  # whose changes of every city the terminal prints side by side
MOST_ROWS = 15  # of the ranking, in the terminal
SHOWN = 30  # variants whose cities the page shows; the files have all
RANKED = 20  # variants that a picture shows
TEXT_COLUMNS = 10  # of a heat map whose cells have room for numbers
TICKS = 12
FRESH = (
    "The leaders were judged on luck that had no part in choosing them; the games of a stage are those that "
    "its variants were chosen by, so the best of many look better there than they are."
)


def who(answer: Sweep) -> str:
    """The players that all of it holds for."""
    return seated(answer.strategies, answer.lineup)


def short(number: Number | str) -> str:
    """A path without the words that it does without: `argos.2.cost`."""
    path = number if isinstance(number, str) else number.path
    parts = path.split(".")
    kept = parts[1:] if parts[0] in ("cities", "cards", "events", "spaces") else parts
    return ".".join(part for part in kept if part not in ("developments", "effects", "gain"))


def values_in_words(answer: Sweep, row: Row) -> str:
    """A variant in a few words: its value, or what differs from the base game."""
    if len(answer.numbers) == 1:
        return str(row[answer.numbers[0].path])
    if answer.is_base(row):
        return "the base game"
    return ", ".join(
        f"{short(number)} {row[number.path]}" for number in answer.numbers if row[number.path] != number.base
    )


def numbers_in_words(answer: Sweep) -> str:
    """The paths of the numbers."""
    return listed([number.path for number in answer.numbers])


def distance(row: Row) -> Estimate:
    """The distance of a variant from the target."""
    return values_of(row, "distance", row["games"])


def change(row: Row) -> Estimate:
    """The change of that from the base game."""
    return values_of(row, "change", row["games"])


def headline(answer: Sweep) -> str:
    """Which value comes nearest to the target, and for whom that holds."""
    players, target = f"With {who(answer)}", answer.target.in_words(answer.names)
    if answer.flat:
        return f"{players}, no win share differs at any value of {numbers_in_words(answer)}."
    best, others = answer.best, [values_in_words(answer, row) for row in answer.alike]
    if len(answer.numbers) > 1:
        based = any(answer.is_base(row) for row in answer.alike)
        more = len(others) - based
        others = [*(["the base game"] if based else []), *([counted(more, "other")] if more else [])]
    unsure = f"; {shortened(others, 'more')} cannot be distinguished from it" if others else ""
    if answer.is_base(best):
        return f"{players}, nothing comes nearer to {target} than {_base(answer)} does{unsure}."
    value = values_in_words(answer, best)
    if len(answer.numbers) == 1:
        value = f"{answer.numbers[0].path}={value}"
    return f"{players}, {value} comes nearest to {target}{unsure}."


def _base(answer: Sweep) -> str:
    if len(answer.numbers) > 1:
        return "the base game"
    (number,) = answer.numbers
    return f"the base game's {number.path}={number.base}"


def detail(answer: Sweep) -> str:
    """The numbers behind it."""
    best = answer.best
    if answer.flat:
        return f"All {counted(len(answer.variants), 'variant')} give every city the same share of wins."
    typical = in_points(distance(best), signed=False)
    sentence = [f"A city's typical distance from the target is {typical} {POINTS}"]
    if len(answer.target.cities) == 1:
        sentence = [f"The distance from the target is {typical} {POINTS}"]
    if not answer.is_base(best):
        before = in_points(distance(answer.base), signed=False)
        sentence.append(f"; in the base game it is {before}, a change of {in_points(change(best))}")
    wins = [_wins(answer, city) for city in list(answer.target.cities)[:1] if len(answer.target.cities) == 1]
    return f"{''.join(sentence)}.{''.join(wins)}"


def _wins(answer: Sweep, city: str) -> str:
    row = answer.share(answer.best, city)
    return f" {answer.names[city]} then wins {share(estimate_of(row), with_n=True)}."


def stage_in_words(stage: Stage) -> str:
    """A stage in one sentence."""
    return (
        f"Stage {stage.number}: {counted(stage.variants, 'variant')}, {stage.games:,} games each; "
        f"{stage.worse:,} surely worse than the best, {stage.left:,} left behind, {stage.on:,} go on."
    )


def judged_in_words(answer: Sweep) -> str:
    """The number of judged variants and of their games."""
    judged = answer.variants["stage"].null_count() - 1
    how = "judged on fresh luck" if answer.stages else "played"
    variants = counted(judged, "variant")
    return f"{variants} and the base game {how}, {answer.games:,} games each, on the same luck."


def status(row: Row) -> str:
    """The status of a variant, with the stage that dropped it."""
    text = str(row["status"])
    return text if row["stage"] is None else f"{text} (stage {row['stage']})"


def facts(answer: Sweep) -> list[str]:
    """The games and rules, in a few words each."""
    tried = counted(len(answer.variants) - 1, "variant")
    return [
        tried,
        f"{answer.games:,} games of each that was judged",
        who(answer),
        f"{answer.players} players",
        f"seed {answer.seed}",
        f"rules {answer.rules.short_hash}",
    ]


# The terminal.


def brief(answer: Sweep, *, full: bool) -> list[str | Table]:
    """The verdict, then every value of one number, or the ranking of several."""
    return [
        f"{numbers_in_words(answer)}: {answer.players} players, seed {answer.seed}",
        *(f"  {stage_in_words(stage)}" for stage in answer.stages),
        f"  {judged_in_words(answer)}",
        f"\n{headline(answer)}\n{detail(answer)}",
        *(_by_value(answer, full) if len(answer.numbers) == 1 else _ranked(answer, full)),
        f"\n{NOT_ADAPTED}",
    ]


def _by_value(answer: Sweep, full: bool) -> list[str | Table]:
    """A row for every value; of few values also every city's change."""
    (number,) = answer.numbers
    first, rows = answer.concerned[0], _rows(answer)
    cells = [
        (
            f"{row[number.path]}{' (base)' if answer.is_base(row) else ''}",
            share(estimate_of(of)),
            "" if answer.is_base(row) else in_points(values_of(of, "change", of["n"])),
            *_distance_cells(answer, row),
        )
        for row, of in ((row, answer.share(row, first)) for row in rows)
    ]
    columns = ("Value", answer.names[first], "Change", "Distance", "Its change", "n games", "Against best")
    values = grid(columns, cells, right=columns[:-1])
    others = [row for row in rows if not answer.is_base(row)]
    if len(others) > MOST_VALUES and not full:
        return [values]
    table = [
        (
            answer.names[city],
            percent(answer.share(answer.base, city)["value"], 1),
            *(
                in_points(values_of(of, "change", of["n"]))
                for of in (answer.share(row, city) for row in others)
            ),
        )
        for city in answer.concerned
    ]
    heads = ("City", f"{number.base} (base)", *(str(row[number.path]) for row in others))
    note = f"  Changes from the base game in {POINTS}, paired, with 95 % intervals."
    return [values, "", grid(heads, table, right=heads[1:]), note]


def _distance_cells(answer: Sweep, row: Row) -> tuple[str, ...]:
    """The distance from the target, its change, games and how sure the place is."""
    moved = "" if answer.is_base(row) else in_points(change(row))
    return in_points(distance(row), signed=False), moved, f"{row['games']:,}", status(row)


def _ranked(answer: Sweep, full: bool) -> list[str | Table]:
    """The variants nearest to the target, and the base game."""
    rows = answer.variants.to_dicts()
    shown = rows if full else [row for row in rows if row["rank"] <= MOST_ROWS or answer.is_base(row)]
    cells = [
        (
            str(row["rank"]),
            *(str(value) for value in answer.values(row)),
            *_distance_cells(answer, row),
            "base game" if answer.is_base(row) else "",
        )
        for row in shown
    ]
    names = [short(number) for number in answer.numbers]
    columns = ("Rank", *names, "Distance", "Its change", "n games", "Against best", "")
    more = len(rows) - len(shown)
    rest = [f"  {more:,} more variants follow; --full, --out or --json has them all."] if more else []
    return [grid(columns, cells, right=columns[:-2]), *rest]


# The page.


def page_of(answer: Sweep, made_by: str) -> Page:
    """The page: the verdict, pictures, the ranking, every city, and how the ranking came about."""
    return Page(
        kind="Sweep",
        title=" · ".join(number.path for number in answer.numbers),
        facts=facts(answer),
        headline=headline(answer),
        detail=detail(answer),
        sections=[_response(answer), _ranking(answer), _cities(answer)],
        sure=_sure(answer),
        limits=[
            NOT_ADAPTED,
            "Only these players played: others may lie nearer or farther at other values.",
        ],
        limits_title="For whom it holds",
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _response(answer: Sweep) -> Section:
    base = ", ".join(f"{number.path} {number.base}" for number in answer.numbers)
    lead = f"{judged_in_words(answer)} In the base game: {base}."
    return Section("response", "What every value does", lead, figures(answer))


def _values(answer: Sweep, rows: Sequence[Row]) -> Column:
    """The value of a single number, or what differs from the base game."""
    texts = [values_in_words(answer, row) for row in rows]
    if len(answer.numbers) > 1:
        return sentences("Variant", texts)
    return ordered("Value", texts, [answer.values(row)[0] for row in rows])


def _ranking(answer: Sweep) -> Section:
    rows = answer.variants.to_dicts()
    columns = [
        counts("Rank", [row["rank"] for row in rows]),
        _values(answer, rows),
        words("Against best", ["base game" if answer.is_base(row) else status(row) for row in rows]),
        percentage_points("Distance", [distance(row) for row in rows]),
        percentage_points(
            "Change", [None if answer.is_base(row) else change(row) for row in rows], signed=True
        ),
        counts("Games", [row["games"] for row in rows]),
    ]
    note = f"Distance from the target and its change from the base game in {POINTS}."
    table = filled(
        "variants", "Every variant, the nearest to the target first", answer.variants, columns, note, True
    )
    lines = [stage_in_words(stage) for stage in answer.stages]
    return Section("ranking", "The ranking", " ".join([*lines, judged_in_words(answer)]), tables=[table])


def _cities(answer: Sweep) -> Section:
    order = {city: place for place, city in enumerate(answer.concerned)}
    ranks = answer.variants.head(SHOWN)
    cities = answer.cities.filter(pl.col("rank") <= len(ranks))
    rows = sorted(cities.to_dicts(), key=lambda row: (row["rank"], order[row["city"]]))
    of = {row["rank"]: row for row in ranks.to_dicts()}
    shares = [format_estimate(estimate_of(row), percent=True, with_n=False) for row in rows]
    changes = [None if row["p_holm"] is None else values_of(row, "change", row["n"]) for row in rows]
    columns = [
        counts("Rank", [row["rank"] for row in rows]),
        sentences("Variant", [values_in_words(answer, of[row["rank"]]) for row in rows]),
        words("City", [answer.names[row["city"]] for row in rows]),
        ordered("Win share", shares, [row["value"] for row in rows]),
        percentage_points("Change", changes, signed=True),
        ordered(
            "p (Holm)",
            [p_text(_known(row["p_holm"])) for row in rows],
            [_known(row["p_holm"]) for row in rows],
        ),
        counts("n", [row["n"] for row in rows]),
    ]
    first = answer.concerned[0]
    before, best = (share(estimate_of(answer.share(row, first))) for row in (answer.base, answer.best))
    lead = (
        f"{answer.names[first]} wins {before} in the base game and {best} in the "
        "variant nearest to the target. Changes are paired with the base game."
    )
    table = filled("cities", "Win share of every city", answer.cities, columns, open=len(ranks) <= 10)
    return Section("cities", "Every city", lead, tables=[table])


def _known(p: float | None) -> float:
    return float("nan") if p is None else p


def _sure(answer: Sweep) -> list[str]:
    """The dice and deals that are shared, and the comparison with the best variant."""
    compared = len(answer.cities) - len(answer.names)
    lines = [
        "All variants met the same luck, game by game: dice by seat and round, hands, the order of the deck, "
        "events, cities and seats. Who draws which card depends on how many were drawn before.",
        "Variants are compared with the best one by the paired difference of their mean squared distances "
        "from the target, without what chance adds to them, after Holm's correction over all variants (5 %; "
        "1 % in a stage).",
        f"p (Holm) is corrected for all {compared:,} comparisons of cities together.",
    ]
    return [*lines, FRESH] if answer.stages else lines


# Figures.


def figures(answer: Sweep) -> list[Figure]:
    """The pictures that fit so many numbers."""
    if len(answer.numbers) == 1:
        return [_curves(answer), _distances(answer)]
    return [_heat(answer)] if len(answer.numbers) == 2 else [_best_dots(answer)]


def _rows(answer: Sweep) -> list[dict[str, Any]]:
    """The variants of one number by its value."""
    return answer.variants.sort(answer.numbers[0].path).to_dicts()


def _curves(answer: Sweep) -> Figure:
    (number,) = answer.numbers
    rows, fair = _rows(answer), 1 / answer.players
    values = [row[number.path] for row in rows]
    colours, markers = city_colours(answer.names), city_markers(answer.names)

    def draw(canvas: "Canvas") -> None:
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
        f"With {who(answer)}; dashed: the fair share {percent(fair)}, dotted: the base game.",
        draw,
        3.9,
        f"n {answer.games:,} games of each value; bars: paired 95 % intervals of changes from the base",
    )


def _distances(answer: Sweep) -> Figure:
    (number,) = answer.numbers
    rows = _rows(answer)
    values = [row[number.path] for row in rows]

    def draw(canvas: "Canvas") -> None:
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
        axes.set_ylabel(f"distance, {POINTS}")
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
    unsure = max((100 * change(row).margin for row in judged), default=0.0)

    def draw(canvas: "Canvas") -> None:
        axes = canvas.subplots()
        names = [str(y) for y in lines], [str(x) for x in columns]
        plots.heat(axes, -grid, texts, *names, -base, max(unsure, 0.5))  # less distance is better: blue
        y, x = lines.index(down.base), columns.index(across.base)
        axes.plot([x - 0.4, x + 0.4], [y + 0.38] * 2, color=INK, linewidth=1.2)
        axes.set_xlabel(short(across))
        axes.xaxis.set_label_position("top")
        axes.set_ylabel(short(down))

    return Figure(
        "sweep-heat",
        "Distance from the target",
        f"Target: {answer.target.in_words(answer.names)}. In {POINTS}; blue: nearer than the base game "
        "(underlined), orange: farther; pale: within what chance explains.",
        draw,
        max(0.9 + 0.28 * len(lines), 0.8 + 0.08 * len(short(down))),
        "intervals and n of every variant are in the table",
    )


def _best_dots(answer: Sweep) -> Figure:
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

    def draw(canvas: "Canvas") -> None:
        axes = canvas.subplots()
        plots.dots(axes, dots, null=100 * answer.base["distance"], null_label="the base game")
        axes.set_xlabel(f"distance from the target, {POINTS}")
        plots.as_plain(axes.xaxis)

    paths = " · ".join(map(short, answer.numbers))
    return Figure(
        "sweep-ranking",
        "The variants nearest to the target",
        f"Target: {answer.target.in_words(answer.names)}. Values of {paths}.",
        draw,
        plots.dots_height(len(dots)) + 0.1,
        f"n {answer.games:,} games of each judged; bars: 95 % intervals; differences are known better",
    )
