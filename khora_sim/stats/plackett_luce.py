"""Plackett-Luce ratings: the strengths of cities, strategies and seats, fitted together.

Each player has a log-strength, the sum of one term per factor (city + strategy + seat); the chance to come
first among those still in the race is proportional to exp(log-strength), place after place. Because the terms
are fitted together, a city is not credited with its player's skill.

Shared places count as all orders of those who share them, in equal parts: a shared victory is half a win for
each of two, as in the win share. The terms of a factor sum to zero. A tiny ridge keeps the fit finite where
someone always wins or always loses; such levels get no interval.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.errors import UserError
from khora_sim.stats.bootstrap import REPLICATES, percentile_bounds, resampled_totals
from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.groups import MOST_UNITS, Measured
from khora_sim.stats.rankings import Block, Rankings

RIDGE = 1e-3
_AT_ONCE = 1 << 17
_WARM_START = 1 << 18
# A difference between two levels with a larger standard error than this (in log-strength) is as good as
# unknown: one of them always won or lost, or they never met, or another factor moves along with them.
_UNKNOWN = 1.5
_ROUNDING = 1e-12  # of log-strengths: what is left of no difference depends on the machine


@dataclass(frozen=True)
class Ratings:
    """Fitted strengths of all levels of all factors."""

    table: pl.DataFrame  # factor, level, value (log-strength), low, high, n (players), known
    measured: dict[str, Measured]  # by factor, the known levels: what tiers() takes
    games: int
    units: int
    log_likelihood: float
    steps: int  # Newton steps over all games
    strengths: Array  # (kinds,) log-strength of every kind of player
    pulls: Array  # (units, kinds) how far each unit pulls it


@dataclass(frozen=True)
class _Fit:
    coefficients: Array  # (free,)
    information: Array  # (free, free), ridge included
    log_likelihood: float
    steps: int


def rate(rankings: Rankings, *, level: float = LEVEL, replicates: int = REPLICATES, seed: int = 0) -> Ratings:
    """Fit the strengths and give their intervals by resampling whole rotation groups.

    A resampled study is fitted by one Newton step from the full fit (the one-step bootstrap), so its cost
    does not grow with the number of games.
    """
    if not rankings.games:
        raise UserError("there is no game of two or more players to rate")
    contrasts = _contrasts([len(names) for names in rankings.levels])
    design = contrasts[_columns(rankings)].sum(axis=1)  # (kinds, free)
    start = _newton(_thinned(rankings), design, np.zeros(design.shape[1])).coefficients
    fit = _newton(rankings.blocks, design, start)
    model = contrasts @ np.linalg.inv(fit.information) @ contrasts.T  # covariance if games were all there is
    scores = _unit_scores(rankings, design @ fit.coefficients)
    pulls = (scores - scores.mean(axis=0)) @ model
    values = contrasts @ fit.coefficients
    rows, measured, first = [], {}, 0
    for f, (factor, names) in enumerate(zip(rankings.factors, rankings.levels, strict=True)):
        own = slice(first, first + len(names))
        first += len(names)
        counts = np.bincount(rankings.kind_levels[:, f], rankings.kind_counts, len(names)).astype(np.int64)
        known = known_levels(model[own, own])
        # Terms are relative to the mean of the known levels: one hopeless strategy must not shift the others.
        centre = known / max(known.sum(), 1)
        value, pull = (x[..., own] - (x[..., own] @ centre)[..., None] for x in (values, pulls))
        value[np.abs(value) < _ROUNDING] = 0.0
        low, high = percentile_bounds(value + resampled_totals(pull, replicates, seed), len(pull), level)
        low, high = np.where(known, low, -np.inf), np.where(known, high, np.inf)
        rows += [(factor, *row) for row in zip(names, value, low, high, counts, known, strict=True)]
        kept = np.flatnonzero(known)
        own_names = tuple(names[i] for i in kept)
        units = np.full(len(kept), len(pull))
        measured[factor] = Measured(own_names, value[kept], pull[:, kept], counts[kept], units)
    table = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    of_kinds = pulls[:, _columns(rankings)].sum(axis=2)
    strengths = design @ fit.coefficients
    return Ratings(
        table, measured, rankings.games, len(pulls), fit.log_likelihood, fit.steps, strengths, of_kinds
    )


_COLUMNS = {
    "factor": pl.String,
    "level": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "known": pl.Boolean,
}


def known_levels(covariance: Array) -> npt.NDArray[np.bool_]:
    """The largest set of levels whose differences the data can bound at all."""
    spread = np.diag(covariance)
    apart = np.sqrt(np.maximum(spread[:, None] + spread - 2 * covariance, 0.0))
    linked = apart < _UNKNOWN
    for _ in range(len(linked)):
        linked = linked @ linked
    largest = linked[np.argmax(linked.sum(axis=1))]
    return largest & (largest.sum() > 1)


def _contrasts(sizes: list[int]) -> Array:
    """Orthonormal sum-to-zero columns for every factor (levels of all factors by free terms)."""
    contrasts = np.zeros((sum(sizes), sum(sizes) - len(sizes)))
    row = column = 0
    for size in sizes:
        basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, : size - 1]]))[0]
        contrasts[row : row + size, column : column + size - 1] = basis[:, 1:]
        row, column = row + size, column + size - 1
    return contrasts


def _columns(rankings: Rankings) -> npt.NDArray[np.int64]:
    """Row of each kind's levels among the levels of all factors (kinds by factors)."""
    sizes = [len(names) for names in rankings.levels]
    return rankings.kind_levels + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _newton(blocks: tuple[Block, ...], design: Array, start: Array) -> _Fit:
    """Newton's method on the penalised log-likelihood, which is concave; steps that overshoot are halved."""
    beta = start
    value, gradient, information = _penalised(blocks, design, beta)
    for steps in range(1, 51):
        step = np.linalg.solve(information, gradient)
        if np.abs(step).max(initial=0.0) < 1e-4:
            # The error after a Newton step is of the order of its square: this one is the last.
            return _Fit(beta + step, information, value + float(gradient @ step) / 2, steps)
        for _ in range(30):
            trial = _penalised(blocks, design, beta + step)
            if trial[0] >= value - 1e-9 * abs(value):
                break
            step = step / 2
        beta = beta + step
        value, gradient, information = trial
    raise ArithmeticError("the ratings did not settle within 50 Newton steps")


def _penalised(blocks: tuple[Block, ...], design: Array, beta: Array) -> tuple[float, Array, Array]:
    value, gradient, information = likelihood(blocks, design @ beta)
    curvature = design.T @ information @ design + RIDGE * np.eye(len(beta))
    return value - RIDGE / 2 * float(beta @ beta), design.T @ gradient - RIDGE * beta, curvature


def likelihood(blocks: tuple[Block, ...], strengths: Array) -> tuple[float, Array, Array]:
    """Log-likelihood of rankings, its gradient and negative curvature in the log-strengths of the kinds."""
    kinds = len(strengths)
    value, gradient, information = 0.0, np.zeros(kinds), np.zeros(kinds * kinds)
    odds = np.exp(strengths)
    for block, part in parts(blocks):
        rank, weights = block.kinds[:, part], block.weights[part]
        e, left = race(rank, odds)
        value += float(weights @ (np.log(e) - np.log(left)).sum(axis=0))
        first, second = _running(1 / left), _running(1 / left**2)
        for i in range(len(rank)):
            surprise = weights * (1 - e[i] * first[i])
            gradient += np.bincount(rank[i], surprise, kinds)
            row = rank[i].astype(np.int64) * kinds
            own = weights * e[i]
            information += np.bincount(row + rank[i], own * (first[i] - e[i] * second[i]), kinds * kinds)
            for j in range(i + 1, len(rank)):
                both = np.bincount(row + rank[j], own * e[j] * second[i], kinds * kinds).reshape(kinds, kinds)
                information -= (both + both.T).ravel()
    return value, gradient, information.reshape(kinds, kinds)


def _unit_scores(rankings: Rankings, strengths: Array) -> Array:
    """Each unit's part of the gradient (units by levels of all factors); units without games are left out."""
    columns = _columns(rankings)
    levels = sum(len(names) for names in rankings.levels)
    scores, seen = np.zeros(MOST_UNITS * levels), np.zeros(MOST_UNITS, dtype=bool)
    odds = np.exp(strengths)
    for block, part in parts(rankings.blocks):
        rank = block.kinds[:, part]
        e, left = race(rank, odds)
        surprise = block.weights[part] * (1 - e * _running(1 / left))
        seen[block.units[part]] = True
        row = block.units[part].astype(np.int64) * levels
        for i in range(len(rank)):
            for factor in range(columns.shape[1]):
                scores += np.bincount(row + columns[rank[i], factor], surprise[i], len(scores))
    return scores.reshape(MOST_UNITS, levels)[seen]


def race(rank: npt.NDArray[np.uint16], odds: Array) -> tuple[Array, Array]:
    """Odds of the players by place, and the sum of the odds of all still in the race at each place."""
    e = odds[rank]
    return e, _running(e[::-1])[::-1]


def _running(x: Array) -> Array:
    """Running sums from place to place (a few long rows, where numpy's own cumsum is slow)."""
    sums = x.copy()
    for i in range(1, len(sums)):
        sums[i] += sums[i - 1]
    return sums


def parts(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, slice]]:
    for block in blocks:
        for start in range(0, len(block.weights), _AT_ONCE):
            yield block, slice(start, start + _AT_ONCE)


def _thinned(rankings: Rankings) -> tuple[Block, ...]:
    """Part of a large study to find the neighbourhood of the fit; the fit itself is of all games."""
    every = max(rankings.games // _WARM_START, 1)
    return tuple(Block(b.kinds[:, ::every], b.weights[::every], b.units[::every]) for b in rankings.blocks)
