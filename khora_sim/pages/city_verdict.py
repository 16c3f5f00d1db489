"""The verdict on the cities along a ladder of players: as data, in words, and the one that is published.

`khora cities` measures such a verdict. One took long to measure and comes with the package; reports quote it.
It is a file that says where it comes from: rules, players with their digests, seed, games and the version of
khora.
"""

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from khora_sim.common.checking import checked
from khora_sim.common.files import read_json
from khora_sim.common.wording import RARE, listed
from khora_sim.errors import UserError
from khora_sim.simulation.result import Result, RulesPlayed
from khora_sim.stats import Estimate, format_estimate

FILE = "cities.json"
CONTROL = "control"  # the family of players that have no plan
Against = Literal["above", "below", "open"]  # of the fair share, or not distinguishable from it
STRONG, IN_STRONG_HANDS, FOR_BEGINNERS = (
    "strong at all levels",
    "strong in strong hands",
    "strong for beginners only",
)
WEAK, WEAK_IN_STRONG_HANDS, OPEN = "weak at all levels", "weak in strong hands", "order not settled"
ABOVE, BELOW = "above its fair share", "below its fair share"
ORDER = (ABOVE, STRONG, IN_STRONG_HANDS, FOR_BEGINNERS, WEAK_IN_STRONG_HANDS, WEAK, BELOW, OPEN)


class Number(Result):
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


class CityShare(Result):
    """A city in the hands of one player."""

    share: Number  # of its games that it won
    p_holm: float | None  # against the fair share; None for a peer, which is not tested
    against_fair: Against
    unlocked: dict[int, Number]  # share of its games in which development 2, 3 and 4 were unlocked


class GameFacts(Result):
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


class SelfPlay(Result):
    """One player in every seat of tables of one size."""

    strategy: str
    digest: str
    family: str
    games: int
    cities: dict[str, CityShare]
    facts: GameFacts


class BetterPlayer(Result):
    """How often one of the strongest player wins at a table of the next one: what skill does against luck."""

    strategy: str
    against: str
    share: Number


class TableVerdict(Result):
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


class CitiesAnswer(Result):
    """The answer, with where it comes from."""

    format: Literal[1] = 1
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


def read_answer(path: Path) -> CitiesAnswer:
    """An answer from a file."""
    return checked(CitiesAnswer, read_json(path, "an answer about cities in JSON"), str(path))


def levels_of_play(ladder: Sequence[SelfPlay]) -> list[SelfPlay]:
    """The players whose shares are judged: all but controls, unless there are only such."""
    return [one for one in ladder if one.family != CONTROL] or list(ladder)


def hardly_ever(city: CityShare) -> int | None:
    """The first development that a player hardly ever unlocks in a city."""
    rare = [place for place, rate in city.unlocked.items() if rate.high is not None and rate.high < RARE]
    return min(rare, default=None)


def headline(answer: CitiesAnswer, table: TableVerdict) -> str:
    """`At 4 players, from merchant to sage: Olympia is strong at all levels, …`."""
    levels = levels_of_play(table.ladder)
    who = levels[0].strategy if len(levels) == 1 else f"{levels[0].strategy} to {levels[-1].strategy}"
    head = (
        f"At {table.players} players, with {who} in every seat"
        if len(levels) == 1
        else (f"At {table.players} players, from {who}, each among its own kind")
    )
    clauses = []
    for word in ORDER:
        names = [answer.names[city] for city in table.order if table.words[city] == word]
        if not names:
            continue
        if word == OPEN:
            clauses.append(f"not settled: {listed(names)}")
        elif word in (ABOVE, BELOW) and len(names) > 1:
            clauses.append(f"{listed(names)} are {word.replace('its', 'their')}")
        else:
            clauses.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}")
    return f"{head}: {'; '.join(clauses)}."


def range_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """What the strongest player's shares are, from the best city to the worst."""
    first, last = table.order[0], table.order[-1]
    cities = table.strongest.cities
    best, worst = (
        f"{format_estimate(cities[city].share.estimate, percent=True)} ({answer.names[city]})"
        for city in (first, last)
    )
    return f"With {table.strongest.strategy}, at the top of this ladder, shares run from {best} to {worst}."


def uncertainty_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """How far another player of the strongest kind would change the verdict."""
    name = table.strongest.strategy
    if not table.peers:
        return (
            f"How far another player as strong as {name} would change this is unknown: "
            "the intervals know chance only."
        )
    spreads = {city: table.spread(city) or 0.0 for city in table.order}
    worst = max(spreads, key=lambda city: spreads[city])
    count = len(table.peers) + 1
    return (
        f"{count} players of the kind of {name}, trained independently, differ by up to "
        f"{100 * spreads[worst]:.1f} points of win share, most with {answer.names[worst]}: "
        "that is how far to trust it."
    )


def never_sentence(answer: CitiesAnswer, table: TableVerdict) -> str:
    """What players hardly ever unlock: their shares do not say what these cities would win with it."""
    clauses = []
    for one in levels_of_play(table.ladder):
        rare = {city: hardly_ever(one.cities[city]) for city in table.order}
        left = [f"{answer.names[city]} {place}" for city, place in rare.items() if place is not None]
        if left:
            clauses.append(f"by {one.strategy}, {listed(left)}")
    if not clauses:
        return ""
    return (
        f"Developments hardly ever unlocked (in less than {100 * RARE:.0f} % of games): "
        f"{'; '.join(clauses)}. These shares do not say what the cities would win with them."
    )


def sentences(answer: CitiesAnswer, table: TableVerdict) -> list[str]:
    """The verdict at one size of table in words, the headline first."""
    found = [
        headline(answer, table),
        range_sentence(answer, table),
        uncertainty_sentence(answer, table),
        never_sentence(answer, table),
    ]
    return [one for one in found if one]


@cache
def published() -> CitiesAnswer:
    """The answer that comes with this version."""
    resource = files("khora_sim.pages").joinpath("data", FILE)
    if not resource.is_file():
        raise UserError(
            "this installation has no published verdict (pages/data/cities.json); install khora again"
        )
    with as_file(resource) as path:
        return read_answer(path)


def published_at(sizes: tuple[int, ...]) -> CitiesAnswer:
    """The published answer at some sizes of table; all of it where none is named."""
    answer = published()
    known = [table.players for table in answer.tables]
    for size in sizes:
        if size not in known:
            there = ", ".join(map(str, known))
            raise UserError(f"--players {size}: published are tables of {there}; leave --published out")
    tables = tuple(table for table in answer.tables if not sizes or table.players in sizes)
    return answer.model_copy(update={"tables": tables})


def published_for(rules_hash: str, rules_version: str) -> CitiesAnswer | None:
    """The published answer, if it is about these rules."""
    answer = published()
    same = (answer.rules.hash, answer.rules.version) == (rules_hash, rules_version)
    return answer if same else None


def origin(answer: CitiesAnswer) -> str:
    """Where an answer comes from, for a citation."""
    how = f"to ± {answer.precision:g} points" if answer.precision else f"{answer.games:,} games a player"
    return (
        f"rules {answer.rules.name} {answer.rules.hash[:12]} (version {answer.rules.version}), "
        f"khora {answer.khora}, seed {answer.seed}, {how}"
    )
