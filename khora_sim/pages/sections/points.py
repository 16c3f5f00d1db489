"""What players did and got, summed by city and strategy in one pass over the wide table."""

from functools import lru_cache

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section, Table, counts, estimated, filled, words
from khora_sim.pages.plots import SOURCES
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.verdict import city_tiers
from khora_sim.pages.wording import effect, estimate_of, percent, points, rows_of, with_shrunken
from khora_sim.stats.ratios import means
from khora_sim.stats.sums import Sums, sums_of

SUMMED = ("points_", "actions_", "returns_", "set_aside_", "alone_")


@lru_cache(maxsize=2)
def profile(data: StudyData) -> Sums:
    """Sums of points, actions, returns, tiles set aside and achievements per city, strategy and unit."""
    summed = {name: pl.col(name).cast(pl.Int32) for name in data.columns if name.startswith(SUMMED)}
    for name in members(data, "achieved_"):
        achieved = pl.col(f"achieved_{name}")
        summed[f"earned_{name}"] = (achieved > 0).cast(pl.Int32)
        summed[f"round_{name}"] = achieved.cast(pl.Int32)
    return sums_of(data.wide, ["city", "strategy"], summed)


def members(data: StudyData, prefix: str) -> list[str]:
    """What follows a prefix in the names of the players' columns, in their order."""
    return [name.removeprefix(prefix) for name in data.columns if name.startswith(prefix)]


# Where points come from, by city and by strategy.


KINDS = ("points-by-city", "points-by-strategy")
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


def section(data: StudyData) -> Section:
    """Sources of points."""
    lacking = data.lacks(*LABELS)
    if lacking:
        why = f"This dataset does not say where points came from (no column {lacking[0]})."
        return Section("points", "Where points come from", why, missing=dict.fromkeys(KINDS, why))
    by_city, by_strategy = sources(data, "city"), sources(data, "strategy")
    order = city_tiers(data).table["item"].to_list()
    strategies = sorted(data.strategies, key=lambda name: -_total(by_strategy, name))
    return Section(
        id="points",
        title="Where points come from",
        lead=_lead(data),
        figures=[
            _figure(data, by_city, "city", order, [data.city(city) for city in order]),
            _figure(data, by_strategy, "strategy", strategies, strategies),
        ],
        tables=[_table(data, by_city, "city"), _table(data, by_strategy, "strategy")],
    )


def sources(data: StudyData, by: str) -> pl.DataFrame:
    """Mean points from every source that brought any: source, the column, value, low, high, n, units."""
    sums = profile(data)
    used = [name for name in LABELS if (sums.cells[name] != 0).any()]
    tables = [means(sums, [by], name).select(pl.lit(name).alias("source"), pl.all()) for name in used]
    return (
        pl.concat(tables)
        if tables
        else means(sums, [by], "c").clear().with_columns(pl.lit("").alias("source"))
    )


def _total(table: pl.DataFrame, name: str) -> float:
    return float(table.filter(pl.col("strategy").cast(pl.String) == name)["value"].sum())


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


def _figure(data: StudyData, table: pl.DataFrame, by: str, order: list[str], labels: list[str]) -> Figure:
    names = list(dict.fromkeys(table["source"].to_list()))
    cells = {(row[by], row["source"]): row["value"] for row in rows_of(table)}
    values = np.array([[cells.get((one, name), 0.0) for name in names] for one in order])

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        plots.stacked(
            axes, labels, [LABELS[name] for name in names], values, [COLOURS[name] for name in names]
        )
        axes.set_xlabel("points per game")
        plots.legend_below(canvas, axes, 3)

    return Figure(
        f"points-by-{by}",
        f"Where points come from, by {by}",
        _sentence(data, table, by, names),
        draw,
        height=len(order) * plots.ROW + 0.5 + 0.19 * -(-len(names) // 3),
        counted=f"n {profile(data).rows:,} players; what is left of 0 was lost",
    )


def _sentence(data: StudyData, table: pl.DataFrame, by: str, names: list[str]) -> str:
    """Name the row that differs most from the others in one source."""
    if not names or table[by].n_unique() < 2:
        return "Each colour is the mean number of points from one source."
    mean = pl.col("value").mean().over("source")
    away = with_shrunken(table.with_columns(pl.col("value", "low", "high") - mean, mean.alias("mean")))
    row = rows_of(away.sort("value"))[-1]
    measured = estimate_of(row | {name: row[name] + row["mean"] for name in ("value", "low", "high")})
    who = data.city(row["city"]) if by == "city" else row["strategy"]
    return (
        f"{who} stands out by {LABELS[row['source']]}: {points(measured)} a game, "
        f"{effect(row['shrunken'], row['high'] - row['low'])} against the average {by} "
        f"(shrunken: the largest of {len(table)} differences tends to overstate)."
    )


def _table(data: StudyData, table: pl.DataFrame, by: str) -> Table:
    names = list(dict.fromkeys(table["source"].to_list()))
    whole = means(profile(data), [by], "c")
    rows = rows_of(whole)
    shown = [data.city(row[by]) if by == "city" else row[by] for row in rows]
    return filled(
        f"points-by-{by}",
        f"Mean points by source and {by}",
        table,
        [
            words(by.capitalize(), shown),
            counts("Players", [row["n"] for row in rows]),
            *(estimated(LABELS[name].capitalize(), table.filter(source=name)) for name in names),
        ],
    )
