"""Actions: how often, when, and with what return; tiles set aside."""

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section, Table, aligned, counts, estimated, filled, words
from khora_sim.pages.plots import ACCENT, BELOW
from khora_sim.pages.sections.points import members, profile
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.wording import about, largest, rows_of
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
    """What players do."""
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
        tables.append(_when_table(when))
    for by in ("strategy", "city"):
        tables.append(_split_table(data, taken(data, actions, [by]), by))
    return Section("actions", "Actions", _lead(table), figures, tables, missing=missing)


def taken(data: StudyData, actions: list[str], by: list[str]) -> pl.DataFrame:
    """Actions per player and game, what one brings, and tiles set aside."""
    sums = profile(data)
    parts = []
    for action in actions:
        tiles = sums.with_sum("tiles", pl.col(f"actions_{action}") + pl.col(f"set_aside_{action}"))
        for measure, found in (
            ("taken", means(sums, by, f"actions_{action}")),
            ("return", means(sums, by, f"returns_{action}", f"actions_{action}")),
            ("set_aside", means(sums, by, f"set_aside_{action}")),
            (
                "lost",
                shares(tiles, by, f"set_aside_{action}", "tiles", rows_per_group=data.rows_per_group),
            ),
        ):
            parts.append(
                found.select(pl.lit(action).alias("action"), pl.lit(measure).alias("measure"), pl.all())
            )
    return pl.concat(parts)


def by_round(data: StudyData, actions: list[str]) -> pl.DataFrame:
    """Share of players who use each tile in each round."""
    assert data.rounds is not None
    used = {
        action: ((pl.col("tiles_used") & (1 << i)) != 0).cast(pl.UInt32) for i, action in enumerate(actions)
    }
    sums = sums_of(data.rounds, ["round"], used)
    return pl.concat(
        [
            shares(sums, ["round"], action).select(pl.lit(action).alias("action"), pl.all())
            for action in actions
        ]
    )


def _own(table: pl.DataFrame, measure: str) -> pl.DataFrame:
    return table.filter(measure=measure)


def _lead(table: pl.DataFrame) -> str:
    taken_rows = sorted(rows_of(_own(table, "taken")), key=lambda row: -row["value"])
    lost = sorted(rows_of(_own(table, "lost")), key=lambda row: -(row["value"] or 0.0))
    most, least = taken_rows[0], taken_rows[-1]
    sentence = (
        f"{most['action'].capitalize()} is the most common action ({most['value']:.1f} a game for "
        "each player), "
        f"{least['action']} the rarest ({least['value']:.1f})."
    )
    if lost and lost[0]["value"]:
        sentence += (
            f" The tile that most often cannot be paid for is {lost[0]['action']}: "
            f"{about(lost[0]['value'])} of them are set aside."
        )
    return sentence


def _figure(table: pl.DataFrame) -> Figure:
    rows = [(row["action"], row["value"]) for row in rows_of(_own(table, "taken"))]
    aside = {row["action"]: row["value"] for row in rows_of(_own(table, "set_aside"))}
    values = np.array([[value, aside[action]] for action, value in rows])

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        plots.stacked(axes, [action for action, _ in rows], ["taken", "set aside"], values, [ACCENT, BELOW])
        axes.set_xlabel("per player and game")
        plots.legend_below(canvas, axes, 2)

    return Figure(
        "actions",
        "Actions taken and tiles set aside",
        "Blue: actions taken, extra ones included; orange: tiles whose citizens could not be paid.",
        draw,
        height=len(rows) * plots.ROW + 0.8,
        counted=f"n {largest(_own(table, 'taken')['n']):,.0f} players",
    )


def _when_figure(when: pl.DataFrame, actions: list[str]) -> Figure:
    rounds = when["round"].unique().sort().to_list()
    cells = {(row["action"], row["round"]): row["value"] for row in rows_of(when)}
    values = np.array([[cells[action, number] for number in rounds] for action in actions])
    texts = [[f"{100 * value:.0f}" for value in line] for line in values]
    change = values[:, -1] - values[:, 0]
    later, earlier = actions[int(change.argmax())], actions[int(change.argmin())]

    def draw(canvas: Canvas) -> None:
        plots.heat(canvas.subplots(), values, texts, actions, [str(number) for number in rounds], 0.0)

    return Figure(
        "actions-by-round",
        "Players who use each tile, by round, in %",
        f"{later.capitalize()} gains most from the first round to the last, {earlier} loses most.",
        draw,
        height=len(actions) * 0.27 + 0.6,
        counted=f"n {largest(when['n']):,.0f} players in each round",
    )


def _table(table: pl.DataFrame) -> Table:
    names = [row["action"] for row in rows_of(_own(table, "taken"))]

    def own(measure: str) -> pl.DataFrame:
        return aligned(_own(table, "taken"), ["action"], _own(table, measure))

    return filled(
        "actions",
        "Actions in numbers",
        table,
        [
            words("Action", names),
            counts("Players", _own(table, "taken")["n"].to_list()),
            estimated("Taken per game", _own(table, "taken")),
            estimated("One brings", own("return")),
            words("in", [COINS.get(name, "") for name in names]),
            estimated("Set aside per game", own("set_aside")),
            estimated("Of its tiles set aside", own("lost"), percent=True),
        ],
    )


def _when_table(when: pl.DataFrame) -> Table:
    return filled(
        "actions-by-round",
        "Tiles used by round",
        when,
        [
            words("Action", when["action"].to_list()),
            counts("Round", when["round"].to_list()),
            counts("Players", when["n"].to_list()),
            estimated("Use the tile", when, percent=True),
        ],
    )


def _split_table(data: StudyData, table: pl.DataFrame, by: str) -> Table:
    used = _own(table, "taken").sort(by, maintain_order=True)
    both = aligned(used, [by, "action"], _own(table, "return"))
    rows = rows_of(used)
    return filled(
        f"actions-by-{by}",
        f"Actions by {by}",
        table,
        [
            words(by.capitalize(), [data.city(row[by]) if by == "city" else row[by] for row in rows]),
            words("Action", [row["action"] for row in rows]),
            estimated("Taken per game", used),
            estimated("One brings", both),
        ],
    )
