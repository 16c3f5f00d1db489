"""Find small sets of changes that bring the win shares of the cities to a target.

Sets are searched on choosing seeds (see `search`). The best of each size is confirmed on judging seeds, with
the strategies that searched and with another one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import polars as pl
from pydantic import Field

from khora_sim.analyses.analysis import Analysis, Games, Run
from khora_sim.analyses.balance.search import NOT, Balance, Confirmed, Proposal, Searching, confirmed
from khora_sim.analyses.variants import (
    Subject,
    VariantGames,
    VariantsOptions,
    change_column,
    target_of,
    write_variant,
)
from khora_sim.common.command_options import CHANGE, NOBODY, FileName, Flag, Texts
from khora_sim.common.files import read_toml
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError
from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Page, Section
from khora_sim.pages.published_answers import in_stronger_hands
from khora_sim.pages.table import Table, count, number, pp, share, text
from khora_sim.pages.wording import NOT_ADAPTED, POINTS, Row, estimate_of, in_points, percent, rows_of
from khora_sim.rules import Rules, load_rules, variant_data
from khora_sim.rules.assignments import Number, numbers_of
from khora_sim.simulation.result import estimate_columns
from khora_sim.strategy import load

if TYPE_CHECKING:
    from khora_sim.pages.plots import Canvas

WITHIN = 0.02  # of the fair share, where no target is given
MOST_CHANGES = 8
REACH = 2  # how far a number may move where nobody says so
FREE = 1  # the development that every city begins with costs nothing
WANTED = "a TOML file with a table [vary] of paths and values"
SHOWN = 25  # single changes that the page shows; the files have all
FRESH = (
    "Proposals were searched on choosing seeds and confirmed on judging seeds, luck that had no part in "
    "finding them."
)


class BalanceOptions(VariantsOptions):
    """Single changes are played on the same dice and deals, then promising sets of them.

    The best set of each size is confirmed on fresh seeds, and with players of another skill.
    """

    command = "balance"
    renamed: ClassVar[Mapping[str, str]] = {"beside": "--also-with"}

    vary: Annotated[
        Texts,
        Flag(
            "A number that may change and its values: cards.lighthouse.cost=0..4. May be given again.",
            CHANGE,
            "PATH=VALUES",
            default="costs and amounts of all developments, ± 2",
            repeated=True,
        ),
    ] = ()
    numbers: Annotated[
        FileName | None,
        Flag('A TOML file that lists them: [vary] "cards.lighthouse.cost" = "0..4".', CHANGE, "FILE"),
    ] = None
    target: Annotated[
        Texts,
        Flag(
            "The win share that is wanted of every city, or of one, in per cent, and how far from it is near "
            "enough: 25+-2, argos=25+-1 or argos=24..26. Without that it is 2 pp. May be given again.",
            CHANGE,
            "SHARE",
            default="the fair share +-2",
            repeated=True,
        ),
    ] = ()
    changes: Annotated[
        int,
        Flag("Numbers that a proposal changes at most.", CHANGE),
        Field(ge=1, le=MOST_CHANGES, description=f"1 to {MOST_CHANGES}"),
    ] = 4
    also_with: Annotated[
        str,
        Flag(
            "A strategy of another skill, with which proposals are confirmed too.",
            metavar=f"NAME|{NOBODY}",
            strategies=True,
        ),
    ] = "steward"
    games: Annotated[
        Games, "Games that a proposal is confirmed with. The search takes about 60 times as many."
    ] = None

    def check(self) -> None:
        """Refuse what cannot be searched."""
        if self.vary and self.numbers:
            raise UserError("--vary and --numbers: give one of them")
        super().check()

    @cached_property
    def subject(self) -> Subject:
        """The numbers and the target, or one error."""
        base = load_rules(self.rules)
        numbers = numbers_in(self.numbers, base) if self.numbers else numbers_of(self.vary, base.model)
        numbers = numbers or usual_numbers(base)
        if not any(value != number.base for number in numbers for value in number.values):
            raise UserError(
                "--vary: every number keeps its value; give values that differ from the base game"
            )
        return Subject(base, numbers, target_of(self.target, base, self.players, WITHIN))

    @property
    def inputs(self) -> dict[str, Any]:
        """The numbers of the file that lists them."""
        found = [[one.path, *one.values] for one in self.subject.numbers]
        return {"the numbers": found} if self.numbers else {}

    @property
    def line_ups(self) -> list[tuple[str, ...]]:
        """The strategies that search, and the one that proposals are confirmed with too."""
        others = [] if self.also_with == NOBODY else [(self.also_with,)]
        return list(dict.fromkeys([self.strategies, *others]))


def usual_numbers(rules: Rules) -> tuple[Number, ...]:
    """The cost of every development of a city, and every amount that it gives, each within 2 of its value."""
    found = []

    def add(path: str, value: int, least: int) -> None:
        values = range(max(value - REACH, min(least, value)), value + REACH + 1)
        found.append(Number(path, value, tuple(values)))

    for city, own in rules.model.cities.items():
        for place, development in enumerate(own.developments.in_order(), 1):
            path = f"cities.{city}.developments.{place}"
            if place != FREE:
                add(f"{path}.cost", development.cost, 0)
            for at, effect in enumerate(development.effects, 1):
                here = f"{path}.effects.{at}"
                for word, amount in effect.gain.items():
                    add(f"{here}.gain.{word}", amount, 1)
                if effect.number is not None:
                    add(f"{here}.number", effect.number, 1)
                for choice, amounts in enumerate(effect.choices, 1):
                    for word, amount in amounts.items():
                        add(f"{here}.choices.{choice}.{word}", amount, 1)
    return tuple(found)


def numbers_in(file: str, rules: Rules) -> tuple[Number, ...]:
    """The numbers that a file names, with their values as they are typed: "cards.bank.cost" = "0..2"."""
    data: Any = read_toml(file, WANTED).get("vary")
    if not isinstance(data, dict) or not data:
        raise UserError(
            f'{file}: has no table [vary]; expected lines such as "cards.lighthouse.cost" = "0..4"'
        )
    lines = []
    for path, values in data.items():
        if isinstance(values, dict):
            raise UserError(
                f'{file}: vary.{path}: write the path in quotes, as in "cards.lighthouse.cost" = "0..4"'
            )
        text = ",".join(map(str, values)) if isinstance(values, list) else str(values)
        lines.append(f"{path}={text}")
    return numbers_of(lines, rules.model, f"{file}:")


class BalanceAnalysis(Analysis[BalanceOptions, Balance]):
    """Small changes of the rules that balance the cities."""

    Options = BalanceOptions
    own = tuple(f"proposal-{size}.toml" for size in range(1, MOST_CHANGES + 1))

    def run(self, options: BalanceOptions, run: Run) -> Balance:
        """Search small sets of changes, and confirm the best of each size."""
        for name in options.named_strategies:
            load(name)  # a wrong parameter is noticed before hours of search
        base, numbers, target = options.subject
        by_line_up = [VariantGames(who, options.players, base, run) for who in options.line_ups]
        games = options.games_wanted or options.usual_games
        work = Searching(by_line_up[0], variant_data(options.rules), target, games, options.seed)
        search = work.search(numbers, options.changes)
        found = [confirmed(games, search, target, options) for games in by_line_up]
        sets = {(): base, **search.found}
        return Balance(
            **options.head,
            games=options.games_wanted,
            screened=search.screened,
            effects=search.effects(target),
            stages=search.stages,
            proposals=tuple(
                Proposal.of(changes, rules, tuple(one[place] for one in found))
                for place, (changes, rules) in enumerate(sets.items())
            ),
        )

    def brief(self, result: Balance, *, full: bool = False) -> Sequence[str | Table]:
        """The verdict, every proposal, and every city before and after the best one."""
        best = result.best
        of_best = {"changes": len(best.changes), "players": ", ".join(best.main.strategies)}
        before_and_after = _city_frame(result).filter(**of_best).sort("value", descending=True)
        return [
            f"Towards {result.target_text}: {result.players} players, seed {result.seed}",
            f"  {searched(result)}\n",
            headline(result),
            *(f"  {change}" for change in best.changes),
            *(f"  {confirmed_in_words(found)}" for found in best.confirmed),
            "",
            _proposals(result).without("Its change"),
            *(f"  {len(one.changes)}: {changes_in_words(one)}" for one in result.proposals[1:]),
            "",
            _cities(result, before_and_after, "After").without("Changes", "Players"),
            f"\n{FRESH}\n{NOT_ADAPTED}",
            *stronger(result),
        ]

    def page(self, result: Balance, options: BalanceOptions) -> Page:
        """The verdict, the trade-off, every city, and the effects of single changes."""
        files = ", ".join(one.file for one in result.proposals if one.file is not None)
        lead = f"{searched(result)} Each proposal is a variant file: {files}."
        cities = _cities(result, _city_frame(result), "Win share").without("Before")
        return Page(
            kind="Balance",
            title=f"Towards {result.target_text}",
            facts=[
                *(f"{one.games:,} games of each proposal with {one.who}" for one in result.base.confirmed),
                *result.facts,
            ],
            headline=headline(result),
            detail=detail(result),
            sections=[
                Section(
                    "trade-off",
                    "What more changes bring",
                    lead,
                    [_front(result)],
                    [_changes(result), _proposals(result)],
                ),
                Section(
                    "cities",
                    "Every city",
                    f"The proposal: {changes_in_words(result.best)}.",
                    [_moves(result)],
                    [cities],
                ),
                Section("singles", "What single changes do", searched(result), tables=[_singles(result)]),
            ],
            sure=[FRESH, searched(result), "All games were played on the same luck, and changes are paired."],
            limits=[
                *stronger(result),
                NOT_ADAPTED,
                "Only sets that the search came across were played: there may be better ones.",
            ],
        )

    def written(self, result: Balance, options: BalanceOptions, folder: Path) -> None:
        """Write every proposal as a variant."""
        for one in result.proposals:
            if one.file is not None:
                typed = [change.typed for change in one.changes]
                text = proposal_text(result, one)
                write_variant(folder / one.file, typed, options.rules, name=Path(one.file).stem, text=text)


def changed(proposal: Proposal) -> str:
    """`2 changed numbers`."""
    return counted(len(proposal.changes), "changed number")


def changes_in_words(proposal: Proposal) -> str:
    """All changes of a proposal."""
    return listed([str(one) for one in proposal.changes]) or "the base game"


def stronger(answer: Balance) -> list[str]:
    """The caveat on cities that win otherwise in the base game with the strongest published player."""
    return [
        line
        for found in answer.base.confirmed
        for line in in_stronger_hands(
            answer.rules,
            answer.players,
            found.strategies,
            dict(found.cities.select("city", "value").iter_rows()),
        )
    ]


def headline(answer: Balance) -> str:
    """The effect of the best proposal, and for whom it holds."""
    best, players, target = answer.best, f"With {answer.base.main.who}", answer.target_text
    if not best.changes:
        if best.reached:
            return f"{players}, the base game itself reaches {target}."
        return f"{players}, no change that was tried brings the cities nearer to {target}."
    every = len(answer.target.cities) == len(answer.names)
    what = "the spread between the best and the worst city" if every else "the distance from the target"
    first, last = (
        in_points(one.main.spread if every else one.main.distance, signed=False)
        for one in (answer.base, best)
    )
    bring, reach, not_reach = "bring", "reach", "do not reach"
    if len(best.changes) == 1:
        bring, reach, not_reach = "brings", "reaches", "does not reach"
    return (
        f"{players}, {changed(best)} {bring} {what} from {first} to {last} {POINTS}, "
        f"and {reach if best.reached else not_reach} {target}."
    )


def detail(answer: Balance) -> str:
    """The changes of the best proposal, and their effect with all players."""
    best = answer.best
    if not best.changes:
        return confirmed_in_words(answer.base.main)
    return " ".join([f"{changes_in_words(best)}.", *(confirmed_in_words(one) for one in best.confirmed)])


def confirmed_in_words(found: Confirmed) -> str:
    """The effect of a proposal with some players."""
    return (
        f"With {found.who} the spread is {in_points(found.spread, signed=False)} {POINTS} "
        f"({in_points(found.spread_change)}), a city's typical distance from the target "
        f"{in_points(found.distance, signed=False)} ({in_points(found.distance_change)}), and "
        f"{found.within} of {len(found.cities)} cities are near enough (n {found.games:,} games)."
    )


def searched(answer: Balance) -> str:
    """The way in which the proposals were found."""
    raced = sum(stage.variants for stage in answer.stages)
    return (
        f"{counted(len(answer.effects), 'single change')} of {counted(len(answer.numbers), 'number')} played "
        f"with {answer.screened:,} games each; {counted(raced, 'set')} of changes raced in "
        f"{counted(len(answer.stages), 'stage')}."
    )


def proposal_text(answer: Balance, proposal: Proposal) -> str:
    """The text of a proposal's variant file."""
    found = proposal.main
    spread = in_points(found.spread, signed=False)
    return (
        f"{changed(proposal)}: best and worst city {spread} {POINTS} apart with {found.who}, "
        f"{answer.players} players, {found.games:,} games"
    )


def _is_base(row: Row) -> bool:
    return not row["changes"]


def _proposals(answer: Balance) -> Table:
    """A row for each proposal and line-up."""
    measures = ("spread", "spread_change", "distance", "distance_change")
    spread, spread_change, distance, distance_change = (
        (name, f"{name}_low", f"{name}_high", "games") for name in measures
    )
    rows = []
    for one in answer.proposals:
        for found in one.confirmed:
            row = {
                "changes": len(one.changes),
                "steps": one.steps,
                "set": ", ".join(change.typed for change in one.changes),
                "players": ", ".join(found.strategies),
                "games": found.games,
            }
            for name in measures:
                row |= estimate_columns(name, getattr(found, name))
            rows.append({**row, "within": found.within})
    columns = [
        count("Changes", "changes"),
        count("Steps", "steps"),
        text("Players", "players"),
        pp("Best − worst", spread, signed=False),
        change_column("Change", spread_change, _is_base),
        pp("Distance", distance, signed=False),
        change_column("Its change", distance_change, _is_base),
        number("Near enough", "within", lambda one: f"{one} of {len(answer.target.cities)}"),
        count("n games", "games"),
    ]
    frame = pl.DataFrame(rows)
    return Table.of("proposals", "Every proposal", frame, columns, note=f"In {POINTS}.", open=True)


def _changes(answer: Balance) -> Table:
    rows = [
        {"changes": len(one.changes), **asdict(change)} for one in answer.proposals for change in one.changes
    ]
    columns = [
        count("Changes", "changes"),
        text("Number", "path", long=True),
        count("Before", "before"),
        count("After", "after"),
    ]
    return Table.of("changes", "What each proposal changes", rows, columns, open=True)


def _front(answer: Balance) -> Figure:
    sizes = [len(one.changes) for one in answer.proposals]

    def draw(canvas: "Canvas") -> None:
        axes = canvas.subplots()
        series = [
            (
                ", ".join(line_up.strategies),
                [one.confirmed[place].spread for one in answer.proposals],
                plots.FEW[place],
                plots.MARKERS[place],
            )
            for place, line_up in enumerate(answer.base.confirmed)
        ]
        plots.measured_lines(axes, sizes, series, scale=100)
        axes.set_xticks(sizes)
        axes.set_xlabel("changed numbers")
        axes.set_ylim(bottom=0)
        axes.set_ylabel(f"best − worst city, {POINTS}")
        plots.as_plain(axes.yaxis)
        plots.legend_below(canvas, axes, 4)

    return Figure(
        "balance-front",
        "Spread between the best and the worst city",
        "Each proposal with the players that searched, and with players of another skill.",
        draw,
        3.3,
        f"n {answer.base.main.games:,} games of each proposal, on fresh luck; bars are 95 % intervals",
    )


def _moves(answer: Balance) -> Figure:
    best = answer.best
    after = {row["city"]: row for row in rows_of(best.main.cities)}
    rows = [
        plots.Move(answer.names[city], before, after[city]["value"], city, after[city]["met"] != NOT)
        for city, before in answer.base.main.cities.sort("value", descending=True, maintain_order=True)
        .select("city", "value")
        .iter_rows()
    ]
    return Figure(
        "balance-cities",
        "Cities before → after",
        f"With {best.main.who}, {changed(best)}; hollow: before, filled: after. Bold: "
        "near enough to the target.",
        lambda canvas: plots.moves(canvas, rows, 1 / answer.players),
        plots.moves_height(len(rows)),
        f"n {best.main.games:,} games of each side; 95 % intervals are in the table",
    )


def _city_frame(answer: Balance) -> pl.DataFrame:
    """Every city in every proposal, with every line-up."""
    return pl.concat(
        found.cities.select(
            pl.lit(len(one.changes)).alias("changes"),
            pl.lit(", ".join(found.strategies)).alias("players"),
            pl.all(),
        )
        for one in answer.proposals
        for found in one.confirmed
    )


def _cities(answer: Balance, frame: pl.DataFrame, after: str) -> Table:
    """Cities before and after proposals."""
    before = {
        (", ".join(found.strategies), row["city"]): estimate_of(row)
        for found in answer.base.confirmed
        for row in rows_of(found.cities)
    }
    columns = [
        count("Changes", "changes"),
        text("Players", "players"),
        text("City", "city", answer.names),
        share("Before", lambda row: before[row["players"], row["city"]]),
        share(after),
        change_column("Change", ("change", "change_low", "change_high", "n"), _is_base),
        number("Wanted", "wanted", percent),
        text("Near enough", "met"),
        count("n", "n"),
    ]
    return Table.of("cities", "Every city in every proposal", frame, columns)


def _singles(answer: Balance) -> Table:
    def signed(value: float) -> str:
        return f"{100 * value:+.1f}".replace("-", "−")

    columns = [
        text("Number", "path", long=True),
        count("Before", "before"),
        count("After", "after"),
        number("Distance", "distance", lambda one: f"{100 * one:.1f}"),
        *(number(name, city, signed) for city, name in answer.names.items() if city in answer.target.cities),
    ]
    note = (
        f"In {POINTS}, from {answer.screened:,} games each, which the search chose by: figures are "
        "rough, and the best of many look better than they are."
    )
    title, rows = "Single changes, the nearest to the target first", rows_of(answer.effects.head(SHOWN))
    return Table.of("single-changes", title, rows, columns, note=note, frame=answer.effects)


COMMAND = BalanceAnalysis()
