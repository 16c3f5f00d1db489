"""The sections of a what-if: the change, the thing itself, fairness, every city, players of another skill."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import counted, listed
from khora_sim.questions.what_if_answer import Variant, Verdict
from khora_sim.report import what_if_words as say
from khora_sim.report.phrases import rows_of, stands
from khora_sim.report.shapes import (
    Figure,
    Section,
    Table,
    counts,
    estimated,
    sentences,
    words,
)
from khora_sim.report.what_if_figure import Move, moves, moves_height
from khora_sim.report.what_if_tables import (
    Told,
    before_after,
    compared,
    effect_sides,
    exposed,
    replay_tables,
    shares_by_side,
)

STANDS = "stands after correction for all comparisons of these players"


def sections(told: Told) -> list[Section]:
    """All sections, in their order."""
    variant, title = told.variant, f"{told.variant.label}: " if told.prefix else ""
    made = [_change(told), _thing(told), _fairness(told), _everybody(told), _skill(told)]
    named = [one for one in made if one is not None]
    return [
        Section(f"{told.prefix}{one.id}", f"{title}{one.title}", one.lead, one.figures, one.tables, one.notes)
        for one in (named if not _no_change(told) else [_nothing(variant), *named[-1:]])
    ]


def _no_change(told: Told) -> bool:
    return told.variant.rules.hash == told.answer.base.hash


def _nothing(variant: Variant) -> Section:
    lines = [change.in_words() for change in variant.changes]
    return Section("change", "The change", say.SAME_RULES, notes=lines)


def _change(told: Told) -> Section:
    main, table = told.variant.main, told.variant.main.tables.exposure
    lead = " ".join([*say.exposure(main), say.elsewhere(main)])
    frame = pl.DataFrame({"change": [change.in_words() for change in told.variant.changes]})
    tables = [
        Table(
            f"{told.prefix}changes",
            "What is changed",
            frame,
            [sentences("Change", frame["change"].to_list())],
            open=True,
        )
    ]
    if len(table):
        overall = table.filter(pl.col("among").is_in(["games", "players"]))
        tables.append(exposed(told, overall, "exposure", "How often it came up", True))
        by_city = table.filter(~pl.col("among").is_in(["games", "players"]))
        if len(by_city):
            tables.append(exposed(told, by_city, "exposure-by-city", "For whom it came up", False))
    return Section("change", "The change, and how often it came up", lead, tables=tables)


def _thing(told: Told) -> Section | None:
    table = told.variant.main.tables.effects
    if table.is_empty():
        return None
    rows = rows_of(table)
    names = list(dict.fromkeys(row["thing"] for row in rows))
    parts = [say.effect(row) for row in rows]
    return Section(
        "thing",
        f"What it did to {listed(names)}",
        f"With {say.who(told.variant.main)}: {'; '.join(parts)}.",
        tables=[
            Table(
                f"{told.prefix}effects",
                "The changed things themselves",
                table,
                [
                    words("Thing", [row["thing"] for row in rows]),
                    sentences("What is asked", [row["asked"] for row in rows]),
                    effect_sides("Before", rows, "first"),
                    counts("n before", [row["first_n"] or 0 for row in rows]),
                    effect_sides("After", rows, "second"),
                    counts("n after", [row["second_n"] or 0 for row in rows]),
                    effect_sides("Change", rows, "value"),
                ],
                open=True,
            )
        ],
        notes=[
            "Who plays a card, unlocks a development or reaches a level does so by choice: what these "
            "players win also tells who does it. Cards are dealt and events drawn by luck alone."
        ],
    )


def _fairness(told: Told) -> Section:
    main, fair = told.variant.main, 1 / told.answer.players
    games, seats = main.tables.games, main.tables.seat_wins
    measures = words("Measure", games["measure"].to_list())
    places = counts("Seat", seats["seat"].to_list())
    return Section(
        "fairness",
        "Is the game fairer?",
        say.fairness(main)
        + " That is the root of the mean squared distance of all cities, without what chance adds to it.",
        [_moves(told, main, fair)],
        [
            compared(told, "games", "Scores and margin", games, measures, share=False),
            compared(told, "seats", "Win share of each seat", seats, places, share=True),
            shares_by_side(told, main),
        ],
    )


def _moves(told: Told, verdict: Verdict, fair: float) -> Figure:
    standing = {(row["side"], row["city"]): row for row in rows_of(verdict.tables.standing)}
    sure = {row["city"] for row in verdict.moved}
    order = sorted(
        told.names, key=lambda city: -(standing.get(("before", city)) or standing[("after", city)])["value"]
    )
    rows = []
    for city in order:
        before, after = (standing.get((side, city), {}).get("value") for side in ("before", "after"))
        rows.append(Move(told.names[city], before, after, city, city in sure))

    def draw(canvas: Canvas) -> None:
        moves(canvas, rows, fair)

    return Figure(
        f"{told.prefix}what-if-cities",
        "Cities before → after",
        f"Win share with {say.who(verdict)}; hollow: before, filled: after. Bold: the change {STANDS}.",
        draw,
        moves_height(len(rows)),
        f"n {verdict.games:,} games of each side; 95 % intervals of the changes are in the table of cities",
    )


def _everybody(told: Told) -> Section:
    main, names = told.variant.main, told.names
    wins, scores, strategies = main.tables.city_wins, main.tables.city_scores, main.tables.strategy_wins
    cities = words("City", [names[row["city"]] for row in rows_of(wins)])
    tables = [
        compared(told, "cities", "Win share of each city", wins, cities, share=True),
        compared(told, "scores", "Score of each city", scores, cities, share=False, shown=False),
    ]
    if len(strategies):
        who = words("Strategy", strategies["strategy"].to_list())
        tables.append(compared(told, "strategies", "Win share of each strategy", strategies, who, share=True))
    sure = [say.city_line(names, row) for row in main.moved]
    lead = f"Changes that stand, in {say.POINTS}: {listed(sure)}." if sure else f"No city's change {STANDS}."
    tables += replay_tables(told)
    notes = [say.changed(main), say.pairing(main), say.needed(main)]
    if set(told.answer.base.city_ids) != set(told.variant.rules.city_ids):
        notes.append(
            "A city is compared in the games where it sits on both sides; a city that only one side has is "
            "in the picture."
        )
    return Section("cities", "Every city", lead, tables=tables, notes=[note for note in notes if note])


def _skill(told: Told) -> Section:
    variant, names = told.variant, told.names
    lines = [
        f"{say.headline(told.answer, variant, verdict)} {say.detail(told.answer, variant, verdict)}"
        for verdict in variant.verdicts[1:]
    ]
    table = pl.concat(
        [
            verdict.tables.city_wins.select(pl.lit(", ".join(verdict.strategies)).alias("players"), pl.all())
            for verdict in variant.verdicts
        ]
    )
    rows = rows_of(table)
    players = words("Players", [row["players"] for row in rows])
    cities = words("City", [names[row["city"]] for row in rows])
    shown = [
        players,
        cities,
        *before_after(table, share=True),
        estimated("Change", table, percent=True, signed=True),
        words("Stands", ["yes" if stands(row["p_holm"]) else "no" for row in rows]),
        counts("n", table["n"].to_list()),
    ]
    lead = (
        " ".join(lines) or f"Only {say.who(variant.main)} played: players of another skill may say otherwise."
    )
    by_skill = Table(f"{told.prefix}skills", "Win shares by players", table, shown, open=True)
    return Section("skill", "With players of another skill", lead, tables=[by_skill], notes=[say.ADAPTED])


def facts(told: Told) -> list[str]:
    """What was played, in a few words each."""
    played = [
        f"{counted(one.games, 'game')} of each side with {say.who(one)}" for one in told.variant.verdicts
    ]
    rules = told.variant.rules
    return [
        *played,
        f"{told.answer.players} players",
        f"rules {rules.short_hash}",
        f"seed {told.answer.seed}",
    ]
