"""The answer of `power` in sentences and rows, for the terminal and for the page."""

from typing import Any

from khora_sim.analyses.power_answer import ALL, ALLOWED, DEALT, GIVEN, HAPPENS, Power, Worth
from khora_sim.analyses.power_labels import DEAD, MUST_HAVE, ONLY, STRONG, WEAK
from khora_sim.common.commands import asking_power
from khora_sim.common.wording import counted, listed
from khora_sim.pages.phrases import SHOWN_UNKNOWN, is_significant, p_text, shortened
from khora_sim.pages.what_if_words import points_cell
from khora_sim.stats import format_estimate

POINTS = "percentage points"
ONE = {kind: kind.removesuffix("s").capitalize() for kind in ("cards", "events", "developments")}
ONE |= {"actions": "Action", "tracks": "Track", "spaces": "Space"}
#: What a number compares, in each way.
COMPARED = {
    DEALT: "from the deck to a player before the draft, in place of a random card of the hand that was dealt",
    GIVEN: "from the deck to a player after the draft, in place of a random card of the hand that was kept",
    HAPPENS: "with the event as it is, against the same round in which nothing happens, where it comes",
    ALLOWED: "allowed, against one player who never uses it where there is another choice",
}
TITLES = {DEALT: "Dealt", GIVEN: "Given", HAPPENS: "Win share", ALLOWED: "Win share"}
LABEL, BY_CITY = "Label", "significant after correction for all things and cities"
TEXTS = (*ONE.values(), LABEL)
ADAPTED = (
    "Players do not plan for a swap or a ban: who is barred from a thing plays on as if it could be used "
    "later. A player who adapts loses less without it."
)


def who(answer: Power) -> str:
    """Who played: what is said holds for these players."""
    if len(answer.strategies) == 1:
        return f"{answer.strategies[0]} in every seat"
    return f"{shortened(answer.strategies, 'more strategies')} at the table"


def facts(answer: Power) -> list[str]:
    """What was played, in a few words each."""
    return [
        f"{counted(answer.games, 'game')} of each of {answer.sides} sides with {who(answer)}",
        f"{answer.players} players",
        f"seed {answer.seed}",
        f"rules {answer.rules.hash[:12]}",
    ]


def headline(answer: Power) -> str:
    """The things that stand out, with whom it holds for."""
    rows = answer.overall()
    if answer.ways == (HAPPENS,):
        uneven = [f"{answer.things[row.thing]} ({row.label})" for row in rows if "for" in row.label.split()]
        events = f"events that favour some cities: {listed(uneven)}" if uneven else "no event favours a city"
        return f"With {who(answer)}, {events}."
    parts = [
        f"{label}: {listed([answer.things[row.thing] for row in rows if row.label == label])}"
        for label in (MUST_HAVE, STRONG, WEAK, DEAD)
        if any(row.label == label for row in rows)
    ]
    if not parts:
        return f"With {who(answer)}, none of the {answer.kind} stands out over all cities."
    return f"With {who(answer)}: {'; '.join(parts)}."


def strong_in_few(answer: Power) -> list[str]:
    """The things that stand out with one or two cities only, as a sentence; none where there are none."""
    few = [row for row in answer.overall() if row.label.startswith(ONLY)]
    found = [f"{answer.things[row.thing]} {row.label.removeprefix('only ')}" for row in few]
    return [f"Strong or must-have in one or two cities only: {'; '.join(found)}."] if few else []


def cell(row: Worth) -> str:
    """A cell of the table of cities: its shrunken win share in points, marked where it is significant."""
    if row.shrunken != row.shrunken:
        return SHOWN_UNKNOWN
    points = round(100 * row.shrunken, 1) + 0.0  # adding zero turns -0.0 into 0.0
    text = f"{points:{'+' if points else ''}.1f}".replace("-", "\N{MINUS SIGN}")
    return f"{text}{'*' if is_significant(row.p_wins) else ''}"


def overall_table(answer: Power) -> tuple[list[str], list[list[str]]]:
    """The table of the terminal: every thing over all cities, and what it is worth with each of them.

    The win share of an event over all cities is 0 by necessity, and left out.
    """
    others = answer.ways[1:]
    shares = [way for way in answer.ways if way != HAPPENS]
    columns = [ONE[answer.kind], LABEL, *(TITLES[way] for way in shares[:1]), "p (Holm)", "Points"]
    columns += [*(TITLES[way] for way in others), "n", *answer.cities.values()]
    rows = []
    for row in answer.overall():
        first, *second = [points_cell(answer.of(row.thing, ALL, way).wins) for way in shares] or [""]
        rows.append(
            [
                answer.things[row.thing],
                row.label,
                *([first] if shares else []),
                p_text(row.p_wins if shares else row.p_points),
                format_estimate(row.points, signed=True, with_n=False),
                *second,
                f"{row.wins.n:,}",
                *(cell(answer.of(row.thing, city)) for city in answer.cities),
            ]
        )
    return columns, rows


def reading(answer: Power) -> list[str]:
    """How the columns are read."""
    lines = [f"{TITLES[way]}: win share in {POINTS}, {COMPARED[way]}." for way in answer.ways]
    if answer.ways == (HAPPENS,):
        lines = [f"Points and win share: {COMPARED[HAPPENS]}."]
    column = f" ({TITLES[answer.ways[0]].lower()})" if len(answer.ways) > 1 else ""
    lines.append(
        f"With a city: win share in {POINTS}, moved towards the thing's own mean by what chance explains; "
        f"* {BY_CITY}{column}."
    )
    return lines


def _known(overall: float, cells: float) -> str:
    """The widest half intervals, in percentage points; one of 100 or more holds all there could be."""
    if not overall < 100:
        return "too few games for some of them"
    with_city = f"and to ± {cells:.2g} with a city" if cells < 100 else "and with a city not all are known"
    return f"known to ± {overall:.2g} {POINTS} or better over all cities, {with_city}"


def precision(answer: Power) -> list[str]:
    """How well things are known: every thing over all cities, and every thing with every city."""
    lines = []
    for way in answer.ways:
        overall, cells = answer.reached(way, overall=True), answer.reached(way)
        head = TITLES[way] if len(answer.ways) > 1 else "Win share"
        lines.append(f"{head}: {_known(overall, cells)}.")
    return lines


def command(answer: Power, rules: str | None, out: str) -> str:
    """The command that gives this answer again."""
    options: dict[str, Any] = {"strategies": answer.strategies, "players": answer.players}
    if answer.precision is None:
        options["games"] = answer.games
    else:
        options["precision"] = answer.precision
    return asking_power(answer.kind, {**options, "seed": answer.seed, "rules": rules, "out": out})
