"""The cities in different hands: a city may be strong only with some strategies."""

from functools import lru_cache

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section, Table, counts, estimated, filled, ordered, words
from khora_sim.pages.study_data import StudyData, success_title
from khora_sim.pages.verdict import city_tiers
from khora_sim.pages.wording import SHOWN_UNKNOWN, Row, estimate_of, few, is_significant, p_text, rows_of
from khora_sim.stats import against_strata, format_estimate, holm, tiers
from khora_sim.stats.ratios import measured, shares

KINDS = ("city-by-strategy",)
HOPELESS = 0.1  # of the fair share: who wins less has no best city


def section(data: StudyData) -> Section:
    """Cities by strategy."""
    title = "Cities in different hands"
    if len(data.strategies) < 2:
        alone = f"Only {data.strategies[0]} played, so it cannot be seen how the cities do in other hands."
        return Section("hands", title, alone, missing={"city-by-strategy": alone})
    table = by_hand(data)
    return Section(
        id="hands",
        title=title,
        lead=_lead(data, table),
        figures=[_figure(data, table)],
        tables=[_table(data, table)],
    )


def by_hand(data: StudyData) -> pl.DataFrame:
    """Success of every city with every strategy, and its difference to the strategy's own mean.

    The mean comes from the same games, so the interval of the difference is made from both together.
    """
    sums, keys = data.standing, ["city", "strategy"]
    kept = {"scale": data.scale, "rows_per_group": data.rows_per_group}
    table = shares(sums, keys, "success", **kept)  # type: ignore[arg-type]
    own = shares(sums, ["strategy"], "success", **kept)  # type: ignore[arg-type]
    parts = [
        against_strata(sums.only(pl.col("strategy").cast(pl.String) == name), "city", [], "success").select(
            "city",
            pl.lit(name).cast(sums.cells.schema["strategy"]).alias("strategy"),
            "value",
            "low",
            "high",
            "p_value",
        )
        for name in data.strategies
    ]
    against = pl.concat(parts)
    against = against.with_columns(
        pl.col("value", "low", "high") * data.scale,
        pl.Series("p_holm", holm(against["p_value"].to_numpy())),
    )
    return (
        table.join(own.select("strategy", pl.col("value").alias("strategy_mean")), on="strategy")
        .join(against.select(*keys, pl.exclude(keys).name.prefix("against_")), on=keys, how="left")
        .sort(keys)
    )


def _playing(data: StudyData, table: pl.DataFrame) -> list[str]:
    """The strategies that win at least now and then."""
    enough = table.filter(pl.col("strategy_mean") > HOPELESS * data.fair)["strategy"].cast(pl.String)
    return [name for name in data.strategies if name in set(enough)]


@lru_cache(maxsize=2)
def orders(data: StudyData, playing: tuple[str, ...]) -> pl.DataFrame:
    """Every two cities with every strategy, the better first; Holm's correction is over all of them."""
    parts = []
    for name in playing:
        own = data.standing.only(pl.col("strategy").cast(pl.String) == name)
        parts.append(
            tiers(measured(own, "city", "success"), draws=2).pairs.with_columns(strategy=pl.lit(name))
        )
    pairs = pl.concat(parts)
    return pairs.with_columns(
        pl.col("value", "low", "high") * data.scale,
        pl.Series("p_holm", holm(pairs["p_value"].to_numpy())),
        pl.lit(0).alias("n"),
    )


def reversals(data: StudyData, playing: tuple[str, ...]) -> list[tuple[Row, Row]]:
    """Two cities in one order with a strategy and in the other order with another, each significantly.

    The clearest comes first: the one whose smaller difference is largest.
    """
    sure = [row for row in rows_of(orders(data, playing)) if is_significant(row["p_holm"])]
    by_pair: dict[tuple[str, str], list[Row]] = {}
    for row in sure:
        by_pair.setdefault((row["better"], row["worse"]), []).append(row)
    found = [
        (one, other)
        for (better, worse), rows in by_pair.items()
        if better < worse
        for one in rows
        for other in by_pair.get((worse, better), [])
    ]
    return sorted(found, key=lambda two: -min(two[0]["value"], two[1]["value"]))


def _lead(data: StudyData, table: pl.DataFrame) -> str:
    playing = _playing(data, table)
    if not playing:
        return "No strategy wins often enough for its cities to be compared."
    best = _best(data, table, playing)
    cities = list(dict.fromkeys(best.values()))
    parts = [f"{city} with {listed([s for s, c in best.items() if c == city])}" for city in cities]
    measured_best = f"Highest share measured: {listed(parts)}."
    if len(playing) < 2:
        return measured_best
    found = reversals(data, tuple(playing))
    if not found:
        return (
            f"{measured_best} No two cities change their order significantly from one strategy to another, "
            "so this study does not show that the order of the cities depends on who plays them."
        )
    parts = [
        f"with {row['strategy']}, {data.city(row['better'])} wins more than "
        f"{data.city(row['worse'])} ({_difference(data, row)})"
        for row in found[0]
    ]
    return (
        f"The order of the cities depends on who plays them: {'; '.join(parts)}; both significant after "
        f"correction for all pairs of cities with all strategies. {measured_best}"
    )


def _difference(data: StudyData, row: Row) -> str:
    return format_estimate(estimate_of(row), percent=data.scale == 1, signed=True, with_n=False)


def _best(data: StudyData, table: pl.DataFrame, playing: list[str]) -> dict[str, str]:
    """The city with the highest measured share with each strategy."""
    tops = (
        table.sort("value", descending=True)
        .group_by(pl.col("strategy").cast(pl.String), maintain_order=True)
        .first()
    )
    best = {row["strategy"]: data.city(row["city"]) for row in rows_of(tops)}
    return {strategy: best[strategy] for strategy in playing}


def _figure(data: StudyData, table: pl.DataFrame) -> Figure:
    order = city_tiers(data).table["item"].to_list()
    cells = {(row["city"], row["strategy"]): row for row in rows_of(table)}
    percent = data.scale == 1

    def draw(canvas: Canvas) -> None:
        values = np.full((len(order), len(data.strategies)), np.nan)
        texts = [[SHOWN_UNKNOWN] * len(data.strategies) for _ in order]
        for (r, c), _ in np.ndenumerate(values):
            row = cells.get((order[r], data.strategies[c]))
            if row:
                values[r, c] = row["value"] - row["strategy_mean"]
                text = f"{100 * row['value']:.0f}" if percent else f"{row['value']:.1f}"
                texts[r][c] = f"({text})" if few(row["n"], row["units"]) else text
        names = [data.city(city) for city in order]
        plots.heat(canvas.subplots(), values, texts, names, data.strategies, 0.0)

    return Figure(
        "city-by-strategy",
        "Win share of each city by strategy, in %" if percent else "Wins against fair share by strategy",
        "Colours are against the strategy's own mean, so they show the city and not the player's skill: "
        "blue cities do better than this strategy's others, orange ones worse.",
        draw,
        height=len(order) * 0.27 + 0.8,
        counted=f"n {int(table['n'].sum()):,} players; in brackets: few games",
    )


def _table(data: StudyData, table: pl.DataFrame) -> Table:
    rows, percent = rows_of(table), data.scale == 1
    columns = ("against_value", "against_low", "against_high", "n")
    return filled(
        "city-by-strategy",
        "Every city with every strategy",
        table,
        [
            words("City", [data.city(row["city"]) for row in rows]),
            words("Strategy", [row["strategy"] for row in rows]),
            counts("Games", [row["n"] for row in rows]),
            estimated(success_title(data), table, percent=percent),
            estimated("Against the strategy's mean", table, percent=percent, signed=True, columns=columns),
            ordered(
                "p (Holm)",
                [p_text(row["against_p_holm"]) for row in rows],
                [row["against_p_holm"] for row in rows],
            ),
        ],
        note="The interval against the strategy's mean is that of the difference: city and mean come from "
        "the same games.",
    )
