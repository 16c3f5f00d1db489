"""When games are decided: the leader's chances by round, lead changes, margins and near-ties."""

import polars as pl
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import DASHED, FEW
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.table import Table, amount, count, nested, share
from khora_sim.pages.wording import in_percent, largest, percent, rests_on, rows_of, times
from khora_sim.simulation import game_facts
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import collect, sums_of

KINDS = ("decided", "margins")
NEAR = 2  # points between first and second that still count as a near-tie
REST = 0.02  # of the games have such large margins that they share a bar


def section(data: StudyData) -> Section:
    """When games are decided."""
    ends = endings(data)
    figures, tables, missing = [], [_endings_table(ends)], {}
    if data.lacks("leading"):
        missing["decided"] = "This dataset does not say who led after each round (no column leading)."
    else:
        chances = leaders(data)
        figures.append(_decided_figure(chances))
        tables.insert(0, _leaders_table(chances))
    figures.append(_margins_figure(data))
    return Section("deciding", "When games are decided", _lead(ends), figures, tables, missing=missing)


def leaders(data: StudyData) -> pl.DataFrame:
    """Share of the leaders after each round who win in the end, by number of players."""
    return game_facts.leaders(data.wide, ["players"], data.round_count, data.rows_per_group)


def endings(data: StudyData) -> pl.DataFrame:
    """Margins, near-ties, ties settled by drachmas, shared victories and lead changes, by players."""
    by_drachmas = pl.col("by_drachmas") if "by_drachmas" in data.game_columns else pl.lit(0)
    summed = {
        "margin": pl.col("margin").cast(pl.Int64),
        "near": (pl.col("margin") <= NEAR).cast(pl.UInt32),
        "by_drachmas": by_drachmas.cast(pl.UInt32),
        "shared": (pl.col("winners") > 1).cast(pl.UInt32),
        "lead_changes": pl.col("lead_changes").cast(pl.Int64),
        "winning_score": pl.col("winning_score").cast(pl.Int64),
    }
    sums = sums_of(data.games, ["players"], summed)
    parts = []
    for name in summed:
        is_mean = name in ("margin", "lead_changes", "winning_score")
        table = (means if is_mean else shares)(sums, ["players"], name)
        parts.append(table.select("players", pl.lit(name).alias("measure"), pl.exclude("players")))
    return pl.concat(parts)


def _lead(ends: pl.DataFrame) -> str:
    sentences = []
    for row in rows_of(ends.filter(measure="near").sort("players")):
        margin = rows_of(ends.filter(measure="margin", players=row["players"]))[0]
        sentences.append(
            f"At {row['players']} players the winner is {margin['value']:.0f} points ahead on average, and "
            f"{in_percent(row)} of games end with at most {NEAR} points between first and second"
        )
    return ". ".join(sentences) + "."


def _decided_figure(chances: pl.DataFrame) -> Figure:
    tables = chances["players"].unique().sort().to_list()

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        for players, colour, marker in zip(tables, FEW, "os^", strict=False):
            own = chances.filter(players=players)
            rounds = own["round"].to_list()
            plots.lines(axes, rounds, [(f"{players} players", own["value"].to_list(), colour, marker)])
            if largest(own["high"] - own["low"]) < 1:
                axes.fill_between(rounds, own["low"], own["high"], color=colour, alpha=0.2, linewidth=0)
            axes.axhline(1 / players, **DASHED)
        axes.set_ylim(0, 1.02)
        plots.as_percent(axes.yaxis, most=6)
        axes.set_xticks(chances["round"].unique().sort().to_list())
        axes.set_xlabel("leads or shares the lead after round")
        axes.set_ylabel("goes on to win")
        if len(tables) > 1:
            axes.legend(loc="upper left")

    return Figure(
        "decided",
        "Chance that the leader after a round wins",
        _decided_sentence(chances),
        draw,
        height=2.9,
        counted=rests_on(
            int(chances["n"].sum()), "leads", "shaded: 95 % intervals", "dashed: the fair share"
        ),
    )


def _decided_sentence(chances: pl.DataFrame) -> str:
    players = round(largest(chances["players"]))
    rows = rows_of(chances.filter(players=players))
    half = next((row for row in rows if row["value"] > 0.5), None)
    last = rows[-1]
    start = (
        f"At {players} players the leader wins more often than not from round {half['round']} on"
        if half
        else f"At {players} players no lead before the final scoring is worth an even chance"
    )
    lost = percent(1 - last["value"], 0)
    return f"{start}; a lead after round {last['round']} still loses {lost} of the time."


def _margins_figure(data: StudyData) -> Figure:
    counted = collect(data.games.group_by("margin").agg(pl.len().alias("n"))).sort("margin")
    beyond = counted.filter(pl.col("n").cum_sum() >= (1 - REST) * pl.col("n").sum())
    longest = int(beyond["margin"][0])
    capped = counted.with_columns(pl.col("margin").clip(upper_bound=longest))
    capped = capped.group_by("margin").agg(pl.col("n").sum()).sort("margin")
    changes = collect(data.games.group_by("lead_changes").agg(pl.len().alias("n"))).sort("lead_changes")

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=(3, 2))
        total = capped["n"].sum()
        near = [FEW[1] if margin <= NEAR else FEW[0] for margin in capped["margin"]]
        left.bar(capped["margin"], capped["n"] / total, width=0.85, color=near)
        left.set_title("points ahead of the second")
        right.bar(changes["lead_changes"], changes["n"] / total, width=0.8, color=FEW[0])
        right.set_title("lead changes")
        for axes in (left, right):
            plots.light_frame(axes)
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
            plots.as_percent(axes.yaxis)

    mode = changes.sort("n")["lead_changes"][-1]
    return Figure(
        "margins",
        "Margins and lead changes",
        f"Orange bars are near-ties (at most {NEAR} points). The lead most often changes hands "
        f"{times(mode)}.",
        draw,
        height=2.3,
        counted=rests_on(data.game_count, "games", f"the last bar holds all margins from {longest} on"),
    )


def _leaders_table(chances: pl.DataFrame) -> Table:
    columns = [
        count("Players", "players"),
        count("Round", "round"),
        count("Leads", "n"),
        share("Goes on to win"),
    ]
    return Table.of("leaders", "Leaders who go on to win, by round", chances, columns)


def _endings_table(ends: pl.DataFrame) -> Table:
    columns = [
        count("Players", "players"),
        count("Games", lambda row: row["margin"]["n"]),
        amount("Winning score", "winning_score"),
        amount("Margin", "margin"),
        share(f"Within {NEAR} points", "near"),
        share("Settled by drachmas", "by_drachmas"),
        share("Shared victory", "shared"),
        amount("Lead changes", "lead_changes"),
    ]
    rows = nested(ends.sort("players"), ["players"])
    return Table.of("endings", "How games end", rows, columns, open=True, frame=ends)
