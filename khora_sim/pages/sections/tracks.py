"""Progress tracks: the level reached against the result."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section, Table, counts, estimated, filled, ordered, words
from khora_sim.pages.plots import FEW, INK, MUTED, PAPER
from khora_sim.pages.sections.points import members
from khora_sim.pages.study_data import StudyData, success_title
from khora_sim.pages.wording import few, percent, rows_of
from khora_sim.stats.ratios import shares
from khora_sim.stats.sums import sums_of

KINDS = ("tracks",)
ASSOCIATION = (
    "This is association: players who do well for other reasons also climb, and strategies climb where they "
    "like to. It does not say what one more level is worth."
)


def section(data: StudyData) -> Section:
    """Progress tracks."""
    tracks = members(data, "level_")
    if not tracks:
        why = "This dataset does not hold the progress tracks."
        return Section("tracks", "Progress tracks", why, missing={"tracks": why})
    table = by_level(data, tracks)
    return Section(
        "tracks",
        "Progress tracks",
        _lead(table),
        [_figure(data, table, tracks)],
        [_table(data, table)],
        [ASSOCIATION],
    )


def by_level(data: StudyData, tracks: list[str]) -> pl.DataFrame:
    """Success by the level reached on each track, and the share of players who ended there."""
    parts = []
    for track in tracks:
        sums = sums_of(data.wide, [f"level_{track}"], {"success": pl.col("success")})
        found = shares(
            sums, [f"level_{track}"], "success", scale=data.scale, rows_per_group=data.rows_per_group
        )
        part = pl.col("n") / pl.col("n").sum()
        parts.append(
            found.rename({f"level_{track}": "level"}).select(
                pl.lit(track).alias("track"), pl.all(), part.alias("part")
            )
        )
    return pl.concat(parts)


def _lead(table: pl.DataFrame) -> str:
    mean = (pl.col("level") * pl.col("part")).sum().alias("mean")
    rows = table.group_by("track", maintain_order=True).agg(mean).to_dicts()
    levels = listed([f"{row['mean']:.1f} in {row['track']}" for row in rows])
    return f"Players end at level {levels} on average."


def _figure(data: StudyData, table: pl.DataFrame, tracks: list[str]) -> Figure:
    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(1, len(tracks), sharey=True, squeeze=False)[0]
        for axes, track, colour in zip(panels, tracks, FEW, strict=False):
            axes.axhline(data.fair, color=MUTED, linewidth=1, linestyle=(0, (3, 3)))
            rows = rows_of(table.filter(track=track))
            sure = [row for row in rows if not few(row["n"], row["units"])]
            axes.plot(
                [row["level"] for row in sure], [row["value"] for row in sure], color=colour, linewidth=1.5
            )
            for row in rows:
                if row["high"] - row["low"] < data.scale:
                    axes.plot([row["level"]] * 2, [row["low"], row["high"]], color=INK, linewidth=1.2)
                face = PAPER if few(row["n"], row["units"]) else colour
                axes.plot(
                    row["level"],
                    row["value"],
                    "o",
                    markersize=5,
                    markerfacecolor=face,
                    markeredgecolor=INK,
                    markeredgewidth=0.6,
                )
            axes.set_title(track)
            axes.set_xticks(sorted({row["level"] for row in rows}))
            axes.grid(axis="y")
            axes.spines["left"].set_visible(False)
        panels[len(panels) // 2].set_xlabel("level at the end")
        panels[0].set_ylabel(success_title(data).lower())
        if data.scale == 1:
            plots.as_percent(panels[0].yaxis)

    return Figure(
        "tracks",
        "Level reached and winning",
        _sentence(table),
        draw,
        height=2.5,
        counted=f"n {int(table.filter(track=tracks[0])['n'].sum()):,} players; bars are 95 % "
        "intervals, hollow dots rest on few games",
    )


def _sentence(table: pl.DataFrame) -> str:
    """Name the track whose levels spread the win share most, among levels that many reach."""
    often = table.filter(pl.col("part") > 0.02)
    spread = often.group_by("track", maintain_order=True).agg(
        (pl.col("value").max() - pl.col("value").min()).alias("spread")
    )
    if spread.is_empty():
        return "The dashed line is the fair share."
    best = spread.sort("spread")["track"][-1]
    return f"Winning goes together most with the level in {best}. The dashed line is the fair share."


def _table(data: StudyData, table: pl.DataFrame) -> Table:
    return filled(
        "tracks",
        "Success by level",
        table,
        [
            words("Track", table["track"].to_list()),
            counts("Level", table["level"].to_list()),
            counts("Players", table["n"].to_list()),
            ordered("End there", [percent(x, 1) for x in table["part"]], table["part"].to_list()),
            estimated(success_title(data), table, percent=data.scale == 1),
        ],
    )
