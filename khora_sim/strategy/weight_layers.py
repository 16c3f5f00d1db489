"""Weights that hold everywhere, in one city, or at tables of one number of players, laid over one another.

A later layer overrides an earlier one where it holds. What comes out is a row of weights for every number of
players and every city of the rules at hand: the evaluator looks its row up.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.value.features import DEFAULTS, DESCRIBED, FEATURES

PLACES = {name: place for place, name in enumerate(DESCRIBED)}


class Layer(NamedTuple):
    """Some weights, and where they hold: None stands for every city, and for any number of players."""

    weights: Mapping[str, float]
    city: str | None = None
    players: int | None = None

    def holds(self, city: str | None, players: int | None) -> bool:
        """Whether it holds in a city at tables of so many; None asks for what holds in every one of them."""
        return self.city in (None, city) and self.players in (None, players)


def weights_at(layers: Iterable[Layer], city: str | None = None, players: int | None = None) -> np.ndarray:
    """The weights of a city at tables of so many players, in the order of the features."""
    row = DEFAULTS.copy()
    for layer in layers:
        if layer.holds(city, players):
            for name, weight in layer.weights.items():
                row[PLACES[name]] = weight
    return row


def rows(layers: Sequence[Layer], cities: Sequence[str]) -> np.ndarray:
    """The weights for each number of players and each of some cities, one row after another."""
    found = [weights_at(layers, city, players) for players in PLAYER_COUNTS for city in cities]
    return np.concatenate(found) if found else np.zeros(0)


def in_order(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """The same weights as a file lays them out: one layer for a place, those of one place after general ones.

    Layers of a base or of settings come in another order; then every place gets a layer of all weights.
    """
    places = [(layer.players, layer.city) for layer in layers]
    if len({*places}) == len(places) and sorted(layers, key=order) == list(layers):
        return tuple(layers)
    cities = [None, *dict.fromkeys(layer.city for layer in layers if layer.city)]
    tables = [None, *sorted({layer.players for layer in layers if layer.players})]
    return tuple(
        Layer(named(weights_at(layers, city, players)), city, players)
        for players in tables
        for city in cities
    )


def order(layer: Layer) -> tuple[int, bool]:
    """The order of a weights file: everywhere, in cities, at tables of so many, in cities there."""
    return layer.players or 0, layer.city is not None


def named(row: Sequence[float] | np.ndarray) -> dict[str, float]:
    """A row of weights by the names of the features."""
    if len(row) != FEATURES:
        raise ValueError(f"{len(row)} weights for {FEATURES} features")
    return {name: float(weight) for name, weight in zip(DESCRIBED, row, strict=True)}
