"""Progress tracks: the level reached against the result."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import FEW
from khora_sim.pages.sections.points import members
from khora_sim.pages.study_data import StudyData, labelled, success_column, success_title
from khora_sim.pages.table import Table, count, number, text
from khora_sim.pages.wording import BARS, few, percent, rests_on, rows_of
from khora_sim.stats.ratios import shares
from khora_sim.stats.sums import sums_of

KINDS = ("tracks",)
OFTEN = 0.02  # share of players that a level must hold to be spoken of
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
    figures, tables = [_figure(data, table, tracks)], [_table(data, table)]
    return Section("tracks", "Progress tracks", _lead(table), figures, tables, [ASSOCIATION])


def by_level(data: StudyData, tracks: list[str]) -> pl.DataFrame:
    """Success by the level reached on each track, and the share of players who ended there."""
    parts = []
    for track in tracks:
        level = f"level_{track}"
        sums = sums_of(data.wide, [level], {"success": pl.col("success")})
        found = shares(sums, [level], "success", scale=data.scale, rows_per_group=data.rows_per_group)
        found = found.rename({level: "level"}).with_columns(part=pl.col("n") / pl.col("n").sum())
        parts.append(labelled(found, track=track))
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
            rows = rows_of(table.filter(track=track))
            sure = [row for row in rows if not few(row["n"], row["units"])]
            levels = [row["level"] for row in rows]
            plots.upright_dots(axes, levels, rows, data.fair, colour, data.scale)
            axes.plot([row["level"] for row in sure], [row["value"] for row in sure], color=colour, lw=1.5)
            axes.set_title(track)
            axes.set_xticks(sorted(set(levels)))
        panels[len(panels) // 2].set_xlabel("level at the end")
        panels[0].set_ylabel(success_title(data).lower())
        if data.scale == 1:
            plots.as_percent(panels[0].yaxis)

    n = int(table.filter(track=tracks[0])["n"].sum())
    counted = rests_on(n, "players", f"{BARS}, hollow dots rest on few games")
    return Figure("tracks", "Level reached and winning", _sentence(table), draw, 2.5, counted)


def _sentence(table: pl.DataFrame) -> str:
    """Name the track whose levels spread the win share most, among levels that many reach."""
    often = table.filter(pl.col("part") > OFTEN)
    spread = (pl.col("value").max() - pl.col("value").min()).alias("spread")
    spreads = often.group_by("track", maintain_order=True).agg(spread)
    if spreads.is_empty():
        return "The dashed line is the fair share."
    best = spreads.sort("spread")["track"][-1]
    return f"Winning goes together most with the level in {best}. The dashed line is the fair share."


def _table(data: StudyData, table: pl.DataFrame) -> Table:
    columns = [
        text("Track", "track"),
        count("Level", "level"),
        count("Players", "n"),
        number("End there", "part", lambda part: percent(part, 1)),
        success_column(data),
    ]
    return Table.of("tracks", "Success by level", table, columns)
