"""Dice luck against result: chance deals the dice, so this is an effect and not mere association."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.report import forms
from khora_sim.report.load import Material
from khora_sim.report.palette import ACCENT, INK, MUTED, PAPER
from khora_sim.report.shapes import Figure, Section, Table, counts, estimated, ordered
from khora_sim.report.sums import shares, unit_sums
from khora_sim.report.words import few, percent, rows_of, success, success_title
from khora_sim.stats import Estimate, correlation, format_estimate

KINDS = ("dice-luck",)
STEP, FARTHEST = 4, 20  # pips of a bin, and from where on all are in the last one

OFTEN = 0.02  # share of players that a bin must hold to be spoken of


def section(material: Material) -> Section:
    """Dice luck."""
    if material.lacks("dice_luck"):
        why = "This dataset does not hold the dice."
        return Section("dice", "Dice luck", why, missing={"dice-luck": why})
    table = by_luck(material)
    r = correlation(material.wide, "dice_luck", "score")
    return Section(
        "dice", "Dice luck", _lead(material, table, r), [_figure(material, table)], [_table(material, table)]
    )


def by_luck(material: Material) -> pl.DataFrame:
    """Success by how many pips more (or fewer) than expected a player rolled."""
    luck = (
        ((pl.col("dice_luck") / STEP).round() * STEP).clip(-FARTHEST, FARTHEST).cast(pl.Int16).alias("luck")
    )
    cells = unit_sums(material.wide.with_columns(luck), ["luck"], {"success": pl.col("success")})
    return shares(cells, ["luck"], "success", scale=material.scale, rows_per_group=material.rows_per_group)


def _lead(material: Material, table: pl.DataFrame, r: Estimate) -> str:
    if r.value != r.value or r.low <= -1:
        return "Too few games to tell what lucky dice are worth."
    told = (
        "Pips beyond what is expected and final score go together with a correlation of "
        f"{format_estimate(r, with_n=False)}"
    )
    told += f": dice luck accounts for {_part(r.value**2)} of the differences in score."
    known = [row for row in rows_of(table) if row["n"] > OFTEN * int(table["n"].sum())]
    if len(known) > 1:
        first, last = known[0], known[-1]
        one, two = (
            success(material, Estimate(row["value"], row["low"], row["high"], row["n"]))
            for row in (first, last)
        )
        told += (
            f" {success_title(material)} {one} with {_luck(first['luck'])} pips, {two} with "
            f"{_luck(last['luck'])}."
        )
    return told


def _part(value: float) -> str:
    return "less than 0.1 %" if value < 0.001 else percent(value, 1)


def _luck(pips: int) -> str:
    far = " or more" if pips == FARTHEST else " or fewer" if pips == -FARTHEST else ""
    return f"{pips:+d}{far}".replace("-", "−")


def _figure(material: Material, table: pl.DataFrame) -> Figure:
    rows = rows_of(table)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        axes.axhline(material.fair, color=MUTED, linewidth=1, linestyle=(0, (3, 3)))
        for row in rows:
            if row["high"] - row["low"] < material.scale:
                axes.plot([row["luck"]] * 2, [row["low"], row["high"]], color=INK, linewidth=1.3)
            face = PAPER if few(row["n"], row["units"]) else ACCENT
            axes.plot(
                row["luck"],
                row["value"],
                "o",
                markersize=6,
                markerfacecolor=face,
                markeredgecolor=INK,
                markeredgewidth=0.7,
            )
        axes.set_xlabel("pips against what is expected, over the whole game")
        axes.set_ylabel(success_title(material).lower())
        axes.grid(axis="y")
        axes.spines["left"].set_visible(False)
        forms.as_plain(axes.xaxis)
        if material.scale == 1:
            forms.as_percent(axes.yaxis)

    return Figure(
        "dice-luck",
        "Lucky dice and winning",
        "The steeper the dots rise, the more the dice decide; a flat row would mean that good play "
        "evens them out.",
        draw,
        height=2.8,
        counted=f"n {int(table['n'].sum()):,} players; bars are 95 % intervals, hollow dots rest on "
        "few games",
    )


def _table(material: Material, table: pl.DataFrame) -> Table:
    luck = table["luck"].to_list()
    return Table(
        "dice-luck",
        "Success by dice luck",
        table,
        [
            ordered("Pips against expected", [_luck(pips) for pips in luck], luck),
            counts("Players", table["n"].to_list()),
            estimated(success_title(material), table, percent=material.scale == 1),
        ],
    )
