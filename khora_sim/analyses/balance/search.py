"""The search for small sets of changes that bring win shares to a target, and what it found, confirmed.

Every single change is played on its own. Changes of shares add up to first order, so the effect of a set of
changes is predicted from those of its parts. The most promising sets of each size are played, and eliminated
by stages. All of that happens on choosing seeds. The best set of each size is a proposal, which is confirmed
on judging seeds.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field, PlainSerializer

from khora_sim.analyses.variants import (
    Stage,
    Target,
    VariantGames,
    VariantsOptions,
    VariantsResult,
    choosing_seed,
    eliminate,
)
from khora_sim.errors import UserError
from khora_sim.pages.wording import seated
from khora_sim.rules import Rules, set_rules
from khora_sim.rules.assignments import Number
from khora_sim.simulation.result import EstimateJson, FrameJson, Result
from khora_sim.stats import Sums, measured
from khora_sim.stats.dispersion import spreads
from khora_sim.stats.estimate import Array

SCREEN = 10  # a single change has this part of the games that a proposal is confirmed with
CANDIDATES = 24  # sets of one size that are played
BEAM = 6  # of them that sets of the next size are made from
STAGE = 5  # times the games of a confirmed proposal has a stage
STEP = 0.001  # of the typical distance that one more step has to bring: 0.1 percentage points
SEEDS = 10  # choosing seeds that are kept for the stages of one size
#: Near enough: all of the interval, the share itself, not even that.
SURE, LIKELY, NOT = "yes", "perhaps", "no"


@dataclass(frozen=True, order=True)
class Change:
    """One number with another value."""

    path: str
    before: int
    after: int

    @property
    def typed(self) -> str:
        """The change as it is assigned."""
        return f"{self.path}={self.after}"

    def __str__(self) -> str:
        return f"{self.path} {self.before} → {self.after}"


Changes = tuple[Change, ...]  # in the order of their paths


def steps(changes: Changes) -> int:
    """Steps that all numbers move together."""
    return sum(abs(change.after - change.before) for change in changes)


Singles = dict[Change, Array]  # changes of the shares by one change alone, paired with the base game


@dataclass(frozen=True)
class Search:
    """The sets that were found; shares are those of the cities that something is wanted of."""

    singles: Singles
    base: Array  # shares
    found: dict[Changes, Rules]  # the best set of each size, from 1 change on
    stages: tuple[Stage, ...]
    screened: int  # games of every single change

    def effects(self, target: Target) -> pl.DataFrame:
        """The effect of every single change by the games that chose, the nearest to the target first."""
        rows = [
            {
                **asdict(change),
                "distance": target.distance(self.base + moved),
                **dict(zip(target.cities, moved.tolist(), strict=True)),
            }
            for change, moved in self.singles.items()
        ]
        return pl.DataFrame(rows).sort("distance", maintain_order=True)


@dataclass(frozen=True)
class Searching:
    """A search at work."""

    games: VariantGames
    start: dict[str, Any] | None  # the variant that is changed
    target: Target
    count: int  # games of a confirmed proposal
    seed: int
    rules: dict[Changes, Rules] = field(default_factory=dict)  # of sets that make a game

    def is_playable(self, changes: Changes) -> bool:
        """Tell if some changes make a game, whose rules are kept."""
        if changes not in self.rules:
            try:
                self.rules[changes] = set_rules([one.typed for one in changes], self.start)
            except UserError:
                return False
        return True

    def screened(self, numbers: Sequence[Number]) -> tuple[Singles, Array, int]:
        """The effect of every single change, the shares of the base game, and the games of each."""
        every = [
            Change(number.path, number.base, value)
            for number in numbers
            for value in number.values
            if value != number.base
        ]
        every = [one for one in every if self.is_playable((one,))]
        self.games.run.progress.step(f"{len(every)} single changes")
        games = max(self.count // SCREEN, self.games.least_games())
        study = self.games.study(games, choosing_seed(self.seed, SEEDS - 1))
        sums, played = self.games.played([self.rules[one,] for one in every], study)
        base, *others = [self._shares(one) for one in sums]
        return {one: shares - base for one, shares in zip(every, others, strict=True)}, base, played

    def _shares(self, sums: Sums) -> Array:
        return self.target.measured(sums, self.games.rows_per_group).values

    def score(self, shares: Array, changes: Changes) -> float:
        """Typical distance of a set from the target, plus what its steps have to bring: less is better."""
        return self.target.distance(shares) + STEP * steps(changes)

    def search(self, numbers: Sequence[Number], most: int) -> Search:
        """Sets of growing size, until the target is reached or no more changes are allowed."""
        singles, base, played = self.screened(numbers)
        beam: dict[Changes, Array] = {(): np.zeros_like(base)}  # with what they move, paired
        found: dict[Changes, Rules] = {}
        stages: list[Stage] = []
        for size in range(1, most + 1):
            sets = self._candidates(beam, singles, base)
            if not sets:
                break
            rules = [self.rules[one] for one in sets]
            what = f"{size} changed {'number' if size == 1 else 'numbers'}, stage"
            each, taken = STAGE * self.count, SEEDS * size
            played_on = eliminate(self.games, rules, self.target, each, BEAM, self.seed, taken, what)
            stages += played_on.stages
            placed = {place: played_on.placings[place] for place in played_on.leaders}
            beam = {
                sets[place]: self._shares(one.own) - self._shares(one.base) for place, one in placed.items()
            }
            best = min(beam, key=lambda one: self.score(base + beam[one], one))
            found[best] = self.rules[best]
            if self.target.is_reached(base + beam[best]):
                break
        return Search(singles, base, found, tuple(stages), played)

    def _candidates(self, beam: dict[Changes, Array], singles: Singles, base: Array) -> list[Changes]:
        """The most promising sets with one change more, by the effects of their parts."""
        promise: dict[Changes, float] = {}
        for changes, moved in beam.items():
            taken = {change.path for change in changes}
            for change, effect in singles.items():
                if change.path not in taken:
                    more = tuple(sorted((*changes, change)))
                    score = self.score(base + moved + effect, more)
                    promise[more] = min(score, promise.get(more, score))
        ranked = sorted(promise, key=lambda one: (promise[one], one))
        return list(islice(filter(self.is_playable, ranked), CANDIDATES))


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
        """Number of cities whose share is as near to the target as is wanted."""
        return int((self.cities["met"] != NOT).sum())

    @property
    def who(self) -> str:
        """The players that it holds for."""
        return seated(self.strategies, self.lineup)


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
        """The proposal with the players that were given."""
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
    def best(self) -> Proposal:
        """The fewest changes that reach the target; else those that come nearest to it."""
        nearest = min(self.proposals, key=lambda one: one.main.distance.value)
        return next((one for one in self.proposals if one.reached), nearest)


def confirmed(
    games: VariantGames, search: Search, target: Target, options: VariantsOptions
) -> list[Confirmed]:
    """The base game and every proposal on judging seeds, with one line-up."""
    games.run.progress.step(f"confirming with {', '.join(games.strategies)}")
    sums, played = games.evaluated(list(search.found.values()), options)
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
    """Shares of the cities that something is wanted of, and if they are near enough."""
    table = games.by_city(base, own).filter(pl.col("city").is_in(list(target.cities)))
    wanted = [target.cities[city] for city in table["city"]]
    met = [
        SURE if one.holds(low) and one.holds(high) else LIKELY if one.holds(value) else NOT
        for one, (value, low, high) in zip(
            wanted, table.select("value", "low", "high").iter_rows(), strict=True
        )
    ]
    return table.with_columns(pl.Series("wanted", [one.share for one in wanted]), pl.Series("met", met))
