"""The answer of `what-if` in sentences, tables and figures, for the terminal and for the page."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

import polars as pl

from khora_sim.analyses.what_if.divergence import Moment
from khora_sim.analyses.what_if.measure import (
    Adapted,
    ChangedGame,
    Trained,
    Variant,
    Verdict,
    WhatIf,
    widest_margin,
)
from khora_sim.common.commands import replaying
from khora_sim.common.wording import counted, listed
from khora_sim.pages.comparison import (
    NO_CITY_SEEN,
    SHARED_DRAWS,
    Comparison,
    before_after_change,
    correction,
    draws_section,
    equal_results,
    pairing_worth,
    shared_draws,
    streams,
)
from khora_sim.pages.page_model import Figure, Page, Section
from khora_sim.pages.plots import Move, moves, moves_height
from khora_sim.pages.published_answers import in_stronger_hands, published_exploit
from khora_sim.pages.table import BELOW_ALL, Column, Table, count, pp, share, text
from khora_sim.pages.wording import (
    NOT_ADAPTED,
    POINTS,
    Row,
    estimate_of,
    in_points,
    is_significant,
    percent,
    rows_of,
    seated,
)
from khora_sim.pages.wording import share as in_share

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

NO_CHANGE = "Both sides are the same: every number is exactly zero."
ADAPTED_ONLY = (
    "Only those called players who know the rule learned the changed game; all others play it with what they "
    "value in the base game."
)
SAME = "the same"
Files = tuple[str | None, str | None]  # with the rules before and after, for replays


@dataclass(frozen=True)
class Shown:
    """A variant of an answer, as terminal and page show it."""

    answer: WhatIf
    variant: Variant
    prefix: str = ""  # of ids and files, where the page shows several variants
    files: Files = (None, None)

    @cached_property
    def names(self) -> dict[str, str]:
        """The cities of both sides by their ids."""
        both = (self.answer.base, self.variant.rules)
        return {key: name for one in both for key, name in zip(one.city_ids, one.city_names, strict=True)}

    @cached_property
    def compared(self) -> Comparison:
        """The words and tables of a comparison of both sides."""
        return Comparison(("Before", "After"), "Change", self.names, "these players", self.prefix)

    @property
    def several(self) -> bool:
        """True if tables of several sizes were played."""
        return len(self.answer.players) > 1

    @property
    def no_change(self) -> bool:
        """True if both sides are the same."""
        return self.answer.no_change(self.variant)


def changes(variant: Variant) -> list[str]:
    """All that is changed, a line for each change."""
    lines = [change.in_words() for change in variant.changes]
    main = variant.main
    if main.other_players:
        one, two = (", ".join(dict.fromkeys(who) if len(set(who)) == 1 else who) for who in main.line_ups)
        lines.append(f"players: {one} -> {two}")
    return lines


def headline(shown: Shown, verdict: Verdict) -> str:
    """The finding, with whom it holds for."""
    if shown.no_change:
        return NO_CHANGE
    table = f"At tables of {verdict.players}, with" if shown.several else "With"
    if verdict.same:
        return f"{table} {who(verdict)}, no game came out differently."
    winners = shown.compared.winners(verdict.tables.city_wins) or NO_CITY_SEEN
    fairer = "whether the game becomes fairer is not clear"
    if verdict.fairer is not None:
        fairer = f"the game becomes {'fairer' if verdict.fairer else 'less fair'}"
    return f"{table} {who(verdict)}, {winners}; {fairer}."


def detail(shown: Shown, verdict: Verdict) -> str:
    """The numbers behind the headline."""
    if shown.no_change:
        games = counted(verdict.games, "game")
        return f"All {games} were played on both sides, and all scores and winners are the same."
    if verdict.same:
        return equal_results(verdict.games, verdict.groups)
    return f"{fairness(verdict)} {changed(verdict)}"


def fairness(verdict: Verdict) -> str:
    """Tell how far cities lie from the fair share, before and after."""
    found = verdict.fairness
    before, after = (in_points(one, signed=False) for one in (found.before, found.after))
    return (
        f"A city's typical distance from the fair share goes from {before} to {after} {POINTS}: "
        f"{in_points(found.change)}."
    )


def changed(verdict: Verdict) -> str:
    """Tell in how many games others win."""
    winner, result = in_share(verdict.winner_changed), in_share(verdict.result_changed)
    return f"Somebody else wins in {winner} of {verdict.games:,} games; some score differs in {result}."


def exposure(verdict: Verdict) -> list[str]:
    """Tell how often each changed thing came up, and what happened in games without it."""
    table, stages = verdict.tables.exposure, dict[str, list[str]]()
    for row in [] if table.is_empty() else rows_of(table.filter(among="games")):
        before, after, _ = before_after_change(row, percent=True)
        often = before if before == after else f"{before} → {after}"
        stages.setdefault(row["thing"], []).append(f"{row['stage']} in {often}")
    games = counted(verdict.games, "game")
    lines = [f"{thing}: {listed(parts)} of {games}." for thing, parts in stages.items()]
    found = verdict.elsewhere_changed
    if found is None:
        return [*lines, "The change concerns every game."]
    without = f"the {counted(found.n, 'game')} where it came up on neither side"
    if found.value == 0:
        return [*lines, f"In {without}, nothing differs at all."]
    players = "players count on it, or what lies behind it moves"
    return [*lines, f"Of {without}, {in_share(found)} differ all the same: {players}."]


def needed(verdict: Verdict, wanted: float = 0.3) -> list[str]:
    """Tell how many games a precision takes for every city, by the widest interval."""
    margin = 100 * widest_margin(verdict.tables.city_wins)
    if not math.isfinite(margin) or margin <= wanted:
        return []
    games = math.ceil(verdict.games * (margin / wanted) ** 2 / 1000) * 1000
    return [f"± {wanted:g} {POINTS} for every city would take some {games:,} games of each side."]


def effect(row: Row) -> str:
    """The change for the changed thing itself, in a clause with n."""
    before, after, change = before_after_change(row, percent=row["unit"] == "share")
    head = f"{row['thing']}, {row['asked']}"
    if row["first"] is None:
        return f"{head}: {after} after (n {row['second_n']:,})"
    if row["second"] is None:
        return f"{head}: {before} before (n {row['first_n']:,})"
    return f"{head}: {before} → {after}, change {change} (n {row['first_n']:,} and {row['second_n']:,})"


def who(verdict: Verdict) -> str:
    """The players that all of it holds for."""
    before = seated(verdict.strategies, verdict.lineup)
    if verdict.adapted is not None:
        made = "tuned" if verdict.adapted.how == "tuned" else "taught"
        return f"players who know the rule ({verdict.adapted.start} {made} for it)"
    if verdict.other_players:
        return f"{seated(verdict.after, verdict.lineup)} in place of {before}"
    return before


def label(verdict: Verdict) -> str:
    """The players in a word or two, for a table."""
    if verdict.adapted is not None:
        return f"{verdict.adapted.start}, knowing the rule"
    before = ", ".join(dict.fromkeys(verdict.strategies))
    return f"{before} → {', '.join(dict.fromkeys(verdict.after))}" if verdict.other_players else before


def adaptation(found: Adapted, players: int, names: dict[str, str]) -> str:
    """Tell how the players came to know the rule, and if that made them better."""
    cities = [names[city] for city in found.after.cities]
    where = f" in {listed(cities)}" if cities else ""
    how = {
        "tuned": f"has its weights{where} tuned against a table of itself",
        "learned": "continues to learn its value from its own games",
        "taught": "continues to learn from the decisions of sage",
    }[found.how]
    won = listed([_won(found.after, "changed", 1 / players), _won(found.before, "base", 1 / players)])
    return (
        f"Players who know the rule: {found.start} {how} under the changed rules, in "
        f"{counted(found.after.games, 'game')}, and plays the changed game; trained in the same way under "
        f"the base rules, in {counted(found.before.games, 'game')}, it plays the base game, since training "
        f"alone makes other players. One of them at a table of {found.start} wins {won}; "
        f"{percent(1 / players)} is fair."
    )


def _won(trained: Trained, game: str, fair: float) -> str:
    """The win rate of a trained player, and if the training is shown to have helped."""
    won, helped = trained.won, "no gain is shown"
    if won.low > fair:
        helped = "it learned something"
    elif won.high < fair:
        helped = "it got worse"
    return f"{in_share(won)} of the {game} game (n {won.n:,}; {helped})"


def adapted_or_not(shown: Shown) -> list[str]:
    """Tell how far the players know the change, and what that may hide."""
    if shown.variant.rules.hash == shown.answer.base.hash:
        return []
    if any(verdict.adapted for verdict in shown.variant.verdicts):
        return [ADAPTED_ONLY]
    hidden = "How much that hides is not known for this change; --adapt 50000games measures some of it."
    known = published_exploit()
    if known is None or known.rules.hash != shown.answer.base.hash:
        return [f"{NOT_ADAPTED} {hidden}"]
    gains = [100 * city.gain.value for city in known.cities]
    margins = [100 * (city.gain.high - city.gain.low) / 2 for city in known.cities]
    low, high = (f"{gain:+.0f}".replace("-", "\N{MINUS SIGN}") for gain in (min(gains), max(gains)))
    return [
        f"{NOT_ADAPTED} {hidden} For scale: in the base game itself, players better suited to one city "
        f"gained {low} to {high} percentage points there (± {min(margins):.0f} to {max(margins):.0f}, n "
        f"{known.games:,} each) against {known.players - 1} of {known.strategy}, the strongest player."
    ]


def stronger(shown: Shown, verdict: Verdict) -> list[str]:
    """The caveat on cities that win otherwise in the base game with the strongest published player."""
    if verdict.same:
        return []
    before = rows_of(verdict.tables.standing.filter(side="before"))
    rates = {row["city"]: row["value"] for row in before}
    return in_stronger_hands(shown.answer.base, verdict.players, verdict.strategies, rates)


def brief(answer: WhatIf) -> list[str | Table]:
    """All variants for the terminal, one after another."""
    return [part for variant in answer.variants for part in _brief(Shown(answer, variant))]


def _brief(shown: Shown) -> Iterator[str | Table]:
    answer, variant = shown.answer, shown.variant
    sizes = ", ".join(map(str, answer.players))
    yield f"{variant.label}: {sizes} players, seed {answer.seed}, rules {variant.rules.short_hash}"
    yield from (f"  {line}" for line in changes(variant))
    for verdict in variant.verdicts:
        yield f"\n{headline(shown, verdict)}"
        if verdict.adapted is not None:
            yield f"  {adaptation(verdict.adapted, verdict.players, shown.names)}"
        if verdict.same:
            yield detail(shown, verdict)
            continue
        tables = verdict.tables
        yield from (f"  {line}" for line in exposure(verdict))
        yield from (f"  {effect(row)}." for row in rows_of(tables.effects))
        yield detail(shown, verdict)
        for title, table in (("City", tables.city_wins), ("Strategy", tables.strategy_wins)):
            if len(table):
                heads = [text(title, title.lower(), shown.names)]
                yield shown.compared.table("", "", table.sort("value", descending=True), heads, shares=True)
        scores = []
        for row in rows_of(tables.games):
            before, after, change = before_after_change(row)
            scores.append(f"{row['measure']} {before} → {after} ({change})")
        lines = (pairing_worth(tables.city_wins), *needed(verdict), f"In points: {', '.join(scores)}.")
        yield from (f"  {line}" for line in (*lines, *stronger(shown, verdict)))
    if variant.main.changed_games:
        yield "\nGames that somebody else wins:"
        yield from (f"  {divergence_in_words(shown.names, game)}" for game in variant.main.changed_games)
    if len(variant.verdicts) > 1 and shown.several:
        beside = _side_by_side(shown)
        yield f"\n{beside.title}. {beside.note}"
        yield beside
    yield from (f"\n{line}" for line in adapted_or_not(shown))


def _side_by_side(shown: Shown) -> Table:
    """The change of every city's win share in all verdicts, a column each."""
    verdicts = shown.variant.verdicts
    found = [{row["city"]: row for row in rows_of(one.tables.city_wins)} for one in verdicts]
    cities = [city for city in shown.names if any(city in one for one in found)]
    rows: list[tuple[str, list[tuple[str, float]]]] = []  # a name, then cells and what they are sorted by
    for city in cities:
        rows.append((shown.names[city], [_starred(one.get(city)) for one in found]))
    distances = [one.fairness.change for one in verdicts]
    rows.append(("Distance", [(in_points(one), one.value) for one in distances]))
    rows.append(("Games", [(f"{one.games:,}", one.games) for one in verdicts]))

    def column(place: int, verdict: Verdict) -> Column:
        title = f"{verdict.players} players, {label(verdict)}"
        return text(title, lambda row: row[1][place][0], key=lambda row: row[1][place][1])

    return Table.of(
        f"{shown.prefix}skills",
        "Changes side by side",
        rows,
        [text("City", lambda row: row[0]), *(column(place, one) for place, one in enumerate(verdicts))],
        note=f"In {POINTS}; * significant after correction. What differs between verdicts is not tested.",
        open=True,
        frame=_all_cities(verdicts),
    )


def _starred(row: Row | None) -> tuple[str, float]:
    if row is None:
        return "", BELOW_ALL
    return in_points(estimate_of(row)) + (" *" if is_significant(row["p_holm"]) else ""), row["value"]


def _all_cities(verdicts: Sequence[Verdict]) -> pl.DataFrame:
    """The changes of every city in all verdicts."""
    named = []
    for one in verdicts:
        heads = pl.lit(one.players).alias("table"), pl.lit(label(one)).alias("players")
        named.append(one.tables.city_wins.select(*heads, pl.all()))
    return pl.concat(named)


def _all_verdicts(shown: Shown) -> Table:
    """A row for each verdict: the change of fairness, and in how many games others win."""
    return Table.of(
        f"{shown.prefix}verdicts",
        "All verdicts",
        shown.variant.verdicts,
        [
            text("Players", label),
            replace(count("Table of", "players"), name="table"),
            pp("Distance", lambda one: one.fairness.change),
            share("Somebody else wins", "winner_changed"),
            count("Games", "games"),
        ],
        note=f"Distance: change of a city's typical distance from the fair share, in {POINTS}.",
        open=True,
    )


def game_in_words(names: dict[str, str], game: ChangedGame) -> str:
    """The winners of a game before and after."""
    won = []
    for cities, winners, scores in zip(game.cities, game.winners, game.scores, strict=True):
        best = max(scores[cities.index(city)] for city in winners)
        won.append(f"{listed([names[city] for city in winners])} {best}")
    return f"Game {game.game}: {won[0]} → {won[1]} points"


def divergence_in_words(names: dict[str, str], game: ChangedGame) -> str:
    """The winners of a game before and after, and where the two part."""
    head = game_in_words(names, game)
    if game.divergence is None:
        return f"{head}."
    before, after = pair = game.divergence.decided or game.divergence.first
    part = "they part" if pair == game.divergence.first else "the first other decision comes"
    one, two = (_scores(names, cities, at.scores) for cities, at in zip(game.cities, pair, strict=True))
    stood = one if one == two else f"{one}; after: {two}"
    scores = f" ({stood})" if any((*before.scores, *after.scores)) else ""
    lines = [at.lines[0].rstrip(".") if at.lines else "nothing more" for at in pair]
    return f"{head}; {part} in {_where(before)}{scores}: before, {lines[0]}; after, {lines[1]}."


def _where(moment: Moment) -> str:
    """The place in a game: its round, and the decision if somebody decides."""
    place = f"round {moment.round}" if moment.round else "the set-up"
    return place if moment.decision is None else f"{place}, decision {moment.decision}"


def _scores(names: dict[str, str], cities: Sequence[str], scores: Sequence[int]) -> str:
    return ", ".join(f"{names[city]} {points}" for city, points in zip(cities, scores, strict=True))


def _changed_game(shown: Shown, number: int, game: ChangedGame) -> Table:
    """A game that somebody else wins, from where the two sides part."""
    lines: list[tuple[str, ...]] = []  # what, before, after
    if game.divergence is not None:
        lines += [("In both", line, SAME) for line in game.divergence.shared]
        lines += _moments(shown.names, game, "They part", game.divergence.first)
        if game.divergence.decided not in (None, game.divergence.first):
            lines += _moments(shown.names, game, "They decide", game.divergence.decided)
    ends = (_scores(shown.names, *side) for side in zip(game.cities, game.scores, strict=True))
    replays = (
        replaying(game.seed, players, cities, game.first_seat, {}, rules)
        for players, cities, rules in zip(game.strategies, game.cities, shown.files, strict=True)
    )
    lines += [("Final scores", *ends), ("Replay", *replays)]
    columns = ("what", "before", "after")
    return Table.of(
        f"{shown.prefix}changed-game-{number}",
        game_in_words(shown.names, game),
        pl.DataFrame(lines, schema=dict.fromkeys(columns, pl.String), orient="row"),
        [text(name.capitalize(), name, long=name != "what") for name in columns],
        note="One of the first games with luck of its own that somebody else wins.",
        open=number == 1,
    )


def _moments(
    names: dict[str, str], game: ChangedGame, head: str, pair: tuple[Moment, Moment]
) -> Iterator[tuple[str, ...]]:
    """The steps around the same place in both games."""
    one, two = (
        f"{_where(at)}; score track: {_scores(names, cities, at.scores)}"
        for cities, at in zip(game.cities, pair, strict=True)
    )
    yield head, one, SAME if one == two else two
    yield from (("", *lines) for lines in zip_longest(pair[0].lines, pair[1].lines, fillvalue=""))


def sections(shown: Shown) -> list[Section]:
    """All sections of a variant, in their order."""
    same = [_others(shown), draws_section(_streams(shown), shown.prefix)]
    if shown.no_change:
        made = [Section("change", "The change", NO_CHANGE, notes=changes(shown.variant)), *same]
    else:
        made = [_exposure(shown), *_effects(shown), _fairness(shown), _everybody(shown), *same]
    title = f"{shown.variant.label}: " if shown.prefix else ""
    return [replace(one, id=f"{shown.prefix}{one.id}", title=f"{title}{one.title}") for one in made]


def _streams(shown: Shown) -> pl.DataFrame:
    return streams(shown.answer.base.model, shown.variant.rules.model)


def _exposure(shown: Shown) -> Section:
    main, found = shown.variant.main, shown.variant.main.tables.exposure
    frame, columns = pl.DataFrame({"change": changes(shown.variant)}), [text("Change", "change", long=True)]
    tables = [Table.of(f"{shown.prefix}changes", "What is changed", frame, columns, open=True)]
    heads = [text("Thing", "thing"), text("Came up", "stage"), text("Among", "among", shown.names)]
    note = f"With {who(main)}. Among games: for anybody at the table."
    for name, title, by_city in (
        ("exposure", "How often it came up", False),
        ("exposure-by-city", "For whom it came up", True),
    ):
        rows = found.filter(pl.col("among").is_in(["games", "players"]) != by_city) if len(found) else found
        if len(rows):
            tables.append(
                shown.compared.table(name, title, rows, heads, shares=True, shown=not by_city, note=note)
            )
    title = "The change, and how often it came up"
    return Section("change", title, " ".join(exposure(main)), tables=tables)


def _effects(shown: Shown) -> list[Section]:
    """The changed things themselves; none where they came up for nobody."""
    main = shown.variant.main
    rows = rows_of(main.tables.effects)
    if not rows:
        return []

    def column(title: str, place: int, side: str) -> Column:
        """Estimates of one side, each in its own unit."""
        return text(
            title,
            lambda row: before_after_change(row, percent=row["unit"] == "share")[place],
            key=lambda row: BELOW_ALL if row[side] is None else row[side],
        )

    columns = [
        text("Thing", "thing"),
        text("What is asked", "asked", long=True),
        column("Before", 0, "first"),
        count("n before", lambda row: row["first_n"] or 0),
        column("After", 1, "second"),
        count("n after", lambda row: row["second_n"] or 0),
        column("Change", 2, "value"),
    ]
    title = "The changed things themselves"
    return [
        Section(
            "thing",
            f"What it did to {listed(list(dict.fromkeys(row['thing'] for row in rows)))}",
            f"With {who(main)}: {'; '.join(map(effect, rows))}.",
            tables=[Table.of(f"{shown.prefix}effects", title, main.tables.effects, columns, open=True)],
            notes=[
                "Who plays a card, unlocks a development or reaches a level does so by choice: what these "
                "players win also tells who does it. Cards are dealt and events drawn by luck alone."
            ],
        )
    ]


def _fairness(shown: Shown) -> Section:
    main, table = shown.variant.main, shown.compared.table
    found = main.tables
    tables = [
        table("games", "Scores and margin", found.games, [text("Measure", "measure")]),
        table("seats", "Win share of each seat", found.seat_wins, [count("Seat", "seat")], shares=True),
    ]
    if _other_cities(shown):
        title, city = "Win share of each city, each side by itself", text("City", "city", shown.names)
        columns = [text("Side", "side"), city, share("Win share"), count("n", "n")]
        tables.append(Table.of(f"{shown.prefix}standing", title, found.standing, columns, note=SHARED_DRAWS))
    lead = fairness(main)
    lead += " That is the root of the mean squared distance of all cities, without what chance adds to it."
    return Section("fairness", "Is the game fairer?", lead, [_moves(shown, main)], tables)


def _other_cities(shown: Shown) -> bool:
    """True if one side has a city that the other lacks."""
    return set(shown.answer.base.city_ids) != set(shown.variant.rules.city_ids)


def _moves(shown: Shown, verdict: Verdict) -> Figure:
    """The win share of every city before and after."""
    standing = {(row["side"], row["city"]): row["value"] for row in rows_of(verdict.tables.standing)}
    moved = {row["city"] for row in verdict.moved}
    rows = [
        Move(name, standing.get(("before", city)), standing.get(("after", city)), city, city in moved)
        for city, name in shown.names.items()
    ]
    rows.sort(key=lambda row: -(row.after or 0.0 if row.before is None else row.before))

    def draw(canvas: "Canvas") -> None:
        moves(canvas, rows, 1 / verdict.players)

    return Figure(
        f"{shown.prefix}what-if-cities" + (f"-{verdict.players}" if shown.several else ""),
        "Cities before → after" + (f", tables of {verdict.players}" if shown.several else ""),
        f"Win share with {who(verdict)}; hollow: before, filled: after. Bold: the change is significant "
        f"{shown.compared.correction}.",
        draw,
        moves_height(len(rows)),
        f"n {verdict.games:,} games of each side; 95 % intervals of the changes are in the table of cities",
    )


def _everybody(shown: Shown) -> Section:
    main, found = shown.variant.main, shown.variant.main.tables
    tables = shown.compared.city_tables(found.city_wins, found.city_scores)
    if len(found.strategy_wins):
        title, heads = "Win share of each strategy", [text("Strategy", "strategy")]
        tables.append(shown.compared.table("strategies", title, found.strategy_wins, heads, shares=True))
    tables += [_changed_game(shown, number, game) for number, game in enumerate(main.changed_games, 1)]
    notes = [changed(main), pairing_worth(found.city_wins), *needed(main)]
    if _other_cities(shown):
        notes.append(
            "A city is compared in the games where it sits on both sides; a city that only one side has is "
            "in the picture."
        )
    lead = shown.compared.lead("win share", found.city_wins, shown.compared.city, shares=True)
    return Section("cities", "Every city", lead, tables=tables, notes=notes)


def _others(shown: Shown) -> Section:
    """The same change with other players, with ones who know the rule, and at other tables."""
    verdicts = shown.variant.verdicts
    main, *others = verdicts
    lines = [headline(shown, verdict) for verdict in others]
    if len(others) == 1:
        lines.append(detail(shown, others[0]))
    adapted = [(one.adapted, one.players) for one in others if one.adapted]
    skilled = any(one.adapted is None and one.strategies != main.strategies for one in others)
    titles = {
        "players of another skill": skilled or not (adapted or shown.several),
        "players who know the rule": bool(adapted),
        "players at tables of another size": shown.several,
    }
    if shown.several:
        cities = _side_by_side(shown)
    else:
        heads = [text("Players", "players"), text("City", "city", shown.names)]
        frame = _all_cities(verdicts)
        cities = shown.compared.table("skills", "Win shares by players", frame, heads, shares=True)
    sizes = [next(one for one in verdicts if one.players == size) for size in shown.answer.players[1:]]
    return Section(
        "skill",
        f"With {listed([title for title, holds in titles.items() if holds])}",
        " ".join(lines) or f"Only {who(main)} played: players of another skill may say otherwise.",
        [_moves(shown, verdict) for verdict in sizes],
        [*([_all_verdicts(shown)] if others else []), cities],
        [
            *(adaptation(made, players, shown.names) for made, players in adapted),
            *(f"Made with: {made.before.command} ; {made.after.command}" for made, _ in adapted),
            *adapted_or_not(shown),
        ],
    )


def page_of(answer: WhatIf, files: Sequence[Files]) -> Page:
    """The page of all variants, the first one's verdict on top; `files` has the rules of each."""
    several = len(answer.variants) > 1
    all_shown = [
        Shown(answer, one, f"v{place}-" if several else "", files[place - 1])
        for place, one in enumerate(answer.variants, 1)
    ]
    headlines, drawn = [], []
    for one in all_shown:
        head = f"{one.variant.label}: " if several else ""
        headlines.append(f"{head}{headline(one, one.variant.main)}")
        drawn.append(f"{head}{' '.join(shared_draws(_streams(one)))}")
    adapted = [line for one in all_shown for line in adapted_or_not(one)]
    others = [headline(one, verdict) for one in all_shown for verdict in one.variant.verdicts[1:]]
    hands = [line for one in all_shown for verdict in one.variant.verdicts for line in stronger(one, verdict)]
    first = all_shown[0]
    main = first.variant.main
    return Page(
        kind="What if",
        title=" · ".join(one.label for one in answer.variants),
        facts=_facts(first),
        headline=headlines[0],
        detail=detail(first, main),
        by_table=headlines[1:],
        by_table_title="The other changes",
        sure=[*drawn, correction(main.comparisons, "one variant with one line-up of players")],
        limits=list(dict.fromkeys([*hands, *adapted, *others])),
        sections=[section for one in all_shown for section in sections(one)],
    )


def _facts(shown: Shown) -> list[str]:
    """All that was played, in a few words each."""
    played = [
        f"{counted(one.games, 'game')} of each side with {who(one)}"
        + (f" at tables of {one.players}" if shown.several else "")
        for one in shown.variant.verdicts
    ]
    if not shown.several:
        played.append(f"{shown.answer.players[0]} players")
    return [*played, f"rules {shown.variant.rules.short_hash}", f"seed {shown.answer.seed}"]
