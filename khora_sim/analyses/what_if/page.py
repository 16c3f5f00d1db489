"""The answer of `what-if` in sentences, tables and figures, for the terminal and for the page."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from khora_sim.analyses.what_if.divergence import Divergence, Moment
from khora_sim.analyses.what_if.measure import Adapted, ChangedGame, Trained, Variant, Verdict, WhatIf
from khora_sim.analyses.what_if.options import WhatIfOptions
from khora_sim.common.commands import replaying
from khora_sim.common.wording import counted, listed
from khora_sim.pages.exploit_answer import published_exploit
from khora_sim.pages.luck import in_short, streams
from khora_sim.pages.page_model import (
    Column,
    Figure,
    Page,
    Section,
    Table,
    both_sides,
    counts,
    estimated,
    filled,
    grid,
    ordered,
    sentences,
    words,
)
from khora_sim.pages.plots import Move, moves, moves_height
from khora_sim.pages.wording import (
    INTERVALS,
    NOT_ADAPTED,
    POINTS,
    SHOWN_UNKNOWN,
    Row,
    estimate_of,
    in_percent,
    in_points,
    is_significant,
    p_text,
    percent,
    rows_of,
    seated,
    shortened,
)
from khora_sim.rules import Rules
from khora_sim.stats import Estimate, decimals_of, format_estimate, wilson

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

NO_CHANGE = "Both sides are the same: every number is exactly zero."


def changes(variant: Variant) -> list[str]:
    """What is changed, a line for each change."""
    lines = [change.in_words() for change in variant.changes]
    main = variant.main
    if main.other_players:
        one, two = (", ".join(dict.fromkeys(who) if len(set(who)) == 1 else who) for who in main.line_ups)
        lines.append(f"players: {one} -> {two}")
    return lines


def headline(answer: WhatIf, variant: Variant, verdict: Verdict) -> str:
    """What can be said, with whom it holds for."""
    if answer.no_change(variant):
        return NO_CHANGE
    if verdict.same:
        return f"{with_whom(answer, verdict)}, no game came out differently."
    return f"{with_whom(answer, verdict)}, {_moved(answer, variant, verdict)}; {_fairer(verdict)}."


def detail(answer: WhatIf, variant: Variant, verdict: Verdict) -> str:
    """The numbers behind it."""
    games = counted(verdict.games, "game")
    if answer.no_change(variant):
        return f"All {games} were played on both sides, and all scores and winners are the same."
    if verdict.same:
        bound = 100 * wilson(0, verdict.groups).high
        rare = f"{bound:.{max(decimals_of(bound), 0)}f} %"
        return (
            f"All scores and winners of {games} in {counted(verdict.groups, 'rotation group')} are the same. "
            f"A change that shows in more than {rare} of the rotation groups is excluded (95 %); a rarer one "
            "is not."
        )
    return f"{fairness(verdict)} {changed(verdict)}"


def scores(verdict: Verdict) -> str:
    """What happens to scores and to the margin between first and second."""
    parts = [
        f"{row['measure']} {' → '.join(one_side(row, side) for side in ('first', 'second'))} "
        f"({one_side(row, 'value')})"
        for row in rows_of(verdict.tables.games)
    ]
    return f"In points: {', '.join(parts)}."


def _moved(answer: WhatIf, variant: Variant, verdict: Verdict) -> str:
    """The cities that win more and less for certain."""
    names = city_names(answer.base, variant.rules)
    more = [names[row["city"]] for row in verdict.moved if row["value"] > 0]
    less = [names[row["city"]] for row in verdict.moved if row["value"] < 0]
    parts = [
        f"{shortened(cities, 'more cities')} {'win' if len(cities) > 1 else 'wins'} {word}"
        for cities, word in ((more, "more"), (less, "less"))
        if cities
    ]
    return listed(parts) or "no city's win share changes by an amount that can be seen"


def _fairer(verdict: Verdict) -> str:
    if verdict.fairer is None:
        return "whether the game becomes fairer is not clear"
    return f"the game becomes {'fairer' if verdict.fairer else 'less fair'}"


def fairness(verdict: Verdict) -> str:
    """How far cities lie from the fair share, before and after."""
    found = verdict.fairness
    before, after = (in_points(one, signed=False) for one in (found.before, found.after))
    return (
        f"A city's typical distance from the fair share goes from {before} to {after} {POINTS}: "
        f"{in_points(found.change)}."
    )


def changed(verdict: Verdict) -> str:
    """In how many games others win."""
    winner, result = (
        format_estimate(one, percent=True, with_n=False)
        for one in (verdict.winner_changed, verdict.result_changed)
    )
    return f"Somebody else wins in {winner} of {verdict.games:,} games; some score differs in {result}."


def elsewhere(verdict: Verdict) -> str:
    """What happened in games that have nothing to do with the change."""
    found = verdict.elsewhere_changed
    if found is None:
        return "The change concerns every game."
    if found.value == 0:
        return f"In the {counted(found.n, 'game')} where it came up on neither side, nothing differs at all."
    share = format_estimate(found, percent=True, with_n=False)
    return (
        f"Of the {counted(found.n, 'game')} where it came up on neither side, {share} differ all the same: "
        "players count on it, or what lies behind it moves."
    )


def exposure(verdict: Verdict) -> list[str]:
    """How often each changed thing came up, a sentence each."""
    table = verdict.tables.exposure
    rows = [] if table.is_empty() else rows_of(table.filter(among="games"))
    stages: dict[str, list[str]] = {}
    for row in rows:
        before, after = (in_percent(row, side) for side in ("first", "second"))
        shown = before if before == after else f"{before} → {after}"
        stages.setdefault(row["thing"], []).append(f"{row['stage']} in {shown}")
    return [
        f"{thing}: {listed(parts)} of {counted(verdict.games, 'game')}." for thing, parts in stages.items()
    ]


def pairing(verdict: Verdict) -> str:
    """What the same luck was worth."""
    gains = [gain for gain in verdict.tables.city_wins["pairing_gain"] if gain is not None]
    finite = sorted(gain for gain in gains if math.isfinite(gain))
    if not finite:
        return "Every game is paired with itself, so nothing is left to chance."
    middle = finite[len(finite) // 2]
    if middle < 1.05:
        return "The same luck helps little here: games went their own ways soon after the same start."
    return (
        f"The same luck is worth {middle:.1f} times the games (the middle of all cities): two studies with "
        "luck of their own would need that many for the same intervals."
    )


def gain(value: float | None) -> str:
    """A pairing gain as it is shown."""
    if value is None or math.isnan(value):
        return SHOWN_UNKNOWN
    return f"{value:.1f}" if math.isfinite(value) else "all"


def needed(verdict: Verdict, wanted: float = 0.3) -> str:
    """How many games tell the change of every city to a precision, judged by the widest interval."""
    table = verdict.tables.city_wins
    margin = 100 * float(((table["high"] - table["low"]) / 2).max())  # type: ignore[arg-type]
    if not math.isfinite(margin) or margin <= wanted:
        return ""
    games = math.ceil(verdict.games * (margin / wanted) ** 2 / 1000) * 1000
    return f"± {wanted:g} {POINTS} for every city would take some {games:,} games of each side."


def one_side(row: Row, side: str) -> str:
    """A number of a table in its own unit: of the `first` side, the `second`, or `value`, the change."""
    if row[side] is None:
        return SHOWN_UNKNOWN
    estimate, share = estimate_of(row, side), row.get("unit") == "share"
    return format_estimate(estimate, percent=share, signed=side == "value", with_n=False)


def effect(row: Row) -> str:
    """What changes for the changed thing itself, in a clause with n."""
    before, after, change = (one_side(row, side) for side in ("first", "second", "value"))
    head = f"{row['thing']}, {row['asked']}"
    if SHOWN_UNKNOWN in (before, after):
        side, shown = ("second", after) if before == SHOWN_UNKNOWN else ("first", before)
        when = "after" if side == "second" else "before"
        return f"{head}: {shown} {when} (n {row[f'{side}_n']:,})"
    return f"{head}: {before} → {after}, change {change} (n {row['first_n']:,} and {row['second_n']:,})"


def city_names(base: Rules, variant: Rules) -> dict[str, str]:
    """The names of all cities by their ids."""
    return {
        city: name
        for rules in (base, variant)
        for city, name in zip(rules.city_ids, rules.city_names, strict=True)
    }


def city_line(names: dict[str, str], row: Row) -> str:
    """A city's change in a clause."""
    return f"{names[row['city']]} {in_points(estimate_of(row))}"


# Who played.


ADAPTED_ONLY = (
    "Only those called players who know the rule learned the changed game; all others play it with what they "
    "value in the base game."
)


def who(verdict: Verdict) -> str:
    """Who played: what is said holds for these players."""
    before = seated(verdict.strategies, verdict.lineup)
    if verdict.adapted is not None:
        return f"players who know the rule ({verdict.adapted.start} {_made(verdict.adapted)} for it)"
    if verdict.other_players:
        return f"{seated(verdict.after, verdict.lineup)} in place of {before}"
    return before


def _made(adapted: Adapted) -> str:
    return "tuned" if adapted.how == "tuned" else "taught"


def with_whom(answer: WhatIf, verdict: Verdict) -> str:
    """The beginning of a sentence: with whom it holds and, where there are several, at which tables."""
    table = f"At tables of {verdict.players}, with" if len(answer.players) > 1 else "With"
    return f"{table} {who(verdict)}"


def label(verdict: Verdict) -> str:
    """The players in a word or two, for a table."""
    if verdict.adapted is not None:
        return f"{verdict.adapted.start}, knowing the rule"
    before = ", ".join(dict.fromkeys(verdict.strategies))
    return f"{before} → {', '.join(dict.fromkeys(verdict.after))}" if verdict.other_players else before


def adaptation(verdict: Verdict, names: dict[str, str]) -> str:
    """How the players came to know the rule, and whether that made them better."""
    found = verdict.adapted
    assert found is not None
    cities = [names[city] for city in found.after.cities]
    where = f" in {listed(cities)}" if cities else ""
    how = (
        f"has its weights{where} tuned against a table of itself"
        if found.how == "tuned"
        else "goes on learning its value from its own games"
    )
    sides = {"changed": found.after, "base": found.before}
    won = listed([_won(one, game, 1 / verdict.players) for game, one in sides.items()])
    return (
        f"Players who know the rule: {found.start} {how} under the changed rules, in "
        f"{counted(found.after.games, 'game')}, and plays the changed game; trained in the same way under "
        f"the base rules, in {counted(found.before.games, 'game')}, it plays the base game, since training "
        f"alone makes other players. One of them at a table of {found.start} wins {won}; "
        f"{percent(1 / verdict.players)} is fair."
    )


def _won(trained: Trained, game: str, fair: float) -> str:
    """What a trained player wins, and whether the training is shown to have helped."""
    won = trained.won
    other = "it got worse" if won.high < fair else "no gain is shown"
    helped = "it learned something" if won.low > fair else other
    return f"{format_estimate(won, percent=True, with_n=False)} of the {game} game (n {won.n:,}; {helped})"


def adapted_or_not(answer: WhatIf, variant: Variant) -> list[str]:
    """How far the players know the change, and what that may hide."""
    if variant.rules.hash == answer.base.hash:
        return []
    if any(verdict.adapted for verdict in variant.verdicts):
        return [ADAPTED_ONLY]
    return [f"{NOT_ADAPTED} {_what_it_hides(answer)}"]


def _what_it_hides(answer: WhatIf) -> str:
    """What is known of how much better-suited players gain: for the base game only."""
    unknown = "How much that hides is not known for this change; --adapt 50000games measures some of it."
    found = published_exploit()
    if found is None or found.rules.hash != answer.base.hash:
        return unknown
    gains = [100 * city.gain.value for city in found.cities]
    margins = [100 * (city.gain.high - city.gain.low) / 2 for city in found.cities]
    low, high = (f"{gain:+.0f}".replace("-", "\N{MINUS SIGN}") for gain in (min(gains), max(gains)))
    return (
        f"{unknown} For scale: in the base game itself, players better suited to one city gained {low} to "
        f"{high} percentage points there (± {min(margins):.0f} to {max(margins):.0f}, n {found.games:,} "
        f"each) against {found.players - 1} of {found.strategy}, the strongest player."
    )


# The terminal.


def brief(answer: WhatIf) -> list[str | Table]:
    """All variants, one after another."""
    return [part for variant in answer.variants for part in _brief(answer, variant)]


def _brief(answer: WhatIf, variant: Variant) -> Iterator[str | Table]:
    names = city_names(answer.base, variant.rules)
    sizes = ", ".join(map(str, answer.players))
    yield f"{variant.label}: {sizes} players, seed {answer.seed}, rules {variant.rules.short_hash}"
    yield from (f"  {line}" for line in changes(variant))
    for verdict in variant.verdicts:
        yield f"\n{headline(answer, variant, verdict)}"
        if verdict.adapted is not None:
            yield f"  {adaptation(verdict, names)}"
        if not verdict.same:
            yield from (f"  {line}" for line in (*exposure(verdict), elsewhere(verdict)))
            yield from (f"  {effect(row)}." for row in rows_of(verdict.tables.effects))
        yield detail(answer, variant, verdict)
        if not verdict.same:
            yield _shares("City", verdict.tables.city_wins, names)
            if len(verdict.tables.strategy_wins):
                yield _shares("Strategy", verdict.tables.strategy_wins, {})
            lines = (pairing(verdict), needed(verdict), scores(verdict))
            yield from (f"  {line}" for line in lines if line)
    if variant.main.changed_games:
        yield "\nGames that somebody else wins:"
        yield from (f"  {divergence_in_words(names, game)}" for game in variant.main.changed_games)
    if len(variant.verdicts) > 1 and len(answer.players) > 1:
        yield "\nChanges side by side, in percentage points; they are not compared with each other:"
        yield _verdicts_beside(variant, names)
    yield from (f"\n{line}" for line in adapted_or_not(answer, variant))


def _shares(title: str, table: pl.DataFrame, names: dict[str, str]) -> Table:
    """Win shares before and after."""
    rows = [
        (
            str(names.get(row[title.lower()], row[title.lower()])),
            in_percent(row, "first"),
            in_percent(row, "second"),
            in_points(estimate_of(row)),
            p_text(row["p_holm"]),
            f"{row['n']:,}",
            gain(row["pairing_gain"]),
        )
        for row in rows_of(table.sort("value", descending=True))
    ]
    columns = (title, "Before", "After", "Change", "p (Holm)", "n", "Pairing gain")
    return grid(columns, rows, right=columns[1:])


def _verdicts_beside(variant: Variant, names: dict[str, str]) -> Table:
    """The change of every city's win share in all verdicts."""
    found = [
        {row["city"]: in_points(estimate_of(row)) for row in rows_of(verdict.tables.city_wins)}
        for verdict in variant.verdicts
    ]
    columns = [f"{verdict.players} players, {label(verdict)}" for verdict in variant.verdicts]
    known = [city for city in names if any(city in one for one in found)]
    rows = [(names[city], *(one.get(city, "") for one in found)) for city in known]
    rows.append(("Distance", *(in_points(verdict.fairness.change) for verdict in variant.verdicts)))
    rows.append(("Games", *(f"{verdict.games:,}" for verdict in variant.verdicts)))
    return grid(("City", *columns), rows, right=columns)


# Tables of the page.


SHARED_LUCK = "The luck that both sides share is in the interval of each side: changes are known better."


@dataclass(frozen=True)
class VariantOnPage:
    """A variant of an answer, as the page shows it."""

    answer: WhatIf
    variant: Variant
    prefix: str  # of ids and files, where the page shows several variants
    files: tuple[str | None, str | None]  # with the rules before and after, for replays

    @property
    def names(self) -> dict[str, str]:
        """The cities by their ids."""
        return city_names(self.answer.base, self.variant.rules)

    @property
    def other_cities(self) -> bool:
        """Whether one side has a city that the other lacks."""
        return set(self.answer.base.city_ids) != set(self.variant.rules.city_ids)

    def among(self, whom: str) -> str:
        """Games, players, or a city by its name."""
        return self.names.get(whom, whom)


def before_after(table: pl.DataFrame, *, share: bool) -> list[Column]:
    """Both sides, each with an interval of its own."""
    return both_sides(("Before", "After"), table, percent=share)


def exposed(on_page: VariantOnPage, table: pl.DataFrame, name: str, title: str, shown: bool) -> Table:
    """How often things came up."""
    rows = rows_of(table)
    return filled(
        f"{on_page.prefix}{name}",
        title,
        table,
        [
            words("Thing", [row["thing"] for row in rows]),
            words("Came up", [row["stage"] for row in rows]),
            words("Among", [on_page.among(row["among"]) for row in rows]),
            *before_after(table, share=True),
            estimated("Change", table, percent=True, signed=True),
            counts("n", table["n"].to_list()),
        ],
        note=f"With {who(on_page.variant.main)}. Among games: for anybody at the table.",
        open=shown,
    )


def effect_sides(title: str, rows: Sequence[Row], side: str) -> Column:
    """Estimates of one side, each in its own unit."""
    texts = [one_side(row, side) for row in rows]
    keys = [float("-inf") if row[side] is None else row[side] for row in rows]
    return ordered(title, texts, keys)


def compared(
    on_page: VariantOnPage,
    name: str,
    title: str,
    table: pl.DataFrame,
    first: Column,
    *,
    share: bool,
    shown: bool = True,
) -> Table:
    """Both sides, the change with its interval and corrected p-value, and what pairing was worth."""
    gains = [x if x is not None else float("nan") for x in table["pairing_gain"]]
    return filled(
        f"{on_page.prefix}{name}",
        title,
        table,
        [
            first,
            *before_after(table, share=share),
            estimated("Change", table, percent=share, signed=True),
            ordered("p (Holm)", [p_text(p) for p in table["p_holm"]], table["p_holm"].to_list()),
            counts("n", table["n"].to_list()),
            ordered("Pairing gain", [gain(one) for one in table["pairing_gain"]], gains),
        ],
        note=SHARED_LUCK,
        open=shown,
    )


def shares_by_side(on_page: VariantOnPage, verdict: Verdict) -> Table:
    """The win share of every city on each side, with an interval of its own."""
    table = verdict.tables.standing
    rows = rows_of(table)
    return filled(
        f"{on_page.prefix}standing",
        "Win share of each city, each side by itself",
        table,
        [
            words("Side", [row["side"] for row in rows]),
            words("City", [on_page.names[row["city"]] for row in rows]),
            estimated("Win share", table, percent=True),
            counts("n", table["n"].to_list()),
        ],
        note=SHARED_LUCK,
    )


def side_by_side(on_page: VariantOnPage) -> Table:
    """Win shares of the cities in all verdicts: of other players, and at other tables."""
    verdicts = on_page.variant.verdicts
    table = pl.concat(
        [
            verdict.tables.city_wins.select(
                pl.lit(verdict.players).alias("table"), pl.lit(label(verdict)).alias("players"), pl.all()
            )
            for verdict in verdicts
        ]
    )
    if len(on_page.answer.players) > 1:
        note = f"In {POINTS}; * significant after correction. What differs between verdicts is not tested."
        columns = _city_by_city(on_page, verdicts)
        return filled(f"{on_page.prefix}skills", "Changes side by side", table, columns, note, open=True)
    rows = rows_of(table)
    return filled(
        f"{on_page.prefix}skills",
        "Win shares by players",
        table,
        [
            words("Players", [row["players"] for row in rows]),
            words("City", [on_page.names[row["city"]] for row in rows]),
            *before_after(table, share=True),
            estimated("Change", table, percent=True, signed=True),
            words("Significant", ["yes" if is_significant(row["p_holm"]) else "no" for row in rows]),
            counts("n", table["n"].to_list()),
        ],
        open=True,
    )


def _city_by_city(on_page: VariantOnPage, verdicts: Sequence[Verdict]) -> list[Column]:
    """A row for each city, a column for each verdict."""
    found = [{row["city"]: row for row in rows_of(verdict.tables.city_wins)} for verdict in verdicts]
    cities = [city for city in on_page.names if any(city in rows for rows in found)]
    columns = [words("City", [on_page.names[city] for city in cities])]
    for verdict, rows in zip(verdicts, found, strict=True):
        texts = [_starred(rows[city]) if city in rows else "" for city in cities]
        keys = [rows[city]["value"] if city in rows else float("-inf") for city in cities]
        columns.append(ordered(f"{verdict.players} players, {label(verdict)}", texts, keys))
    return columns


def _starred(row: Row) -> str:
    return in_points(estimate_of(row)) + (" *" if is_significant(row["p_holm"]) else "")


def all_verdicts(on_page: VariantOnPage) -> Table:
    """A row for each verdict: the change of fairness, and in how many games others win."""
    verdicts = on_page.variant.verdicts
    numbers = [
        {
            "table": one.players,
            "players": label(one),
            **_named("distance", one.fairness.change),
            **_named("winner_changed", one.winner_changed),
            "games": one.games,
        }
        for one in verdicts
    ]
    frame = pl.DataFrame(numbers)
    changes = [one.fairness.change for one in verdicts]
    winners = [one.winner_changed for one in verdicts]
    shares = [format_estimate(one, percent=True, with_n=False) for one in winners]
    return filled(
        f"{on_page.prefix}verdicts",
        "All verdicts",
        frame,
        [
            words("Players", [label(one) for one in verdicts]),
            counts("Table of", [one.players for one in verdicts]),
            ordered("Distance", [in_points(one) for one in changes], [one.value for one in changes]),
            ordered("Somebody else wins", shares, [one.value for one in winners]),
            counts("Games", [one.games for one in verdicts]),
        ],
        note=f"Distance: change of a city's typical distance from the fair share, in {POINTS}.",
        open=True,
    )


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


# Games that somebody else wins after a change.


SAME = "the same"
Lines = list[tuple[str, str, str]]  # what, before, after


def game_in_words(names: dict[str, str], game: ChangedGame) -> str:
    """Who wins a game before and after."""
    sides = []
    for cities, winners, scores in zip(game.cities, game.winners, game.scores, strict=True):
        won = listed([names[city] for city in winners])
        sides.append(f"{won} {max(scores[cities.index(city)] for city in winners)}")
    return f"Game {game.game}: {sides[0]} → {sides[1]} points"


def divergence_in_words(names: dict[str, str], game: ChangedGame) -> str:
    """Who wins a game before and after, and where the two part."""
    head = game_in_words(names, game)
    if game.divergence is None:
        return f"{head}."
    pair = game.divergence.decided or game.divergence.first
    part = "they part" if pair == game.divergence.first else "the first other decision comes"
    before, after = pair
    one, two = (_scores(names, game, side, moment) for side, moment in enumerate((before, after)))
    stood = one if one == two else f"{one}; after: {two}"
    scores = f" ({stood})" if any((*before.scores, *after.scores)) else ""
    return f"{head}; {part} in {_where(before)}{scores}: before, {_line(before)}; after, {_line(after)}."


def _line(moment: Moment) -> str:
    return moment.lines[0].rstrip(".") if moment.lines else "nothing more"


def _where(moment: Moment) -> str:
    """The place in a game: its round, and the decision if somebody decides."""
    place = f"round {moment.round}" if moment.round else "the set-up"
    return place if moment.decision is None else f"{place}, decision {moment.decision}"


def _scores(names: dict[str, str], game: ChangedGame, side: int, moment: Moment) -> str:
    scores = zip(game.cities[side], moment.scores, strict=True)
    return ", ".join(f"{names[city]} {points}" for city, points in scores)


def replays(game: ChangedGame, files: Sequence[str | None]) -> tuple[str, str]:
    """The commands that tell a game before and after the change, with the files of their rules."""
    before, after = (
        replaying(game.seed, who, cities, game.first_seat, {}, rules)
        for who, cities, rules in zip(game.strategies, game.cities, files, strict=True)
    )
    return before, after


def game_tables(on_page: VariantOnPage) -> list[Table]:
    """A table for each of some games that somebody else wins, from where the two sides part."""
    return [
        _table(on_page, number, game)
        for number, game in enumerate(on_page.variant.main.changed_games, start=1)
    ]


def _table(on_page: VariantOnPage, number: int, game: ChangedGame) -> Table:
    lines = _parted(on_page.names, game, game.divergence) if game.divergence else []
    ends = [_final(on_page.names, game, side) for side in (0, 1)]
    lines += [("Final scores", ends[0], ends[1]), ("Replay", *replays(game, on_page.files))]
    columns = ("what", "before", "after")
    frame = pl.DataFrame(lines, schema=dict.fromkeys(columns, pl.String), orient="row")
    return filled(
        f"{on_page.prefix}changed-game-{number}",
        game_in_words(on_page.names, game),
        frame,
        [
            words("What", frame["what"].to_list()),
            *(sentences(name.capitalize(), frame[name].to_list()) for name in columns[1:]),
        ],
        note="One of the first games with luck of its own that somebody else wins.",
        open=number == 1,
    )


def _parted(names: dict[str, str], game: ChangedGame, parted: Divergence) -> Lines:
    """The steps around where the games part, and around the first decision that differs if that is later."""
    rows: Lines = [("In both", line, SAME) for line in parted.shared]
    rows += _moments(names, game, "They part", parted.first)
    if parted.decided is not None and parted.decided != parted.first:
        rows += _moments(names, game, "They decide", parted.decided)
    return rows


def _moments(names: dict[str, str], game: ChangedGame, head: str, pair: tuple[Moment, Moment]) -> Lines:
    before, after = pair
    places = [_where(one) for one in pair]
    scores = [_scores(names, game, side, one) for side, one in enumerate(pair)]
    same = [*places[1:], *scores[1:]] == [*places[:1], *scores[:1]]
    stood = [f"{place}; score track: {points}" for place, points in zip(places, scores, strict=True)]
    rows: Lines = [(head, stood[0], SAME if same else stood[1])]
    count = max(len(before.lines), len(after.lines))
    return rows + [("", _at(before.lines, place), _at(after.lines, place)) for place in range(count)]


def _at(lines: Sequence[str], place: int) -> str:
    return lines[place] if place < len(lines) else ""


def _final(names: dict[str, str], game: ChangedGame, side: int) -> str:
    scores = zip(game.cities[side], game.scores[side], strict=True)
    return ", ".join(f"{names[city]} {points}" for city, points in scores)


# Sections of the page.


SIGNIFICANT = "is significant after correction for all comparisons of these players"


def sections(on_page: VariantOnPage) -> list[Section]:
    """All sections, in their order."""
    variant, title = on_page.variant, f"{on_page.variant.label}: " if on_page.prefix else ""
    made = [
        _exposure(on_page),
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
    return Section("change", "The change", NO_CHANGE, notes=changes(variant))


def _exposure(on_page: VariantOnPage) -> Section:
    main, table = on_page.variant.main, on_page.variant.main.tables.exposure
    lead = " ".join([*exposure(main), elsewhere(main)])
    frame = pl.DataFrame({"change": changes(on_page.variant)})
    tables = [
        filled(
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
    parts = [effect(row) for row in rows]
    return Section(
        "thing",
        f"What it did to {listed(names)}",
        f"With {who(on_page.variant.main)}: {'; '.join(parts)}.",
        tables=[
            filled(
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
        fairness(main)
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

    def draw(canvas: "Canvas") -> None:
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
    sure = [city_line(names, row) for row in main.moved]
    lead = (
        f"Significant changes, in {POINTS}: {listed(sure)}." if sure else f"No city's change {SIGNIFICANT}."
    )
    tables += game_tables(on_page)
    notes = [changed(main), pairing(main), needed(main)]
    if on_page.other_cities:
        notes.append(
            "A city is compared in the games where it sits on both sides; a city that only one side has is "
            "in the picture."
        )
    return Section("cities", "Every city", lead, tables=tables, notes=[note for note in notes if note])


def _others(on_page: VariantOnPage) -> Section:
    """The same change with other players, with ones who know the rule, and at other tables."""
    answer, variant, names = on_page.answer, on_page.variant, on_page.names
    lines = [headline(answer, variant, verdict) for verdict in variant.verdicts[1:]]
    if len(lines) == 1:
        lines.append(detail(answer, variant, variant.verdicts[1]))
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
            filled(
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


def page_of(answer: WhatIf, options: WhatIfOptions) -> Page:
    """The page of all variants, the first one's verdict on top."""
    several = len(answer.variants) > 1
    shown = [
        VariantOnPage(answer, one, f"v{place}-" if several else "", (options.rules, options.file_of(one)))
        for place, one in enumerate(answer.variants, 1)
    ]
    first = answer.variants[0]
    made_by = options.typed(out=options.out)
    verdicts = [f"{one.label}: {headline(answer, one, one.main)}" for one in answer.variants[1:]]
    return Page(
        kind="What if",
        title=" · ".join(one.label for one in answer.variants),
        facts=facts(shown[0]),
        headline=(f"{first.label}: " if several else "") + headline(answer, first, first.main),
        detail=detail(answer, first, first.main),
        by_table=verdicts,
        by_table_title="The other changes",
        sure=_sure(answer),
        limits=_limits(answer),
        limits_title="For whom it holds",
        sections=[section for one in shown for section in sections(one)],
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _sure(answer: WhatIf) -> list[str]:
    """What luck the sides share, and how comparisons were corrected."""
    lines = []
    for variant in answer.variants:
        head = f"{variant.label}: " if len(answer.variants) > 1 else ""
        lines.append(f"{head}{in_short(streams(answer.base, variant.rules))}")
    count = answer.variants[0].main.comparisons
    lines.append(
        f"p (Holm) is corrected for all {count} comparisons of one variant with one line-up of players "
        "together; an interval is for its own number alone, so some leave out zero by chance."
    )
    return lines


def _limits(answer: WhatIf) -> list[str]:
    """Whether players know the change, and what others say of it."""
    adapted = [line for variant in answer.variants for line in adapted_or_not(answer, variant)]
    others = [
        headline(answer, variant, verdict) for variant in answer.variants for verdict in variant.verdicts[1:]
    ]
    return [*dict.fromkeys(adapted), *dict.fromkeys(others)]
