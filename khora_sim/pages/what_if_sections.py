"""The sections of a what-if: the change, the thing itself, fairness, every city, other players, luck."""

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.analyses.what_if_answer import Variant, Verdict
from khora_sim.common.wording import counted, listed
from khora_sim.pages import what_if_words as say
from khora_sim.pages.page_model import Figure, Section, Table, counts, sentences, words
from khora_sim.pages.what_if_figure import Move, moves, moves_height
from khora_sim.pages.what_if_games import game_tables
from khora_sim.pages.what_if_luck import streams
from khora_sim.pages.what_if_players import adaptation, adapted_or_not, who
from khora_sim.pages.what_if_tables import (
    VariantOnPage,
    all_verdicts,
    compared,
    effect_sides,
    exposed,
    shares_by_side,
    side_by_side,
)
from khora_sim.pages.wording import POINTS, rows_of

SIGNIFICANT = "is significant after correction for all comparisons of these players"


def sections(on_page: VariantOnPage) -> list[Section]:
    """All sections, in their order."""
    variant, title = on_page.variant, f"{on_page.variant.label}: " if on_page.prefix else ""
    made = [
        _change(on_page),
        _thing(on_page),
        _fairness(on_page),
        _everybody(on_page),
        _others(on_page),
        _luck(on_page),
    ]
    named = [one for one in made if one is not None]
    return [
        Section(
            f"{on_page.prefix}{one.id}", f"{title}{one.title}", one.lead, one.figures, one.tables, one.notes
        )
        for one in (named if not on_page.answer.no_change(variant) else [_nothing(variant), *named[-2:]])
    ]


def _nothing(variant: Variant) -> Section:
    return Section("change", "The change", say.NO_CHANGE, notes=say.changes(variant))


def _change(on_page: VariantOnPage) -> Section:
    main, table = on_page.variant.main, on_page.variant.main.tables.exposure
    lead = " ".join([*say.exposure(main), say.elsewhere(main)])
    frame = pl.DataFrame({"change": say.changes(on_page.variant)})
    tables = [
        Table(
            f"{on_page.prefix}changes",
            "What is changed",
            frame,
            [sentences("Change", frame["change"].to_list())],
            open=True,
        )
    ]
    if len(table):
        overall = table.filter(pl.col("among").is_in(["games", "players"]))
        tables.append(exposed(on_page, overall, "exposure", "How often it came up", True))
        by_city = table.filter(~pl.col("among").is_in(["games", "players"]))
        if len(by_city):
            tables.append(exposed(on_page, by_city, "exposure-by-city", "For whom it came up", False))
    return Section("change", "The change, and how often it came up", lead, tables=tables)


def _thing(on_page: VariantOnPage) -> Section | None:
    table = on_page.variant.main.tables.effects
    if table.is_empty():
        return None
    rows = rows_of(table)
    names = list(dict.fromkeys(row["thing"] for row in rows))
    parts = [say.effect(row) for row in rows]
    return Section(
        "thing",
        f"What it did to {listed(names)}",
        f"With {who(on_page.variant.main)}: {'; '.join(parts)}.",
        tables=[
            Table(
                f"{on_page.prefix}effects",
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


def _fairness(on_page: VariantOnPage) -> Section:
    main = on_page.variant.main
    games, seats = main.tables.games, main.tables.seat_wins
    measures = words("Measure", games["measure"].to_list())
    places = counts("Seat", seats["seat"].to_list())
    return Section(
        "fairness",
        "Is the game fairer?",
        say.fairness(main)
        + " That is the root of the mean squared distance of all cities, without what chance adds to it.",
        [_moves(on_page, main)],
        [
            compared(on_page, "games", "Scores and margin", games, measures, share=False),
            compared(on_page, "seats", "Win share of each seat", seats, places, share=True),
            *([shares_by_side(on_page, main)] if on_page.other_cities else []),
        ],
    )


def _moves(on_page: VariantOnPage, verdict: Verdict) -> Figure:
    standing = {(row["side"], row["city"]): row for row in rows_of(verdict.tables.standing)}
    sure = {row["city"] for row in verdict.moved}
    order = sorted(
        on_page.names,
        key=lambda city: -(standing.get(("before", city)) or standing[("after", city)])["value"],
    )
    rows = []
    for city in order:
        before, after = (standing.get((side, city), {}).get("value") for side in ("before", "after"))
        rows.append(Move(on_page.names[city], before, after, city, city in sure))

    several = len(on_page.answer.players) > 1

    def draw(canvas: Canvas) -> None:
        moves(canvas, rows, 1 / verdict.players)

    return Figure(
        f"{on_page.prefix}what-if-cities" + (f"-{verdict.players}" if several else ""),
        "Cities before → after" + (f", tables of {verdict.players}" if several else ""),
        f"Win share with {who(verdict)}; hollow: before, filled: after. Bold: the change {SIGNIFICANT}.",
        draw,
        moves_height(len(rows)),
        f"n {verdict.games:,} games of each side; 95 % intervals of the changes are in the table of cities",
    )


def _everybody(on_page: VariantOnPage) -> Section:
    main, names = on_page.variant.main, on_page.names
    wins, scores, strategies = main.tables.city_wins, main.tables.city_scores, main.tables.strategy_wins
    cities = words("City", [names[row["city"]] for row in rows_of(wins)])
    tables = [
        compared(on_page, "cities", "Win share of each city", wins, cities, share=True),
        compared(on_page, "scores", "Score of each city", scores, cities, share=False, shown=False),
    ]
    if len(strategies):
        who = words("Strategy", strategies["strategy"].to_list())
        tables.append(
            compared(on_page, "strategies", "Win share of each strategy", strategies, who, share=True)
        )
    sure = [say.city_line(names, row) for row in main.moved]
    lead = (
        f"Significant changes, in {POINTS}: {listed(sure)}." if sure else f"No city's change {SIGNIFICANT}."
    )
    tables += game_tables(on_page)
    notes = [say.changed(main), say.pairing(main), say.needed(main)]
    if on_page.other_cities:
        notes.append(
            "A city is compared in the games where it sits on both sides; a city that only one side has is "
            "in the picture."
        )
    return Section("cities", "Every city", lead, tables=tables, notes=[note for note in notes if note])


def _others(on_page: VariantOnPage) -> Section:
    """The same change with other players, with ones who know the rule, and at other tables."""
    answer, variant, names = on_page.answer, on_page.variant, on_page.names
    lines = [say.headline(answer, variant, verdict) for verdict in variant.verdicts[1:]]
    if len(lines) == 1:
        lines.append(say.detail(answer, variant, variant.verdicts[1]))
    several = len(answer.players) > 1
    plain = [one for one in variant.verdicts if one.adapted is None]
    skilled = any(one.strategies != variant.main.strategies for one in plain)
    skills = "players of another skill" if skilled else ""
    knowing = "players who know the rule" if any(one.adapted for one in variant.verdicts) else ""
    tables = "at tables of another size" if several else ""
    title = listed([one for one in (skills, knowing, tables) if one]) or "players of another skill"
    made = [adaptation(one, names) for one in variant.verdicts if one.adapted]
    commands = [f"Made with: {' ; '.join(_made_with(one))}" for one in variant.verdicts if one.adapted]
    others = [_first_of(variant, players) for players in answer.players[1:]]
    return Section(
        "skill",
        f"With {title}",
        " ".join(lines) or f"Only {who(variant.main)} played: players of another skill may say otherwise.",
        [_moves(on_page, verdict) for verdict in others],
        [*([all_verdicts(on_page)] if len(variant.verdicts) > 1 else []), side_by_side(on_page)],
        [*made, *commands, *adapted_or_not(answer, variant)],
    )


def _made_with(verdict: Verdict) -> list[str]:
    assert verdict.adapted is not None
    return [side.command for side in (verdict.adapted.before, verdict.adapted.after)]


def _first_of(variant: Variant, players: int) -> Verdict:
    """The verdict of the players asked for, at tables of one size."""
    return next(verdict for verdict in variant.verdicts if verdict.players == players)


def _luck(on_page: VariantOnPage) -> Section:
    """What is the same luck, stream by stream."""
    frame = streams(on_page.answer.base, on_page.variant.rules)
    return Section(
        "luck",
        "What luck is the same",
        "Game by game both sides meet the luck of one seed. What is drawn from it, stream by stream:",
        tables=[
            Table(
                f"{on_page.prefix}luck",
                "Streams of luck",
                frame,
                [
                    words("Stream", frame["stream"].to_list()),
                    words("The same", frame["same"].to_list()),
                    sentences("How", frame["how"].to_list()),
                ],
                open=True,
            )
        ],
    )


def facts(on_page: VariantOnPage) -> list[str]:
    """What was played, in a few words each."""
    several = len(on_page.answer.players) > 1
    played = [
        f"{counted(one.games, 'game')} of each side with {who(one)}"
        + (f" at tables of {one.players}" if several else "")
        for one in on_page.variant.verdicts
    ]
    rules = on_page.variant.rules
    return [
        *played,
        *([] if several else [f"{on_page.answer.players[0]} players"]),
        f"rules {rules.short_hash}",
        f"seed {on_page.answer.seed}",
    ]
