"""Seats and the first player: whether the place at the table decides."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import FEW
from khora_sim.pages.study_data import StudyData, level_column, success_column, success_title
from khora_sim.pages.table import Table, count, p_value, share, text
from khora_sim.pages.verdict import ranked_cities
from khora_sim.pages.wording import (
    BARS,
    bare_percent,
    bracketed,
    in_percent,
    is_significant,
    percent,
    rests_on,
    rows_of,
)
from khora_sim.stats import holm
from khora_sim.stats.ratios import shares

KINDS = ("seats", "city-by-seat")
FIRST = {True: "First player", False: "Others"}
CLOCKWISE = (
    "Seats count from 1, clockwise. The first player is the one of round 1; later rounds follow the dice."
)


def section(data: StudyData) -> Section:
    """Seats and first player."""
    table, cross = by_seat(data), city_by_seat(data)
    return Section(
        "seats",
        "Seats and first player",
        _lead(table),
        [_figure(data, table), _cross_figure(data, cross)],
        [_table(table), _cross_table(data, cross)],
        [CLOCKWISE],
    )


def by_seat(data: StudyData) -> pl.DataFrame:
    """Win share by seat and of the first player, at every size of table."""
    parts, most = [], data.rows_per_group
    for players in data.tables_of:
        for sums, column in ((data.seating, "seat"), (data.first_players, "is_first")):
            own = sums.only(players=players)
            found = shares(own, [column], "win_share", null=1 / players, rows_per_group=most)
            found = found.reverse() if column == "is_first" else found
            names = [FIRST[x] if column == "is_first" else f"Seat {x}" for x in found[column]]
            where = pl.Series("where", names)
            parts.append(found.drop(column).select(pl.lit(players).alias("players"), where, pl.all()))
    table = pl.concat(parts)
    return table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))


def city_by_seat(data: StudyData) -> pl.DataFrame:
    """Success of every city in every seat."""
    keys, most = ["city", "seat"], data.rows_per_group
    return shares(data.seating, keys, "success", scale=data.scale, rows_per_group=most)


def _lead(table: pl.DataFrame) -> str:
    rows = rows_of(table.filter(pl.col("where") != FIRST[False]))
    parts = [
        f"{row['where']} at {row['players']} players {in_percent(row)} "
        f"({'above' if row['value'] > 1 / row['players'] else 'below'} {percent(1 / row['players'])})"
        for row in rows
        if is_significant(row["p_holm"])
    ]
    if not parts:
        return "Neither a seat nor being the first player makes a difference that this study can see."
    return f"The place at the table matters: {listed(parts)}."


def _figure(data: StudyData, table: pl.DataFrame) -> Figure:
    sizes = list(data.tables_of)

    def draw(canvas: Canvas) -> None:
        rows = {n: rows_of(table.filter(players=n)) for n in sizes}
        colours = dict.fromkeys(FIRST.values(), FEW[1])
        dots = {
            n: [plots.share_dot(row["where"], row, colours.get(row["where"], FEW[0])) for row in rows[n]]
            for n in sizes
        }
        plots.shares_by_size(canvas, dots, [n + 2 for n in sizes])

    return Figure(
        "seats",
        "Win share by seat and of the first player",
        "A bar that crosses the dashed line means that the seat may well make no difference.",
        draw,
        height=plots.dots_height(sum(n + 2 for n in sizes), len(sizes)) + 0.1,
        counted=rests_on(data.game_count, "games", BARS),
    )


def _cross_figure(data: StudyData, cross: pl.DataFrame) -> Figure:
    def text_of(value: float) -> str:
        return bare_percent(value) if data.scale == 1 else f"{value:.2f}"

    return plots.heat_figure(
        "city-by-seat",
        "Win share of each city by seat, in %" if data.scale == 1 else f"{success_title(data)} by seat",
        "Rows of one colour mean that the city matters and the seat does not.",
        {
            (row["city"], row["seat"]): (row["value"], bracketed(text_of(row["value"]), row))
            for row in rows_of(cross)
        },
        ranked_cities(data),
        {seat: f"Seat {seat}" for seat in sorted(cross["seat"].unique())},
        centre=data.fair,
        counted=rests_on(int(cross["n"].sum()), "players", "blue is more than a fair share, orange less"),
    )


def _table(table: pl.DataFrame) -> Table:
    columns = [text("Place", "where"), count("Players", "players"), count("Games", "n")]
    return Table.of("seats", "Seats in numbers", table, [*columns, share("Win share"), p_value()])


def _cross_table(data: StudyData, cross: pl.DataFrame) -> Table:
    columns = [level_column(data, "city"), count("Seat", "seat"), count("Games", "n"), success_column(data)]
    return Table.of("city-by-seat", "Every city in every seat", cross, columns)
