"""The answer of a what-if in sentences, for the terminal and for the page."""

import math

from khora_sim.analyses.what_if_answer import Variant, Verdict, WhatIf
from khora_sim.common.commands import asking_what_if
from khora_sim.common.wording import counted, listed
from khora_sim.pages.what_if_players import with_whom
from khora_sim.pages.wording import (
    POINTS,
    SHOWN_UNKNOWN,
    Row,
    estimate_of,
    in_percent,
    in_points,
    rows_of,
    shortened,
)
from khora_sim.rules import Rules
from khora_sim.stats import decimals_of, format_estimate, wilson

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


def command(answer: WhatIf, out: str | None = None) -> str:
    """The command that asks again."""
    main, *others = answer.variants[0].verdicts
    files = [variant.file for variant in answer.variants if variant.file]
    typed = [one for variant in answer.variants for one in variant.assignments]
    beside = [one.strategies[0] for one in others if not one.adapted and one.strategies != main.strategies]
    extent = {"games": main.games} if answer.precision is None else {"precision": f"{answer.precision:g}"}
    who: dict[str, object] = {"strategies": main.strategies}
    who |= {"against": main.after} if main.other_players else {"beside": beside[0] if beside else "none"}
    asked = {**who, "players": answer.players, **extent, "adapt": answer.adapt}
    return asking_what_if(files, typed, {**asked, "seed": answer.seed, "out": out})
