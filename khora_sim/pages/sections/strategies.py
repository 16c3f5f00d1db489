"""Strategies: win shares, and all against all."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.sections.opponents import meetings, meetings_figure, meetings_table
from khora_sim.pages.sections.ratings import fitted
from khora_sim.pages.study_data import StudyData, fair_share, success, success_column, success_title
from khora_sim.pages.table import Table, amount, count, number, text
from khora_sim.pages.wording import BARS, estimate_of, rests_on, rows_of
from khora_sim.stats import Tiers, tiers
from khora_sim.stats.ratios import measured, shares

KINDS = ("strategy-win-share", "strategies")


def section(data: StudyData) -> Section:
    """Strategies."""
    if len(data.strategies) < 2:
        why = f"Only {data.strategies[0]} played, so there is no other strategy to compare it with."
        return Section("strategies", "Strategies", why, missing=dict.fromkeys(KINDS, why))
    sums, most = data.standing, data.rows_per_group
    table = shares(sums, ["strategy"], "success", scale=data.scale, null=data.fair, rows_per_group=most)
    ranked = tiers(measured(sums, "strategy", "success", rows_per_group=most), share=True)
    found = meetings(data, "strategy")
    order = ranked.table["item"].to_list()
    all_figure = meetings_figure(
        data,
        found,
        "strategies",
        "All against all: blue rows beat the strategy above the column more often than not, orange ones lose "
        "to it.",
        {name: name for name in order},
        head=0.95,
        counted="strategies",
    )
    return Section(
        "strategies",
        "Strategies",
        _lead(data, table, ranked),
        [_share_figure(data, table, order), all_figure],
        [
            _table(data, table, ranked),
            *(meetings_table(data, pairs, two, "strategy") for two, pairs in found.items()),
        ],
        notes=[_kinds(data)],
    )


def _kinds(data: StudyData) -> str:
    known = {one.name: f"{one.name} ({one.kind}, {one.family})" for one in data.manifest.strategies}
    return f"Who played: {listed([known.get(name, name) for name in data.strategies])}."


def _lead(data: StudyData, table: pl.DataFrame, ranked: Tiers) -> str:
    groups = ranked.groups()
    if len(groups) == 1:
        return f"The strategies are not distinguishable; {fair_share(data)}."
    won = {row["strategy"]: success(data, estimate_of(row)) for row in rows_of(table)}
    best, worst = ranked.table["item"][0], ranked.table["item"][-1]
    of = "of its games" if data.scale == 1 else "times its fair share"
    win = "win" if len(groups[0]) > 1 else "wins"
    return (
        f"Of the strategies that met here, {listed(groups[0])} {win} most: {best} wins {won[best]} {of}, "
        f"{worst} {won[worst]}; {fair_share(data)}."
    )


def _share_figure(data: StudyData, table: pl.DataFrame, order: list[str]) -> Figure:
    rows = {row["strategy"]: row for row in rows_of(table)}

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        dots = [plots.share_dot(name, rows[name], whole=data.scale) for name in order]
        plots.dots(axes, dots, null=data.fair, null_label="fair share")
        axes.set_xlabel(success_title(data).lower())
        if data.scale == 1:
            plots.as_percent(axes.xaxis)

    return Figure(
        "strategy-win-share",
        f"{success_title(data)} of each strategy",
        "Strategies whose bars lie apart differ in strength among these players; see the table for tiers.",
        draw,
        height=plots.dots_height(len(order)) + 0.1,
        counted=rests_on(int(table["n"].sum()), "players", BARS),
    )


def _table(data: StudyData, table: pl.DataFrame, ranked: Tiers) -> Table:
    placed = ranked.table.select(pl.col("item").alias("strategy"), "tier", "top")
    won = table.with_columns(pl.col("strategy").cast(pl.String))
    rated = fitted(data).table.filter(factor="strategy").rename({"level": "strategy"})
    rating = rated.select("strategy", pl.col("value", "low", "high").name.prefix("rating_"))
    full = placed.select("strategy")
    for part in (won, placed, rating):
        full = full.join(part, on="strategy", how="left", maintain_order="left")
    columns = [
        text("Strategy", "strategy"),
        count("Games", "n"),
        number("Tier", "tier"),
        success_column(data),
        amount("Rating", ("rating_value", "rating_low", "rating_high", "n"), signed=True),
    ]
    return Table.of("strategies", "Strategies in numbers", full, columns, open=True)
