"""What is tuned one after another: a general vector of weights, then those of cities, by tables."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.value.features import DEFAULTS, PARTS, Feature
from khora_sim.strategy.weight_layers import Layer, in_order, named, order, weights_at
from khora_sim.strategy.weights import digest_of

USUAL = 4  # players: what is tuned at their tables holds everywhere, the rest at tables of so many
UNIT = int(Feature.POINTS)  # what all other weights are measured in, and so stays as it is
FREE = [place for place in range(len(DEFAULTS)) if place != UNIT]
DIGITS = 4  # of a weight that are kept


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
    """A strategy with some more weights, which replace those that held in just the same place."""
    kept = _without(in_order(strategy.layers), layer)
    layers = tuple(sorted((*kept, layer), key=order))
    return replace(strategy, layers=layers, digest=digest_of(layers, strategy.deterministic))


def _without(layers: Iterable[Layer], layer: Layer) -> list[Layer]:
    """The layers that still have a say: a new one takes the place of what held within its place."""

    def replaced(one: Layer) -> bool:
        city = layer.city in (None, one.city) and (layer.part is None or one.city == layer.city)
        return one.players == layer.players and city and layer.part in (None, one.part)

    return [one for one in layers if not replaced(one)]
