"""Weights that hold everywhere, in one city, in a part of the game, or at tables of one number of players.

A later layer overrides an earlier one where it holds. What comes out is a row of weights for every number of
players, every part of the game and every city of the rules at hand: the evaluator looks its row up.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.value.features import DEFAULTS, DESCRIBED, FEATURES, PARTS

PLACES = {name: place for place, name in enumerate(DESCRIBED)}


class Layer(NamedTuple):
    """Some weights, and where they hold: None stands for every city, table and part of the game."""

    weights: Mapping[str, float]
    city: str | None = None
    players: int | None = None
    part: str | None = None  # of PARTS

    @property
    def place(self) -> tuple[int | None, str | None, str | None]:
        """Place where it holds."""
        return self.players, self.city, self.part

    def holds(self, city: str | None, players: int | None, part: str | None) -> bool:
        """Tell if it holds in a place; None asks for what holds in every such place."""
        return self.city in (None, city) and self.players in (None, players) and self.part in (None, part)


def weights_at(
    layers: Iterable[Layer], city: str | None = None, players: int | None = None, part: str | None = None
) -> np.ndarray:
    """The weights of a city at tables of so many players in a part of the game, in the order of features."""
    row = DEFAULTS.copy()
    for layer in layers:
        if layer.holds(city, players, part):
            for name, weight in layer.weights.items():
                row[PLACES[name]] = weight
    return row


def rows(layers: Sequence[Layer], cities: Sequence[str]) -> np.ndarray:
    """The weights for each number of players, part of the game and city, one row after another."""
    found = np.tile(DEFAULTS, (len(PLAYER_COUNTS), len(PARTS), len(cities), 1))
    for layer in layers:
        if layer.city is None or layer.city in cities:
            where = (_at(layer.players, PLAYER_COUNTS), _at(layer.part, PARTS), _at(layer.city, cities))
            names = list(layer.weights)
            found[where][..., [PLACES[name] for name in names]] = [layer.weights[name] for name in names]
    return found.reshape(-1)


def _at(one: Any, of_all: Sequence[Any]) -> slice:
    """Place of one of several, as a slice; None stands for all of them."""
    return slice(None) if one is None else slice(of_all.index(one), of_all.index(one) + 1)


def in_order(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """The same weights as a file lays them out: one layer for a place, those of one place after general ones.

    Layers of a base or of settings come in another order; then every place gets a layer of all weights.
    """
    places = [layer.place for layer in layers]
    if len({*places}) == len(places) and sorted(layers, key=order) == list(layers):
        return tuple(layers)
    cities = [None, *dict.fromkeys(layer.city for layer in layers if layer.city)]
    tables = [None, *sorted({layer.players for layer in layers if layer.players})]
    parts = [None, *(part for part in PARTS if any(layer.part == part for layer in layers))]
    return tuple(
        Layer(named(weights_at(layers, city, players, part)), city, players, part)
        for players in tables
        for city in cities
        for part in parts
    )


def order(layer: Layer) -> tuple[int, bool, bool]:
    """The order of a weights file: what holds in fewer places comes later, and so overrides the rest."""
    return layer.players or 0, layer.city is not None, layer.part is not None


def named(row: Sequence[float] | np.ndarray) -> dict[str, float]:
    """A row of weights by the names of the features."""
    if len(row) != FEATURES:
        raise ValueError(f"{len(row)} weights for {FEATURES} features")
    return {name: float(weight) for name, weight in zip(DESCRIBED, row, strict=True)}
