"""Sources of points by city and by strategy, and the sums of all that players did and got."""

from functools import lru_cache

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import SOURCES
from khora_sim.pages.study_data import StudyData, labelled, level_column
from khora_sim.pages.table import Table, amount, count, nested
from khora_sim.pages.verdict import ranked_cities
from khora_sim.pages.wording import effect, estimate_of, percent, points, rests_on, rows_of, with_shrunken
from khora_sim.stats.ratios import means
from khora_sim.stats.sums import Sums, sums_of

KINDS = ("points-by-city", "points-by-strategy")
SUMMED = ("points_", "actions_", "returns_", "set_aside_", "alone_")
LABELS = {
    "points_culture_actions": "culture actions",
    "points_cards": "cards",
    "points_end_game_cards": "end-game cards",
    "points_developments": "developments",
    "points_track_levels": "progress tracks",
    "points_events": "events",
    "points_explorations": "explorations",
    "points_start": "start",
    "points_glory": "glory × majors",
    "points_events_lowest": "events, as the lowest",
}
COLOURS = dict(zip(LABELS, (*SOURCES, "#777777"), strict=True))


@lru_cache(maxsize=2)
def profile(data: StudyData) -> Sums:
    """Sums of points, actions, returns, tiles set aside and achievements per city, strategy and cluster."""
    summed = {name: pl.col(name).cast(pl.Int32) for name in data.columns if name.startswith(SUMMED)}
    for name in members(data, "achieved_"):
        achieved = pl.col(f"achieved_{name}")
        summed[f"earned_{name}"] = (achieved > 0).cast(pl.Int32)
        summed[f"round_{name}"] = achieved.cast(pl.Int32)
    return sums_of(data.wide, ["city", "strategy"], summed)


def members(data: StudyData, prefix: str) -> list[str]:
    """The rest of the names of the players' columns that begin with a prefix, in their order."""
    return [name.removeprefix(prefix) for name in data.columns if name.startswith(prefix)]


def section(data: StudyData) -> Section:
    """Sources of points."""
    lacking = data.lacks(*LABELS)
    if lacking:
        why = f"This dataset does not say where points came from (no column {lacking[0]})."
        return Section("points", "Where points come from", why, missing=dict.fromkeys(KINDS, why))
    found = {by: sources(data, by) for by in ("city", "strategy")}
    totals = dict(
        found["strategy"].group_by(pl.col("strategy").cast(pl.String)).agg(pl.col("value").sum()).iter_rows()
    )
    labels = {
        "city": ranked_cities(data),
        "strategy": {name: name for name in sorted(data.strategies, key=lambda name: -totals.get(name, 0.0))},
    }
    figures = [_figure(data, table, by, labels[by]) for by, table in found.items()]
    tables = [_table(data, table, by) for by, table in found.items()]
    return Section("points", "Where points come from", _lead(data), figures, tables)


def sources(data: StudyData, by: str) -> pl.DataFrame:
    """Mean points from every source that brought any: source, the column, value, low, high, n, units."""
    sums = profile(data)
    used = [name for name in LABELS if (sums.cells[name] != 0).any()]
    nothing = labelled(means(sums, [by], "c").clear(), source="")
    return pl.concat([labelled(means(sums, [by], name), source=name) for name in used] or [nothing])


def _lead(data: StudyData) -> str:
    sums = profile(data)
    totals = {label: float(sums.cells[name].sum()) for name, label in LABELS.items()}
    gained = sum(value for value in totals.values() if value > 0)
    if not gained:
        return "Nobody made a point in this study."
    first, second = sorted(totals, key=lambda label: -totals[label])[:2]
    return (
        f"Of all points made, {percent(totals[first] / gained, 0)} come from {first} and "
        f"{percent(totals[second] / gained, 0)} from {second}."
    )


def _figure(data: StudyData, table: pl.DataFrame, by: str, labels: dict[str, str]) -> Figure:
    names = list(dict.fromkeys(table["source"]))
    cells = {(row[by], row["source"]): row["value"] for row in rows_of(table)}
    values = np.array([[cells.get((one, name), 0.0) for name in names] for one in labels])

    def draw(canvas: Canvas) -> None:
        axes, colours = canvas.subplots(), [COLOURS[name] for name in names]
        plots.stacked(axes, [*labels.values()], [LABELS[name] for name in names], values, colours)
        axes.set_xlabel("points per game")
        plots.legend_below(canvas, axes, 3)

    return Figure(
        f"points-by-{by}",
        f"Where points come from, by {by}",
        _sentence(table, by, labels),
        draw,
        height=len(labels) * plots.ROW + 0.5 + 0.19 * -(-len(names) // 3),
        counted=rests_on(profile(data).rows, "players", "what is left of 0 was lost"),
    )


def _sentence(table: pl.DataFrame, by: str, labels: dict[str, str]) -> str:
    """Name the row that differs most from the others in one source."""
    if table[by].n_unique() < 2:
        return "Each colour is the mean number of points from one source."
    mean = pl.col("value").mean().over("source")
    away = with_shrunken(table.with_columns(pl.col("value", "low", "high") - mean, mean.alias("mean")))
    row = rows_of(away.sort("value"))[-1]
    measured = estimate_of(row | {name: row[name] + row["mean"] for name in ("value", "low", "high")})
    return (
        f"{labels[row[by]]} stands out by {LABELS[row['source']]}: {points(measured)} a game, "
        f"{effect(row['shrunken'], row['high'] - row['low'])} against the average {by} "
        f"(shrunken: the largest of {len(table)} differences tends to overstate)."
    )


def _table(data: StudyData, table: pl.DataFrame, by: str) -> Table:
    names = list(dict.fromkeys(table["source"]))
    columns = [
        level_column(data, by),
        count("Players", lambda row: row["players"]["n"]),
        *(amount(LABELS[name].capitalize(), name) for name in names),
    ]
    parts = {name: table.filter(source=name) for name in names}
    rows = nested({"players": means(profile(data), [by], "c"), **parts}, [by])
    return Table.of(f"points-by-{by}", f"Mean points by source and {by}", rows, columns, frame=table)
