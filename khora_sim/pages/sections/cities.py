"""City strength: win shares, scores and places by number of players."""

from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import INK, MUTED
from khora_sim.pages.study_data import StudyData, level_column, quantiles
from khora_sim.pages.table import Column, Table, amount, count, number, p_value, share
from khora_sim.pages.verdict import ranked_cities
from khora_sim.pages.wording import BARS, Row, is_significant, largest, percent, rests_on, rows_of
from khora_sim.stats import holm
from khora_sim.stats.ratios import means, shares

KINDS = ("city-win-share", "city-places", "city-scores")
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
PLACE_COLOURS = ("#0b4f86", "#4d93c4", "#a9c9dd", "#c9c4bd")  # from first to last
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def section(data: StudyData) -> Section:
    """City strength."""
    strength, order = strengths(data), list(ranked_cities(data))
    figures = [
        _win_share_figure(data, strength, order),
        _places_figure(data, strength, order),
        _scores_figure(data, score_spread(data), order),
    ]
    return Section("cities", "City strength", _lead(data, strength), figures, [_table(data, strength)])


def strengths(data: StudyData) -> pl.DataFrame:
    """Win share, score and places of every city at every size of table."""
    sums, by = data.standing, ["players", "city"]
    parts = []
    for players in data.tables_of:
        own = sums.only(players=players)
        wins = shares(own, by, "win_share", null=1 / players, rows_per_group=data.rows_per_group)
        parts.append(wins.with_columns(pl.lit(1 / players).alias("fair")))
    table = pl.concat(parts)
    table = table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))
    score = means(sums, by, "score").select(*by, pl.col("value", "low", "high").name.prefix("score_"))
    mean = pl.col("score") / pl.col("c")
    spread = ((pl.col("square") / pl.col("c") - mean**2).clip(lower_bound=0)).sqrt().alias("score_sd")
    places = sums.totals(by).select(*by, spread, pl.col("^place_.*$") / pl.col("c"))
    return table.join(score, on=by).join(places, on=by).sort(by)


def score_spread(data: StudyData) -> pl.DataFrame:
    """Quantiles of the score of each city."""
    return quantiles(data.wide, "city", "score", QUANTILES)


def _lead(data: StudyData, strength: pl.DataFrame) -> str:
    sentences = []
    for players in data.tables_of:
        rows = [row for row in rows_of(strength.filter(players=players)) if is_significant(row["p_holm"])]
        above = [data.city(row["city"]) for row in rows if row["value"] > row["fair"]]
        below = [data.city(row["city"]) for row in rows if row["value"] < row["fair"]]
        at = f"At a table of {players}, where a fair share is {percent(1 / players)}, "
        if not rows:
            sentences.append(f"{at}no city differs significantly from its fair share.")
            continue
        parts = [f"{listed(names)} won {word}" for names, word in ((above, "more"), (below, "less")) if names]
        sentences.append(f"{at}{' and '.join(parts)}, with all comparisons corrected for.")
    return " ".join(sentences)


def _win_share_figure(data: StudyData, strength: pl.DataFrame, order: list[str]) -> Figure:
    sizes = list(data.tables_of)

    def draw(canvas: Canvas) -> None:
        dots = {}
        for n in sizes:
            rows = {row["city"]: row for row in rows_of(strength.filter(players=n))}
            dots[n] = [
                plots.share_dot(data.city(city), rows[city], data.colours[city], data.markers[city])
                for city in order
                if city in rows
            ]
        plots.shares_by_size(canvas, dots, [1] * len(sizes))

    return Figure(
        "city-win-share",
        "Win share of each city",
        _share_sentence(data, strength),
        draw,
        height=plots.dots_height(len(order) * len(sizes), len(sizes)) + 0.1,
        counted=rests_on(data.game_count, "games", BARS),
    )


def _share_sentence(data: StudyData, strength: pl.DataFrame) -> str:
    if largest(strength["high"] - strength["low"]) >= 1:
        return "Too few games for intervals: the dots show what happened, not what to expect."
    against_fair = pl.col("value") / pl.col("fair")
    top = rows_of(strength.filter(against_fair == against_fair.max()))[0]
    return (
        f"{data.city(top['city'])} is farthest above the dashed line of the fair share; a bar that crosses "
        "the line means that chance alone may explain it."
    )


def _places_figure(data: StudyData, strength: pl.DataFrame, order: list[str]) -> Figure:
    tables = list(data.tables_of)

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(len(tables), 1, squeeze=False, sharex=True)[:, 0]
        for axes, n in zip(panels, tables, strict=True):
            names = [f"place_{place}" for place in range(1, n + 1)]
            own = {row["city"]: [row[name] for name in names] for row in rows_of(strength.filter(players=n))}
            shown = [city for city in order if city in own]
            values = np.array([own[city] for city in shown])
            colours = [*PLACE_COLOURS[: n - 1], PLACE_COLOURS[-1]]
            labels = [*PLACES[: n - 1], "last"]
            plots.stacked(axes, [data.city(city) for city in shown], labels, values, colours)
            axes.set_xlim(0, 1)
            for place in range(1, n):
                axes.axvline(place / n, color=INK, linewidth=0.8, linestyle=(0, (2, 3)), alpha=0.6)
            if len(tables) > 1:
                axes.set_title(f"{n} players")
        plots.as_percent(panels[-1].xaxis)
        plots.legend_below(canvas, panels[-1], 4)

    best = rows_of(strength.sort("place_1"))[-1]
    last_place = [row[f"place_{row['players']}"] for row in rows_of(strength)]
    last = rows_of(strength.with_columns(last=pl.Series(last_place)).sort("last"))[-1]
    return Figure(
        "city-places",
        "From first to last place",
        f"{data.city(best['city'])} comes first most often ({percent(best['place_1'], 0)}), "
        f"{data.city(last['city'])} last ({percent(last['last'], 0)}); dashed lines mark equal parts.",
        draw,
        height=len(order) * len(tables) * 0.25 + 0.45 * len(tables) + 0.45,
        counted=rests_on(data.game_count, "games", "shared places count as the better one"),
    )


def _scores_figure(data: StudyData, spread: pl.DataFrame, order: list[str]) -> Figure:
    rows = {row["city"]: row for row in rows_of(spread)}

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        for y, city in enumerate(reversed(order)):
            row, colour = rows[city], data.colours[city]
            axes.plot([row["q5"], row["q95"]], [y, y], color=MUTED, linewidth=1)
            box: dict[str, Any] = {"left": row["q25"], "height": 0.5, "color": colour, "edgecolor": INK}
            axes.barh(y, row["q75"] - row["q25"], **box, linewidth=0.5, zorder=3)
            middle, ends = [row["q50"]] * 2, [y - 0.25, y + 0.25]
            axes.plot(middle, ends, color=INK, linewidth=1.8, solid_capstyle="butt", zorder=4)
        axes.set_yticks(range(len(order)), [data.city(city) for city in reversed(order)])
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.set_xlabel("final score")

    widest = max(rows.values(), key=lambda row: row["q95"] - row["q5"])
    return Figure(
        "city-scores",
        "Scores and their spread",
        "Box: the middle half of all scores with the median; line: nine games in ten. "
        f"{data.city(widest['city'])} varies most, from {widest['q5']:.0f} to {widest['q95']:.0f} points.",
        draw,
        height=plots.dots_height(len(order)),
        counted=rests_on(int(spread["n"].sum()), "scores"),
    )


def _table(data: StudyData, strength: pl.DataFrame) -> Table:
    columns = [
        level_column(data, "city"),
        *([count("Players", "players")] if len(data.tables_of) > 1 else []),
        count("Games", "n"),
        share("Win share"),
        p_value("p, fair share"),
        amount("Mean score", ("score_value", "score_low", "score_high", "n")),
        number("Spread", "score_sd", ".1f"),
        *(_place_column(place) for place in range(1, max(data.tables_of) + 1)),
    ]
    note = (
        "p: the chance of a share at least this far from the fair one if there were no difference, corrected "
        "by Holm for all rows. Spread: standard deviation of single scores."
    )
    shown = strength.sort("players", "value", descending=[False, True])
    return Table.of("cities", "Every city in numbers", shown, columns, note=note, open=True)


def _place_column(place: int) -> Column:
    def read(row: Row) -> float | None:
        return row[f"place_{place}"] if place <= row["players"] else None

    return number(PLACES[place - 1].capitalize(), read, lambda part: percent(part, 0), unknown="")
