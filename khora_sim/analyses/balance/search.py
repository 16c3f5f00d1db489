"""The search for small sets of changes that bring win shares to a target.

Every single change is played on its own. Changes of shares add up to first order, so what a set of changes
does is predicted from those of its parts. The most promising sets of each size are played, and eliminated by
stages. All of that happens on choosing seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from khora_sim.analyses.variants import Stage, Target, VariantGames, choosing_seed, eliminate
from khora_sim.errors import UserError
from khora_sim.rules import Rules, set_rules
from khora_sim.rules.assignments import Number
from khora_sim.stats import Sums
from khora_sim.stats.estimate import Array

SCREEN = 10  # a single change has this part of the games that a proposal is confirmed with
CANDIDATES = 24  # sets of one size that are played
BEAM = 6  # of them that sets of the next size are made from
STAGE = 5  # times the games of a confirmed proposal has a stage
STEP = 0.001  # of the typical distance that one more step has to bring: 0.1 percentage points
SEEDS = 10  # choosing seeds that are kept for the stages of one size


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

    @property
    def steps(self) -> int:
        """Steps that the number moves."""
        return abs(self.after - self.before)


Changes = tuple[Change, ...]  # in the order of their paths


def steps(changes: Changes) -> int:
    """Steps that all numbers move together."""
    return sum(change.steps for change in changes)


@dataclass(frozen=True)
class Found:
    """The best set of changes of one size, by the games that chose it."""

    changes: Changes
    rules: Rules
    shares: Array  # of the cities that something is wanted of


@dataclass(frozen=True)
class Single:
    """One change alone, and its effect on the cities that something is wanted of."""

    change: Change
    moved: Array  # their shares, paired with the base game


@dataclass(frozen=True)
class Search:
    """The sets that were found, from no changes to most."""

    singles: tuple[Single, ...]
    base: Array  # shares
    found: tuple[Found, ...]  # by number of changes, from 1
    stages: tuple[Stage, ...]
    screened: int  # games of every single change


class Searching:
    """A search at work."""

    def __init__(
        self,
        games: VariantGames,
        start: dict[str, Any] | None,
        target: Target,
        count: int,
        seed: int,
    ):
        self.games, self.start, self.target, self.count, self.seed = games, start, target, count, seed
        self.rules: dict[Changes, Rules | None] = {}

    def rules_of(self, changes: Changes) -> Rules | None:
        """The rules with some changes; None where they make no game."""
        if changes not in self.rules:
            try:
                self.rules[changes] = set_rules([one.typed for one in changes], self.start)
            except UserError:
                self.rules[changes] = None
        return self.rules[changes]

    def screened(self, numbers: Sequence[Number]) -> tuple[list[Single], Array, int]:
        """The effect of every single change, and the shares of the base game."""
        every = [
            Change(number.path, number.base, value)
            for number in numbers
            for value in number.values
            if value != number.base
        ]
        every = [one for one in every if self.rules_of((one,)) is not None]
        self.games.run.progress.step(f"{len(every)} single changes")
        games = max(self.count // SCREEN, self.games.least_games())
        study = self.games.study(games, choosing_seed(self.seed, SEEDS - 1))
        sums, played = self.games.played([self._playable((one,)) for one in every], study)
        base, *others = [self._shares(one) for one in sums]
        singles = [Single(one, shares - base) for one, shares in zip(every, others, strict=True)]
        return singles, base, played

    def _playable(self, changes: Changes) -> Rules:
        rules = self.rules_of(changes)
        assert rules is not None
        return rules

    def _shares(self, sums: Sums) -> Array:
        return self.target.measured(sums, self.games.rows_per_group).values

    def score(self, shares: Array, changes: Changes) -> float:
        """Typical distance of a set from the target, plus what its steps have to bring: less is better."""
        return float(np.sqrt(((shares - self.target.shares) ** 2).mean())) + STEP * steps(changes)

    def reached(self, shares: Array) -> bool:
        """Return True if every city is as near to its target as is wanted."""
        wanted = self.target.cities.values()
        return all(one.holds(float(share)) for one, share in zip(wanted, shares, strict=True))

    def search(self, numbers: Sequence[Number], most: int) -> Search:
        """Sets of growing size, until the target is reached or no more changes are allowed."""
        singles, base, played = self.screened(numbers)
        beam: dict[Changes, Array] = {(): np.zeros_like(base)}  # with what they move, paired
        found: list[Found] = []
        stages: list[Stage] = []
        for size in range(1, most + 1):
            sets = self._candidates(beam, singles, base)
            if not sets:
                break
            rules = [self._playable(one) for one in sets]
            what = f"{size} changed {'number' if size == 1 else 'numbers'}, stage"
            each, taken = STAGE * self.count, SEEDS * size
            played_on = eliminate(self.games, rules, self.target, each, BEAM, self.seed, taken, what)
            stages += played_on.stages
            placed = {place: played_on.placings[place] for place in played_on.leaders}
            beam = {
                sets[place]: self._shares(one.own) - self._shares(one.base) for place, one in placed.items()
            }
            best = min(beam, key=lambda one: self.score(base + beam[one], one))
            found.append(Found(best, self._playable(best), base + beam[best]))
            if self.reached(found[-1].shares):
                break
        return Search(tuple(singles), base, tuple(found), tuple(stages), played)

    def _candidates(
        self, beam: dict[Changes, Array], singles: Sequence[Single], base: Array
    ) -> list[Changes]:
        """The most promising sets with one change more, by what their parts do."""
        promise: dict[Changes, float] = {}
        for changes, moved in beam.items():
            taken = {change.path for change in changes}
            for single in singles:
                if single.change.path not in taken:
                    more = tuple(sorted((*changes, single.change)))
                    score = self.score(base + moved + single.moved, more)
                    promise[more] = min(score, promise.get(more, score))
        ranked = sorted(promise, key=lambda one: (promise[one], one))
        playable = (one for one in ranked if self.rules_of(one) is not None)
        return [one for one, _ in zip(playable, range(CANDIDATES), strict=False)]
