"""Achievements: who earns them, when, alone or shared."""

from itertools import cycle

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import FEW
from khora_sim.pages.sections.points import members, profile
from khora_sim.pages.study_data import StudyData, labelled, level_column, success_column
from khora_sim.pages.table import Table, amount, count, nested, share, text
from khora_sim.pages.verdict import ranked_cities
from khora_sim.pages.wording import about, bare_percent, percent, rests_on, rows_of
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
    figures = [_when_figure(data, by_round(data, names)), _city_figure(data, names, by_city)]
    split = [_split_table(data, by_city, "city"), _split_table(data, by_strategy, "strategy")]
    return Section(
        "achievements", "Achievements", _lead(whole), figures, [_table(data, names, whole), *split]
    )


def shown(name: str) -> str:
    """An achievement as people call it."""
    return name.replace("_", " ")


def earned(data: StudyData, names: list[str], by: list[str]) -> pl.DataFrame:
    """Share of players who earn each, share of those who do so alone, and the round."""
    sums, parts, most = profile(data), [], data.rows_per_group
    for name in names:
        got = f"earned_{name}"
        measures = {
            "earned": shares(sums, by, got, rows_per_group=most),
            "alone": shares(sums, by, f"alone_{name}", got, rows_per_group=most),
            "round": means(sums, by, f"round_{name}", got),
        }
        parts += [labelled(found, achievement=name, measure=one) for one, found in measures.items()]
    return pl.concat(parts)


def by_round(data: StudyData, names: list[str]) -> dict[str, list[float]]:
    """Share of players who have earned each by the end of each round."""
    found = {}
    for name in names:
        rounds = dict(collect(data.wide.group_by(f"achieved_{name}").agg(pl.len())).iter_rows())
        total = sum(rounds.values())
        steps = [rounds.get(number, 0) / total for number in range(1, data.round_count + 1)]
        found[name] = list(np.cumsum(steps))
    return found


def _lead(whole: pl.DataFrame) -> str:
    rows = rows_of(whole.filter(measure="earned").sort("value"))
    most, least = rows[-1], rows[0]
    sentence = (
        f"{shown(most['achievement']).capitalize()} is earned most ({about(most['value'])} of players), "
        f"{shown(least['achievement'])} least ({about(least['value'])})."
    )
    alone = rows_of(whole.filter(measure="alone").sort("value"))
    if alone:
        name, part = shown(alone[-1]["achievement"]).capitalize(), about(alone[-1]["value"])
        sentence += f" {name} is earned alone most often ({part} of the time)."
    return sentence


def _when_figure(data: StudyData, when: dict[str, list[float]]) -> Figure:
    rounds = list(range(1, data.round_count + 1))

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        looks = zip(when.items(), cycle(FEW), cycle("os^Dv"), strict=False)
        plots.lines(
            axes, rounds, [(shown(name), parts, colour, marker) for (name, parts), colour, marker in looks]
        )
        axes.set_xticks(rounds)
        axes.set_xlabel("by the end of round")
        axes.set_ylabel("players who have earned it")
        axes.set_ylim(bottom=0)
        plots.as_percent(axes.yaxis)
        plots.legend_below(canvas, axes, 3)

    counted = rests_on(profile(data).rows, "players")
    return Figure("achievements", "When achievements are earned", _when_sentence(when), draw, 3.1, counted)


def _when_sentence(when: dict[str, list[float]]) -> str:
    """Name the achievements that go first and last, by the round in which half of each is gone."""
    half = {
        name: next(number for number, part in enumerate(parts, 1) if part >= parts[-1] / 2)
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
    cities = ranked_cities(data)
    order = list(cities)
    earned_by = {
        (row["city"], row["achievement"]): row["value"] for row in rows_of(by_city.filter(measure="earned"))
    }
    values = np.array([[earned_by.get((city, name), np.nan) for name in names] for city in order])
    # Colours are against the mean of each column: they show the city, not how common an achievement is.
    mean = np.nanmean(values, axis=0)
    away = values - mean
    r, c = np.unravel_index(np.nanargmax(away), away.shape)
    return plots.heat_figure(
        "achievements-by-city",
        "Players who earn each achievement, by city, in %",
        f"{data.city(order[r])} stands out in {shown(names[c])}: {percent(values[r, c], 0)} against "
        f"{percent(mean[c], 0)} for the average city; the largest of {int(np.isfinite(away).sum())} "
        "differences tends to overstate the truth. Blue is more than average, orange less.",
        {(order[i], names[j]): (away[i, j], bare_percent(value)) for (i, j), value in np.ndenumerate(values)},
        cities,
        {name: shown(name) for name in names},
        head=0.85,
        counted=rests_on(profile(data).rows, "players"),
    )


EARNED = (
    text("Achievement", lambda row: shown(row["achievement"])),
    share("Earned by", "earned"),
    share("Alone", "alone"),
    amount("Round", "round"),
)


def _table(data: StudyData, names: list[str], whole: pl.DataFrame) -> Table:
    flags = {name: pl.col(f"achieved_{name}") > 0 for name in names}
    wins = flag_table(data.wide, flags, value="success").select(
        pl.col("name").alias("achievement"),
        pl.col("value", "low", "high") * data.scale,
        pl.col("n_with").alias("n"),
    )
    measures = {measure: whole.filter(measure=measure) for measure in ("earned", "alone", "round")}
    rows = nested({**measures, "wins": wins}, ["achievement"])
    columns = [
        EARNED[0],
        count("Players", lambda row: row["earned"]["n"]),
        *EARNED[1:],
        success_column(data, "Win share with it", "wins", signed=True),
    ]
    note = "Win share with it minus without it: association, not an effect."
    return Table.of("achievements", "Achievements in numbers", rows, columns, note=note, frame=whole)


def _split_table(data: StudyData, table: pl.DataFrame, by: str) -> Table:
    rows = nested(table.sort(by, maintain_order=True), [by, "achievement"])
    columns = [level_column(data, by), *EARNED]
    return Table.of(f"achievements-by-{by}", f"Achievements by {by}", rows, columns, frame=table)
