"""Positions as the input of a net: a column for each fact, and for everything that may be there.

The weights of a card, development or event come from what it does: `Columns` turns weights of what things do
into weights of columns, and gradients back.
"""

from dataclasses import dataclass

import numpy as np

from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.strategy.learned.described import card_vectors, development_vectors, event_vectors
from khora_sim.strategy.learned.facts import COUNT
from khora_sim.strategy.learned.learned_value import Weights

#: The columns after those of facts, in this order: which weights they have, and what they are columns of.
BLOCKS = (
    ("in_force", "cards"),
    ("in_force_by_round", "cards"),
    ("in_hand", "cards"),
    ("in_hand_by_round", "cards"),
    ("ready", "cards"),
    ("in_force", "developments"),
    ("in_force_by_round", "developments"),
    ("next", "developments"),
    ("next_by_round", "developments"),
    ("next_ready", "developments"),
    ("later", "developments"),
    ("later_by_round", "developments"),
    ("event", "events"),
)


@dataclass(frozen=True)
class Columns:
    """What the things of some rules do, a row for each: by this a net knows them."""

    described: dict[str, np.ndarray]
    scale: np.ndarray  # of the facts: columns are facts / scale

    def weights(self, given: Weights) -> np.ndarray:
        """The first layer by column, from weights by what things do."""
        parts = [given["facts"] * self.scale[:, None]]
        parts += [self.described[kind] @ given[name] for name, kind in BLOCKS]
        return np.concatenate(parts)

    def gradients(self, by_column: np.ndarray) -> Weights:
        """The gradients of the weights by what things do, from those by column."""
        found: Weights = {"facts": by_column[:COUNT] / self.scale[:, None]}
        first = COUNT
        for name, kind in BLOCKS:
            rows = self.described[kind]
            part = rows.T @ by_column[first : first + len(rows)]
            found[name] = found[name] + part if name in found else part
            first += len(rows)
        return found


def columns_of(rules: Rules, scale: np.ndarray) -> Columns:
    """The columns for positions of some rules."""
    tables = rules.tables
    cities = int(tables.city_count)
    return Columns(
        {
            "cards": card_vectors(rules)[: int(tables.card_count)],
            "developments": development_vectors(rules)[:cities].reshape(cities * DEVELOPMENTS, -1),
            "events": event_vectors(rules)[: int(tables.event_count)],
        },
        scale,
    )


def scale_of(positions: np.ndarray, players: int) -> np.ndarray:
    """By how much each fact varies; 1 where it does not."""
    facts = positions["places"]["facts"][:, :players].reshape(-1, COUNT)
    spread = facts.astype(np.float32).std(axis=0)
    return np.where(spread > 0, np.maximum(spread, 0.05), 1).astype(np.float32)


def inputs(positions: np.ndarray, players: int, columns: Columns) -> np.ndarray:
    """The input rows of some positions, one for each player."""
    places = positions["places"][:, :players].reshape(-1)
    rounds = np.repeat(positions["rounds"], players).astype(np.float32)[:, None]
    events = np.repeat(positions["event"], players)
    cards = len(columns.described["cards"])
    in_play, hand, ready = (_members(places[name], cards) for name in ("in_play", "hand", "ready"))
    steps = len(columns.described["developments"])
    unlocked, next_, later, next_ready = _developments(places, steps)
    blocks = [
        places["facts"] / columns.scale,
        *(in_play, in_play * rounds, hand, hand * rounds, ready),
        *(unlocked, unlocked * rounds, next_, next_ * rounds, next_ready, later, later * rounds),
        _one_hot(events, len(columns.described["events"])),
    ]
    return np.concatenate(blocks, axis=1, dtype=np.float32)


def _members(sets: np.ndarray, count: int) -> np.ndarray:
    """Sets as rows of 0 and 1."""
    return (sets[:, None] >> np.arange(count) & 1).astype(np.float32)


def _one_hot(numbers: np.ndarray, count: int) -> np.ndarray:
    """Rows of 0 with a 1 at their number."""
    return np.asarray(numbers[:, None] == np.arange(count), np.float32)


def _developments(places: np.ndarray, count: int) -> tuple[np.ndarray, ...]:
    """Which developments are unlocked, next and later, and the next one if its tokens are there."""
    city = places["city"][:, None] == np.arange(count) // DEVELOPMENTS
    beyond = np.arange(count) % DEVELOPMENTS - places["unlocked"][:, None]
    next_ = (city & (beyond == 0)).astype(np.float32)
    return (
        (city & (beyond < 0)).astype(np.float32),
        next_,
        (city & (beyond > 0)).astype(np.float32),
        next_ * places["next_ready"][:, None],
    )
