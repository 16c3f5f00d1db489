"""The ladder: strategies against each other, one against all others of another, and a rating of each.

Every ordered pair is an arm of one design, played in rotation groups: as many games with the same luck as
there are seats, the one in each seat once. At a table of two both orders are the same games.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, NamedTuple

import polars as pl

from khora_sim.analyses.cycles import cycles
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.backend import Crew
from khora_sim.simulation.experiment import Design
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import FoldersAndSums, InMemory
from khora_sim.simulation.summing import Summing, one_against, share_won
from khora_sim.stats import Estimate, Ratings, Sums, rankings_of_one, rate, tiers
from khora_sim.stats.groups import UNIT
from khora_sim.stats.plackett_luce import ONE, OTHER, PLACE, SHARING
from khora_sim.stats.sums import COUNT
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import describe

PLAYERS, GAMES, SEED = 4, 400, seed_in(JUDGING, 0)
LEFT_OUT = ("example", "wrapper")  # families: how a file is written, and players that are others in disguise
#: Ratings are given as in chess: 400 points more are odds of 10 to 1 to finish ahead, and the mean is 1,500.
MEAN, POINTS = 1500.0, 400 / math.log(10)
SUMMING = Summing(("slot", PLACE, SHARING), ("win_share",))


class Plan(NamedTuple):
    """What a ladder is asked for."""

    strategies: tuple[str, ...]
    players: int = PLAYERS
    games: int = GAMES  # of a pairing, rounded up to rotation groups
    seed: int = SEED


class Pairing(NamedTuple):
    """One strategy against all others of another, and the share of games that the one won."""

    one: str
    other: str
    share: Estimate


class Rung(NamedTuple):
    """A strategy on the ladder.

    Who always wins or always loses has a rating without bounds. Strategies of one tier are in no settled
    order; whose rating has no bounds is in no tier.
    """

    strategy: str
    rating: Estimate
    tier: int | None


@dataclass(frozen=True)
class Ladder:
    """The strategies, strongest first, and who wins how much against whom."""

    plan: Plan
    rungs: tuple[Rung, ...]
    pairings: tuple[Pairing, ...]  # every ordered pair, in the order of the rungs

    @property
    def names(self) -> list[str]:
        """The strategies, strongest first."""
        return [rung.strategy for rung in self.rungs]

    @property
    def null(self) -> float:
        """The share that a strategy wins of games against others just like it."""
        return 1 / self.plan.players

    @cached_property
    def shares(self) -> dict[tuple[str, str], Estimate]:
        """What the first wins against all others of the second."""
        return {(pairing.one, pairing.other): pairing.share for pairing in self.pairings}

    def beats(self, one: str, other: str) -> bool:
        """Whether one certainly wins more than its share: its 95 % interval lies above the null."""
        return self.shares[one, other].low > self.null

    @property
    def mutual(self) -> list[tuple[str, str]]:
        """Pairs of which each beats a table of the other: being the only one of its kind pays."""
        both = combinations(self.names, 2)
        return [(a, b) for a, b in both if self.beats(a, b) and self.beats(b, a)]

    @property
    def cycles(self) -> list[tuple[str, ...]]:
        """Strategies that beat each other in a ring, of those that are not beaten in return."""
        names = self.names
        return cycles(
            {
                one: {b for b in names if b != one and self.beats(one, b) and not self.beats(b, one)}
                for one in names
            }
        )

    @property
    def unsettled(self) -> list[list[str]]:
        """Strategies whose ratings are not distinguishable, those of a tier together."""
        tiers: dict[int, list[str]] = {}
        for rung in self.rungs:
            if rung.tier is not None:
                tiers.setdefault(rung.tier, []).append(rung.strategy)
        return [names for names in tiers.values() if len(names) > 1]

    @property
    def sentences(self) -> list[str]:
        """What a table does not show at a glance, in words."""
        sentences = [f"{_ring(ring)}: a cycle, so no order is right for all of them." for ring in self.cycles]
        sentences += [
            f"{a} and {b} each win more than their share against a table of the other."
            for a, b in self.mutual
        ]
        sentences += [f"{listed(names)} {_not_distinguishable(names)}." for names in self.unsettled]
        unbounded = [rung.strategy for rung in self.rungs if rung.tier is None]
        if unbounded:
            sentences.append(f"No bounds on the rating of {listed(unbounded)}: too few games won or lost.")
        return sentences

    def data(self) -> dict[str, Any]:
        """The ladder for a script."""
        return {
            **self.plan._asdict(),
            "null": self.null,
            "rungs": [
                {"strategy": rung.strategy, "tier": rung.tier, "rating": rung.rating.data()}
                for rung in self.rungs
            ],
            "pairings": [
                {"one": pairing.one, "other": pairing.other, "share": pairing.share.data()}
                for pairing in self.pairings
            ],
            "cycles": self.cycles,
            "mutual": self.mutual,
            "unsettled": self.unsettled,
        }


def _ring(cycle: Sequence[str]) -> str:
    """`a beats b, b beats c and c beats a`."""
    return listed([f"{a} beats {b}" for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)])


def _not_distinguishable(names: Sequence[str]) -> str:
    """Some two of many may be distinguishable; their order as a whole is not settled."""
    return (
        "are not distinguishable by their ratings"
        if len(names) == 2
        else "are in no settled order by their ratings"
    )


def contenders() -> tuple[str, ...]:
    """The built-in strategies that climb where none is named: all but examples and wrappers."""
    return tuple(name for name, path in sorted(built_in().items()) if describe(path).family not in LEFT_OUT)


def pairs(plan: Plan) -> list[tuple[str, str]]:
    """Who is the one and who are the others, in every arm that is played."""
    return list((combinations if plan.players == 2 else permutations)(plan.strategies, 2))


def design_of(plan: Plan) -> Design:
    """An arm for each pair: the one in slot 1, moving around the table."""
    twice = sorted({name for name in plan.strategies if plan.strategies.count(name) > 1})
    if twice:
        raise UserError(f"{twice[0]}: named twice; name every strategy once")
    if len(plan.strategies) < 2:
        raise UserError("a ladder needs two strategies or more; name another, or none for all built-in ones")
    rules = load_rules()
    asked = (plan.players, plan.games, plan.seed, rules)
    return Design(tuple(one_against(one, other, *asked) for one, other in pairs(plan)))


def climb(
    plan: Plan,
    design: Design,
    sink: InMemory | FoldersAndSums | None = None,
    crew: Crew | None = None,
    progress: Progress | None = None,
) -> Ladder:
    """Play what a sink still lacks of a ladder, and rate the strategies."""
    sink = sink or InMemory(SUMMING)
    play(design, sink, crew, progress=progress)
    return judged(plan, [sink.sums[place] for place in range(len(sink.sums))])


def judged(plan: Plan, sums: Sequence[Sums]) -> Ladder:
    """The ladder from the sums of every pair, in the order of `pairs`."""
    played = dict(zip(pairs(plan), sums, strict=True))
    ratings = rate(rankings_of_one(_finishes(played), plan.players, "strategy"))
    rungs = _rungs(ratings)
    order = [rung.strategy for rung in rungs]
    pairings = (Pairing(*pair, _share(played, pair, plan.players)) for pair in permutations(order, 2))
    return Ladder(plan, rungs, tuple(pairings))


def _share(played: dict[tuple[str, str], Sums], pair: tuple[str, str], players: int) -> Estimate:
    """What the one of a pair won; the other order of a table of two is the same games, seen from slot 2."""
    if pair in played:
        return share_won(played[pair], players)
    return share_won(played[pair[1], pair[0]], players, slot=2)


def _finishes(played: dict[tuple[str, str], Sums]) -> pl.DataFrame:
    """Where the one of each pair finished, counted by unit."""
    return pl.concat(
        sums.only(slot=1).cells.select(
            pl.lit(one).alias(ONE), pl.lit(other).alias(OTHER), UNIT, PLACE, SHARING, COUNT
        )
        for (one, other), sums in played.items()
    )


def _rungs(ratings: Ratings) -> tuple[Rung, ...]:
    """The strategies by their ratings, strongest first."""
    known = ratings.measured["strategy"]
    placed = tiers(known).table if len(known.items) > 1 else pl.DataFrame({"item": [], "tier": []})
    tier_of = dict(placed.select("item", "tier").iter_rows())
    rows = ratings.table.sort("value", "level", descending=[True, False])
    return tuple(
        Rung(name, Estimate(_points(value), _points(low), _points(high), n), tier_of.get(name))
        for name, value, low, high, n in rows.select("level", "value", "low", "high", "n").iter_rows()
    )


def _points(log_strength: float) -> float:
    return MEAN + POINTS * log_strength
