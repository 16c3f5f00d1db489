"""A learned value: weights by what things do, their origin, and the nets they become for some rules."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from khora_sim.rules import Rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.learned.described import (
    EVENT_LENGTH,
    SOURCE_LENGTH,
    card_vectors,
    development_vectors,
    event_vectors,
)
from khora_sim.strategy.learned.facts import COUNT
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
        """Whether it values all positions at tables of one size as another one does."""
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
