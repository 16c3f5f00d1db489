"""Strategies: win shares, and all against all."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.meetings import (
    Meetings,
    at_tables,
    counted_meetings,
    draw_meetings,
    meeting_columns,
    meetings,
)
from khora_sim.pages.page_model import (
    Figure,
    Section,
    Table,
    aligned,
    counts,
    estimated,
    filled,
    ordered,
    words,
)
from khora_sim.pages.plots import ACCENT
from khora_sim.pages.sections.ratings import fitted
from khora_sim.pages.study_data import StudyData, fair_share, success, success_title
from khora_sim.pages.wording import estimate_of, few, rows_of
from khora_sim.stats import Tiers, tiers
from khora_sim.stats.ratios import measured, shares

KINDS = ("strategy-win-share", "strategies")


def section(data: StudyData) -> Section:
    """Strategies."""
    if len(data.strategies) < 2:
        why = f"Only {data.strategies[0]} played, so there is no other strategy to compare it with."
        return Section("strategies", "Strategies", why, missing=dict.fromkeys(KINDS, why))
    table = shares(
        data.standing,
        ["strategy"],
        "success",
        scale=data.scale,
        null=data.fair,
        rows_per_group=data.rows_per_group,
    )
    most = data.rows_per_group
    judged = tiers(measured(data.standing, "strategy", "success", rows_per_group=most), share=True)
    found = meetings(data, "strategy")
    order = judged.table["item"].to_list()
    return Section(
        "strategies",
        "Strategies",
        _lead(data, table, judged),
        [_share_figure(data, table, order), _all_figure(data, found, order)],
        [
            _table(data, table, judged),
            *(_all_table(data, pairs, two) for two, pairs in found.items()),
        ],
        notes=_kinds(data),
    )


def _kinds(data: StudyData) -> list[str]:
    known = {one.name: one for one in data.manifest.strategies}
    parts = [
        f"{name} ({known[name].kind}, {known[name].family})" if name in known else name
        for name in data.strategies
    ]
    return [f"Who played: {listed(parts)}."]


def _lead(data: StudyData, table: pl.DataFrame, judged: Tiers) -> str:
    groups = judged.groups()
    rows = {row["strategy"]: row for row in rows_of(table)}
    best, worst = judged.table["item"][0], judged.table["item"][-1]
    if len(groups) == 1:
        return f"The strategies are not distinguishable; {fair_share(data)}."
    of = "of its games" if data.scale == 1 else "times its fair share"
    win = "win" if len(groups[0]) > 1 else "wins"
    return (
        f"Of the strategies that met here, {listed(groups[0])} {win} most: {best} wins "
        f"{success(data, estimate_of(rows[best]))} {of}, {worst} "
        f"{success(data, estimate_of(rows[worst]))}; {fair_share(data)}."
    )


def _share_figure(data: StudyData, table: pl.DataFrame, order: list[str]) -> Figure:
    rows = {row["strategy"]: row for row in rows_of(table)}

    def dot(name: str) -> plots.Dot:
        row = rows[name]
        unknown = row["high"] - row["low"] >= data.scale
        low, high = (float("nan"), float("nan")) if unknown else (row["low"], row["high"])
        return plots.Dot(name, row["value"], low, high, ACCENT, faint=few(row["n"], row["units"]))

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        plots.dots(axes, [dot(name) for name in order], null=data.fair, null_label="fair share")
        axes.set_xlabel(success_title(data).lower())
        if data.scale == 1:
            plots.as_percent(axes.xaxis)

    return Figure(
        "strategy-win-share",
        "Win share of each strategy" if data.scale == 1 else "Wins against fair share of each strategy",
        "Strategies whose bars lie apart differ in strength among these players; see the table for tiers.",
        draw,
        height=plots.dots_height(len(order)) + 0.1,
        counted=f"n {int(table['n'].sum()):,} players; bars are 95 % intervals",
    )


def _all_figure(data: StudyData, found: Meetings, order: list[str]) -> Figure:
    return Figure(
        "strategies",
        "How often the row finishes ahead of the column, in %",
        "All against all: blue rows beat the strategy above the column more often than not, orange "
        "ones lose to it.",
        lambda canvas: draw_meetings(canvas, data, found, order, str),
        height=(len(order) * 0.27 + 0.95) * len(found),
        counted=counted_meetings(found, "strategies"),
    )


def _table(data: StudyData, table: pl.DataFrame, judged: Tiers) -> Table:
    names = pl.DataFrame({"strategy": judged.table["item"]})
    own = aligned(names, ["strategy"], table.with_columns(pl.col("strategy").cast(pl.String)))
    rated = fitted(data).table.filter(factor="strategy").rename({"level": "strategy"})
    rating = aligned(names, ["strategy"], rated)
    full = own.join(judged.table.select(pl.col("item").alias("strategy"), "tier", "top"), on="strategy")
    return filled(
        "strategies",
        "Strategies in numbers",
        full.join(
            rating.select("strategy", pl.col("value", "low", "high").name.prefix("rating_")), on="strategy"
        ),
        [
            words("Strategy", names["strategy"].to_list()),
            counts("Games", own["n"].to_list()),
            ordered("Tier", [str(tier) for tier in judged.table["tier"]], judged.table["tier"].to_list()),
            estimated(success_title(data), own, percent=data.scale == 1),
            estimated("Rating", rating, signed=True),
        ],
        open=True,
    )


def _all_table(data: StudyData, pairs: pl.DataFrame, two: bool) -> Table:
    return filled(
        "strategy-against-strategy-2" if two else "strategy-against-strategy",
        f"Strategy against strategy {at_tables(data, two)}",
        pairs,
        meeting_columns("Strategy", pairs, str),
    )
