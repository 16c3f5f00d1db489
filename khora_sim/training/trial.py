"""Trying candidates: all of a generation meet the same luck and the same opponents, each in its own arm."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from khora_sim.simulation.against import SUMMING, one_against, share_won
from khora_sim.simulation.arm import Arm
from khora_sim.simulation.crew import Crew
from khora_sim.simulation.design import Design
from khora_sim.simulation.plan import settled_plan
from khora_sim.simulation.run import Watch, play
from khora_sim.simulation.sinks import InMemory
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import LEAD, Summing
from khora_sim.rules import Rules
from khora_sim.stats import Estimate, Sums
from khora_sim.strategy.contract import Strategy
from khora_sim.training.stages import Stage

CHOOSING_TIMES = 6  # as many games to choose by as for a candidate in a generation
LEAD_COUNTS = 0.3  # a full lead, beside a game that is won: it tells candidates apart that win as often


class Trial(Protocol):
    """How candidates for the weights of a stage are compared; greater scores are better."""

    def training(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """What the candidates of a generation are worth."""

    def choosing(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """What candidates are worth, more exactly, and on luck that nothing was learned from."""


class Table(NamedTuple):
    """Where candidates are tried: under which rules, in which cities, against whom, by whom."""

    rules: Rules
    players: int
    cities: tuple[str, ...]  # that the candidate plays, each in as many games
    opponents: tuple[str, ...]  # as they are typed; dealt to the other seats
    crew: Crew
    watch: Watch | None = None


def table_of(
    stage: Stage, rules: Rules, opponents: tuple[str, ...], crew: Crew, watch: Watch | None
) -> Table:
    """Where the candidates of a stage are tried."""
    cities = (stage.city,) if stage.city else tuple(rules.city_ids)
    return Table(rules, stage.players, cities, opponents, crew, watch)


@dataclass(frozen=True)
class Games:
    """Trials by games won against opponents."""

    rules: Rules
    opponents: tuple[str, ...]
    games: int  # of a candidate in a generation
    crew: Crew
    watch: Watch | None = None

    def training(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """What the candidates of a generation are worth in games of a seed."""
        return scores(self._table(stage), candidates, self.games, seed)

    def choosing(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """What candidates are worth in more games."""
        return scores(self._table(stage), candidates, CHOOSING_TIMES * self.games, seed)

    def _table(self, stage: Stage) -> Table:
        return table_of(stage, self.rules, self.opponents, self.crew, self.watch)


def games_each(table: Table, games: int) -> int:
    """The games that a candidate plays of so many asked for: whole rotation groups in every city."""
    return _groups(table, games) * table.players * len(table.cities)


def _groups(table: Table, games: int) -> int:
    return -(-games // (table.players * len(table.cities)))


def scores(table: Table, candidates: Sequence[Strategy], games: int, seed: int) -> list[float]:
    """What each candidate is worth: the share of games it won, and a little for leading by much."""
    arms = [
        _with_candidate(arm, one) for one in candidates for arm in _arms(table, candidates[0], games, seed)
    ]
    sink = InMemory(Summing(("city",), ("win_share", LEAD)))
    play(Design(tuple(arms)), sink, table.crew, watch=table.watch)
    count = len(table.cities)
    worth = [_worth(sink.sums[place], table.cities[place % count]) for place in range(len(arms))]
    return [sum(worth[first : first + count]) / count for first in range(0, len(arms), count)]


def _arms(table: Table, stand_in: Strategy, games: int, seed: int) -> list[Arm]:
    """An arm for each city, in which somebody plays it against opponents from the pool."""
    groups = _groups(table, games)
    asked = {
        "games": groups * table.players,
        "players": table.players,
        "strategies": table.opponents,
        "lineup": "pool",
        "rotate": "cities",
        "seed": seed,
    }
    return [
        settled_plan(
            study_of(asked | {"cities": (city,), "by_city": {city: stand_in.name}}), table.rules
        ).first(groups)
        for city in table.cities
    ]


def _with_candidate(arm: Arm, candidate: Strategy) -> Arm:
    """The arm with a candidate in place of the strategy that is tied to the city."""
    return replace(arm, strategies=(*arm.strategies[:-1], candidate))


def _worth(sums: Sums, city: str) -> float:
    """What the player of a city is worth, by the sums of an arm."""
    row = sums.only(city=city).totals(["city"]).row(0, named=True)
    won, lead = (row[name] / sums.parts[name] for name in ("win_share", LEAD))
    return float((won + LEAD_COUNTS * lead) / row["c"])


def shares_won(table: Table, one: Strategy, games: int, seed: int) -> list[Estimate]:
    """The share of games that a player wins against all others of a kind, for each of the opponents."""
    arms = []
    for other in dict.fromkeys(table.opponents):
        arm = one_against(other, other, table.players, games, seed, table.rules)
        arms.append(replace(arm, strategies=(one, *arm.strategies[1:])))
    sink = InMemory(SUMMING)
    play(Design(tuple(arms)), sink, table.crew, watch=table.watch)
    return [share_won(sink.sums[place], table.players) for place in range(len(arms))]
