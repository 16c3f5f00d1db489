"""The answer of a sweep, and the ranking of variants that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from khora_sim.analyses.variants import (
    WORSE,
    Elimination,
    FrameJson,
    Row,
    Stage,
    Target,
    VariantGames,
    VariantsResult,
    numbered,
)
from khora_sim.rules import Rules
from khora_sim.rules.assignments import Number
from khora_sim.stats import Estimate, Sums, holm

ALPHA = 0.05
BEST, ALIKE = "best", "not distinguishable"  # beside the reasons why a stage drops a variant


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


class RankedVariant(NamedTuple):
    """A variant with its place in the ranking, and the sums it rests on."""

    values: tuple[int, ...]
    status: str
    stage: int | None  # in which it was dropped; None: it was judged
    distance: Estimate
    change: Estimate  # of the distance, from the base game
    own: Sums
    base: Sums  # of the same games


def ordered(found: Sequence[RankedVariant]) -> list[RankedVariant]:
    """The best variant and those not distinguishable from it, then the others by their gain on the base game.

    Stages have seeds of their own; the paired change is what can be compared between them.
    """
    leading = [one for one in found if one.status in (BEST, ALIKE)]
    others = [one for one in found if one.status not in (BEST, ALIKE)]
    return [*leading, *sorted(others, key=lambda one: one.change.value)]


def judged_variants(
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


def dropped_variants(games: VariantGames, grid: Grid, found: Elimination) -> list[RankedVariant]:
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


def tables(
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
