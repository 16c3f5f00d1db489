"""Fitting a net to positions: gradient descent (Adam) in plain NumPy.

A position is a column for each fact, and for everything that may be there. The weights of a card, development
or event come from what it does: `Columns` turns weights of what things do into weights of columns, and
gradients back. The strengths of all players at a table go through a softmax, which should say who wins
(cross-entropy); the second output should say the final score, which teaches more than who won alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.strategy.learned.facts import COUNT, card_vectors, development_vectors, event_vectors
from khora_sim.strategy.learned.files import Weights
from khora_sim.strategy.learned.net import SCORE, STRENGTH
from khora_sim.strategy.learned.value import SHAPES

BATCH = 1024  # positions of one step
SCORE_WEIGHT = 0.3  # of the squared error of the score, beside the cross-entropy
SCORE_MEAN, SCORE_SPREAD = 60.0, 30.0
RATE, LAST_RATE = 2e-3, 1e-4  # of learning, at the first and at the last step
FADING, SQUARE_FADING, LEAST = 0.9, 0.999, 1e-8  # of Adam
DECAY = 1e-5  # of weights in a step, as a share of the rate: what nothing speaks for fades

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
    """The effects of the things of some rules, a row for each: by this a net knows them."""

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
    """The standard deviation of each fact; 1 where it does not vary."""
    facts = positions["places"]["facts"][:, :players].reshape(-1, COUNT)
    spread = facts.astype(np.float32).std(axis=0)
    return np.where(spread > 0, np.maximum(spread, 0.05), 1).astype(np.float32)


def inputs(positions: np.ndarray, players: int, columns: Columns) -> np.ndarray:
    """The input rows of some positions, one for each player."""
    places = positions["places"][:, :players].reshape(-1)
    rounds = np.repeat(positions["rounds"], players).astype(np.float32)[:, None]
    events = np.repeat(positions["event"], players)
    cards = len(columns.described["cards"])
    in_play, hand, ready = (  # sets as rows of 0 and 1
        (places[name][:, None] >> np.arange(cards) & 1).astype(np.float32)
        for name in ("in_play", "hand", "ready")
    )
    steps = np.arange(len(columns.described["developments"]))
    city = places["city"][:, None] == steps // DEVELOPMENTS
    beyond = steps % DEVELOPMENTS - places["unlocked"][:, None]
    unlocked, next_, later = (
        (city & those).astype(np.float32) for those in (beyond < 0, beyond == 0, beyond > 0)
    )
    next_ready = next_ * places["next_ready"][:, None]  # the next one if its tokens are there
    blocks = [
        places["facts"] / columns.scale,
        *(in_play, in_play * rounds, hand, hand * rounds, ready),
        *(unlocked, unlocked * rounds, next_, next_ * rounds, next_ready, later, later * rounds),
        events[:, None] == np.arange(len(columns.described["events"])),
    ]
    return np.concatenate(blocks, axis=1, dtype=np.float32)


@dataclass
class Adam:
    """Gradient descent with a momentum, and a rate of its own for every weight."""

    mean: Weights = field(default_factory=dict)
    square: Weights = field(default_factory=dict)
    steps: int = 0

    def step(self, weights: Weights, gradients: Weights, rate: float) -> None:
        """Move all weights against their gradients."""
        self.steps += 1
        for name, gradient in gradients.items():
            mean = self.mean.setdefault(name, np.zeros_like(gradient))
            square = self.square.setdefault(name, np.zeros_like(gradient))
            mean += (1 - FADING) * (gradient - mean)
            square += (1 - SQUARE_FADING) * (gradient * gradient - square)
            even = mean / (1 - FADING**self.steps)
            wide = np.sqrt(square / (1 - SQUARE_FADING**self.steps)) + LEAST
            weights[name] -= rate * (even / wide + DECAY * weights[name])


def new_weights(seed: int, scale: np.ndarray) -> Weights:
    """Weights to start from: at random for facts and layers, 0 for what things do."""
    generator = np.random.default_rng(seed)
    weights = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}
    for name in ("facts", "second", "out"):
        spread = np.sqrt(2 / SHAPES[name][0])
        weights[name] = (spread * generator.standard_normal(SHAPES[name])).astype(np.float32)
    weights["facts"] /= scale[:, None]
    weights["out"] *= 0.1
    return weights


def _forward(rows: np.ndarray, first: np.ndarray, weights: Weights) -> tuple[np.ndarray, ...]:
    """Both hidden layers and the outputs of some rows."""
    hidden = np.maximum(rows @ first + weights["bias"], 0)
    second = np.maximum(hidden @ weights["second"] + weights["second_bias"], 0)
    return hidden, second, second @ weights["out"] + weights["out_bias"]


def _chances(outputs: np.ndarray, players: int) -> np.ndarray:
    strengths = outputs[:, STRENGTH].reshape(-1, players)
    raised = np.exp(strengths - strengths.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _targets(positions: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray]:
    places = positions["places"][:, :players]
    return places["won"], (places["score"].reshape(-1) - SCORE_MEAN) / SCORE_SPREAD


def _gradients(positions: np.ndarray, players: int, columns: Columns, weights: Weights) -> Weights:
    """The change of the loss of some positions with every weight."""
    rows, first = inputs(positions, players, columns), columns.weights(weights)
    hidden, second, outputs = _forward(rows, first, weights)
    won, score = _targets(positions, players)
    at_out = np.zeros_like(outputs)
    at_out[:, STRENGTH] = (_chances(outputs, players) - won).reshape(-1) / len(positions)
    at_out[:, SCORE] = SCORE_WEIGHT * 2 * (outputs[:, SCORE] - score) / len(rows)
    at_second = at_out @ weights["out"].T * (second > 0)
    at_first = at_second @ weights["second"].T * (hidden > 0)
    return columns.gradients(rows.T @ at_first) | {
        "bias": at_first.sum(axis=0),
        "second": hidden.T @ at_second,
        "second_bias": at_second.sum(axis=0),
        "out": second.T @ at_out,
        "out_bias": at_out.sum(axis=0),
    }


def loss_of(positions: np.ndarray, players: int, columns: Columns, weights: Weights) -> float:
    """The cross-entropy of who wins, in nats a position: the held-out measure."""
    total, first = 0.0, columns.weights(weights)
    for start in range(0, len(positions), BATCH):
        some = positions[start : start + BATCH]
        chances = _chances(_forward(inputs(some, players, columns), first, weights)[2], players)
        total -= float((_targets(some, players)[0] * np.log(chances + 1e-12)).sum())
    return total / max(len(positions), 1)


def fit(
    weights: Weights,
    positions: Sequence[np.ndarray],
    columns: Columns,
    players: int,
    epochs: float,
    seed: int,
    rate: float = RATE,
) -> Weights:
    """Weights that fit the positions better, from those given."""
    weights = {name: one.copy() for name, one in weights.items()}
    generator, adam = np.random.default_rng(seed), Adam()
    all_positions = np.concatenate(positions)
    steps = int(epochs * len(all_positions) / BATCH)
    order = np.zeros(0, np.int64)
    for step in range(steps):
        if len(order) < BATCH:
            order = generator.permutation(len(all_positions))
        chosen, order = np.sort(order[:BATCH]), order[BATCH:]
        gradients = _gradients(all_positions[chosen], players, columns, weights)
        adam.step(weights, gradients, rate * (LAST_RATE / RATE) ** (step / max(steps, 1)))
    return weights
