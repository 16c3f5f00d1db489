"""Actions: how often, when, and with what return; tiles set aside."""

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.plots import ACCENT, BELOW
from khora_sim.pages.sections.points import members, profile
from khora_sim.pages.study_data import StudyData, labelled, level_column
from khora_sim.pages.table import Table, amount, count, nested, share, text
from khora_sim.pages.wording import about, bare_percent, largest, rests_on, rows_of
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import sums_of

KINDS = ("actions", "actions-by-round")
COINS = {
    "philosophy": "philosophy tokens",
    "legislation": "cards kept",
    "culture": "points",
    "trade": "drachmas",
    "military": "spaces explored",
    "politics": "cards played",
    "development": "developments unlocked",
}


def section(data: StudyData) -> Section:
    """Actions."""
    actions = members(data, "actions_")
    counted = [f"{kind}_{action}" for kind in ("returns", "set_aside") for action in actions]
    if not actions or data.lacks(*counted):
        why = "This dataset does not count actions."
        return Section("actions", "Actions", why, missing=dict.fromkeys(KINDS, why))
    table = taken(data, actions, [])
    figures, tables, missing = [_figure(table)], [_table(table)], {}
    if data.rounds is None:
        missing["actions-by-round"] = (
            "This study has no table of rounds; play it with --rounds to see when actions are taken."
        )
    else:
        when = by_round(data, actions)
        figures.append(_when_figure(when, actions))
        columns = [
            text("Action", "action"),
            count("Round", "round"),
            count("Players", "n"),
            share("Use the tile"),
        ]
        tables.append(Table.of("actions-by-round", "Tiles used by round", when, columns))
    tables += [_split_table(data, taken(data, actions, [by]), by) for by in ("strategy", "city")]
    return Section("actions", "Actions", _lead(table), figures, tables, missing=missing)


def taken(data: StudyData, actions: list[str], by: list[str]) -> pl.DataFrame:
    """Actions per player and game, what one brings, and tiles set aside."""
    sums, parts, most = profile(data), [], data.rows_per_group
    for action in actions:
        done, aside = f"actions_{action}", f"set_aside_{action}"
        tiles = sums.with_sum("tiles", pl.col(done) + pl.col(aside))
        measures = {
            "taken": means(sums, by, done),
            "return": means(sums, by, f"returns_{action}", done),
            "set_aside": means(sums, by, aside),
            "lost": shares(tiles, by, aside, "tiles", rows_per_group=most),
        }
        parts += [labelled(found, action=action, measure=one) for one, found in measures.items()]
    return pl.concat(parts)


def by_round(data: StudyData, actions: list[str]) -> pl.DataFrame:
    """Share of players who use each tile in each round."""
    assert data.rounds is not None
    used = {
        action: ((pl.col("tiles_used") & (1 << i)) != 0).cast(pl.UInt32) for i, action in enumerate(actions)
    }
    sums = sums_of(data.rounds, ["round"], used)
    return pl.concat([labelled(shares(sums, ["round"], action), action=action) for action in actions])


def _lead(table: pl.DataFrame) -> str:
    by_count = sorted(rows_of(table.filter(measure="taken")), key=lambda row: -row["value"])
    most, least = by_count[0], by_count[-1]
    lost = max(rows_of(table.filter(measure="lost")), key=lambda row: row["value"] or 0.0, default=None)
    sentence = (
        f"{most['action'].capitalize()} is the most common action ({most['value']:.1f} a game for each "
        f"player), {least['action']} the rarest ({least['value']:.1f})."
    )
    if lost and lost["value"]:
        sentence += (
            f" The tile that most often cannot be paid for is {lost['action']}: {about(lost['value'])} of "
            "them are set aside."
        )
    return sentence


def _figure(table: pl.DataFrame) -> Figure:
    rows = nested(table, ["action"])
    values = np.array([[row["taken"]["value"], row["set_aside"]["value"]] for row in rows])

    def draw(canvas: Canvas) -> None:
        axes, actions = canvas.subplots(), [row["action"] for row in rows]
        plots.stacked(axes, actions, ["taken", "set aside"], values, [ACCENT, BELOW])
        axes.set_xlabel("per player and game")
        plots.legend_below(canvas, axes, 2)

    return Figure(
        "actions",
        "Actions taken and tiles set aside",
        "Blue: actions taken, extra ones included; orange: tiles whose citizens could not be paid.",
        draw,
        height=len(rows) * plots.ROW + 0.8,
        counted=rests_on(rows[0]["taken"]["n"], "players"),
    )


def _when_figure(when: pl.DataFrame, actions: list[str]) -> Figure:
    used = {(row["action"], row["round"]): row["value"] for row in rows_of(when)}
    rounds = sorted(when["round"].unique())
    change = {action: used[action, rounds[-1]] - used[action, rounds[0]] for action in actions}
    later, earlier = (pick(actions, key=lambda action: change[action]) for pick in (max, min))
    return plots.heat_figure(
        "actions-by-round",
        "Players who use each tile, by round, in %",
        f"{later.capitalize()} gains most from the first round to the last, {earlier} loses most.",
        {at: (value, bare_percent(value)) for at, value in used.items()},
        {action: action for action in actions},
        {number: str(number) for number in rounds},
        counted=rests_on(round(largest(when["n"])), "players in each round"),
    )


def _table(table: pl.DataFrame) -> Table:
    columns = [
        text("Action", "action"),
        count("Players", lambda row: row["taken"]["n"]),
        amount("Taken per game", "taken"),
        amount("One brings", "return"),
        text("in", lambda row: COINS.get(row["action"], "")),
        amount("Set aside per game", "set_aside"),
        share("Of its tiles set aside", "lost"),
    ]
    return Table.of("actions", "Actions in numbers", nested(table, ["action"]), columns, frame=table)


def _split_table(data: StudyData, table: pl.DataFrame, by: str) -> Table:
    rows = nested(table.sort(by, maintain_order=True), [by, "action"])
    columns = [level_column(data, by), text("Action", "action")]
    columns += [amount("Taken per game", "taken"), amount("One brings", "return")]
    return Table.of(f"actions-by-{by}", f"Actions by {by}", rows, columns, frame=table)
