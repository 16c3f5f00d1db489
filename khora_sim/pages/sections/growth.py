"""Growth of a game: points, drachmas and tracks round by round, with their spread."""

from typing import Any

import polars as pl
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import MUTED, Series
from khora_sim.pages.study_data import StudyData, labelled, level_column, quantiles
from khora_sim.pages.table import Table, amount, count, nested
from khora_sim.pages.verdict import ranked_cities
from khora_sim.pages.wording import Row, estimate_of, points, rests_on, rows_of
from khora_sim.stats.ratios import means
from khora_sim.stats.sums import Sums, sums_of

KINDS = ("growth", "growth-board")
MEASURES = {
    "vp": "points",
    "drachmas": "drachmas",
    "level_economy": "economy level",
    "level_culture": "culture level",
    "level_military": "military level",
    "citizens": "citizens",
    "cards_in_play": "cards in play",
}
BOARD = ("drachmas", "level_economy", "level_culture", "level_military")
BY_CITY = 5  # measures of the table by city
SPREAD = (0.1, 0.9)
BAND = "8 players in 10"
TITLE = "How a game grows"


def section(data: StudyData) -> Section:
    """Growth by round."""
    if data.rounds is None:
        why = "This study has no table of rounds; play it with --rounds to see how games grow."
        return Section("growth", TITLE, why, missing=dict.fromkeys(KINDS, why))
    sums = sums_of(data.rounds, ["city", "round"], {name: pl.col(name).cast(pl.Int32) for name in MEASURES})
    by_city, whole = _means(sums, ["city", "round"]), _means(sums, ["round"])
    amounts = [amount(title.capitalize(), name) for name, title in MEASURES.items()]
    rows = nested(whole.sort("round"), ["round"])
    city_rows = nested(by_city.sort("city", "round", maintain_order=True), ["city", "round"])
    city_columns = [level_column(data, "city"), count("Round", "round"), *amounts[:BY_CITY]]
    columns = [count("Round", "round"), count("Players", lambda row: row["vp"]["n"]), *amounts]
    return Section(
        "growth",
        TITLE,
        _lead(whole),
        _figures(data, city_rows, sums.rows // whole["round"].n_unique()),
        [
            Table.of("growth", "Means by round", rows, columns, frame=whole),
            Table.of("growth-by-city", "Means by city and round", city_rows, city_columns, frame=by_city),
        ],
        ["After the last round the final scoring is still to come: end-game cards, developments and glory."],
    )


def _means(sums: Sums, by: list[str]) -> pl.DataFrame:
    return pl.concat([labelled(means(sums, by, name), measure=name) for name in MEASURES])


def _lead(whole: pl.DataFrame) -> str:
    vp = rows_of(whole.filter(measure="vp").sort("round"))
    middle, last = vp[len(vp) // 2], vp[-1]
    return (
        f"An average player has {points(estimate_of(middle))} after round {middle['round']} and "
        f"{points(estimate_of(last))} after round {last['round']}, before the final scoring."
    )


def _figures(data: StudyData, city_rows: list[Row], players: int) -> list[Figure]:
    """Points by round, and the board by round: a line for each city, and a band of most players."""
    assert data.rounds is not None
    rounds = sorted({row["round"] for row in city_rows})
    series: dict[str, list[Series]] = {name: [] for name in ("vp", *BOARD)}
    for city in ranked_cities(data):
        own = [row for row in city_rows if row["city"] == city]
        for name, lines in series.items():
            values = [row[name]["value"] for row in own]
            lines.append((data.city(city), values, data.colours[city], data.markers[city]))
    spread = {name: quantiles(data.rounds, "round", name, SPREAD) for name in series}

    def draw_lines(axes: Any, name: str, *, markers: bool) -> None:
        low, high = spread[name]["q10"], spread[name]["q90"]
        axes.fill_between(rounds, low, high, color=MUTED, alpha=0.16, linewidth=0, label=BAND, zorder=1)
        plots.lines(axes, rounds, series[name], markers=markers)

    def draw_points(canvas: Canvas) -> None:
        axes = canvas.subplots()
        draw_lines(axes, "vp", markers=True)
        axes.set_xticks(rounds)
        axes.set_xlabel("after round")
        axes.set_ylabel("points")
        plots.legend_below(canvas, axes, 4)

    def draw_board(canvas: Canvas) -> None:
        grid = canvas.subplots(2, 2, sharex=True)
        for axes, name in zip(grid.ravel(), BOARD, strict=True):
            draw_lines(axes, name, markers=False)
            axes.set_title(MEASURES[name])
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            axes.set_xticks(rounds[::2])
        for axes in grid[-1]:
            axes.set_xlabel("after round")
        plots.legend_below(canvas, grid[0, 0], 4)

    def highest(name: str, place: int = -1) -> str:
        return max(series[name], key=lambda one: one[1][place])[0]

    early, late = highest("vp", len(rounds) // 3), highest("vp")
    tale = (
        f"{early} starts best, {late} has most at the end."
        if early != late
        else f"{late} leads from early on."
    )
    tracks = ", ".join(f"{highest(name)} on {MEASURES[name].removesuffix(' level')}" for name in BOARD[1:])
    counted = rests_on(players, "players", "lines are means by city")
    return [
        Figure(
            "growth",
            "Points by round",
            f"{tale} The shaded band holds eight players in ten, so cities differ less than games do.",
            draw_points,
            height=3.3,
            counted=counted,
        ),
        Figure(
            "growth-board",
            "Drachmas and tracks by round",
            f"Highest at the end: {tracks}. Drachmas are what is left after the round's spending.",
            draw_board,
            height=4.1,
            counted=f"{counted}, bands hold {BAND}",
        ),
    ]
