"""Play numbers of the rules over ranges: every combination is a variant on the same dice and deals.

Few variants are all judged with as many games. Of many, stages on choosing seeds leave the leaders (see
`variants.eliminate`), which are judged on seeds that had no part in choosing them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import polars as pl

from khora_sim import __version__
from khora_sim.analyses.analysis import Analysis, Games, Run
from khora_sim.analyses.variants import (
    WORSE,
    Elimination,
    FrameJson,
    Row,
    Stage,
    Target,
    VariantGames,
    VariantsOptions,
    VariantsResult,
    eliminate,
    numbered,
    target_of,
    write_variant,
)
from khora_sim.common.command_options import CHANGE, Flag, Texts
from khora_sim.errors import UserError
from khora_sim.rules import Rules, load_rules, set_rules, variant_data
from khora_sim.rules.ranges import SHAPE, Number, numbers_of
from khora_sim.stats import Estimate, Sums, holm

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Page, Table

ALL_JUDGED = 30  # variants; more than that are ranked by stages first
LEADERS = 12  # variants that the stages leave to be judged
STAGE = 15  # times the games of a judged variant has a stage for all of its variants
MOST_VARIANTS = 1000
ALPHA = 0.05
BEST, ALIKE = "best", "not distinguishable"  # beside the reasons why a stage drops a variant
BEST_FILE = "best.toml"


class Combination(NamedTuple):
    """One value for each number, and the rules that this gives."""

    values: tuple[int, ...]
    rules: Rules


@dataclass(frozen=True)
class Grid:
    """All that a sweep is about, checked."""

    base: Rules
    numbers: tuple[Number, ...]
    target: Target
    combinations: tuple[Combination, ...]  # without the base game


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
            raise UserError(f"no number is named; give --vary, such as {SHAPE}")
        self.check_strategies()
        _ = self.grid

    @cached_property
    def grid(self) -> Grid:
        """The numbers, the target and the rules of every combination, or one error."""
        base, start = load_rules(self.rules), variant_data(self.rules)
        numbers = numbers_of(self.vary, base)
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


class Sweep(VariantsResult):
    """The answer: every variant with its distance from the target, every city's share and change."""

    strategies: tuple[str, ...]
    lineup: str
    games: int  # of each variant that was judged
    stages: tuple[Stage, ...]  # on choosing seeds; none where every variant was judged
    #: A row for each variant, the nearest to the target first: rank, its values, status, stage (None: it was
    #: judged), games; distance from the target and its change from the base game, with low and high.
    variants: FrameJson
    #: A row for each variant and city: rank, city, share with low, high and n, its change and p_holm.
    cities: FrameJson

    @property
    def best(self) -> Row:
        """The variant that lies nearest to the target."""
        return self.variants.row(0, named=True)

    @property
    def base(self) -> Row:
        """The base game, which is played beside all variants."""
        return next(row for row in self.variants.to_dicts() if self.is_base(row))

    def is_base(self, row: Row) -> bool:
        """Return True for the game that was changed."""
        return all(row[number.path] == number.base for number in self.numbers)

    def values(self, row: Row) -> tuple[int, ...]:
        """The values of a variant, in the order of the numbers."""
        return tuple(row[number.path] for number in self.numbers)

    def assignments(self, row: Row) -> tuple[str, ...]:
        """A variant as it is typed: the numbers that differ from the base game."""
        return tuple(
            number.typed(row[number.path]) for number in self.numbers if row[number.path] != number.base
        )

    @property
    def alike(self) -> list[Row]:
        """The other variants that are not distinguishable from the best one."""
        return self.variants.filter(status=ALIKE).to_dicts()

    @property
    def flat(self) -> bool:
        """True where no win share of any city differs at any value."""
        return bool((self.cities["change"] == 0).all())

    @property
    def concerned(self) -> list[str]:
        """The cities in the order in which they are shown: those that a number belongs to, then by change."""
        own = [number.city for number in self.numbers if number.city is not None]
        most = dict(self.cities.group_by("city").agg(pl.col("change").abs().max()).iter_rows())
        others = sorted((city for city in self.names if city not in own), key=lambda city: -most[city])
        return [*dict.fromkeys(own), *others]

    def share(self, row: Row, city: str) -> Row:
        """The row of a city in a variant."""
        return self.cities.filter(rank=row["rank"], city=city).row(0, named=True)


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
        found = _ordered([*_judged(games, grid, judged, sums), *_dropped(games, grid, stages)])
        variants, cities = _tables(games, grid, found)
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


class RankedVariant(NamedTuple):
    """A variant with its place in the ranking, and the sums it rests on."""

    values: tuple[int, ...]
    status: str
    stage: int | None  # in which it was dropped; None: it was judged
    distance: Estimate
    change: Estimate  # of the distance, from the base game
    own: Sums
    base: Sums  # of the same games


def _ordered(found: Sequence[RankedVariant]) -> list[RankedVariant]:
    """The best variant and those not distinguishable from it, then the others by their gain on the base game.

    Stages have seeds of their own; the paired change is what can be compared between them.
    """
    leading = [one for one in found if one.status in (BEST, ALIKE)]
    others = [one for one in found if one.status not in (BEST, ALIKE)]
    return [*leading, *sorted(others, key=lambda one: one.change.value)]


def _judged(
    games: VariantGames, grid: Grid, judged: Sequence[int], sums: Sequence[Sums]
) -> list[RankedVariant]:
    """The base game and the variants that were judged beside it, the nearest to the target first."""
    found = games.compared(sums, grid.target)
    worse = found.worse_than_best(ALPHA)
    order = sorted(range(len(sums)), key=lambda place: found.squares[place])
    unchanged = tuple(number.base for number in grid.numbers)
    values = [unchanged, *(grid.combinations[place].values for place in judged)]
    variants = []
    for place in order:
        status = BEST if place == order[0] else WORSE if worse[place] else ALIKE
        distance, change = found.distance(place), found.change(0, place)
        variants.append(RankedVariant(values[place], status, None, distance, change, sums[place], sums[0]))
    return variants


def _dropped(games: VariantGames, grid: Grid, found: Elimination) -> list[RankedVariant]:
    """The variants that stages dropped."""
    variants = []
    for stage in found.stages:
        gone = [
            (one, place)
            for place, one in enumerate(found.placings)
            if one.why is not None and one.stage == stage.number
        ]
        if not gone:
            continue
        base = gone[0][0].base
        compared = games.compared([base, *(one.own for one, _ in gone)], grid.target)
        for at, (one, place) in enumerate(gone, 1):
            values, why = grid.combinations[place].values, str(one.why)
            distance, change = compared.distance(at), compared.change(0, at)
            variants.append(RankedVariant(values, why, one.stage, distance, change, one.own, base))
    return variants


def _tables(
    games: VariantGames, grid: Grid, found: Sequence[RankedVariant]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The variants, and their cities with changes that are corrected for all of them together."""
    variants = [
        {
            "rank": rank,
            **{number.path: value for number, value in zip(grid.numbers, one.values, strict=True)},
            "status": one.status,
            "stage": one.stage,
            "games": one.own.rows // games.players,
            **numbered(one.distance, "distance"),
            **numbered(one.change, "change"),
        }
        for rank, one in enumerate(found, 1)
    ]
    every = pl.concat(
        games.by_city(one.base, one.own).select(pl.lit(rank).alias("rank"), pl.all())
        for rank, one in enumerate(found, 1)
    )
    compared = every["p_value"].is_not_null()
    corrected = every.filter(compared).with_columns(pl.col("p_value").map_batches(holm).alias("p_holm"))
    cities = pl.concat(
        [corrected, every.filter(~compared).with_columns(pl.lit(None, pl.Float64).alias("p_holm"))]
    )
    return (
        pl.DataFrame(variants, schema_overrides={"stage": pl.Int64}),
        cities.drop("p_value").sort("rank", maintain_order=True),
    )


ANALYSIS = SweepAnalysis()
