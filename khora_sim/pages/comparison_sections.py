"""The sections of a comparison: what changes from the first study to the second."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import forms
from khora_sim.pages.family import Family, replaced
from khora_sim.pages.pair import Pair
from khora_sim.pages.palette import ACCENT
from khora_sim.pages.phrases import Row, estimate_of, is_significant, largest, p_text, rows_of
from khora_sim.pages.points_section import LABELS
from khora_sim.pages.shapes import (
    Column,
    Figure,
    Section,
    Table,
    both_sides,
    counts,
    estimated,
    ordered,
    words,
)
from khora_sim.stats import format_estimate

# What is said where nothing is significant; any other sentence is a claim.
ALL = "after correction for all comparisons of this page"
NO_CITY = f"No change in win share is significant {ALL}."
NO_STRATEGY = f"No change in a strategy's win share is significant {ALL}."
NO_ENDING = f"No change in winning scores, margins and lead changes is significant {ALL}."
NO_SOURCE = f"No change in where points come from is significant {ALL}."


def _columns(pair: Pair, table: pl.DataFrame, percent: bool) -> list[Column]:
    rest = []
    if "pairing_gain" in table.columns:
        gains = [x if x is not None else float("nan") for x in table["pairing_gain"]]
        rest.append(ordered("Pairing gain", ["–" if x != x else f"{x:.1f}" for x in gains], gains))
    return [
        *both_sides(("A", "B"), table, percent=percent),
        estimated("B minus A", table, percent=percent, signed=True),
        ordered("p (Holm)", [p_text(p) for p in table["p_holm"]], table["p_holm"].to_list()),
        counts("n", table["n"].to_list()),
        *rest,
    ]


def _figure(
    kind: str, title: str, sentence: str, rows: list[forms.Dot], label: str, percent: bool, counted: str
) -> Figure:
    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        forms.dots(axes, rows, null=0.0, null_label="no change")
        axes.set_xlabel(label)
        forms.as_percent(axes.xaxis) if percent else forms.as_plain(axes.xaxis)

    return Figure(kind, title, sentence, draw, forms.dots_height(len(rows)) + 0.1, counted)


def _city_dots(pair: Pair, table: pl.DataFrame) -> list[forms.Dot]:
    colours, markers = pair.first.colours, pair.first.markers
    return [
        forms.Dot(
            pair.first.city(row["city"]),
            row["value"],
            row["low"],
            row["high"],
            colours[row["city"]],
            markers[row["city"]],
            faint=not is_significant(row["p_holm"]),
        )
        for row in rows_of(table.sort("value", descending=True))
    ]


def city_section(pair: Pair, family: Family) -> Section:
    """Changes of cities."""
    wins, score = family.city_wins, family.city_scores
    absent = sorted(
        {pair.first.city(c) for c in pair.first.cities} ^ {pair.second.city(c) for c in pair.second.cities}
    )
    notes = [f"Only in one of the studies, and so left out: {listed(absent)}."] if absent else []
    if wins.is_empty():
        return Section("cities", "Cities", "The studies have no city in common.", notes=notes)
    percent = not pair.scale_free
    counted = (
        f"n {int(wins['n'].sum()):,} "
        f"{'pairs' if pair.is_paired else 'players in both studies'}; bars are 95 % intervals"
    )
    names = [pair.first.city(row["city"]) for row in rows_of(wins)]
    return Section(
        "cities",
        "Cities",
        _city_lead(names, wins),
        [
            _figure(
                "compare-cities",
                "Change in win share",
                f"Right of the line: stronger in B. Filled dots are significant {ALL}.",
                _city_dots(pair, wins),
                "B minus A",
                percent,
                counted,
            ),
            _figure(
                "compare-scores",
                "Change in mean score",
                f"Right of the line: more points in B, whoever wins. Filled dots are significant {ALL}.",
                _city_dots(pair, score),
                "points, B minus A",
                False,
                counted,
            ),
        ],
        [
            Table(
                "compare-cities",
                "Win share of each city",
                wins,
                [words("City", names), *_columns(pair, wins, percent)],
                open=True,
            ),
            Table(
                "compare-scores",
                "Mean score of each city",
                score,
                [words("City", names), *_columns(pair, score, False)],
            ),
        ],
        notes,
    )


def _city_lead(names: list[str], wins: pl.DataFrame) -> str:
    changed = [name for name, p in zip(names, wins["p_holm"], strict=True) if is_significant(p)]
    if not changed:
        return NO_CITY
    rest = "." if len(changed) == len(names) else "; for the others chance alone may explain what is seen."
    return f"The win share of {listed(changed)} changes{rest}"


def strategy_section(pair: Pair, family: Family) -> Section:
    """Strategies by name; where they are other ones at the same places of the plan, first against second."""
    wins, score = family.strategy_wins, family.strategy_scores
    if score.is_empty():
        return Section(
            "strategies",
            "Strategies",
            "The studies have no strategy in common, and their games are not paired.",
        )
    follows = replaced(pair) or {}
    names = [
        name if follows.get(name, name) == name else f"{name} → {follows[name]}"
        for name in score["strategy"].to_list()
    ]
    tables = []
    if len(wins):
        tables.append(
            Table(
                "compare-strategies",
                "Win share of each strategy",
                wins,
                [words("Strategy", names), *_columns(pair, wins, not pair.scale_free)],
                open=True,
            )
        )
    tables.append(
        Table(
            "compare-strategy-scores",
            "Mean score of each strategy",
            score,
            [words("Strategy", names), *_columns(pair, score, False)],
            open=not len(wins),
        )
    )
    return Section("strategies", "Strategies", _strategy_lead(names, wins, score), tables=tables)


def one_strategy_same(name: str) -> str:
    """What is said of one strategy whose score does not change."""
    return (
        f"One strategy at all seats ({name}) always has its fair share; the change in its mean score is "
        f"not significant {ALL}."
    )


def _strategy_lead(names: list[str], wins: pl.DataFrame, score: pl.DataFrame) -> str:
    if wins.is_empty():
        row = rows_of(score)[0]
        if not is_significant(row["p_holm"]):
            return one_strategy_same(names[0])
        change = format_estimate(estimate_of(row), signed=True, unit="points", with_n=False)
        return (
            f"One strategy at all seats ({names[0]}) always has its fair share; its mean score "
            f"changes by {change}."
        )
    changed = [name for name, p in zip(names, wins["p_holm"], strict=True) if is_significant(p)]
    return f"The win share of {listed(changed)} changes." if changed else NO_STRATEGY


def ending_section(pair: Pair, family: Family) -> Section:
    """Changes of how games end."""
    rows = family.endings
    if rows.is_empty():
        return Section("endings", "How games end", "The studies have no size of table in common.")
    changed = [
        f"{row['measure'].lower()} at {row['players']} players "
        f"{format_estimate(estimate_of(row), signed=True, with_n=False)}"
        for row in rows_of(rows)
        if is_significant(row["p_holm"])
    ]
    shown = [words("Measure", rows["measure"].to_list()), counts("Players", rows["players"].to_list())]
    return Section(
        "endings",
        "How games end",
        f"From A to B: {listed(changed)}." if changed else NO_ENDING,
        tables=[
            Table("compare-endings", "Whole games", rows, [*shown, *_columns(pair, rows, False)], open=True)
        ],
    )


def points_section(pair: Pair, family: Family) -> Section:
    """Changes of where points come from."""
    title, table = "Where points come from", family.points
    if any(m.lacks(*LABELS) for m in pair.both):
        return Section("points", title, "One of the studies does not say where points came from.")
    if table.is_empty():
        return Section("points", title, "The studies have no size of table in common.")
    several = table["players"].n_unique() > 1

    def label(row: Row) -> str:
        return f"{LABELS[row['source']]}, {row['players']} players" if several else LABELS[row["source"]]

    rows = rows_of(table.sort("value", descending=True))
    dots = [
        forms.Dot(
            label(row), row["value"], row["low"], row["high"], ACCENT, faint=not is_significant(row["p_holm"])
        )
        for row in rows
    ]
    sure = [row for row in rows if is_significant(row["p_holm"])]
    lead = NO_SOURCE
    if sure:
        most = max(sure, key=lambda row: abs(row["value"]))
        change = format_estimate(estimate_of(most), signed=True, unit="points", with_n=False)
        lead = (
            f"The largest significant change is in {label(most)}: {change} for each player; the largest of "
            f"{len(rows)} measured changes tends to overstate the truth."
        )
    return Section(
        "points",
        title,
        lead,
        [
            _figure(
                "compare-points",
                "Change in points by source",
                f"Right of the line: more points from this source in B. Filled dots are significant {ALL}.",
                dots,
                "points per player, B minus A",
                False,
                f"n {largest(table['n']):,.0f} players; bars are 95 % intervals",
            )
        ],
        [
            Table(
                "compare-points",
                "Mean points by source",
                table,
                [words("Source", [label(row) for row in rows_of(table)]), *_columns(pair, table, False)],
            )
        ],
    )
