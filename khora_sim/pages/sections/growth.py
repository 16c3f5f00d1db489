"""How a game grows: points, drachmas and tracks round by round, with their spread."""

import polars as pl
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section, Table, counts, estimated, filled, words
from khora_sim.pages.study_data import StudyData, quantiles
from khora_sim.pages.verdict import city_tiers
from khora_sim.pages.wording import estimate_of, points, rows_of
from khora_sim.stats.ratios import means
from khora_sim.stats.sums import sums_of

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
SPREAD = (0.1, 0.9)
TITLE = "How a game grows"


def section(data: StudyData) -> Section:
    """Growth by round."""
    if data.rounds is None:
        why = "This study has no table of rounds; play it with --rounds to see how games grow."
        return Section("growth", TITLE, why, missing=dict.fromkeys(KINDS, why))
    sums = sums_of(data.rounds, ["city", "round"], {name: pl.col(name).cast(pl.Int32) for name in MEASURES})
    table = pl.concat(
        [
            means(sums, ["city", "round"], name).select(pl.lit(name).alias("measure"), pl.all())
            for name in MEASURES
        ]
    )
    whole = pl.concat(
        [means(sums, ["round"], name).select(pl.lit(name).alias("measure"), pl.all()) for name in MEASURES]
    )
    spread = {name: quantiles(data.rounds, "round", name, SPREAD) for name in ("vp", *BOARD)}
    rows = sums.rows
    return Section(
        id="growth",
        title=TITLE,
        lead=_lead(whole),
        figures=[_points_figure(data, table, spread, rows), _board_figure(data, table, spread, rows)],
        tables=[_table(whole), _city_table(data, table)],
        notes=[
            "After the last round the final scoring is still to come: end-game cards, developments and glory."
        ],
    )


def _lead(whole: pl.DataFrame) -> str:
    vp = rows_of(whole.filter(measure="vp").sort("round"))
    middle, last = vp[len(vp) // 2], vp[-1]
    return (
        f"An average player has {points(estimate_of(middle))} after round {middle['round']} and "
        f"{points(estimate_of(last))} after round {last['round']}, before the final scoring."
    )


def _series(data: StudyData, table: pl.DataFrame, measure: str) -> list[tuple[str, list[float], str, str]]:
    order = city_tiers(data).table["item"].to_list()
    own = table.filter(measure=measure).sort("round")
    return [
        (
            data.city(city),
            own.filter(pl.col("city").cast(pl.String) == city)["value"].to_list(),
            data.colours[city],
            data.markers[city],
        )
        for city in order
    ]


def _points_figure(
    data: StudyData, table: pl.DataFrame, spread: dict[str, pl.DataFrame], rows: int
) -> Figure:
    rounds = table["round"].unique().sort().to_list()
    series = _series(data, table, "vp")

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        plots.band(
            axes, rounds, spread["vp"]["q10"].to_list(), spread["vp"]["q90"].to_list(), "8 players in 10"
        )
        plots.lines(axes, rounds, series)
        axes.set_xticks(rounds)
        axes.set_xlabel("after round")
        axes.set_ylabel("points")
        plots.legend_below(canvas, axes, 4)

    ahead = max(series, key=lambda one: one[1][-1])[0]
    early = max(series, key=lambda one: one[1][len(rounds) // 3])[0]
    tale = (
        f"{ahead} leads from early on."
        if ahead == early
        else f"{early} starts best, {ahead} has most at the end."
    )
    return Figure(
        "growth",
        "Points by round",
        f"{tale} The shaded band holds eight players in ten, so cities differ less than games do.",
        draw,
        height=3.3,
        counted=f"n {rows // len(rounds):,} players; lines are means by city",
    )


def _board_figure(data: StudyData, table: pl.DataFrame, spread: dict[str, pl.DataFrame], rows: int) -> Figure:
    rounds = table["round"].unique().sort().to_list()
    series = {name: _series(data, table, name) for name in BOARD}

    def draw(canvas: Canvas) -> None:
        grid = canvas.subplots(2, 2, sharex=True)
        for axes, name in zip(grid.ravel(), BOARD, strict=True):
            plots.band(
                axes, rounds, spread[name]["q10"].to_list(), spread[name]["q90"].to_list(), "8 players in 10"
            )
            plots.lines(axes, rounds, series[name], markers=False)
            axes.set_title(MEASURES[name])
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            axes.set_xticks(rounds[::2])
        for axes in grid[-1]:
            axes.set_xlabel("after round")
        plots.legend_below(canvas, grid[0, 0], 4)

    tops = {name: max(series[name], key=lambda one: one[1][-1])[0] for name in BOARD[1:]}
    tracks = ", ".join(f"{city} on {MEASURES[name].removesuffix(' level')}" for name, city in tops.items())
    return Figure(
        "growth-board",
        "Drachmas and tracks by round",
        f"Highest at the end: {tracks}. Drachmas are what is left after the round's spending.",
        draw,
        height=4.1,
        counted=f"n {rows // len(rounds):,} players; lines are means by city, bands hold 8 players in 10",
    )


def _table(whole: pl.DataFrame) -> Table:
    first = whole.filter(measure="vp").sort("round")
    return filled(
        "growth",
        "Means by round",
        whole,
        [
            counts("Round", first["round"].to_list()),
            counts("Players", first["n"].to_list()),
            *(
                estimated(title.capitalize(), whole.filter(measure=name).sort("round"))
                for name, title in MEASURES.items()
            ),
        ],
    )


def _city_table(data: StudyData, table: pl.DataFrame) -> Table:
    first = table.filter(measure="vp").sort("city", "round")
    return filled(
        "growth-by-city",
        "Means by city and round",
        table,
        [
            words("City", [data.city(row["city"]) for row in rows_of(first)]),
            counts("Round", first["round"].to_list()),
            *(
                estimated(title.capitalize(), table.filter(measure=name).sort("city", "round"))
                for name, title in list(MEASURES.items())[:5]
            ),
        ],
    )
