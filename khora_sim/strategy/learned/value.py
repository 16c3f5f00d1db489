"""A learned value: weights by what things do, their origin, and the nets they become for some rules.

Its file holds NumPy arrays in a zip archive (.npz), its origin as JSON, and no code; `docs/players.md`
describes the format. Whatever does not fit is refused: another version, a name, shape or kind of number that
is not expected, a number that is none, more bytes than such a file can have.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.common.commands import learning
from khora_sim.common.files import ENDING, packed, read_packed, write_atomically
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.learned.facts import (
    COUNT,
    EVENT_LENGTH,
    SOURCE_LENGTH,
    card_vectors,
    development_vectors,
    event_vectors,
)
from khora_sim.strategy.learned.net import FIRST, NET, OUTPUTS, SECOND

#: The parts of a net that are learned, with their shapes. A card in play and a development that is unlocked
#: share their weights: what is in force is in force.
SHAPES: dict[str, tuple[int, ...]] = {
    "bias": (FIRST,),
    "facts": (COUNT, FIRST),
    "in_force": (SOURCE_LENGTH, FIRST),
    "in_force_by_round": (SOURCE_LENGTH, FIRST),
    "in_hand": (SOURCE_LENGTH, FIRST),
    "in_hand_by_round": (SOURCE_LENGTH, FIRST),
    "ready": (SOURCE_LENGTH, FIRST),
    "next": (SOURCE_LENGTH, FIRST),
    "next_by_round": (SOURCE_LENGTH, FIRST),
    "next_ready": (SOURCE_LENGTH, FIRST),
    "later": (SOURCE_LENGTH, FIRST),
    "later_by_round": (SOURCE_LENGTH, FIRST),
    "event": (EVENT_LENGTH, FIRST),
    "second": (FIRST, SECOND),
    "second_bias": (SECOND,),
    "out": (SECOND, OUTPUTS),
    "out_bias": (OUTPUTS,),
}
#: Where the weights of described things go: the field of the net, by what is described.
CARD_ROWS = {
    "card_in_play": "in_force",
    "card_in_play_by_round": "in_force_by_round",
    "card_in_hand": "in_hand",
    "card_in_hand_by_round": "in_hand_by_round",
    "card_ready": "ready",
}
DEVELOPMENT_ROWS = {
    "unlocked": "in_force",
    "unlocked_by_round": "in_force_by_round",
    "next": "next",
    "next_by_round": "next_by_round",
    "next_ready": "next_ready",
    "later": "later",
    "later_by_round": "later_by_round",
}
AS_THEY_ARE = ("bias", "facts", "second", "second_bias", "out", "out_bias")

Weights = dict[str, np.ndarray]  # by the names of SHAPES


@dataclass(frozen=True)
class LearnedValue:
    """Weights for one or more numbers of players, and where they come from."""

    weights: dict[int, Weights]  # by number of players
    origin: dict[str, Any]  # rules, games, seeds, parents: as it was made
    digest: str = ""  # of the file

    def nearest(self, players: int) -> int:
        """The number of players with weights that is closest to another; of two as close the higher."""
        return min(self.weights, key=lambda known: (abs(known - players), -known))

    def says_the_same(self, other: "LearnedValue", players: int) -> bool:
        """Tell if it values all positions at tables of one size as another one does."""
        own, its = self.weights[self.nearest(players)], other.weights[other.nearest(players)]
        return all(np.array_equal(own[name], its[name]) for name in own)

    def nets(self, rules: Rules) -> np.recarray:
        """The nets for the rules at hand, one for each number of players from 2 up.

        A number of players that nothing was learned for has the net of the nearest one.
        """
        nets = np.zeros(len(PLAYER_COUNTS), NET).view(np.recarray)
        for place, players in enumerate(PLAYER_COUNTS):
            fill_net(nets[place], self.weights[self.nearest(players)], rules)
        return nets


def fill_net(net: Any, weights: Weights, rules: Rules) -> None:
    """Work out what every card, development and event of the rules adds to the first layer."""
    cards, developments, events = card_vectors(rules), development_vectors(rules), event_vectors(rules)
    for name in AS_THEY_ARE:
        net[name] = weights[name]
    for field, name in CARD_ROWS.items():
        net[field] = cards @ weights[name]
    for field, name in DEVELOPMENT_ROWS.items():
        net[field] = developments @ weights[name]
    net["event"] = events @ weights["event"]


__all__ = ["ENDING", "read_learned", "write_learned"]

FORMAT = 1
MOST_BYTES = 64_000_000  # of a file, and of all it holds


def write_learned(value: LearnedValue, path: Path) -> None:
    """Write a learned value to a file."""
    arrays = {
        f"{name}_{players}": weights[name].astype(np.float32)
        for players, weights in value.weights.items()
        for name in SHAPES
    }
    write_atomically(path, packed(arrays, {"format": FORMAT, **value.origin}))


def read_learned(path: Path) -> LearnedValue:
    """A learned value from a file; one that is damaged or of another kind is refused."""
    instead = f"make one with: {learning('value.npz')}"
    data, found, origin = read_packed(path, "a learned value", MOST_BYTES, instead)
    version = origin.pop("format", None)
    if version != FORMAT:
        raise UserError(
            f"{path.name}: has format {version}; this khora reads format {FORMAT}; learn it again"
        )
    weights = {players: _weights(found, players, path) for players in _counts(found, path)}
    return LearnedValue(weights, origin, hashlib.sha256(data).hexdigest()[:16])


def _counts(found: dict[str, np.ndarray], path: Path) -> list[int]:
    """The numbers of players that a file has weights for."""
    counts = sorted({int(name.rpartition("_")[2]) for name in found if name.rpartition("_")[2].isdecimal()})
    known = {f"{name}_{players}" for name in SHAPES for players in counts}
    if not counts or not set(counts) <= set(PLAYER_COUNTS) or known != set(found):
        raise UserError(f"{path.name}: has other parts than a learned value of this khora; learn it again")
    return counts


def _weights(found: dict[str, np.ndarray], players: int, path: Path) -> Weights:
    """The weights for one number of players, checked."""
    weights = {}
    for name, shape in SHAPES.items():
        one = found[f"{name}_{players}"]
        if one.dtype != np.float32 or one.shape != shape or not np.isfinite(one).all():
            raise UserError(
                f"{path.name}: {name} for {players} players should be {' x '.join(map(str, shape))} "
                "finite numbers; it was made by another khora, or is damaged; learn it again"
            )
        weights[name] = one
    return weights
