"""What `cities` answers: win shares of every city along a ladder of players, as data that a file can hold.

A published answer is such a file, so it says where it comes from: rules, players with their digests, seed,
games and the version of khora.
"""

import math
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from khora_sim.analyses.answer_folder import OTHER_OUT, write_json
from khora_sim.common.checking import checked
from khora_sim.common.files import explain_write_errors, read_json
from khora_sim.rules import Rules
from khora_sim.stats import Estimate

FORMAT: Literal[1] = 1
Against = Literal["above", "below", "open"]  # of the fair share, or not distinguishable from it


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Number(_Part):
    """An estimate in a file; JSON has no infinity, so an unknown bound is null."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    @classmethod
    def of(cls, estimate: Estimate) -> "Number":
        """An estimate as it is kept."""
        return cls(**estimate.data())

    @property
    def estimate(self) -> Estimate:
        """The estimate that was kept."""
        value = math.nan if self.value is None else self.value
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        return Estimate(value, low, high, self.n)


class CityShare(_Part):
    """A city in the hands of one player."""

    share: Number  # of its games that it won
    p_holm: float | None  # against the fair share; None for a peer, which is not tested
    against_fair: Against
    unlocked: dict[int, Number]  # share of its games in which development 2, 3 and 4 were unlocked


class GameFacts(_Part):
    """How games of one player go."""

    score: Number
    winning_score: Number
    experienced_winners: Number  # share of games that are won with 90 points or more
    margin: Number  # points between first and second
    lead_changes: Number
    leader_wins: tuple[Number, ...]  # share of those who lead after round 1, 2, … that win
    # Share of those with the highest military level that win, in games with few and with many events that
    # compare troops; None where the rules have no such events.
    military_wins: tuple[Number, Number] | None


class SelfPlay(_Part):
    """One player in every seat of tables of one size."""

    strategy: str
    digest: str
    family: str
    games: int
    cities: dict[str, CityShare]
    facts: GameFacts


class BetterPlayer(_Part):
    """How often one of the strongest player wins at a table of the next one: what skill does against luck."""

    strategy: str
    against: str
    share: Number


class TableVerdict(_Part):
    """The cities at tables of one size: along the ladder, and with other players of the strongest kind."""

    players: int
    ladder: tuple[SelfPlay, ...]  # weakest first
    peers: tuple[SelfPlay, ...]  # trained independently of the strongest, in the same way
    words: dict[str, str]  # by city
    better_player: BetterPlayer | None = None  # None where the ladder has a single level of play

    @property
    def fair(self) -> float:
        """The share that chance alone gives."""
        return 1 / self.players

    @property
    def strongest(self) -> SelfPlay:
        """The last player of the ladder."""
        return self.ladder[-1]

    @property
    def order(self) -> list[str]:
        """The cities by their shares with the strongest player."""
        cities = self.strongest.cities
        return sorted(cities, key=lambda city: -(cities[city].share.value or 0.0))

    def between_players(self, city: str) -> tuple[float, float] | None:
        """The lowest and the highest share of a city among the strongest player and its peers."""
        if not self.peers:
            return None
        shares = [one.cities[city].share.estimate.value for one in (self.strongest, *self.peers)]
        return min(shares), max(shares)

    def spread(self, city: str) -> float | None:
        """How far these shares lie apart; None where there are no peers, and nobody knows."""
        ends = self.between_players(city)
        return None if ends is None else ends[1] - ends[0]


class RulesPlayed(_Part):
    """Which game it was."""

    name: str
    hash: str
    version: str

    @classmethod
    def of(cls, rules: Rules) -> "RulesPlayed":
        """The rules as they are named in an answer."""
        return cls(name=rules.name, hash=rules.hash, version=rules.version)


class CitiesAnswer(_Part):
    """The answer, with where it comes from."""

    format: Literal[1] = FORMAT
    khora: str
    rules: RulesPlayed
    seed: int
    games: int | None  # asked for, of each player at each size of table
    precision: float | None  # asked for, in percentage points
    names: dict[str, str]  # of the cities, by their ids
    tables: tuple[TableVerdict, ...]

    def at(self, players: int) -> TableVerdict | None:
        """The verdict at tables of one size, if there is one."""
        return next((table for table in self.tables if table.players == players), None)

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return self.model_dump(mode="json")


def read_answer(path: Path) -> CitiesAnswer:
    """An answer from a file."""
    return checked(CitiesAnswer, read_json(path, "an answer about cities in JSON"), str(path))


def write_answer(path: Path, answer: CitiesAnswer) -> Path:
    """Write an answer as JSON."""
    with explain_write_errors(path, OTHER_OUT):
        write_json(path, answer.data())
    return path
