"""The cities with each strategy: a city may be strong only with some of them."""

from functools import lru_cache

import polars as pl

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.study_data import StudyData, level_column, success, success_title
from khora_sim.pages.table import Table, amount, count, p_value, share
from khora_sim.pages.verdict import ranked_cities
from khora_sim.pages.wording import (
    IN_BRACKETS,
    Row,
    bare_percent,
    bracketed,
    estimate_of,
    is_significant,
    rests_on,
    rows_of,
)
from khora_sim.stats import against_strata, holm, tiers
from khora_sim.stats.ratios import measured, shares
from khora_sim.stats.sums import Sums

KINDS = ("city-by-strategy",)
HOPELESS = 0.1  # of the fair share: who wins less has no best city


def section(data: StudyData) -> Section:
    """Cities by strategy."""
    title = "Cities in different hands"
    if len(data.strategies) < 2:
        alone = f"Only {data.strategies[0]} played, so it cannot be seen how the cities do in other hands."
        return Section("hands", title, alone, missing={"city-by-strategy": alone})
    table = by_strategy(data)
    return Section("hands", title, _lead(data, table), [_figure(data, table)], [_table(data, table)])


def by_strategy(data: StudyData) -> pl.DataFrame:
    """Success of every city with every strategy, and its difference to the strategy's own mean.

    The mean comes from the same games, so the interval of the difference is made from both together.
    """
    sums, keys, most = data.standing, ["city", "strategy"], data.rows_per_group
    table = shares(sums, keys, "success", scale=data.scale, rows_per_group=most)
    own = shares(sums, ["strategy"], "success", scale=data.scale, rows_per_group=most)
    parts = []
    for name in data.strategies:
        found = against_strata(_of(data, name), "city", [], "success")
        strategy = pl.lit(name).cast(sums.cells.schema["strategy"]).alias("strategy")
        parts.append(found.select("city", strategy, "value", "low", "high", "p_value"))
    against = pl.concat(parts)
    against = against.with_columns(
        pl.col("value", "low", "high") * data.scale, pl.Series("p_holm", holm(against["p_value"].to_numpy()))
    )
    return (
        table.join(own.select("strategy", pl.col("value").alias("strategy_mean")), on="strategy")
        .join(against.select(*keys, pl.exclude(keys).name.prefix("against_")), on=keys, how="left")
        .sort(keys)
    )


def _of(data: StudyData, strategy: str) -> Sums:
    return data.standing.only(pl.col("strategy").cast(pl.String) == strategy)


def _playing(data: StudyData, table: pl.DataFrame) -> list[str]:
    """The strategies that win at least now and then."""
    enough = table.filter(pl.col("strategy_mean") > HOPELESS * data.fair)["strategy"].cast(pl.String)
    return [name for name in data.strategies if name in set(enough)]


@lru_cache(maxsize=2)
def orders(data: StudyData, playing: tuple[str, ...]) -> pl.DataFrame:
    """Every two cities with every strategy, the better first; Holm's correction is over all of them."""
    found = {name: tiers(measured(_of(data, name), "city", "success"), draws=2) for name in playing}
    pairs = pl.concat([one.pairs.with_columns(strategy=pl.lit(name)) for name, one in found.items()])
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
        f"{data.city(row['worse'])} ({success(data, estimate_of(row), signed=True)})"
        for row in found[0]
    ]
    return (
        f"The order of the cities depends on who plays them: {'; '.join(parts)}; both significant after "
        f"correction for all pairs of cities with all strategies. {measured_best}"
    )


def _best(data: StudyData, table: pl.DataFrame, playing: list[str]) -> dict[str, str]:
    """The city with the highest measured share with each strategy."""
    falling = rows_of(table.sort("value", descending=True))
    best = {row["strategy"]: data.city(row["city"]) for row in reversed(falling)}
    return {strategy: best[strategy] for strategy in playing}


def _figure(data: StudyData, table: pl.DataFrame) -> Figure:
    percent = data.scale == 1

    def cell(row: Row) -> tuple[float, str]:
        text = bare_percent(row["value"]) if percent else f"{row['value']:.1f}"
        return row["value"] - row["strategy_mean"], bracketed(text, row)

    return plots.heat_figure(
        "city-by-strategy",
        "Win share of each city by strategy, in %" if percent else f"{success_title(data)} by strategy",
        "Colours are against the strategy's own mean, so they show the city and not the player's skill: "
        "blue cities do better than this strategy's others, orange ones worse.",
        {(row["city"], row["strategy"]): cell(row) for row in rows_of(table)},
        ranked_cities(data),
        {name: name for name in data.strategies},
        head=0.8,
        counted=rests_on(int(table["n"].sum()), "players", IN_BRACKETS),
    )


def _table(data: StudyData, table: pl.DataFrame) -> Table:
    kind = share if data.scale == 1 else amount
    against = ("against_value", "against_low", "against_high", "n")
    columns = [
        level_column(data, "city"),
        level_column(data, "strategy"),
        count("Games", "n"),
        kind(success_title(data)),
        kind("Against the strategy's mean", against, signed=True),
        p_value(of="against_p_holm"),
    ]
    note = (
        "The interval against the strategy's mean is that of the difference: city and mean come from the "
        "same games."
    )
    return Table.of("city-by-strategy", "Every city with every strategy", table, columns, note=note)
