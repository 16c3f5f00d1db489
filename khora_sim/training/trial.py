"""Stages of a tuning, one after another: a general vector of weights, then those of cities, by tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from khora_sim.common.progress import Progress
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import InMemory
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import LEAD, SUMMING, Summing, one_against, share_won
from khora_sim.stats import Estimate, Sums
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.value.features import DEFAULTS, PARTS, Feature
from khora_sim.strategy.weight_layers import Layer, in_order, named, order, weights_at
from khora_sim.strategy.weights import digest_of

USUAL = 4  # players: what is tuned at their tables holds everywhere, the rest at tables of so many
UNIT = int(Feature.POINTS)  # what all other weights are measured in, and so stays as it is
FREE = [place for place in range(len(DEFAULTS)) if place != UNIT]
DIGITS = 4  # of a weight that are kept
CHOOSING_TIMES = 6  # as many games to choose by as for a candidate in a generation
LEAD_COUNTS = 0.3  # a full lead, beside a game that is won: it tells candidates apart that win as often


class Stage(NamedTuple):
    """One vector of weights to tune: of a city or of all, in a part of the game or in all, at some tables."""

    players: int
    city: str | None = None
    part: str | None = None

    def __str__(self) -> str:
        return ", ".join(
            [f"{self.players} players", self.city or "every city", *([self.part] if self.part else [])]
        )

    @property
    def key(self) -> str:
        """Its name in files."""
        return "-".join(filter(None, [self.city or "general", str(self.players), self.part or ""]))

    def layer(self, weights: np.ndarray) -> Layer:
        """Weights that hold where this stage has tuned them."""
        players = None if self.players == USUAL else self.players
        return Layer(named(weights), self.city, players, self.part)


def stages_of(players: Sequence[int], cities: str | Sequence[str], rules: Rules) -> list[Stage]:
    """`all`: a general vector, then every city from it; `none`: only that; else just the cities named."""
    if isinstance(cities, str):
        if cities not in ("all", "none"):
            raise UserError(f"--cities {cities}: expected all, none or the ids of cities")
        named_cities: Sequence[str] = rules.city_ids if cities == "all" else ()
        general = True
    else:
        for city in cities:
            if city not in rules.city_ids:
                raise UserError(f'--cities: no city is called "{city}"; {nearest(city, rules.city_ids)}')
        named_cities, general = tuple(dict.fromkeys(cities)), False
    return [
        stage
        for count in players
        for stage in ([Stage(count)] if general else []) + [Stage(count, city) for city in named_cities]
    ]


def in_parts(stages: Sequence[Stage]) -> list[Stage]:
    """Stages for every part of the game in place of each; cities alone, where there are any."""
    cities = [stage for stage in stages if stage.city] or stages
    return [stage._replace(part=part) for stage in cities for part in PARTS]


def start_of(strategy: Strategy, stage: Stage) -> np.ndarray:
    """The weights that a stage starts from."""
    return weights_at(strategy.layers, stage.city, stage.players, stage.part)


def with_free(weights: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Weights with all of them set but the unit, as they will be written."""
    whole = weights.copy()
    whole[FREE] = [float(f"{one:.{DIGITS}g}") for one in free]
    return whole


def with_layer(strategy: Strategy, layer: Layer) -> Strategy:
    """A strategy with some more weights, which take the place of those that held within their place."""

    def replaced(one: Layer) -> bool:
        city = layer.city in (None, one.city) and (layer.part is None or one.city == layer.city)
        return one.players == layer.players and city and layer.part in (None, one.part)

    kept = [one for one in in_order(strategy.layers) if not replaced(one)]
    layers = tuple(sorted((*kept, layer), key=order))
    return replace(strategy, layers=layers, digest=digest_of(layers, strategy.deterministic))


class Trial(Protocol):
    """A comparison of candidates for the weights of a stage; greater scores are better."""

    def training(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """Scores of the candidates of a generation."""

    def choosing(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """Scores that are more exact, on seeds that nothing was learned from."""


class Table(NamedTuple):
    """A table where candidates are tried: all meet the same dice and deals and the same opponents."""

    rules: Rules
    players: int
    cities: tuple[str, ...]  # that the candidate plays, each in as many games
    opponents: tuple[str, ...]  # as they are typed; dealt to the other seats
    backend: Backend
    progress: Progress | None = None


def table_of(
    stage: Stage, rules: Rules, opponents: tuple[str, ...], backend: Backend, progress: Progress | None
) -> Table:
    """The table where the candidates of a stage are tried."""
    cities = (stage.city,) if stage.city else tuple(rules.city_ids)
    return Table(rules, stage.players, cities, opponents, backend, progress)


@dataclass(frozen=True)
class Games:
    """Trials by games won against opponents."""

    rules: Rules
    opponents: tuple[str, ...]
    games: int  # of a candidate in a generation
    backend: Backend
    progress: Progress | None = None

    def training(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """Scores of the candidates of a generation in games of a seed."""
        return scores(self._table(stage), candidates, self.games, seed)

    def choosing(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """Scores in more games, which are not counted as training."""
        table = self._table(stage)._replace(progress=None)
        return scores(table, candidates, CHOOSING_TIMES * self.games, seed)

    def _table(self, stage: Stage) -> Table:
        return table_of(stage, self.rules, self.opponents, self.backend, self.progress)


def games_each(table: Table, games: int) -> int:
    """The games that a candidate plays of so many asked for: whole rotation groups in every city."""
    return _groups(table, games) * table.players * len(table.cities)


def _groups(table: Table, games: int) -> int:
    return -(-games // (table.players * len(table.cities)))


def scores(table: Table, candidates: Sequence[Strategy], games: int, seed: int) -> list[float]:
    """The score of each candidate: the share of games it won, and a little for leading by much."""
    arms = [
        replace(arm, strategies=(*arm.strategies[:-1], one))  # in place of the strategy tied to the city
        for one in candidates
        for arm in _arms(table, candidates[0], games, seed)
    ]
    sink = InMemory(Summing(("city",), ("win_share", LEAD)))
    play(Design(tuple(arms)), sink, table.backend, progress=table.progress)
    count = len(table.cities)
    worth = [_worth(sink.sums[place], table.cities[place % count]) for place in range(len(arms))]
    return [sum(worth[first : first + count]) / count for first in range(0, len(arms), count)]


def _arms(table: Table, stand_in: Strategy, games: int, seed: int) -> list[Arm]:
    """An arm for each city, in which somebody plays it against opponents from the pool."""
    groups, arms = _groups(table, games), []
    same = {"games": groups * table.players, "players": table.players, "strategies": table.opponents}
    same |= {"lineup": "pool", "rotate": "cities", "seed": seed}
    for city in table.cities:
        study = study_of({**same, "cities": (city,), "by_city": {city: stand_in.name}})
        arms.append(resolve_study(study, table.rules).first(groups))
    return arms


def _worth(sums: Sums, city: str) -> float:
    """The score of the player of a city, by the sums of an arm."""
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
    play(Design(tuple(arms)), sink, table.backend, progress=table.progress)
    return [share_won(sink.sums[place], table.players) for place in range(len(arms))]
