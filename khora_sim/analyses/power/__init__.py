"""Measure what things are worth: the same games with a thing and without it, on the same dice and deals.

Every set of cities is played equally often, the cities moving around the table.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from khora_sim.analyses.analysis import (
    NORMAL,
    SLACK,
    Analysis,
    AnalysisOptions,
    Games,
    Precision,
    Run,
    Strategies,
)
from khora_sim.analyses.power.counts import Counts, Parts, evaluated, sides_of, things_of
from khora_sim.analyses.power.worth import (
    ALL,
    ALLOWED,
    DEAD,
    DEALT,
    GIVEN,
    HAPPENS,
    KINDS,
    MUST_HAVE,
    ONLY,
    RULES,
    STRONG,
    WEAK,
    Power,
    Worth,
    frame_of,
    ways_of,
)
from khora_sim.common.command_options import USUAL_STRATEGY, Flag
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError, nearest
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Page, Section
from khora_sim.pages.plots import ABOVE, ACCENT, BELOW
from khora_sim.pages.table import Column, Table, amount, count, p_value, pp, text
from khora_sim.pages.wording import POINTS, SHOWN_UNKNOWN, capital, is_significant, shortened
from khora_sim.rules import Rules, load_rules
from khora_sim.simulation.experiment import CHUNKS, Design, city_choices
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.sinks import Sink
from khora_sim.simulation.study_file import Study, study_of

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

WORST = 0.5  # variance of the difference of two results, at most: that of two coins
HEAT_ROW, HEAT_HEAD = 0.19, 0.75  # inches of a row of the heat map, and of the names above it
FAINTEST = 0.02  # a heat map of differences below two points never looks strong
ONE = {kind: kind.removesuffix("s").capitalize() for kind in KINDS}
#: The comparison behind a number, in each way.
COMPARED = {
    DEALT: "from the deck to a player before the draft, in place of a random card of the hand that was dealt",
    GIVEN: "from the deck to a player after the draft, in place of a random card of the hand that was kept",
    HAPPENS: "with the event as it is, against the same round in which nothing happens, where it comes",
    ALLOWED: "allowed, against one player who never uses it where there is another choice",
}
TITLES = {DEALT: "Dealt", GIVEN: "Given", HAPPENS: "Win share", ALLOWED: "Win share"}
LABEL, BY_CITY = "Label", "significant after correction for all things and cities"
ADAPTED = (
    "Players do not plan for a swap or a ban: who is barred from a thing plays on as if it could be used "
    "later. A player who adapts loses less without it."
)


class PowerOptions(AnalysisOptions):
    """The same games are played with each thing and without it, on the same dice and deals.

    A card is swapped with one of the deck, before and after the draft. An event does nothing. One player
    never uses a development, an action, a track or a space.
    """

    command = "power"
    usual_games: ClassVar[int] = 14_000

    kind: Annotated[
        str,
        Flag(f"{', '.join(KINDS[:-1])} or {KINDS[-1]}.", argument=True),
        Field(description=f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"),
    ]
    strategies: Annotated[
        Strategies, "Strategies that play: one in every seat; for cards and events also several."
    ] = (USUAL_STRATEGY,)
    games: Annotated[Games, "Games of each side: as they are, and with each thing changed."] = None
    precision: Annotated[
        Precision,
        "Play until the win rate that each thing is worth with each city is known to ± this many pp, in "
        "place of --games. For cards: dealt before the draft.",
    ] = None

    def check(self) -> None:
        """Refuse what is unknown or impossible."""
        if self.kind not in KINDS:
            raise UserError(f'unknown kind "{self.kind}"; {nearest(self.kind, KINDS)}')
        if not self.strategies:
            raise UserError(f"--strategies: nobody is named; say who plays, such as {USUAL_STRATEGY}")
        if len(self.strategies) > 1 and self.kind not in ("cards", "events"):
            raise UserError(
                f"--strategies {','.join(self.strategies)}: {self.kind} are barred for one player among "
                "others of the same strategy; name one strategy"
            )
        rules = load_rules(self.rules)
        cards = len(rules.card_ids)
        if self.kind == "cards" and self.players * rules.model.hand_dealt >= cards:
            raise UserError(
                f"{self.players} hands take all {cards} cards of {rules.name}, and none is left in the deck "
                "to swap; ask with fewer --players"
            )


class PowerAnalysis(Analysis[PowerOptions, Power]):
    """The worth of things."""

    Options = PowerOptions

    def run(self, options: PowerOptions, run: Run) -> Power:
        """Play what is missing, and evaluate everything."""
        counts = play_and_count(options, ways_of(options.kind), run)
        rules = counts.rules
        things = things_of(options.kind, rules)
        cities = dict(zip(rules.city_ids, rules.city_names, strict=True))
        return Power(
            rules=RulesPlayed.of(rules),
            kind=options.kind,
            strategies=options.strategies,
            players=options.players,
            seed=options.judging_seed,
            precision=options.precision,
            games=counts.games,
            sides=len(counts.sides),
            things=things,
            cities=cities,
            rows=tuple(evaluated(counts, things, cities)),
        )

    def brief(self, result: Power, *, full: bool = False) -> Sequence[str | Table]:
        """The headline, every thing over all cities and with each, and how to read it."""
        main, *others = result.ways
        thing, _, label, wins, p_wins, points, p_points, n = _columns(result, main)
        columns = [thing, label, wins, p_wins, points, *(_other_way(result, way) for way in others), n]
        if main == HAPPENS:  # over all cities its win share is 0 by necessity
            columns = [thing, label, p_points, points, n]
        columns += [_with_city(result, city) for city in result.cities]
        return [
            f"What {result.kind} are worth: {', '.join(facts(result))}\n",
            headline(result),
            *strong_in_few(result),
            Table.of("power", f"All {result.kind}", result.overall(), columns),
            *(f"  {line}" for line in (*reading(result), *precision(result))),
        ]

    def page(self, result: Power, options: PowerOptions) -> Page:
        """Every thing over all cities, then with every city, the main way first."""
        labels = Table.of(
            "labels",
            "The rules of the labels",
            [{"label": label, "rule": rule} for label, rule in RULES],
            [text(LABEL, "label"), text("Given when", "rule", long=True)],
            note="By win share. A difference is significant where its p-value, corrected by Holm for all "
            "things and cities measured in the same way, is below 5 %.",
            open=True,
        )
        return Page(
            kind="Power",
            title=f"What {result.kind} are worth",
            facts=facts(result),
            headline=headline(result),
            detail=" ".join([*strong_in_few(result), *precision(result)]),
            sure=reading(result),
            limits=[ADAPTED, f"All of it holds for {who(result)}, at tables of {result.players}."],
            sections=[
                *(_of_way(result, way) for way in result.ways),
                Section("labels", "What the labels mean", "", tables=[labels]),
            ],
        )


def play_and_count(options: PowerOptions, ways: Sequence[str], run: Run, seed: int | None = None) -> Counts:
    """Play what is missing, and count it; of cards, in some ways only.

    `seed` is the engine's, where it is another one than that of the options.
    """
    rules = load_rules(options.rules)
    seed = options.judging_seed if seed is None else seed
    table = {
        "strategies": options.strategies,
        "players": options.players,
        "cities": "all",
        "rotate": "cities",
    }
    study = study_of({**table, "games": options.games_wanted or 1, "seed": seed})
    if options.precision is not None:
        study = study.model_copy(update={"games": most_games(options, options.precision, study, rules)})
    sides = sides_of(options.kind, study, rules, options.rules, ways)
    counts = Counts(options.kind, list(things_of(options.kind, rules)), len(rules.city_ids), sides, ways)

    def is_precise(_: Sink) -> bool:
        return counts.games > 0 and counts.widest() <= (options.precision or 0) / 100

    until = None if options.precision is None else is_precise
    run.play(Design(tuple(side.arm for side in sides)), Parts(counts, run.chunks), until)
    return counts


def most_games(options: PowerOptions, precision: float, study: Study, rules: Rules) -> int:
    """Games of each side after which every win rate is known to a precision, whatever it is."""
    cities = len(rules.city_ids)
    rows = {  # of a thing with a city, in a game of each side
        "cards": options.players / cities * rules.model.hand_dealt / len(rules.card_ids),
        "events": options.players / cities * (rules.model.rounds - 2) / max(len(rules.event_ids) - 2, 1),
    }.get(options.kind, 1 / cities)
    needed = WORST * (100 * NORMAL / precision) ** 2 * SLACK / rows
    turns = city_choices(study, cities, options.players) * options.players * CHUNKS
    return turns * math.ceil(needed / turns)


def who(answer: Power) -> str:
    """The players that all of it holds for."""
    if len(answer.strategies) == 1:
        return f"{answer.strategies[0]} in every seat"
    return f"{shortened(answer.strategies, 'more strategies')} at the table"


def facts(answer: Power) -> list[str]:
    """The games and rules, in a few words each."""
    return [
        f"{counted(answer.games, 'game')} of each of {answer.sides} sides with {who(answer)}",
        f"{answer.players} players",
        f"seed {answer.seed}",
        f"rules {answer.rules.hash[:12]}",
    ]


def headline(answer: Power) -> str:
    """The things that stand out, and for whom that holds."""
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


def reading(answer: Power) -> list[str]:
    """Sentences on how the columns are read."""
    lines = [f"{TITLES[way]}: win share in {POINTS}, {COMPARED[way]}." for way in answer.ways]
    if answer.ways == (HAPPENS,):
        lines = [f"Points and win share: {COMPARED[HAPPENS]}."]
    column = f" ({TITLES[answer.ways[0]].lower()})" if len(answer.ways) > 1 else ""
    lines.append(
        f"With a city: win share in {POINTS}, moved towards the thing's own mean by what chance explains; "
        f"* {BY_CITY}{column}."
    )
    return lines


def precision(answer: Power) -> list[str]:
    """The precision that was reached: of every thing over all cities, and with every city."""
    lines = []
    for way in answer.ways:
        head = TITLES[way] if len(answer.ways) > 1 else "Win share"
        lines.append(f"{head}: {_known(answer.reached(way, overall=True), answer.reached(way))}.")
    return lines


def _known(overall: float, cells: float) -> str:
    """The widest half intervals, in percentage points; one of 100 or more holds all there could be."""
    if not overall < 100:
        return "too few games for some of them"
    with_city = f"and to ± {cells:.2g} with a city" if cells < 100 else "and with a city not all are known"
    return f"known to ± {overall:.2g} {POINTS} or better over all cities, {with_city}"


def cell(row: Worth) -> str:
    """A cell of the table of cities: its shrunken win share in points, marked where it is significant."""
    if row.shrunken != row.shrunken:
        return SHOWN_UNKNOWN
    points = round(100 * row.shrunken, 1) + 0.0  # adding zero turns -0.0 into 0.0
    text = f"{points:{'+' if points else ''}.1f}".replace("-", "\N{MINUS SIGN}")
    return f"{text}{'*' if is_significant(row.p_wins) else ''}"


def _columns(answer: Power, way: str) -> list[Column]:
    """Columns of rows: both values with their intervals and corrected p-values, and the label."""
    return [
        text(ONE[answer.kind], "thing", answer.things),
        text("City", "city", answer.cities),
        text(LABEL, "label"),
        pp(TITLES[way], "wins", bounded=True),
        p_value("p (Holm)", "p_wins"),
        amount("Points", "points", signed=True),
        p_value("p, points", "p_points"),
        count("n", lambda row: row.wins.n),
    ]


def _other_way(answer: Power, way: str) -> Column:
    """The win share in another way, over all cities."""
    return pp(TITLES[way], lambda row: answer.of(row.thing, ALL, way).wins, bounded=True)


def _with_city(answer: Power, city: str) -> Column:
    """The win share with a city, in the main way."""

    def of(row: Worth) -> Worth:
        return answer.of(row.thing, city)

    return text(answer.cities[city], lambda row: cell(of(row)), key=lambda row: of(row).shrunken)


def _of_way(answer: Power, way: str) -> Section:
    """Every thing over all cities, and with every city."""
    rows = answer.overall(way)
    title = f"{TITLES[way]}: " if len(answer.ways) > 1 else ""
    lead = f"What each of the {answer.kind} is worth, {COMPARED[way]}."
    if way == HAPPENS:
        lead += " An event meets everyone: over all cities points change, and with a city win shares."
    cells = [answer.of(row.thing, city, way) for row in rows for city in answer.cities]
    note = f"Win share in {POINTS}."

    def table(name: str, title: str, rows: Sequence[Worth], **more: Any) -> Table:
        return Table.of(
            name, capital(title), rows, _columns(answer, way), note=note, frame=frame_of(rows), **more
        )

    return Section(
        way,
        capital(f"{title}over all cities and with each"),
        lead,
        [_dots(answer, way, rows), _heat(answer, way, rows)],
        [
            table(f"power-{way}", f"{title}all {answer.kind}", rows, open=True).without("City"),
            table(f"power-{way}-cities", f"{title}all {answer.kind} by city", cells),
        ],
        notes=[
            "The numbers of the heat map are moved towards the mean of their row by the part that chance "
            "explains; the table of cities has them as measured, with their intervals."
        ],
    )


def _dots(answer: Power, way: str, rows: Sequence[Worth]) -> Figure:
    by_points = way == HAPPENS
    dots = []
    for row in rows:
        found, p = (row.points, row.p_points) if by_points else (row.wins, row.p_wins)
        sure = is_significant(p)
        colour = ACCENT if not sure else ABOVE if found.value > 0 else BELOW
        name = answer.things[row.thing]
        dots.append(plots.Dot(name, found.value, found.low, found.high, colour, faint=not sure))

    def draw(canvas: "Canvas") -> None:
        axes = canvas.subplots()
        plots.dots(axes, dots, null=0.0)
        (plots.as_plain if by_points else plots.as_percent)(axes.xaxis)
        axes.set_xlabel("points" if by_points else "win share")

    least = min(row.wins.n for row in rows)
    return Figure(
        f"power-{way}",
        f"What {answer.kind} are worth: {'points' if by_points else TITLES[way].lower()}",
        f"Filled: {BY_CITY}. With {who(answer)}.",
        draw,
        plots.dots_height(len(dots)),
        f"n {least:,} or more for each; bars are 95 % intervals",
    )


def _heat(answer: Power, way: str, rows: Sequence[Worth]) -> Figure:
    cells = [[answer.of(row.thing, city, way) for city in answer.cities] for row in rows]
    values = np.array([[one.shrunken for one in row] for row in cells])
    texts = [[cell(one) for one in row] for row in cells]
    names = [answer.things[row.thing] for row in rows]

    def draw(canvas: "Canvas") -> None:
        plots.heat(
            canvas.subplots(), values, texts, names, list(answer.cities.values()), 0.0, FAINTEST, size=6.5
        )

    least = min(one.wins.n for row in cells for one in row)
    return Figure(
        f"power-{way}-cities",
        f"{answer.kind.capitalize()} by city: {TITLES[way].lower()}",
        f"Win share in {POINTS}, shrunken; blue: more with it, orange: less; * {BY_CITY}.",
        draw,
        HEAT_HEAD + HEAT_ROW * len(names),
        f"n {least:,} or more for each cell; 95 % intervals are in the table",
    )


COMMAND = PowerAnalysis()
