"""Find small sets of changes that bring the win shares of the cities to a target.

Sets are searched on choosing seeds (see `search`). The best of each size is confirmed on judging seeds, with
the strategies that searched and with another one.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from khora_sim import __version__
from khora_sim.analyses.analysis import Analysis, Games, Run
from khora_sim.analyses.balance.proposals import Balance, Proposal, confirmed, effects
from khora_sim.analyses.balance.search import Searching
from khora_sim.analyses.variants import Target, VariantGames, VariantsOptions, target_of, write_variant
from khora_sim.common.command_options import CHANGE, NOBODY, FileName, Flag, Texts
from khora_sim.common.files import read_toml
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules, variant_data
from khora_sim.rules.assignments import Number, numbers_of
from khora_sim.strategy import load

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

WITHIN = 0.02  # of the fair share, where no target is given
MOST_CHANGES = 8
REACH = 2  # how far a number may move where nobody says so
FREE = 1  # the development that every city begins with costs nothing
WANTED = "a TOML file with a table [vary] of paths and values"


class Asked(NamedTuple):
    """All that a search is about, checked."""

    base: Rules
    numbers: tuple[Number, ...]
    target: Target


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
        Games,
        Flag(
            "Games that a proposal is confirmed with. The search takes about 60 times as many.", metavar="N"
        ),
    ] = None

    def check(self) -> None:
        """Refuse what cannot be searched."""
        if self.vary and self.numbers:
            raise UserError("--vary and --numbers: give one of them")
        self.check_strategies()
        _ = self.asked

    @cached_property
    def asked(self) -> Asked:
        """The numbers and the target, or one error."""
        base = load_rules(self.rules)
        numbers = numbers_in(self.numbers, base) if self.numbers else numbers_of(self.vary, base.model)
        numbers = numbers or usual_numbers(base)
        if not any(value != number.base for number in numbers for value in number.values):
            raise UserError(
                "--vary: every number keeps its value; give values that differ from the base game"
            )
        return Asked(base, numbers, target_of(self.target, base, self.players, WITHIN))

    @property
    def inputs(self) -> dict[str, Any]:
        """The numbers of the file that lists them."""
        found = [[one.path, *one.values] for one in self.asked.numbers]
        return {"the numbers": found} if self.numbers else {}

    @property
    def line_ups(self) -> list[tuple[str, ...]]:
        """The strategies that search, and the one that proposals are confirmed with too."""
        others = [] if self.also_with == NOBODY else [(self.also_with,)]
        return list(dict.fromkeys([self.strategies, *others]))


def usual_numbers(rules: Rules) -> tuple[Number, ...]:
    """The cost of every development of a city, and every amount that it gives, each within 2 of its value."""
    found = []
    for city, own in rules.model.cities.items():
        for place, development in enumerate(own.developments.in_order(), 1):
            path = f"cities.{city}.developments.{place}"
            if place != FREE:
                found.append(_around(f"{path}.cost", development.cost, 0))
            for at, effect in enumerate(development.effects, 1):
                here = f"{path}.effects.{at}"
                found += [_around(f"{here}.gain.{word}", amount, 1) for word, amount in effect.gain.items()]
                if effect.number is not None:
                    found.append(_around(f"{here}.number", effect.number, 1))
                for choice, amounts in enumerate(effect.choices, 1):
                    where = f"{here}.choices.{choice}"
                    found += [_around(f"{where}.{word}", amount, 1) for word, amount in amounts.items()]
    return tuple(found)


def _around(path: str, value: int, least: int) -> Number:
    values = range(max(value - REACH, min(least, value)), value + REACH + 1)
    return Number(path, value, tuple(values))


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
        base, numbers, target = options.asked
        by_line_up = [VariantGames(who, options.players, base, run) for who in options.line_ups]
        count = options.games_wanted or options.usual_games
        work = Searching(by_line_up[0], variant_data(options.rules), target, count, options.seed)
        search = work.search(numbers, options.changes)
        found = [confirmed(games, search, target, options) for games in by_line_up]
        sets = [((), base), *((one.changes, one.rules) for one in search.found)]
        return Balance(
            khora=__version__,
            rules=base,
            rules_file=options.rules,
            players=options.players,
            seed=options.seed,
            judging_seed=options.judging_seed,
            games=options.games_wanted,
            precision=options.precision,
            target=target,
            numbers=numbers,
            screened=search.screened,
            effects=effects(search, target),
            stages=search.stages,
            proposals=tuple(
                Proposal.of(changes, rules, tuple(one[place] for one in found))
                for place, (changes, rules) in enumerate(sets)
            ),
        )

    def brief(self, result: Balance, *, full: bool = False) -> "Sequence[str | Table]":
        """The verdict, every proposal, and every city before and after the best one."""
        from khora_sim.analyses.balance.page import brief

        return brief(result)

    def page(self, result: Balance, options: BalanceOptions) -> "Page":
        """The verdict, the trade-off, every city and single changes."""
        from khora_sim.analyses.balance.page import page_of

        return page_of(result, options.typed(out=options.out))

    def written(self, result: Balance, options: BalanceOptions, folder: Path) -> None:
        """Write every proposal as a variant."""
        from khora_sim.analyses.balance.page import proposal_text

        for one in result.proposals:
            if one.file is not None:
                typed = [change.typed for change in one.changes]
                text = proposal_text(result, one)
                write_variant(folder / one.file, typed, options.rules, name=Path(one.file).stem, text=text)


COMMAND = BalanceAnalysis()
