"""A learned value: weights by what things do, their origin, and the nets they become for some rules.

`files.py` reads and writes its file.
"""

from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.common.commands import learning
from khora_sim.rules import Rules
from khora_sim.strategy.learned.facts import (
    COUNT,
    EVENT_LENGTH,
    SOURCE_LENGTH,
    card_vectors,
    development_vectors,
    event_vectors,
)
from khora_sim.strategy.learned.files import Learned, LearnedFile, Weights, read_weights, write_weights
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


class LearnedValue(Learned):
    """A learned value: what positions are worth."""

    def says_the_same(self, other: "LearnedValue", players: int) -> bool:
        """Tell if it values all positions at tables of one size as another one does."""
        own, its = self.weights[self.nearest(players)], other.weights[other.nearest(players)]
        return all(np.array_equal(own[name], its[name]) for name in own)

    def prepare(self, weights: list[Weights], rules: Rules) -> np.recarray:
        """Work out the nets for some rules."""
        nets = np.zeros(len(weights), NET).view(np.recarray)
        for place, one in enumerate(weights):
            fill_net(nets[place], one, rules)
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


FILE = LearnedFile("a learned value", SHAPES, learning("value.npz"))


def write_learned(value: LearnedValue, path: Path) -> None:
    """Write a learned value to a file."""
    write_weights(FILE, value.weights, value.origin, path)


def read_learned(path: Path) -> LearnedValue:
    """A learned value from a file; one that is damaged or of another kind is refused."""
    return LearnedValue(*read_weights(FILE, path))
