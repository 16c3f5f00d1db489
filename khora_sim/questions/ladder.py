"""The ladder: how good the built-in strategies are, one player against three of another.

Every row is played in rotation groups: four games with the same luck, the one in each seat once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from khora_sim.lab.against import SUMMING, one_against, share_won
from khora_sim.lab.crew import Crew
from khora_sim.lab.design import Design
from khora_sim.lab.run import Watch, play
from khora_sim.lab.sinks import InMemory
from khora_sim.rules import load_rules
from khora_sim.stats import Estimate, Sums
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import describe

PLAYERS = 4
NULL = 1 / PLAYERS
BALANCED, TUNED = "steward", "expert"
ARCHETYPE_BEATS_RANDOM = 0.85
BALANCED_BEATS_RANDOM = 0.97
BALANCED_BEATS_ARCHETYPE = 0.35
TUNED_BEATS_BALANCED = 0.5


class Pairing(NamedTuple):
    """One against three of another, and the share of games that the one should at least win."""

    one: str
    against: str
    target: float = NULL


@dataclass(frozen=True)
class Row:
    """One against three of another: the share of games won, and what it should at least be."""

    one: str
    against: str
    share: Estimate
    target: float

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.share.value >= self.target

    def data(self) -> dict[str, Any]:
        """The row for a script."""
        row: dict[str, Any] = {"one": self.one, "against": self.against, **_numbers(self.share)}
        return row | {"target": self.target, "met": self.met}


def _numbers(estimate: Estimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def climb(games: int, seed: int, crew: Crew | None = None, watch: Watch | None = None) -> list[Row]:
    """Play the whole ladder, with so many games a row (rounded up to rotation groups)."""
    pairings = _pairings()
    won = games_won(pairings, games, seed, crew, watch)
    return [
        Row(one, against, share_won(sums, PLAYERS), target)
        for (one, against, target), sums in zip(pairings, won, strict=True)
    ]


def _pairings() -> list[Pairing]:
    """The rows of the ladder."""
    found = sorted(built_in().items())
    archetypes = [name for name, path in found if describe(path).family == "archetype"]
    return [
        *(Pairing(one, "random", ARCHETYPE_BEATS_RANDOM) for one in archetypes),
        Pairing(BALANCED, "random", BALANCED_BEATS_RANDOM),
        *(Pairing(BALANCED, other, BALANCED_BEATS_ARCHETYPE) for other in archetypes),
        Pairing(TUNED, BALANCED, TUNED_BEATS_BALANCED),
    ]


def games_won(
    pairings: Sequence[Pairing],
    games: int,
    seed: int,
    crew: Crew | None = None,
    watch: Watch | None = None,
) -> list[Sums]:
    """The sums of what the one won of its games, for each pairing; all meet the same luck."""
    rules = load_rules()
    arms = [one_against(one, against, PLAYERS, games, seed, rules) for one, against, _ in pairings]
    sink = InMemory(SUMMING)
    play(Design(tuple(arms)), sink, crew, watch=watch)
    return [sink.sums[place].only(slot=1) for place in range(len(pairings))]
