"""The ladder: how good the built-in strategies are, one player against three of another.

Every row is played in rotation groups: four games with the same luck, the one in each seat once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from khora_sim.engine.agenda import Setting
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.scoring import places
from khora_sim.engine.setup import RANDOM
from khora_sim.lab.seeds import settle
from khora_sim.rules import Rules, load_rules
from khora_sim.stats import Estimate, estimates, share_table
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import describe, load
from khora_sim.strategy.match import play_set_ups

PLAYERS = 4
NULL = 1 / PLAYERS
BALANCED = "steward"
ARCHETYPE_BEATS_RANDOM = 0.85
BALANCED_BEATS_RANDOM = 0.97
BALANCED_BEATS_ARCHETYPE = 0.35
BLOCK = 500  # rotation groups played in one go


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


def climb(games: int, seed: int, done: Callable[[], None] = lambda: None) -> Iterator[Row]:
    """Play the whole ladder, with so many games a row (rounded up to rotation groups)."""
    groups = -(-games // PLAYERS)
    archetypes = _archetypes()
    for one in archetypes:
        yield _against(one, "random", groups, seed, ARCHETYPE_BEATS_RANDOM, done)
    yield _against(BALANCED, "random", groups, seed, BALANCED_BEATS_RANDOM, done)
    for other in archetypes:
        yield _against(BALANCED, other, groups, seed, BALANCED_BEATS_ARCHETYPE, done)


def pairings() -> int:
    """How many pairings are played."""
    return 2 * len(_archetypes()) + 1


def _against(one: str, other: str, groups: int, seed: int, target: float, done: Callable[[], None]) -> Row:
    won = games_won(one, other, groups, seed)
    done()
    return Row(one, other, share_of(won), target)


def share_of(won: np.ndarray) -> Estimate:
    """The share of games won with its interval, as `khora data show` gives it for the same games."""
    game = np.arange(won.size, dtype=np.uint32)
    rows = pl.DataFrame({"rotation_group": game // PLAYERS, "one": True, "win_share": won.ravel()})
    return estimates(share_table(rows, "one", rows_per_group=PLAYERS * PLAYERS))[0]


def _archetypes() -> list[str]:
    """The built-in archetypes."""
    return [name for name, path in sorted(built_in().items()) if describe(path).family == "archetype"]


def games_won(one: str, against: str, groups: int, seed: int) -> np.ndarray:
    """What the one won of each game (1, 0, or its part of a shared victory), by group and by its seat."""
    rules = load_rules(None)
    players = [load(one), load(against)]
    won = np.zeros((groups, PLAYERS))
    for first in range(0, groups, BLOCK):
        count = min(BLOCK, groups - first)
        for seat in range(PLAYERS):
            games, _ = play_set_ups(rules, _set_ups(rules, seed, first, count, seat), players)
            won[first : first + count, seat] = _win_shares(games)[:, seat]
    return won


def _win_shares(games: Any) -> np.ndarray:
    """The share of each player in each victory: 1, 0, or a part of a shared one."""
    won = places(games.vp[:, :PLAYERS], games.drachmas[:, :PLAYERS]) == 1
    return won / won.sum(axis=1, keepdims=True)


def _set_ups(rules: Rules, seed: int, first: int, groups: int, seat: int) -> Any:
    """One game of each of consecutive groups, with the one in a seat."""
    set_ups: Any = new_records(groups, SET_UP)
    set_ups.settings = Setting.DRAFT
    set_ups.players = PLAYERS
    set_ups.first_player = RANDOM
    set_ups.cities = RANDOM
    set_ups.lineup = 1
    set_ups.lineup[:, seat] = 0
    settle(seed, first, rules, set_ups)
    return set_ups
