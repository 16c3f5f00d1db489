"""Dice and result: the pips that a player rolled against winning and the score."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import ACCENT
from khora_sim.pages.study_data import StudyData, success, success_column, success_title
from khora_sim.pages.table import Table, count, text
from khora_sim.pages.wording import BARS, Row, estimate_of, percent, rests_on, rows_of
from khora_sim.stats import Estimate, against_strata, correlation, format_estimate
from khora_sim.stats.sums import collect, sums_of

KINDS = ("dice-luck",)
STEP, FARTHEST = 0.2, 4  # pips per die of a bin; bins to each side of the middle one
OFTEN = 0.02  # share of players that a bin must hold to be spoken of
SAME = ("players", "dice_rolled")  # a third die goes with stronger players: only equals are compared
NO_MEASURE_OF_LUCK = (
    "This is an association with the mean of the pips, and no measure of luck: which faces come in which "
    "round, and whether they fit the plan, is not in that mean. How much of a result the dice decide could "
    "only be seen by playing the same games with other dice."
)
CHOSEN = (
    "Dice could be rerolled in this study. The pips are those that stood when tiles were placed, so players "
    "chose them in part, and good players may choose better."
)


def section(data: StudyData) -> Section:
    """Dice and result."""
    if data.lacks("dice_rolled", "pips"):
        why = "This dataset does not hold the dice."
        return Section("dice", "Dice and result", why, missing={"dice-luck": why})
    table = by_pips(data)
    notes = [NO_MEASURE_OF_LUCK, *([CHOSEN] if data.manifest.plan.reroll else [])]
    lead = _lead(data, table, with_score(data))
    figures, tables = [_figure(data, table)], [_table(data, table)]
    return Section("dice", "Dice and result", lead, figures, tables, notes)


def by_pips(data: StudyData) -> pl.DataFrame:
    """Success by mean pips of a die, minus that of all who rolled as many dice at tables of the same size."""
    rows = data.wide.filter(pl.col("dice_rolled") > 0)
    # Kept dice are higher than rolled ones where dice may be rerolled: the middle is that of the study.
    all_pips, all_dice = (pl.col(name).cast(pl.Int64).sum() for name in ("pips", "dice_rolled"))
    middle = round(float(collect(rows.select(all_pips / all_dice)).item()), 1)
    away = (pl.col("pips") / pl.col("dice_rolled") - middle) / STEP
    part = away.round().clip(-FARTHEST, FARTHEST).cast(pl.Int16).alias("bin")
    sums = sums_of(rows.with_columns(part), [*SAME, "bin"], {"success": pl.col("success")})
    table = against_strata(sums, "bin", SAME, "success")
    pips = (middle + STEP * pl.col("bin")).round(1).alias("pips")
    numbers = ("value", "low", "high")
    return table.select("bin", pips, pl.col(numbers) * data.scale, pl.exclude("bin", *numbers))


def with_score(data: StudyData) -> Estimate:
    """Correlation of mean pips and final score among players with equally many dice and opponents."""
    rows = data.wide.filter(pl.col("dice_rolled") > 0).select(
        "rotation_group", *SAME, pl.col("score").cast(pl.Float64), pips=pl.col("pips") / pl.col("dice_rolled")
    )
    away = pl.col("score", "pips") - pl.col("score", "pips").mean().over(SAME)
    return correlation(rows.with_columns(away), "pips", "score")


def _lead(data: StudyData, table: pl.DataFrame, r: Estimate) -> str:
    if r.value != r.value or r.low <= -1:
        return "Too few games to tell how pips and results go together."
    sentence = (
        "Among players who rolled equally many dice, the mean pips of a die and the final score have a "
        f"correlation of {format_estimate(r, with_n=False)} (r² {_part(r.value**2)})."
    )
    known = [row for row in rows_of(table) if row["n"] > OFTEN * int(table["n"].sum())]
    if len(known) > 1:
        low, high = (
            f"{success(data, estimate_of(row), signed=True)} with {_mean(row)} pips a die"
            for row in (known[0], known[-1])
        )
        sentence += f" {success_title(data)} compared with all who rolled as many dice: {low}, {high}."
    return sentence


def _part(value: float) -> str:
    return "less than 0.1 %" if value < 0.001 else percent(value, 1)


def _mean(row: Row) -> str:
    far = {FARTHEST: " or more", -FARTHEST: " or fewer"}.get(row["bin"], "")
    return f"{row['pips']:.1f}{far}"


def _figure(data: StudyData, table: pl.DataFrame) -> Figure:
    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        plots.upright_dots(axes, table["pips"].to_list(), rows_of(table), 0.0, ACCENT, data.scale)
        axes.set_xlabel("mean pips of a die, over the whole game")
        axes.set_ylabel(f"{success_title(data).lower()}, difference")
        plots.as_plain(axes.xaxis)
        if data.scale == 1:
            plots.as_percent(axes.yaxis)

    return Figure(
        "dice-luck",
        "Mean pips and winning",
        "Each dot compares players with these mean pips to all who rolled as many dice; a flat row would "
        "mean that the mean of the pips does not go together with winning.",
        draw,
        height=2.8,
        counted=rests_on(int(table["n"].sum()), "players", f"{BARS}, hollow dots rest on few games"),
    )


def _table(data: StudyData, table: pl.DataFrame) -> Table:
    columns = [
        text("Mean pips of a die", _mean, key=lambda row: row["pips"]),
        count("Players", "n"),
        success_column(data, f"{success_title(data)}, difference", signed=True),
    ]
    note = "The difference is to all players who rolled as many dice at tables of the same size."
    return Table.of("dice-luck", "Success by mean pips", table, columns, note=note)
