"""Events: what each does to scores and to the order of the players."""

from functools import lru_cache

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import listed
from khora_sim.pages import plots
from khora_sim.pages.page_model import (
    Figure,
    Section,
    Table,
    aligned,
    counts,
    estimated,
    filled,
    ordered,
    words,
)
from khora_sim.pages.plots import FEW
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.wording import (
    Row,
    effect,
    estimate_of,
    is_significant,
    overstates,
    p_text,
    points,
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
    return Section(
        "events",
        "Events",
        _lead(data, score, order),
        [_figure(data, score, order)],
        [_table(data, score, margin, order)],
        notes,
    )


@lru_cache(maxsize=2)
def game_frame(data: StudyData) -> pl.DataFrame:
    """One row per game: rotation group, players, mean score, margin, the events, and when a lead was kept."""
    events = [f"event_{number}" for number in range(1, data.round_count + 1)]
    parts = []
    for part in data.wide_parts:
        folder = data.study.folder
        games = pl.read_parquet(
            dataset.part_path(folder, "games", part.part),
            columns=["rotation_group", "players", "margin", *events],
        )
        rows = pl.read_parquet(dataset.part_path(folder, "players", part.part), columns=["score", "leading"])
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
    """How much more often the lead passes on in an event's round than in that round with other events."""
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
    sure = [
        row
        for row in rows_of(score.filter(pl.col("n_without") > 0).sort("value"))
        if is_significant(row["p_holm"])
    ]
    sentences = []
    if sure:
        best, worst = sure[-1], sure[0]
        if best["value"] > 0:
            sentences.append(f"{names[best['name']]} raises scores most ({_points(best)} for each player)")
        if worst["value"] < 0:
            sentences.append(f"{names[worst['name']]} lowers them most ({_points(worst)})")
        sentences[-1] += f"; {overstates(len(score.filter(pl.col('n_without') > 0)))}"
    else:
        sentences.append("No event changes mean scores by an amount that can be seen")
    moved = [
        row for row in rows_of(order.sort("value")) if is_significant(row["p_holm"]) and row["value"] > 0
    ]
    if moved:
        sentences.append(f"{names[moved[-1]['event']]} upsets the lead most")
    return "; ".join(sentences) + "."


def _points(row: Row) -> str:
    measured = points(estimate_of(row | {"n": row["n_with"]}))
    return f"{effect(row['shrunken'], row['high'] - row['low'], 'points')}, measured {measured}"


def _figure(data: StudyData, score: pl.DataFrame, order: pl.DataFrame) -> Figure:
    names = data.names["events"]
    shown = score.sort("value", descending=True, nulls_last=True)
    shown = pl.concat([shown.filter(pl.col("n_without") > 0), shown.filter(pl.col("n_without") == 0)])
    ids = [row["name"] for row in rows_of(shown) if row["n_with"]]
    scores = {row["name"]: row for row in rows_of(score)}
    orders = {row["event"]: row for row in rows_of(order)}
    nothing = float("nan")

    def dot(event: str, row: Row | None, colour: str) -> plots.Dot:
        if row is None or row["value"] is None:
            return plots.Dot(names[event], nothing, nothing, nothing)
        return plots.Dot(
            names[event],
            row["value"],
            row["low"],
            row["high"],
            colour,
            faint=not is_significant(row["p_holm"]),
        )

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        plots.dots(left, [dot(event, scores.get(event), FEW[0]) for event in ids], null=0.0)
        plots.dots(right, [dot(event, orders.get(event), FEW[1]) for event in ids], null=0.0)
        left.set_title("mean score, points", fontsize=8)
        right.set_title("lead passes on", fontsize=8)
        left.tick_params(axis="y", labelsize=7.5)
        right.tick_params(axis="y", labelleft=False)
        plots.as_plain(left.xaxis)
        plots.as_percent(right.xaxis, most=4)

    return Figure(
        "events",
        "What events do to scores and to the order",
        "Left: mean score of all players in games with the event minus games without. Right: how "
        "much more often the lead changes hands in its round than in that round with another event. Filled "
        "dots are significant after correction.",
        draw,
        height=len(ids) * 0.2 + 0.65,
        counted=f"n {len(game_frame(data)):,} games; bars are 95 % intervals",
    )


def _table(data: StudyData, score: pl.DataFrame, margin: pl.DataFrame, order: pl.DataFrame) -> Table:
    names = data.names["events"]
    ids = score.select(pl.col("name"))
    moved = aligned(
        ids, ["name"], order.select(pl.col("event").cast(pl.String).alias("name"), pl.exclude("event"))
    )
    n = ("value", "low", "high", "n_with")
    raw = score.select("name", pl.exclude("name").name.prefix("score_")).join(
        margin.select("name", pl.exclude("name").name.prefix("margin_")), on="name"
    )
    raw = raw.join(moved.select("name", pl.exclude("name").name.prefix("lead_")), on="name", how="left")
    return filled(
        "events",
        "Every event in numbers",
        raw,
        [
            words("Event", [names[event] for event in ids["name"]]),
            counts("Games with it", score["n_with"].to_list()),
            counts("without", score["n_without"].to_list()),
            estimated("Mean score", score, signed=True, columns=n),
            ordered(
                "shrunken",
                [
                    effect(x, high - low)
                    for x, low, high in score.select("shrunken", "low", "high").iter_rows()
                ],
                score["shrunken"].to_list(),
            ),
            ordered("p (Holm), score", [p_text(p) for p in score["p_holm"]], score["p_holm"].to_list()),
            estimated("Margin", margin, signed=True, columns=n),
            estimated("Lead passes on", moved, percent=True, signed=True),
            ordered(
                "p (Holm), lead",
                [p_text(p) for p in moved["p_holm"]],
                [p if p is not None else 1.0 for p in moved["p_holm"]],
            ),
        ],
        note="Each is a difference: with the event minus without it; for the lead, in percentage points "
        "against the same round with other events. Shrunken: the mean score moved towards that of all events "
        "by the part that chance explains.",
    )
