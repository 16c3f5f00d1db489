"""The answer of a search for balance: proposals, each confirmed on seeds that had no part in finding it."""

from dataclasses import asdict
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field, PlainSerializer

from khora_sim.analyses.balance.search import Changes, Search, steps
from khora_sim.analyses.variants import (
    FrameJson,
    Stage,
    Target,
    VariantGames,
    VariantsOptions,
    VariantsResult,
)
from khora_sim.rules import Rules
from khora_sim.simulation.result import EstimateJson, Result
from khora_sim.stats import Sums, measured
from khora_sim.stats.dispersion import spreads

#: Near enough: all of the interval, the share itself, not even that.
SURE, LIKELY, NOT = "yes", "perhaps", "no"


class Confirmed(Result):
    """A proposal with one line-up of players, on seeds that had no part in finding it."""

    strategies: tuple[str, ...]
    lineup: Annotated[str, Field(exclude=True)]
    games: int
    distance: EstimateJson  # typical distance of a city from the target
    distance_change: EstimateJson  # from the base game, paired
    spread: EstimateJson  # between the best and the worst city
    spread_change: EstimateJson
    cities: FrameJson  # city, value, low, high, n; change, change_low, change_high, p_value; wanted, met

    @property
    def within(self) -> int:
        """Cities whose share is as near to the target as is wanted."""
        return int((self.cities["met"] != NOT).sum())


class Proposal(Result):
    """Some changes with their effect; the first proposal changes nothing."""

    changes: Changes
    steps: int  # that all numbers move together
    file: str | None  # of the variant; None where nothing changes
    rules: Annotated[Rules, PlainSerializer(lambda one: one.hash, return_type=str)]
    reached: bool  # every city's measured share is as near to the target as is wanted
    confirmed: tuple[Confirmed, ...]  # by line-up of players

    @classmethod
    def of(cls, changes: Changes, rules: Rules, confirmed: tuple[Confirmed, ...]) -> "Proposal":
        """A proposal as it was confirmed."""
        return cls(
            changes=changes,
            steps=steps(changes),
            file=f"proposal-{len(changes)}.toml" if changes else None,
            rules=rules,
            reached=confirmed[0].within == len(confirmed[0].cities),
            confirmed=confirmed,
        )

    @property
    def main(self) -> Confirmed:
        """With the players that were asked for."""
        return self.confirmed[0]


class Balance(VariantsResult):
    """The answer: proposals from no changes to most, each confirmed on fresh seeds."""

    games: int | None  # that a proposal is confirmed with; None: as many as the precision took
    screened: int  # games of every single change
    #: A row for each single change: path, before, after, distance by the games that chose, every city.
    effects: FrameJson
    stages: tuple[Stage, ...]
    proposals: tuple[Proposal, ...]  # by number of changes, from none

    @property
    def base(self) -> Proposal:
        """No change at all."""
        return self.proposals[0]

    @property
    def front(self) -> list[Proposal]:
        """Proposals that lie nearer to the target than all with fewer changes."""
        kept: list[Proposal] = []
        for one in self.proposals:
            if not kept or one.main.distance.value < kept[-1].main.distance.value:
                kept.append(one)
        return kept

    @property
    def best(self) -> Proposal:
        """The fewest changes that reach the target; else what comes nearest to it."""
        return next((one for one in self.proposals if one.reached), self.front[-1])


def effects(search: Search, target: Target) -> pl.DataFrame:
    """The effect of every single change by the games that chose, the nearest to the target first."""
    rows = [
        {
            **asdict(single.change),
            "distance": float(np.sqrt(((search.base + single.moved - target.shares) ** 2).mean())),
            **{city: float(moved) for city, moved in zip(target.cities, single.moved, strict=True)},
        }
        for single in search.singles
    ]
    return pl.DataFrame(rows).sort("distance", maintain_order=True)


def confirmed(
    games: VariantGames, search: Search, target: Target, options: VariantsOptions
) -> list[Confirmed]:
    """The base game and every proposal on judging seeds, with one line-up."""
    games.run.progress.step(f"confirming with {', '.join(games.strategies)}")
    sums, played = games.judged(
        [one.rules for one in search.found], options.games_wanted, options.precision, options.judging_seed
    )
    found = games.compared(sums, target)
    spread = spreads([measured(one, "city", "win_share") for one in sums])
    return [
        Confirmed(
            strategies=games.strategies,
            lineup=games.lineup,
            games=played,
            distance=found.distance(place),
            distance_change=found.change(0, place),
            spread=spread[place][0],
            spread_change=spread[place][1],
            cities=_cities(games, sums[0], own, target),
        )
        for place, own in enumerate(sums)
    ]


def _cities(games: VariantGames, base: Sums, own: Sums, target: Target) -> pl.DataFrame:
    """Shares of the cities that something is wanted of, and whether they are near enough."""
    table = games.by_city(base, own).filter(pl.col("city").is_in(list(target.cities)))
    wanted = {city: one.share for city, one in target.cities.items()}
    met = []
    for row in table.to_dicts():
        one = target.cities[row["city"]]
        sure = one.holds(row["low"]) and one.holds(row["high"])
        met.append(SURE if sure else LIKELY if one.holds(row["value"]) else NOT)
    return table.with_columns(
        pl.col("city").replace_strict(wanted, return_dtype=pl.Float64).alias("wanted"), pl.Series("met", met)
    )
