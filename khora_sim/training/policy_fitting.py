"""Fitting a policy net to a teacher's decisions: gradient descent (Adam), compiled where it takes its time.

The scores of a decision's options go through a softmax, which gives the chance that the policy takes each.
The loss is what the policy loses by that on average (the regret, by the teacher's values), and beside it the
cross-entropy with a sharp softmax of the teacher's values, which still teaches where the regret is flat.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from khora_sim.engine.agenda import FIRST_DECISION
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import i8
from khora_sim.engine.compiling import entry, inlined, rule
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.rules import Rules
from khora_sim.strategy.decorators import SOURCES
from khora_sim.strategy.learned.files import Weights
from khora_sim.strategy.learned.policy import (
    OPTION_THINGS,
    PLAIN_OPTION,
    PLAIN_STATE,
    SHAPES,
    STATE_THINGS,
    things_of,
)
from khora_sim.strategy.learned.policy_net import FIRST, GROUP_OF, SECOND
from khora_sim.strategy.learned.sight import OPTION, OPTION_COLUMNS, STATE, STATE_COLUMNS, columns_of
from khora_sim.training.fitting import Adam
from khora_sim.training.policy_sights import Rows, Sights

BATCH = 512  # decisions of one step
RATE, LAST_RATE = 2e-3, 2e-5
REGRET, IMITATION = 30.0, 0.7  # weights of the two parts of the loss
SHARPNESS = 0.01  # chances to win that far apart are clearly told apart
WIDE = 0.1  # a decision whose options are so far apart counts fully in the imitation
LEAST_WIDE = 0.05  # and one whose options are alike counts by this
UNSEEN = 0.01  # an option that the teacher did not look at counts as worse than its worst by this
TIMED = 50  # steps, by which it is known how many there is time for
ROUNDS = 5.0  # amounts by round are divided by this


@dataclass(frozen=True)
class Batches:
    """The decisions to fit, with columns of about the same size."""

    tasks: np.ndarray
    begins: np.ndarray  # of the options of each decision, and where those of the last one end
    values: np.ndarray  # of the options; NaN: the teacher did not look at it
    states: Rows
    options: Rows

    def __len__(self) -> int:
        return len(self.tasks)

    @classmethod
    def of(cls, parts: Iterable[Sights], state_scale: np.ndarray, option_scale: np.ndarray) -> "Batches":
        """The batches of the decisions of some parts, which are gone through twice: they may be files."""
        sizes = np.array([_sizes(one) for one in parts], np.int64).reshape(-1, 4)
        decisions, options, state_entries, option_entries = (int(one) for one in sizes.sum(axis=0))
        found = cls(
            np.zeros(decisions, np.int64),
            np.zeros(decisions + 1, np.int64),
            np.zeros(options, np.float32),
            _room(decisions, state_entries),
            _room(options, option_entries),
        )
        at = np.zeros(4, np.int64)
        for part, size in zip(parts, sizes, strict=True):
            end = at + size
            found.tasks[at[0] : end[0]] = part.tasks
            found.begins[at[0] + 1 : end[0] + 1] = at[1] + np.cumsum(part.counts, dtype=np.int64)
            found.values[at[1] : end[1]] = part.values
            _put(found.states, part.states, at[0], at[2], state_scale)
            _put(found.options, part.options, at[1], at[3], option_scale)
            at = end
        return found


def _sizes(part: Sights) -> tuple[int, int, int, int]:
    return len(part), len(part.options), len(part.states.columns), len(part.options.columns)


def _room(count: int, entries: int) -> Rows:
    """Room for lists; `ends` begins with the start of the first one."""
    return Rows(np.zeros(count + 1, np.int64), np.zeros(entries, np.int16), np.zeros(entries, np.float32))


def _put(room: Rows, rows: Rows, number: int, at: int, scale: np.ndarray) -> None:
    """Put some lists behind others, their amounts scaled."""
    room.ends[number + 1 : number + 1 + len(rows)] = at + rows.ends
    room.columns[at : at + len(rows.columns)] = rows.columns
    room.amounts[at : at + len(rows.columns)] = rows.amounts / scale[rows.columns]


def scales_of(parts: Iterable[Sights]) -> tuple[np.ndarray, np.ndarray]:
    """What the amounts of each column of states and of options are divided by."""
    found = []
    for kind, field, plain in ((STATE, "states", PLAIN_STATE), (OPTION, "options", PLAIN_OPTION)):
        columns = kind.itemsize // 4
        number, squares = np.zeros(columns), np.zeros(columns)
        for part in parts:
            rows = getattr(part, field)
            number += np.bincount(rows.columns, minlength=columns)
            squares += np.bincount(rows.columns, rows.amounts.astype(np.float64) ** 2, columns)
        scale = np.ones(columns, np.float32)
        scale[plain] = np.maximum(np.sqrt(squares / np.maximum(number, 1)), 0.2)[plain]
        scale[plain[number[plain] == 0]] = 1
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

    def gradients(self, batches: Batches, chosen: np.ndarray) -> Weights:
        """The change of the loss with every weight, at some decisions."""
        net = self._net()
        found = Net(*map(np.zeros_like, net))
        upwards = np.ascontiguousarray(net.second.transpose(0, 2, 1))
        compile_gradients()(_flat(batches), net, chosen, upwards, found, _room_to_work())
        whole = self._row_gradients(found.state, found.option)
        whole |= {name: getattr(found, name) for name in ("bias", "second", "second_bias", "out")}
        return {name: one / np.float32(len(chosen)) for name, one in whole.items()}

    def regrets(self, batches: Batches) -> np.ndarray:
        """What the policy's choices lose at each decision; an option nobody looked at counts as the worst."""
        losses = np.zeros(len(batches), np.float32)
        compile_regrets()(_flat(batches), self._net(), losses, _room_to_work())
        return losses

    def _net(self) -> "Net":
        state, option = self.column_rows()
        weights = self.weights
        return Net(state, weights["bias"], weights["second"], weights["second_bias"], option, weights["out"])


class Net(NamedTuple):
    """The net that is fitted, or the gradients of its weights."""

    state: Any
    bias: Any
    second: Any
    second_bias: Any
    option: Any
    out: Any


class Lists(NamedTuple):
    """Decisions as compiled code sees them."""

    tasks: Any
    begins: Any
    values: Any
    state_ends: Any
    state_columns: Any
    state_amounts: Any
    option_ends: Any
    option_columns: Any
    option_amounts: Any


def _flat(batches: Batches) -> Lists:
    states, options = batches.states, batches.options
    lists = (states.ends, states.columns, states.amounts, options.ends, options.columns, options.amounts)
    return Lists(batches.tasks, batches.begins, batches.values, *lists)


def _room_to_work() -> np.ndarray:
    """Memory for the units and scores of one decision, and what is found of them on the way back."""
    return np.zeros(2 * (FIRST + SECOND) + MAX_OPTIONS * (SECOND + 2), np.float32)


class Units(NamedTuple):
    """The units and scores of one decision on its way through the net, and gradients on the way back."""

    first: Any
    second: Any
    options: Any  # of each option
    scores: Any
    at_scores: Any
    at_first: Any
    at_second: Any


@inlined
def _units_in(room):
    """Places for units in memory to work with."""
    end = FIRST + SECOND + MAX_OPTIONS * SECOND
    return Units(
        room[:FIRST],
        room[FIRST : FIRST + SECOND],
        room[FIRST + SECOND : end].reshape((MAX_OPTIONS, SECOND)),
        room[end : end + MAX_OPTIONS],
        room[end + MAX_OPTIONS : end + 2 * MAX_OPTIONS],
        room[end + 2 * MAX_OPTIONS : end + 2 * MAX_OPTIONS + FIRST],
        room[end + 2 * MAX_OPTIONS + FIRST : end + 2 * MAX_OPTIONS + FIRST + SECOND],
    )


@inlined
def _clear(units):
    for unit in range(len(units)):
        units[unit] = 0


@inlined
def _copy(units, row):
    for unit in range(len(units)):
        units[unit] = row[unit]


@inlined
def _add(sums, times, row):
    """Add a row so many times."""
    for unit in range(len(sums)):
        sums[unit] += times * row[unit]


@inlined
def _keep_positive(units):
    for unit in range(len(units)):
        units[unit] = max(units[unit], np.float32(0))


@inlined
def _forward(lists, net, number, units):
    """Score the options of one decision; returns how many there are."""
    task = lists.tasks[number]
    _copy(units.first, net.bias)
    for place in range(lists.state_ends[number], lists.state_ends[number + 1]):
        _add(units.first, lists.state_amounts[place], net.state[np.int64(lists.state_columns[place])])
    _keep_positive(units.first)
    _copy(units.second, net.second_bias[task])
    layer = net.second[GROUP_OF[task + FIRST_DECISION]]
    for unit in range(FIRST):
        _add(units.second, units.first[unit], layer[unit])
    begin, end = lists.begins[number], lists.begins[number + 1]
    for option in range(begin, end):
        here = units.options[option - begin]
        _copy(here, units.second)
        for place in range(lists.option_ends[option], lists.option_ends[option + 1]):
            _add(here, lists.option_amounts[place], net.option[np.int64(lists.option_columns[place])])
        score = np.float32(0)
        for unit in range(SECOND):
            here[unit] = max(here[unit], np.float32(0))
            score += here[unit] * net.out[task, unit]
        units.scores[option - begin] = score
    return end - begin


@inlined
def loss_gradient(scores, values, at):
    """Write the change of a decision's loss with the scores of its options, in units of chances to win."""
    best, worst, top = -np.inf, np.inf, -np.inf
    for place in range(len(values)):
        top = max(top, scores[place])
        if not np.isnan(values[place]):
            best, worst = max(best, values[place]), min(worst, values[place])
    raised, target, mean = 0.0, 0.0, 0.0
    for place in range(len(values)):
        regret = best - worst + UNSEEN if np.isnan(values[place]) else best - values[place]
        chance = math.exp(scores[place] - top)
        raised, mean, target = raised + chance, mean + chance * regret, target + math.exp(-regret / SHARPNESS)
    wide = min(max((best - worst) / WIDE, LEAST_WIDE), 1.0)
    for place in range(len(values)):
        regret = best - worst + UNSEEN if np.isnan(values[place]) else best - values[place]
        chance = math.exp(scores[place] - top) / raised
        wanted = math.exp(-regret / SHARPNESS) / target
        at[place] = REGRET * chance * (regret - mean / raised) + IMITATION * wide * (chance - wanted)


@inlined
def _backward(lists, net, number, upwards, units, found):
    """Add the gradients of one decision, after the way forward."""
    task, begin = lists.tasks[number], lists.begins[number]
    _clear(units.at_second)
    for option in range(begin, lists.begins[number + 1]):
        at, here = units.at_scores[option - begin], units.options[option - begin]
        _add(found.out[task], at, here)
        for unit in range(SECOND):
            here[unit] = at * net.out[task, unit] if here[unit] > 0 else np.float32(0)
        _add(units.at_second, np.float32(1), here)
        for place in range(lists.option_ends[option], lists.option_ends[option + 1]):
            _add(found.option[np.int64(lists.option_columns[place])], lists.option_amounts[place], here)
    _add(found.second_bias[task], np.float32(1), units.at_second)
    group = GROUP_OF[task + FIRST_DECISION]
    _clear(units.at_first)
    for unit in range(SECOND):
        _add(units.at_first, units.at_second[unit], upwards[group, unit])
    for unit in range(FIRST):
        _add(found.second[group, unit], units.first[unit], units.at_second)
        if units.first[unit] <= 0:
            units.at_first[unit] = 0
    _add(found.bias, np.float32(1), units.at_first)
    for place in range(lists.state_ends[number], lists.state_ends[number + 1]):
        _add(found.state[np.int64(lists.state_columns[place])], lists.state_amounts[place], units.at_first)


@rule
def _gradients(lists, net, chosen, upwards, found, room):
    """Add the gradients of some decisions."""
    units = _units_in(room)
    for place in range(len(chosen)):
        number = chosen[place]
        count = _forward(lists, net, number, units)
        own = lists.values[lists.begins[number] : lists.begins[number + 1]]
        loss_gradient(units.scores[:count], own, units.at_scores)
        _backward(lists, net, number, upwards, units, found)
    return len(chosen)


@rule
def _regrets(lists, net, losses, room):
    """Write what the best option by the net's scores loses at every decision."""
    units = _units_in(room)
    for number in range(len(lists.tasks)):
        count = _forward(lists, net, number, units)
        best, worst, taken = -np.inf, np.inf, 0
        for place in range(count):
            value = lists.values[lists.begins[number] + place]
            if not np.isnan(value):
                best, worst = max(best, value), min(worst, value)
            if units.scores[place] > units.scores[taken]:
                taken = place
        value = lists.values[lists.begins[number] + taken]
        losses[number] = best - (worst if np.isnan(value) else value)
    return len(lists.tasks)


_Whole, _Columns, _Line = types.int64[::1], types.int16[::1], types.float32[::1]
_Rows, _Layers = types.float32[:, ::1], types.float32[:, :, ::1]
_Lists = types.NamedTuple((_Whole, _Whole, _Line, _Whole, _Columns, _Line, _Whole, _Columns, _Line), Lists)
_Net = types.NamedTuple((_Rows, _Line, _Layers, _Rows, _Rows, _Rows), Net)


@cache
def compile_gradients() -> Callable[..., int]:
    """The compiled gradients."""
    kind = i8(_Lists, _Net, _Whole, _Layers, _Net, _Line)
    return entry(kind, _gradients, cache_folder((*SOURCES, "training/policy_fitting.py")))


@cache
def compile_regrets() -> Callable[..., int]:
    """The compiled regrets."""
    kind = i8(_Lists, _Net, _Line, _Line)
    return entry(kind, _regrets, cache_folder((*SOURCES, "training/policy_fitting.py")))


def fit_policy(
    fit: Fit,
    batches: Batches,
    epochs: float,
    seed: int,
    after: Callable[[float], None] = lambda done: None,
    seconds: float | None = None,
    least: float = 0.0,
) -> None:
    """Fit the weights to the decisions; `after` is told the share of the steps that are done.

    If `seconds` are given and do not suffice, fewer steps are made, but no less than the share `least`.
    """
    generator, adam, began = np.random.default_rng(seed), Adam(), time.monotonic()
    steps, order, step = int(epochs * len(batches) / BATCH), np.zeros(0, np.int64), 0
    fewest = int(least * steps)
    while step < steps:
        if len(order) < BATCH:
            order = generator.permutation(len(batches))
        chosen, order = np.sort(order[:BATCH]), order[BATCH:]
        slope = 0.5 * (1 + np.cos(np.pi * step / steps))
        adam.step(fit.weights, fit.gradients(batches, chosen), LAST_RATE + (RATE - LAST_RATE) * slope)
        step += 1
        after(step / steps)
        if step == TIMED and seconds is not None:
            steps = min(steps, max(fewest, int(TIMED * seconds / (time.monotonic() - began))))
