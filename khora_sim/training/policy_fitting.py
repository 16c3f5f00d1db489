"""Fitting a policy net to a teacher's decisions: gradient descent (Adam) in plain NumPy.

The scores of a decision's options go through a softmax, which gives the chance that the policy takes each.
The loss is what the policy loses by that on average (the regret, by the teacher's values), and beside it the
cross-entropy with a sharp softmax of the teacher's values, which still teaches where the regret is flat.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from khora_sim.engine.agenda import FIRST_DECISION
from khora_sim.rules import Rules
from khora_sim.strategy.learned.files import Weights
from khora_sim.strategy.learned.policy import (
    OPTION_THINGS,
    PLAIN_OPTION,
    PLAIN_STATE,
    SHAPES,
    STATE_THINGS,
    things_of,
)
from khora_sim.strategy.learned.policy_net import FIRST, GROUP_OF, GROUPS
from khora_sim.strategy.learned.sight import OPTION, OPTION_COLUMNS, STATE, STATE_COLUMNS, TASKS, columns_of
from khora_sim.training.fitting import Adam
from khora_sim.training.policy_sights import Rows, Sights

BATCH = 512  # decisions of one step
RATE, LAST_RATE = 2e-3, 2e-5
REGRET, IMITATION = 30.0, 0.7  # weights of the two parts of the loss
SHARPNESS = 0.01  # chances to win that far apart are clearly told apart
WIDE = 0.1  # a decision whose options are so far apart counts fully in the imitation
UNSEEN = 0.01  # an option that the teacher did not look at counts as worse than its worst by this
TIMED = 50  # steps, by which it is known how many there is time for
ROUNDS = 5.0  # amounts by round are divided by this


@dataclass(frozen=True)
class Batches:
    """The decisions to fit, as sparse matrices with columns of about the same size."""

    sights: Sights
    states: sparse.csr_matrix
    options: sparse.csr_matrix
    begins: np.ndarray  # of the options of each decision

    @classmethod
    def of(cls, sights: Sights, state_scale: np.ndarray, option_scale: np.ndarray) -> "Batches":
        """The batches of some decisions."""
        begins = np.cumsum(sights.counts, dtype=np.int64) - sights.counts
        return cls(sights, _matrix(sights.states, state_scale), _matrix(sights.options, option_scale), begins)


def _matrix(rows: Rows, scale: np.ndarray) -> sparse.csr_matrix:
    starts = np.concatenate([[0], rows.ends])
    amounts = rows.amounts / scale[rows.columns]
    return sparse.csr_matrix((amounts, rows.columns.astype(np.int32), starts), (len(rows), len(scale)))


def scales_of(sights: Sights) -> tuple[np.ndarray, np.ndarray]:
    """What the amounts of each column of states and of options are divided by."""
    found = []
    for kind, rows, plain in (
        (STATE, sights.states, PLAIN_STATE),
        (OPTION, sights.options, PLAIN_OPTION),
    ):
        columns = kind.itemsize // 4
        number = np.maximum(np.bincount(rows.columns, minlength=columns), 1)
        squares = np.bincount(rows.columns, rows.amounts.astype(np.float64) ** 2, columns)
        scale = np.ones(columns, np.float32)
        scale[plain] = np.maximum(np.sqrt(squares / number), 0.2)[plain]
        scale[plain[np.bincount(rows.columns, minlength=columns)[plain] == 0]] = 1
        for name in kind.names or ():
            if name.endswith("_by_round"):
                scale[columns_of(kind, name)] = ROUNDS
        found.append(scale)
    return found[0], found[1]


def new_weights(seed: int, scales: tuple[np.ndarray, np.ndarray]) -> Weights:
    """Weights to start from: at random for plain columns and layers, 0 for what things do."""
    generator = np.random.default_rng(seed)
    weights = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}
    for name, spread in (("state", 0.1), ("option", 0.15), ("second", (2 / FIRST) ** 0.5), ("out", 0.12)):
        weights[name] = (spread * generator.standard_normal(SHAPES[name])).astype(np.float32)
    weights["state"] /= scales[0][PLAIN_STATE][:, None]
    weights["option"] /= scales[1][PLAIN_OPTION][:, None]
    return weights


class Fit:
    """A fit at work: weights for scaled columns of the things that the rules have."""

    def __init__(self, rules: Rules, weights: Weights, scales: tuple[np.ndarray, np.ndarray]):
        things = things_of(rules)
        self.used = {name: np.flatnonzero(rows.any(axis=0)) for name, rows in things.described.items()}
        self.rows = {name: rows[:, self.used[name]] for name, rows in things.described.items()}
        self.whole, self.scales = weights, scales
        self.kind_of = dict((*STATE_THINGS.values(), *OPTION_THINGS.values()))
        # Rows of things that both cards and developments have: the entries that either uses.
        both = np.union1d(self.used["cards"], self.used["developments"])
        for name in ("cards", "developments"):
            self.used[name], self.rows[name] = both, things.described[name][:, both]
        self.weights = {
            name: one[self.used[self.kind_of[name]]] if name in self.kind_of else one.copy()
            for name, one in self._scaled(weights).items()
        }

    def _scaled(self, weights: Weights, back: bool = False) -> Weights:
        """Weights for scaled columns, or back from those."""
        found = dict(weights)
        state, option = (one if not back else 1 / one for one in self.scales)
        found["state"] = weights["state"] * state[PLAIN_STATE][:, None]
        found["option"] = weights["option"] * option[PLAIN_OPTION][:, None]
        by_round = np.float32(ROUNDS if not back else 1 / ROUNDS)
        for name in weights:
            if name.endswith("_by_round"):
                found[name] = weights[name] * by_round
        return found

    def result(self) -> Weights:
        """The weights as a policy has them."""
        scaled = {name: one.copy() for name, one in self._scaled(self.whole).items()}
        for name, one in self.weights.items():
            if name in self.kind_of:
                scaled[name][self.used[self.kind_of[name]]] = one
            else:
                scaled[name] = one
        return {name: one.astype(np.float32) for name, one in self._scaled(scaled, back=True).items()}

    def column_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows of all columns of states and of options."""
        found = []
        for columns, plain, name, kind, things in (
            (STATE_COLUMNS, PLAIN_STATE, "state", STATE, STATE_THINGS),
            (OPTION_COLUMNS, PLAIN_OPTION, "option", OPTION, OPTION_THINGS),
        ):
            rows = np.zeros((columns, self.weights[name].shape[1]), np.float32)
            rows[plain] = self.weights[name]
            for field, (shared, of) in things.items():
                rows[columns_of(kind, field)] = self.rows[of] @ self.weights[shared]
            found.append(rows)
        return found[0], found[1]

    def _row_gradients(self, state: np.ndarray, option: np.ndarray) -> Weights:
        found: Weights = {"state": state[PLAIN_STATE], "option": option[PLAIN_OPTION]}
        for rows, kind, things in ((state, STATE, STATE_THINGS), (option, OPTION, OPTION_THINGS)):
            for field, (shared, of) in things.items():
                part = self.rows[of].T @ rows[columns_of(kind, field)]
                found[shared] = found[shared] + part if shared in found else part
        return found

    def scores(self, batches: Batches, chosen: np.ndarray, rows: tuple[np.ndarray, np.ndarray]) -> "Scored":
        """Forward through the net for some decisions."""
        weights, sights = self.weights, batches.sights
        tasks = sights.tasks[chosen].astype(np.int64)
        counts = sights.counts[chosen].astype(np.int64)
        order = np.concatenate(
            [np.arange(at, at + n) for at, n in zip(batches.begins[chosen], counts, strict=True)]
        )
        states, options = batches.states[chosen], batches.options[order]
        first = np.maximum(states @ rows[0] + weights["bias"], 0)
        second = weights["second_bias"][tasks]
        groups = GROUP_OF[tasks + FIRST_DECISION]
        for group in range(len(GROUPS)):
            here = groups == group
            if here.any():
                second[here] += first[here] @ weights["second"][group]
        of = np.repeat(np.arange(len(chosen)), counts)
        units = np.maximum(second[of] + options @ rows[1], 0)
        scores = (units * weights["out"][tasks[of]]).sum(axis=1)
        return Scored(tasks, counts, groups, states, options, first, of, units, scores, sights.values[order])

    def gradients(self, batches: Batches, chosen: np.ndarray) -> Weights:
        """The change of the loss with every weight."""
        found = self.scores(batches, chosen, self.column_rows())
        at_scores = loss_gradient(found)
        weights, tasks, of = self.weights, found.tasks, found.of
        at_scores /= len(chosen)
        kinds = sparse.csr_matrix(
            (np.ones(len(of), np.float32), (tasks[of], np.arange(len(of)))), (TASKS, len(of))
        )
        at_out = kinds @ (found.units * at_scores[:, None])
        at_units = (at_scores[:, None] * weights["out"][tasks[of]]) * (found.units > 0)
        begins = np.cumsum(found.counts) - found.counts
        at_second = np.add.reduceat(at_units, begins, axis=0)
        at_first = np.zeros_like(found.first)
        second = np.zeros_like(weights["second"])
        for group in range(len(GROUPS)):
            here = found.groups == group
            if here.any():
                second[group] = found.first[here].T @ at_second[here]
                at_first[here] = at_second[here] @ weights["second"][group].T
        at_first *= found.first > 0
        gradients = self._row_gradients(found.states.T @ at_first, found.options.T @ at_units)
        gradients |= {
            "bias": at_first.sum(axis=0),
            "second": second,
            "second_bias": _summed(at_second, tasks),
            "out": at_out,
        }
        return gradients


def _summed(rows: np.ndarray, tasks: np.ndarray) -> np.ndarray:
    """The sum of the rows of each task."""
    where = (tasks, np.arange(len(rows)))
    return np.asarray(sparse.csr_matrix((np.ones(len(rows), np.float32), where), (TASKS, len(rows))) @ rows)


@dataclass(frozen=True)
class Scored:
    """Some decisions on their way through the net."""

    tasks: np.ndarray
    counts: np.ndarray
    groups: np.ndarray
    states: sparse.csr_matrix
    options: sparse.csr_matrix
    first: np.ndarray
    of: np.ndarray  # the decision of each option
    units: np.ndarray
    scores: np.ndarray
    values: np.ndarray


def _softmax(numbers: np.ndarray, begins: np.ndarray, of: np.ndarray) -> np.ndarray:
    raised = np.exp(numbers - np.maximum.reduceat(numbers, begins)[of])
    return np.asarray(raised / np.add.reduceat(raised, begins)[of])


def loss_gradient(found: Scored) -> np.ndarray:
    """The change of each decision's loss with the scores of its options."""
    begins, of = np.cumsum(found.counts) - found.counts, found.of
    seen = ~np.isnan(found.values)
    best = np.maximum.reduceat(np.where(seen, found.values, -np.inf), begins)
    worst = np.minimum.reduceat(np.where(seen, found.values, np.inf), begins)
    regrets = np.where(seen, best[of] - found.values, (best - worst)[of] + UNSEEN)
    chances = _softmax(found.scores, begins, of)
    mean = np.add.reduceat(chances * regrets, begins)
    targets = _softmax(-regrets / SHARPNESS, begins, of)
    wide = np.clip((best - worst) / WIDE, 0.05, 1)
    at = REGRET * chances * (regrets - mean[of]) + IMITATION * wide[of] * (chances - targets)
    return np.asarray(at, np.float32)


def regrets_of(fit: Fit, batches: Batches) -> np.ndarray:
    """What the policy's choices lose at each decision; an option nobody looked at counts as the worst."""
    found, rows = [], fit.column_rows()
    for start in range(0, len(batches.sights), 4096):
        chosen = np.arange(start, min(start + 4096, len(batches.sights)))
        scored = fit.scores(batches, chosen, rows)
        begins = np.cumsum(scored.counts) - scored.counts
        top = np.maximum.reduceat(scored.scores, begins)[scored.of]
        taken = np.flatnonzero(scored.scores == top)
        first = taken[np.unique(scored.of[taken], return_index=True)[1]]
        seen = ~np.isnan(scored.values)
        best = np.maximum.reduceat(np.where(seen, scored.values, -np.inf), begins)
        worst = np.minimum.reduceat(np.where(seen, scored.values, np.inf), begins)
        found.append(best - np.where(seen[first], scored.values[first], worst))
    return np.concatenate(found)


def fit_policy(
    fit: Fit,
    batches: Batches,
    epochs: float,
    seed: int,
    after: Callable[[int], None] = lambda done: None,
    seconds: float | None = None,
    least: float = 0.0,
) -> None:
    """Fit the weights to the decisions; `after` counts the steps.

    If `seconds` are given and do not suffice, fewer steps are made, but no less than the share `least`.
    """
    generator, adam, began = np.random.default_rng(seed), Adam(), time.monotonic()
    steps, order, step = int(epochs * len(batches.sights) / BATCH), np.zeros(0, np.int64), 0
    fewest = int(least * steps)
    while step < steps:
        if len(order) < BATCH:
            order = generator.permutation(len(batches.sights))
        chosen, order = np.sort(order[:BATCH]), order[BATCH:]
        slope = 0.5 * (1 + np.cos(np.pi * step / steps))
        adam.step(fit.weights, fit.gradients(batches, chosen), LAST_RATE + (RATE - LAST_RATE) * slope)
        step += 1
        after(1)
        if step == TIMED and seconds is not None:
            steps = min(steps, max(fewest, int(TIMED * seconds / (time.monotonic() - began))))
