"""From the sums of variants to the tables of a sweep's answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from khora_sim.analyses.racing import WORSE, Race
from khora_sim.analyses.sweep_answer import ALIKE, BEST, numbered
from khora_sim.analyses.targets import Target
from khora_sim.analyses.variant_games import VariantGames
from khora_sim.rules import Rules
from khora_sim.rules.ranges import Number
from khora_sim.stats import Estimate, Sums, holm, shares
from khora_sim.stats.paired import share_changes

ALPHA = 0.05
CHANGES = {"value": "change", "low": "change_low", "high": "change_high", "p_value": "p_value"}


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

    Stages have luck of their own; the paired change is what can be compared between them.
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


def dropped_variants(games: VariantGames, grid: Grid, run: Race) -> list[RankedVariant]:
    """The variants that stages dropped."""
    variants = []
    for stage in run.stages:
        gone = [
            (one, place)
            for place, one in enumerate(run.placings)
            if one.why is not None and one.stage == stage.number
        ]
        if not gone:
            continue
        base = gone[0][0].base
        found = games.compared([base, *(one.own for one, _ in gone)], grid.target)
        for at, (one, place) in enumerate(gone, 1):
            values, why = grid.combinations[place].values, str(one.why)
            distance, change = found.distance(at), found.change(0, at)
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
    every = pl.concat([_cities(games, rank, one) for rank, one in enumerate(found, 1)])
    compared = every["p_value"].is_not_null()
    corrected = every.filter(compared).with_columns(pl.col("p_value").map_batches(holm).alias("p_holm"))
    cities = pl.concat(
        [corrected, every.filter(~compared).with_columns(pl.lit(None, pl.Float64).alias("p_holm"))]
    )
    schema = {"stage": pl.Int64}
    return pl.DataFrame(variants, schema_overrides=schema), cities.drop("p_value").sort(
        "rank", maintain_order=True
    )


def _cities(games: VariantGames, rank: int, one: RankedVariant) -> pl.DataFrame:
    """The cities of a variant, by its rank."""
    return city_table(games, one.base, one.own).select(pl.lit(rank).alias("rank"), pl.all())


def city_table(games: VariantGames, base: Sums, own: Sums) -> pl.DataFrame:
    """Shares of every city in a variant, and how they changed; the base game itself changes by nothing."""
    each = games.rows_per_group
    share = shares(own, ["city"], "win_share", rows_per_group=each).drop("units")
    if own is base:
        nothing = [pl.lit(0.0).alias(name) for name in ("change", "change_low", "change_high")]
        joined = share.with_columns(*nothing, pl.lit(None, pl.Float64).alias("p_value"))
    else:
        change = share_changes(base, own, "win_share", each, ["city"]).drop("n").rename(CHANGES)
        joined = share.join(change, on="city", maintain_order="left")
    return joined.with_columns(pl.col("city").cast(pl.String))
