"""The cities in different hands: a city may be strong only with some strategies."""

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.report import forms
from khora_sim.report.load import Material
from khora_sim.report.shapes import Figure, Section, Table, counts, estimated, words
from khora_sim.report.sums import shares
from khora_sim.report.verdict import city_tiers
from khora_sim.report.words import SHOWN_UNKNOWN, few, listed, rows_of, success_title

KINDS = ("city-by-strategy",)
HOPELESS = 0.1  # of the fair share: who wins less has no best city


def section(material: Material) -> Section:
    """Cities by strategy."""
    title = "Cities in different hands"
    if len(material.strategies) < 2:
        alone = (
            f"Only {material.strategies[0]} played, so it cannot be seen how the cities do in other hands."
        )
        return Section("hands", title, alone, missing={"city-by-strategy": alone})
    table = by_hand(material)
    best = _best(material, table)
    return Section(
        id="hands",
        title=title,
        lead=_lead(best),
        figures=[_figure(material, table, best)],
        tables=[_table(material, table)],
    )


def by_hand(material: Material) -> pl.DataFrame:
    """Success of every city with every strategy, and beside it the strategy's own mean."""
    kept = {"scale": material.scale, "rows_per_group": material.rows_per_group}
    table = shares(material.standing, ["city", "strategy"], "success", **kept)  # type: ignore[arg-type]
    own = shares(material.standing, ["strategy"], "success", **kept)  # type: ignore[arg-type]
    return table.join(own.select("strategy", pl.col("value").alias("strategy_mean")), on="strategy").sort(
        "city", "strategy"
    )


def _best(material: Material, table: pl.DataFrame) -> dict[str, str]:
    """The city that does best with each strategy, of those that win at least now and then."""
    tops = (
        table.filter(pl.col("strategy_mean") > HOPELESS * material.fair)
        .sort("value", descending=True)
        .group_by("strategy", maintain_order=True)
        .first()
    )
    best = {row["strategy"]: material.city(row["city"]) for row in rows_of(tops)}
    return {strategy: best[strategy] for strategy in material.strategies if strategy in best}


def _lead(best: dict[str, str]) -> str:
    if not best:
        return "No strategy wins often enough for its cities to be compared."
    cities = list(dict.fromkeys(best.values()))
    if len(cities) == 1:
        return f"{cities[0]} is the best city in the hands of {listed(list(best))} alike."
    told = [f"{city} with {listed([s for s, c in best.items() if c == city])}" for city in cities]
    return f"The best city depends on who plays it: {listed(told)}."


def _figure(material: Material, table: pl.DataFrame, best: dict[str, str]) -> Figure:
    order = city_tiers(material).table["item"].to_list()
    cells = {(row["city"], row["strategy"]): row for row in rows_of(table)}
    percent = material.scale == 1

    def draw(canvas: Canvas) -> None:
        values = np.full((len(order), len(material.strategies)), np.nan)
        texts = [[SHOWN_UNKNOWN] * len(material.strategies) for _ in order]
        for (r, c), _ in np.ndenumerate(values):
            row = cells.get((order[r], material.strategies[c]))
            if row:
                values[r, c] = row["value"] - row["strategy_mean"]
                text = f"{100 * row['value']:.0f}" if percent else f"{row['value']:.1f}"
                texts[r][c] = f"({text})" if few(row["n"], row["units"]) else text
        names = [material.city(city) for city in order]
        forms.heat(canvas.subplots(), values, texts, names, material.strategies, 0.0)

    return Figure(
        "city-by-strategy",
        "Win share of each city by strategy, in %" if percent else "Wins against fair share by strategy",
        "Colours are against the strategy's own mean, so they show the city and not the player's skill: "
        "blue cities do better than this strategy's others, orange ones worse.",
        draw,
        height=len(order) * 0.27 + 0.8,
        counted=f"n {int(table['n'].sum()):,} players; in brackets: few games",
    )


def _table(material: Material, table: pl.DataFrame) -> Table:
    rows = rows_of(table)
    against = table.with_columns(pl.col("value", "low", "high") - pl.col("strategy_mean"))
    return Table(
        "city-by-strategy",
        "Every city with every strategy",
        table,
        [
            words("City", [material.city(row["city"]) for row in rows]),
            words("Strategy", [row["strategy"] for row in rows]),
            counts("Games", [row["n"] for row in rows]),
            estimated(success_title(material), table, percent=material.scale == 1),
            estimated("Against the strategy's mean", against, percent=material.scale == 1, signed=True),
        ],
    )
