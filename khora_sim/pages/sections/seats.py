"""Seats and the first player: whether the place at the table decides."""

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section, Table, counts, estimated, filled, ordered, words
from khora_sim.pages.plots import FEW
from khora_sim.pages.study_data import StudyData, success_title
from khora_sim.pages.verdict import city_tiers
from khora_sim.pages.wording import (
    SHOWN_UNKNOWN,
    Row,
    estimate_of,
    few,
    is_significant,
    p_text,
    percent,
    rows_of,
    share,
)
from khora_sim.stats import holm
from khora_sim.stats.ratios import shares

KINDS = ("seats", "city-by-seat")


def section(data: StudyData) -> Section:
    """Seats and first player."""
    table = by_seat(data)
    cross = city_by_seat(data)
    return Section(
        id="seats",
        title="Seats and first player",
        lead=_lead(table),
        figures=[_figure(data, table), _cross_figure(data, cross)],
        tables=[_table(table), _cross_table(data, cross)],
        notes=[
            "Seats count from 1, clockwise. The first player is the one of round 1; later rounds "
            "follow the dice."
        ],
    )


def by_seat(data: StudyData) -> pl.DataFrame:
    """Win share by seat and of the first player, at every size of table."""
    parts = []
    for players in data.tables_of:
        for sums, column, label in (
            (data.seating, "seat", "Seat {}"),
            (data.first_players, "is_first", "{}"),
        ):
            own = sums.only(players=players)
            kept = {"null": 1 / players, "rows_per_group": data.rows_per_group}
            found = shares(own, [column], "win_share", **kept)  # type: ignore[arg-type]
            found = found.reverse() if column == "is_first" else found
            names = {True: "First player", False: "Others"}
            text = [label.format(names.get(x, x) if column == "is_first" else x) for x in found[column]]
            parts.append(
                found.drop(column).select(
                    pl.lit(players).alias("players"), pl.Series("where", text), pl.all()
                )
            )
    table = pl.concat(parts)
    return table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))


def city_by_seat(data: StudyData) -> pl.DataFrame:
    """Success of every city in every seat."""
    return shares(
        data.seating,
        ["city", "seat"],
        "success",
        scale=data.scale,
        rows_per_group=data.rows_per_group,
    )


def _lead(table: pl.DataFrame) -> str:
    sure = [
        row for row in rows_of(table.filter(pl.col("where") != "Others")) if is_significant(row["p_holm"])
    ]
    if not sure:
        return "Neither a seat nor being the first player makes a difference that this study can see."
    parts = [
        f"{row['where']} at {row['players']} players {share(estimate_of(row))} "
        f"({'above' if row['value'] > 1 / row['players'] else 'below'} {percent(1 / row['players'])})"
        for row in sure
    ]
    return f"The place at the table matters: {listed(parts)}."


def _figure(data: StudyData, table: pl.DataFrame) -> Figure:
    tables = list(data.tables_of)

    def draw(canvas: Canvas) -> None:
        dots = {n: [_dot(row) for row in rows_of(table.filter(players=n))] for n in tables}
        plots.shares_by_size(canvas, dots, [n + 2 for n in tables])

    return Figure(
        "seats",
        "Win share by seat and of the first player",
        "A bar that crosses the dashed line means that the seat may well make no difference.",
        draw,
        height=plots.dots_height(sum(n + 2 for n in tables), len(tables)) + 0.1,
        counted=f"n {data.game_count:,} games; bars are 95 % intervals",
    )


def _dot(row: Row) -> plots.Dot:
    known = not (row["low"] <= 0 and row["high"] >= 1)
    low, high = (row["low"], row["high"]) if known else (float("nan"), float("nan"))
    colour = FEW[0] if row["where"].startswith("Seat") else FEW[1]
    return plots.Dot(row["where"], row["value"], low, high, colour, faint=few(row["n"], row["units"]))


def _cross_figure(data: StudyData, cross: pl.DataFrame) -> Figure:
    order = city_tiers(data).table["item"].to_list()
    seats = sorted({row["seat"] for row in rows_of(cross)})
    cells = {(row["city"], row["seat"]): row for row in rows_of(cross)}
    as_share = data.scale == 1

    def draw(canvas: Canvas) -> None:
        values = np.full((len(order), len(seats)), np.nan)
        texts = [[SHOWN_UNKNOWN] * len(seats) for _ in order]
        for (r, c), _ in np.ndenumerate(values):
            row = cells.get((order[r], seats[c]))
            if row:
                values[r, c] = row["value"]
                text = f"{100 * row['value']:.0f}" if as_share else f"{row['value']:.2f}"
                texts[r][c] = f"({text})" if few(row["n"], row["units"]) else text
        names = [data.city(city) for city in order]
        plots.heat(canvas.subplots(), values, texts, names, [f"Seat {seat}" for seat in seats], data.fair)

    return Figure(
        "city-by-seat",
        "Win share of each city by seat, in %" if as_share else "Wins against fair share by seat",
        "Rows of one colour mean that the city matters and the seat does not.",
        draw,
        height=len(order) * 0.27 + 0.6,
        counted=f"n {int(cross['n'].sum()):,} players; blue is more than a fair share, orange less",
    )


def _table(table: pl.DataFrame) -> Table:
    return filled(
        "seats",
        "Seats in numbers",
        table,
        [
            words("Place", table["where"].to_list()),
            counts("Players", table["players"].to_list()),
            counts("Games", table["n"].to_list()),
            estimated("Win share", table, percent=True),
            ordered("p (Holm)", [p_text(p) for p in table["p_holm"]], table["p_holm"].to_list()),
        ],
    )


def _cross_table(data: StudyData, cross: pl.DataFrame) -> Table:
    rows = rows_of(cross)
    return filled(
        "city-by-seat",
        "Every city in every seat",
        cross,
        [
            words("City", [data.city(row["city"]) for row in rows]),
            counts("Seat", [row["seat"] for row in rows]),
            counts("Games", [row["n"] for row in rows]),
            estimated(success_title(data), cross, percent=data.scale == 1),
        ],
    )
