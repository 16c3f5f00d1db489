"""Events: the effect of each on scores and on the order of the players."""

from functools import lru_cache

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.table import Table, amount, count, nested, p_value, share, shrunken, text
from khora_sim.pages.wording import (
    BARS,
    Row,
    effect,
    estimate_of,
    is_significant,
    overstates,
    points,
    rests_on,
    rows_of,
    with_shrunken,
)
from khora_sim.simulation import dataset
from khora_sim.stats import against_strata, flag_table
from khora_sim.stats.sums import sums_of, total

KINDS = ("events",)


def section(data: StudyData) -> Section:
    """Events."""
    if not data.round_count or data.lacks("leading"):
        why = "This dataset does not hold the events, or not who led after each round."
        return Section("events", "Events", why, missing={"events": why})
    score, margin = (with_and_without(data, value) for value in ("score", "margin"))
    order = unsettling(data)
    fixed = [data.names["events"][row["name"]] for row in rows_of(score.filter(n_without=0))]
    notes = [
        "Which events come is chance, so with minus without is an effect: that of this event in the place "
        "of an average other one. Whether the lead passes on is compared with the same round, at tables of "
        "the same size, of the games that have another event there."
    ]
    if fixed:
        notes.append(f"{listed(fixed)} came in every game, so there is nothing to compare their scores with.")
    figures, tables = [_figure(data, score, order)], [_table(data, score, margin, order)]
    return Section("events", "Events", _lead(data, score, order), figures, tables, notes)


@lru_cache(maxsize=2)
def game_frame(data: StudyData) -> pl.DataFrame:
    """One row per game: rotation group, players, mean score, margin, the events, and when a lead was kept."""
    events = [f"event_{number}" for number in range(1, data.round_count + 1)]
    columns = {"games": ["rotation_group", "players", "margin", *events], "players": ["score", "leading"]}
    parts = []
    for part in data.wide_parts:
        games, rows = (
            pl.read_parquet(dataset.part_path(data.study.folder, table, part.part), columns=wanted)
            for table, wanted in columns.items()
        )
        first = np.concatenate([[0], np.cumsum(games["players"].to_numpy(), dtype=np.int64)[:-1]])
        total = np.add.reduceat(rows["score"].to_numpy().astype(np.int64), first)
        leading = rows["leading"].to_numpy()
        # Bit r: somebody who led after round r + 1 still leads after round r + 2.
        kept = np.bitwise_or.reduceat(leading & (leading >> 1), first)
        mean = (total / games["players"].to_numpy()).astype(np.float32)
        parts.append(games.with_columns(pl.Series("score", mean), pl.Series("kept", kept)))
    return pl.concat(parts)


def with_and_without(data: StudyData, value: str) -> pl.DataFrame:
    """Mean of a value in games with each event minus that in games without it."""
    columns = [f"event_{number}" for number in range(1, data.round_count + 1)]
    events = data.manifest.enums.events
    flags = {event: pl.any_horizontal(pl.col(columns) == event) for event in events}
    return with_shrunken(flag_table(game_frame(data), flags, value=value))


def unsettling(data: StudyData) -> pl.DataFrame:
    """Share of games where the lead passes on in an event's round, minus that round with other events."""
    frame, rounds = game_frame(data), []
    for number in range(2, data.round_count + 1):
        passed = ((pl.col("kept") & (1 << (number - 2))) == 0).cast(pl.UInt32)
        here = {"event": pl.col(f"event_{number}"), "round": pl.lit(number)}
        rounds.append(
            sums_of(frame.lazy().with_columns(**here), ["players", "round", "event"], {"passed": passed})
        )
    return against_strata(total(rounds), "event", ["players", "round"], "passed", without_itself=True)


def _lead(data: StudyData, score: pl.DataFrame, order: pl.DataFrame) -> str:
    names = data.names["events"]
    compared = score.filter(pl.col("n_without") > 0).sort("value")
    sure = [row for row in rows_of(compared) if is_significant(row["p_holm"])]
    sentences = []
    if sure:
        best, worst = sure[-1], sure[0]
        if best["value"] > 0:
            sentences.append(f"{names[best['name']]} raises scores most ({_points(best)} for each player)")
        if worst["value"] < 0:
            sentences.append(f"{names[worst['name']]} lowers them most ({_points(worst)})")
        sentences[-1] += f"; {overstates(len(compared))}"
    else:
        sentences.append("No event changes mean scores by an amount that can be seen")
    moved = rows_of(order.filter(pl.col("value") > 0).sort("value"))
    upsetting = [row["event"] for row in moved if is_significant(row["p_holm"])]
    if upsetting:
        sentences.append(f"{names[upsetting[-1]]} upsets the lead most")
    return "; ".join(sentences) + "."


def _points(row: Row) -> str:
    measured = points(estimate_of(row | {"n": row["n_with"]}))
    return f"{effect(row['shrunken'], row['high'] - row['low'], 'points')}, measured {measured}"


def _figure(data: StudyData, score: pl.DataFrame, order: pl.DataFrame) -> Figure:
    shown = score.filter(pl.col("n_with") > 0).sort(
        pl.col("n_without") == 0, "value", descending=[False, True], nulls_last=True
    )
    left = rows_of(shown)
    orders = {row["event"]: row for row in rows_of(order)}

    def draw(canvas: Canvas) -> None:
        right = [orders.get(row["name"]) for row in left]
        names = [data.names["events"][row["name"]] for row in left]
        panels = (("mean score, points", left, False), ("lead passes on", right, True))
        plots.effect_panels(canvas, names, panels, size=7.5)

    return Figure(
        "events",
        "What events do to scores and to the order",
        "Left: mean score of all players in games with the event minus games without. Right: how much more "
        "often the lead changes hands in its round than in that round with another event. Filled dots are "
        "significant after correction.",
        draw,
        height=len(left) * 0.2 + 0.65,
        counted=rests_on(len(game_frame(data)), "games", BARS),
    )


def _table(data: StudyData, score: pl.DataFrame, margin: pl.DataFrame, order: pl.DataFrame) -> Table:
    moved = order.select(pl.col("event").cast(pl.String).alias("name"), pl.exclude("event"))
    effects = {"score": score, "margin": margin, "lead": moved}
    frame = score.select("name")
    for measure, table in effects.items():
        prefixed = table.select("name", pl.exclude("name").name.prefix(f"{measure}_"))
        frame = frame.join(prefixed, on="name", how="left", maintain_order="left")
    rows = nested(
        {one: table.rename({"n_with": "n"}, strict=False) for one, table in effects.items()}, ["name"]
    )
    columns = [
        text("Event", "name", data.names["events"]),
        count("Games with it", lambda row: row["score"]["n"]),
        count("without", lambda row: row["score"]["n_without"]),
        amount("Mean score", "score", signed=True),
        shrunken("score"),
        p_value("p (Holm), score", lambda row: row["score"]["p_holm"]),
        amount("Margin", "margin", signed=True),
        share("Lead passes on", "lead", signed=True),
        p_value("p (Holm), lead", lambda row: row["lead"] and row["lead"]["p_holm"]),
    ]
    note = (
        "Each is a difference: with the event minus without it; for the lead, in percentage points against "
        "the same round with other events. Shrunken: the mean score moved towards that of all events by the "
        "part that chance explains."
    )
    return Table.of("events", "Every event in numbers", rows, columns, note=note, frame=frame)
