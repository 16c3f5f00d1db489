"""The ladder: how good the built-in strategies are, one player against three of another.

Every row is played in rotation groups: four games with the same luck, the one in each seat once. A specialist
and `steward` in the same city meet the same luck too, so their difference is paired game by game.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from khora_sim.engine.agenda import Setting
from khora_sim.engine.play import SET_UP
from khora_sim.engine.record import new_records
from khora_sim.engine.setup import RANDOM
from khora_sim.lab.frames import places
from khora_sim.lab.seeds import settle
from khora_sim.rules import Rules, load_rules
from khora_sim.stats import Difference, Estimate, estimates, paired_table, share_table
from khora_sim.strategy.loading import built_in, describe, load
from khora_sim.strategy.match import play_set_ups

PLAYERS = 4
NULL = 1 / PLAYERS
BALANCED = "steward"
ARCHETYPE_BEATS_RANDOM = 0.85
BALANCED_BEATS_RANDOM = 0.97
BALANCED_BEATS_ARCHETYPE = 0.35
SPECIALISTS_BETTER = 5  # of seven
BLOCK = 500  # rotation groups played in one go


@dataclass(frozen=True)
class Row:
    """One against three of another: the share of games won, and what it should at least be."""

    one: str
    against: str
    share: Estimate
    target: float | None = None  # None: a specialist, which is to be not worse than `steward`
    city: str = ""  # specialists: the city of the one; the others have other cities
    plain: Estimate | None = None  # what `steward` wins in that city with the same luck
    better: Difference | None = None  # and by how much the specialist wins more

    @property
    def verdict(self) -> str:
        """A specialist beside `steward`, as far as these games can tell."""
        if self.better is None:
            return ""
        apart = self.better.estimate
        return "better" if apart.low > 0 else "worse" if apart.high < 0 else "no difference shown"

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.verdict != "worse" if self.target is None else self.share.value >= self.target

    def data(self) -> dict[str, Any]:
        """The row for a script."""
        row: dict[str, Any] = {"one": self.one, "against": self.against, **_numbers(self.share)}
        row |= {"target": self.target, "met": self.met}
        if self.plain is not None and self.better is not None:
            row |= {"city": self.city, "steward": _numbers(self.plain), "verdict": self.verdict}
            row |= {"difference": _numbers(self.better.estimate), "p_value": self.better.p_value}
        return row


def _numbers(estimate: Estimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def climb(games: int, seed: int, done: Callable[[], None] = lambda: None) -> Iterator[Row]:
    """Play the whole ladder, with so many games a row (rounded up to rotation groups)."""
    groups = -(-games // PLAYERS)
    families = _families()
    for one in families["archetype"]:
        yield _against(one, "random", groups, seed, ARCHETYPE_BEATS_RANDOM, done)
    yield _against(BALANCED, "random", groups, seed, BALANCED_BEATS_RANDOM, done)
    for other in families["archetype"]:
        yield _against(BALANCED, other, groups, seed, BALANCED_BEATS_ARCHETYPE, done)
    for one in families["specialist"]:
        yield _at_home(one, groups, seed, done)


def pairings() -> int:
    """How many pairings are played: two for each specialist."""
    families = _families()
    return 2 * len(families["archetype"]) + 1 + 2 * len(families["specialist"])


def _against(one: str, other: str, groups: int, seed: int, target: float, done: Callable[[], None]) -> Row:
    won = games_won(one, other, groups, seed)
    done()
    return Row(one, other, share_of(won), target)


def _at_home(specialist: str, groups: int, seed: int, done: Callable[[], None]) -> Row:
    """A specialist in its city, and `steward` in the same city, against `steward` in other cities."""
    city = home_of(specialist)
    plain = games_won(BALANCED, BALANCED, groups, seed, city)
    done()
    own = games_won(specialist, BALANCED, groups, seed, city)
    done()
    return Row(specialist, BALANCED, share_of(own), None, city, share_of(plain), _difference(plain, own))


def share_of(won: np.ndarray) -> Estimate:
    """The share of games won with its interval, as `khora data show` gives it for the same games."""
    return estimates(share_table(_rows(won), "one", rows_per_group=PLAYERS * PLAYERS))[0]


def _difference(plain: np.ndarray, own: np.ndarray) -> Difference:
    """How much more was won of the same games."""
    table = paired_table(_rows(plain), _rows(own), "one", value="win_share", keys=("game",))
    return Difference(estimates(table)[0], table["p_value"].item(), table["pairing_gain"].item())


def _rows(won: np.ndarray) -> pl.DataFrame:
    """One row per game of the one."""
    game = np.arange(won.size, dtype=np.uint32)
    return pl.DataFrame({"game": game, "group": game // PLAYERS, "one": True, "win_share": won.ravel()})


def _families() -> dict[str, list[str]]:
    """The built-in strategies by family."""
    families: dict[str, list[str]] = {"archetype": [], "specialist": []}
    for name, path in sorted(built_in().items()):
        families.setdefault(describe(path).family, []).append(name)
    return families


def home_of(specialist: str) -> str:
    """The city a specialist plays its own plan in."""
    return str(load(specialist).values["city"])


def games_won(one: str, against: str, groups: int, seed: int, city: str = "") -> np.ndarray:
    """What the one won of each game (1, 0, or its part of a shared victory), by group and by its seat."""
    rules = load_rules(None)
    players = [load(one), load(against)]
    home = rules.city_ids.index(city) if city else RANDOM
    won = np.zeros((groups, PLAYERS))
    for first in range(0, groups, BLOCK):
        count = min(BLOCK, groups - first)
        for seat in range(PLAYERS):
            games, _ = play_set_ups(rules, _set_ups(rules, seed, first, count, seat, home), players)
            won[first : first + count, seat] = _win_shares(games)[:, seat]
    return won


def _win_shares(games: Any) -> np.ndarray:
    """The share of each player in each victory: 1, 0, or a part of a shared one."""
    won = places(games.vp[:, :PLAYERS], games.drachmas[:, :PLAYERS]) == 1
    return won / won.sum(axis=1, keepdims=True)


def _set_ups(rules: Rules, seed: int, first: int, groups: int, seat: int, home: int) -> Any:
    """One game of each of consecutive groups, with the one in a seat."""
    set_ups: Any = new_records(groups, SET_UP)
    set_ups.settings = Setting.DRAFT
    set_ups.players = PLAYERS
    set_ups.first_player = RANDOM
    set_ups.cities = RANDOM
    set_ups.cities[:, seat] = home
    set_ups.lineup = 1
    set_ups.lineup[:, seat] = 0
    settle(seed, first, rules, set_ups)
    return set_ups


def specialists_better(rows: list[Row]) -> int:
    """How many specialists are better than `steward` in their city beyond doubt."""
    return sum(row.better is not None and row.better.estimate.low > 0 for row in rows)
