"""Play numbers of the rules over ranges: every combination is a variant on the same dice and deals.

Few variants are all judged with as many games. Of many, stages on choosing seeds leave the leaders (see
`variants.eliminate`), which are judged on seeds that had no part in choosing them.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from khora_sim import __version__
from khora_sim.analyses.analysis import Analysis, Games, Run
from khora_sim.analyses.sweep.ranking import (
    Combination,
    Grid,
    Sweep,
    dropped_variants,
    judged_variants,
    ordered,
    tables,
)
from khora_sim.analyses.variants import (
    Elimination,
    VariantGames,
    VariantsOptions,
    eliminate,
    target_of,
    write_variant,
)
from khora_sim.common.command_options import CHANGE, Flag, Texts
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules, set_rules, variant_data
from khora_sim.rules.assignments import RANGE, Number, numbers_of

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

ALL_JUDGED = 30  # variants; more than that are ranked by stages first
LEADERS = 12  # variants that the stages leave to be judged
STAGE = 15  # times the games of a judged variant has a stage for all of its variants
MOST_VARIANTS = 1000
BEST_FILE = "best.toml"


class SweepOptions(VariantsOptions):
    """Every combination of values is a variant, on the same dice and deals as the base game.

    More than 30 variants are ranked by stages: those that are surely worse are dropped early, and the leaders
    are judged on fresh seeds.
    """

    command = "sweep"

    vary: Annotated[
        Texts,
        Flag(
            "A number of the rules and its values: cards.lighthouse.cost=0..4, 0..6:2 or 0,2,4. May be given "
            "again, for all combinations.",
            CHANGE,
            "PATH=VALUES",
            repeated=True,
        ),
    ] = ()
    target: Annotated[
        Texts,
        Flag(
            "The win share that is wanted, in per cent, such as argos=25. May be given again.",
            CHANGE,
            "CITY=SHARE",
            default="the fair share for every city",
            repeated=True,
        ),
    ] = ()
    games: Annotated[
        Games,
        Flag(
            "Games of each variant that is judged. More than 30 variants are ranked by stages before.",
            metavar="N",
        ),
    ] = None

    def check(self) -> None:
        """Refuse what cannot be played."""
        if not self.vary:
            raise UserError(f"no number is named; give --vary, such as {RANGE}")
        self.check_strategies()
        _ = self.grid

    @cached_property
    def grid(self) -> Grid:
        """The numbers, the target and the rules of every combination, or one error."""
        base, start = load_rules(self.rules), variant_data(self.rules)
        numbers = numbers_of(self.vary, base.model)
        many = math.prod(len(number.values) for number in numbers)
        if many > MOST_VARIANTS:
            raise UserError(
                f"--vary: {many:,} variants; at most {MOST_VARIANTS:,} are played, so take fewer values"
            )
        target = target_of(self.target, base, self.players)
        unchanged = tuple(number.base for number in numbers)
        found = [
            Combination(values, _changed(numbers, values, start))
            for values in product(*(number.values for number in numbers))
            if values != unchanged
        ]
        return Grid(base, numbers, target, tuple(found))


def _changed(numbers: Sequence[Number], values: Sequence[int], start: dict[str, Any] | None) -> Rules:
    """The rules with a value for each number."""
    typed = [
        number.typed(value) for number, value in zip(numbers, values, strict=True) if value != number.base
    ]
    return set_rules(typed, start, f"--vary {' '.join(typed)}")


class SweepAnalysis(Analysis[SweepOptions, Sweep]):
    """Numbers of the rules over ranges."""

    Options = SweepOptions
    own = (BEST_FILE,)

    def run(self, options: SweepOptions, run: Run) -> Sweep:
        """Play every combination, and rank them by their distance from the target."""
        grid = options.grid
        games = VariantGames(options.strategies, options.players, grid.base, run)
        every = [one.rules for one in grid.combinations]
        stages, judged = Elimination(), list(range(len(every)))
        if len(every) > ALL_JUDGED:
            each = STAGE * (options.games_wanted or options.usual_games)
            stages = eliminate(games, every, grid.target, each, LEADERS, options.seed)
            judged = stages.leaders
        run.progress.step(f"judging {len(judged)} variants")
        sums, played = games.judged(
            [every[place] for place in judged],
            options.games_wanted,
            options.precision,
            options.judging_seed,
        )
        found = ordered([*judged_variants(games, grid, judged, sums), *dropped_variants(games, grid, stages)])
        variants, cities = tables(games, grid, found)
        return Sweep(
            khora=__version__,
            rules=grid.base,
            rules_file=options.rules,
            strategies=options.strategies,
            lineup=games.lineup,
            players=options.players,
            seed=options.seed,
            judging_seed=options.judging_seed,
            games=played,
            precision=options.precision,
            target=grid.target,
            numbers=grid.numbers,
            stages=stages.stages,
            variants=variants,
            cities=cities,
        )

    def brief(self, result: Sweep, *, full: bool = False) -> "Sequence[str | Table]":
        """The verdict, and what every value does."""
        from khora_sim.analyses.sweep.page import brief

        return brief(result, full=full)

    def page(self, result: Sweep, options: SweepOptions) -> "Page":
        """The verdict, pictures, the ranking and every city."""
        from khora_sim.analyses.sweep.page import page_of

        return page_of(result, options.typed(out=options.out))

    def written(self, result: Sweep, options: SweepOptions, folder: Path) -> None:
        """Write the variant nearest to the target, where that is not the game that was changed."""
        from khora_sim.analyses.sweep.page import headline

        typed = result.assignments(result.best)
        if typed:
            write_variant(folder / BEST_FILE, typed, options.rules, text=headline(result))


COMMAND = SweepAnalysis()
