"""Achievements: who earns them, when, alone or shared."""

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section, Table, aligned, counts, estimated, filled, words
from khora_sim.pages.plots import FEW
from khora_sim.pages.sections.points import members, profile
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.verdict import city_tiers
from khora_sim.pages.wording import about, rows_of
from khora_sim.stats import flag_table
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import collect

KINDS = ("achievements", "achievements-by-city")


def section(data: StudyData) -> Section:
    """Achievements."""
    names = members(data, "achieved_")
    if not names or data.lacks(*(f"alone_{name}" for name in names)):
        why = "This dataset does not hold the achievements."
        return Section("achievements", "Achievements", why, missing=dict.fromkeys(KINDS, why))
    whole, by_city, by_strategy = (earned(data, names, by) for by in ([], ["city"], ["strategy"]))
    return Section(
        "achievements",
        "Achievements",
        _lead(whole),
        [_when_figure(data, names, by_round(data, names)), _city_figure(data, names, by_city)],
        [
            _table(data, names, whole),
            _split_table(data, names, by_city, "city"),
            _split_table(data, names, by_strategy, "strategy"),
        ],
    )


def shown(name: str) -> str:
    """An achievement as people call it."""
    return name.replace("_", " ")


def earned(data: StudyData, names: list[str], by: list[str]) -> pl.DataFrame:
    """Share of players who earn each, share of those who do so alone, and the round."""
    sums, parts = profile(data), []
    for name in names:
        got = f"earned_{name}"
        for measure, found in (
            ("earned", shares(sums, by, got, rows_per_group=data.rows_per_group)),
            ("alone", shares(sums, by, f"alone_{name}", got, rows_per_group=data.rows_per_group)),
            ("round", means(sums, by, f"round_{name}", got)),
        ):
            parts.append(
                found.select(pl.lit(name).alias("achievement"), pl.lit(measure).alias("measure"), pl.all())
            )
    return pl.concat(parts)


def by_round(data: StudyData, names: list[str]) -> dict[str, list[float]]:
    """Share of players who have earned each by the end of each round."""
    found = {}
    for name in names:
        column = f"achieved_{name}"
        counted = collect(data.wide.group_by(column).agg(pl.len().alias("n")))
        rounds = dict(counted.iter_rows())
        total = sum(rounds.values())
        steps = [rounds.get(number, 0) / total for number in range(1, data.round_count + 1)]
        found[name] = list(np.cumsum(steps))
    return found


def _lead(whole: pl.DataFrame) -> str:
    rows = rows_of(whole.filter(measure="earned").sort("value"))
    most, least = rows[-1], rows[0]
    text = (
        f"{shown(most['achievement']).capitalize()} is earned most ({about(most['value'])} of players), "
        f"{shown(least['achievement'])} least ({about(least['value'])})."
    )
    alone = rows_of(whole.filter(measure="alone").sort("value"))
    if alone:
        text += (
            f" {shown(alone[-1]['achievement']).capitalize()} is earned alone most often "
            f"({about(alone[-1]['value'])} of the time)."
        )
    return text


def _when_figure(data: StudyData, names: list[str], when: dict[str, list[float]]) -> Figure:
    rounds = list(range(1, data.round_count + 1))

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        series = [
            (shown(name), when[name], FEW[i % len(FEW)], "os^Dv"[i % 5]) for i, name in enumerate(names)
        ]
        plots.lines(axes, rounds, series)
        axes.set_xticks(rounds)
        axes.set_xlabel("by the end of round")
        axes.set_ylabel("players who have earned it")
        axes.set_ylim(bottom=0)
        plots.as_percent(axes.yaxis)
        plots.legend_below(canvas, axes, 3)

    return Figure(
        "achievements",
        "When achievements are earned",
        _when_sentence(rounds, when),
        draw,
        height=3.1,
        counted=f"n {profile(data).rows:,} players",
    )


def _when_sentence(rounds: list[int], when: dict[str, list[float]]) -> str:
    """Which achievement goes first and which last, by the round in which half of it is gone."""
    half = {
        name: next(number for number, share in zip(rounds, parts, strict=True) if share >= parts[-1] / 2)
        for name, parts in when.items()
        if parts[-1] > 0
    }
    if not half:
        return "Nobody earned an achievement."
    early, late = min(half, key=lambda name: half[name]), max(half, key=lambda name: half[name])
    return (
        f"{shown(early).capitalize()} goes first, half of it by round {half[early]}; "
        f"{shown(late)} goes last, half by round {half[late]}."
    )


def _city_figure(data: StudyData, names: list[str], by_city: pl.DataFrame) -> Figure:
    order = city_tiers(data).table["item"].to_list()
    cells = {
        (row["city"], row["achievement"]): row["value"] for row in rows_of(by_city.filter(measure="earned"))
    }
    values = np.array([[cells.get((city, name), np.nan) for name in names] for city in order])
    texts = [[f"{100 * value:.0f}" for value in line] for line in values]
    # Colours are against the mean of each column: they show the city, not how common an achievement is.
    away = values - np.nanmean(values, axis=0, keepdims=True)

    def draw(canvas: Canvas) -> None:
        plots.heat(
            canvas.subplots(),
            away,
            texts,
            [data.city(city) for city in order],
            [shown(name) for name in names],
            0.0,
        )

    r, c = np.unravel_index(np.nanargmax(away), away.shape)
    return Figure(
        "achievements-by-city",
        "Players who earn each achievement, by city, in %",
        f"{data.city(order[r])} stands out in {shown(names[c])}: {texts[r][c]} % against "
        f"{100 * float(np.nanmean(values[:, c])):.0f} % for the average city; the largest of "
        f"{int(np.isfinite(away).sum())} differences tends to overstate the truth. Blue is more than "
        "average, orange less.",
        draw,
        height=len(order) * 0.27 + 0.85,
        counted=f"n {profile(data).rows:,} players",
    )


def _table(data: StudyData, names: list[str], whole: pl.DataFrame) -> Table:
    flags = {name: pl.col(f"achieved_{name}") > 0 for name in names}
    scaled = pl.col("with", "without", "value", "low", "high") * data.scale
    wins = flag_table(data.wide, flags, value="success").with_columns(scaled)
    rows = pl.DataFrame({"achievement": names})

    def own(measure: str) -> pl.DataFrame:
        return aligned(rows, ["achievement"], whole.filter(measure=measure))

    return filled(
        "achievements",
        "Achievements in numbers",
        whole,
        [
            words("Achievement", [shown(name) for name in names]),
            counts("Players", own("earned")["n"].to_list()),
            estimated("Earned by", own("earned"), percent=True),
            estimated("Alone", own("alone"), percent=True),
            estimated("Round", own("round")),
            estimated(
                "Win share with it",
                wins,
                percent=data.scale == 1,
                signed=True,
                columns=("value", "low", "high", "n_with"),
            ),
        ],
        note="Win share with it minus without it: association, not an effect.",
    )


def _split_table(data: StudyData, names: list[str], table: pl.DataFrame, by: str) -> Table:
    keys = [by, "achievement"]
    rows = table.filter(measure="earned").select(keys).sort(by, maintain_order=True)

    def own(measure: str) -> pl.DataFrame:
        return aligned(rows, keys, table.filter(measure=measure))

    found = rows_of(rows)
    return filled(
        f"achievements-by-{by}",
        f"Achievements by {by}",
        table,
        [
            words(by.capitalize(), [data.city(row[by]) if by == "city" else row[by] for row in found]),
            words("Achievement", [shown(row["achievement"]) for row in found]),
            estimated("Earned by", own("earned"), percent=True),
            estimated("Alone", own("alone"), percent=True),
            estimated("Round", own("round")),
        ],
    )
