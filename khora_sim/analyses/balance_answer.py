"""The answer of a search for balance: proposals from no changes to most, each confirmed on fresh luck."""

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from khora_sim.analyses.balance_search import Change, steps
from khora_sim.analyses.racing import Stage
from khora_sim.analyses.variants_answer import VariantsAnswer
from khora_sim.rules import Rules
from khora_sim.stats import Estimate

FORMAT = 1
SURE, LIKELY, NOT = (
    "yes",
    "perhaps",
    "no",
)  # near enough: all of the interval, the share itself, not even that


@dataclass(frozen=True)
class Confirmed:
    """What a proposal does with one line-up of players, on luck that had no part in finding it."""

    strategies: tuple[str, ...]
    lineup: str
    games: int
    distance: Estimate  # typical distance of a city from the target
    distance_change: Estimate  # from the base game, paired
    spread: Estimate  # between the best and the worst city
    spread_change: Estimate
    cities: pl.DataFrame  # city, value, low, high, n; change, change_low, change_high, p_value; wanted, met

    @property
    def within(self) -> int:
        """Cities whose share is as near to the target as is wanted."""
        return int((self.cities["met"] != NOT).sum())


@dataclass(frozen=True)
class Proposal:
    """Some changes, and what they do; the first one changes nothing."""

    changes: tuple[Change, ...]
    rules: Rules
    confirmed: tuple[Confirmed, ...]  # by line-up of players

    @property
    def main(self) -> Confirmed:
        """With the players that were asked for."""
        return self.confirmed[0]

    @property
    def steps(self) -> int:
        """How far all numbers move together."""
        return steps(self.changes)

    @property
    def file(self) -> str:
        """The variant file that holds it."""
        return f"proposal-{len(self.changes)}.toml"

    @property
    def reached(self) -> bool:
        """Whether every city's measured share is as near to the target as is wanted."""
        return self.main.within == len(self.main.cities)


@dataclass(frozen=True)
class Balance(VariantsAnswer):
    """What a search for balance found; all shares hold for these players."""

    typed: tuple[str, ...]  # the numbers as they were typed; none: a file, or the usual ones
    numbers_file: str | None
    most: int  # changes
    screened: int  # games of every single change
    effects: (
        pl.DataFrame
    )  # path, before, after, distance (typical, by the games that chose), and a column a city
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

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return {
            "format": FORMAT,
            **self.game_data(),
            **self.asked_data(),
            "screened": self.screened,
            "effects": self.effects.to_dicts(),
            "stages": [asdict(stage) for stage in self.stages],
            "proposals": [_proposal(one) for one in self.proposals],
        }


def _proposal(one: Proposal) -> dict[str, Any]:
    return {
        "changes": [change._asdict() for change in one.changes],
        "steps": one.steps,
        "file": one.file if one.changes else None,
        "rules": one.rules.hash,
        "reached": one.reached,
        "confirmed": [_confirmed(found) for found in one.confirmed],
    }


def _confirmed(found: Confirmed) -> dict[str, Any]:
    measured = ("distance", "distance_change", "spread", "spread_change")
    return {
        "strategies": list(found.strategies),
        "games": found.games,
        **{name: getattr(found, name).data() for name in measured},
        "cities": found.cities.to_dicts(),
    }
