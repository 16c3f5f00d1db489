"""Distances of the shares of many variants from wanted ones, and the variants that differ significantly.

All variants have common random numbers: clusters are drawn for all of them at once, so that what they share
cancels in every difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from khora_sim.stats.estimate import Array, Estimate
from khora_sim.stats.intervals import holm, p_value, percentile_bounds, resampled_totals
from khora_sim.stats.sums import Measured


@dataclass(frozen=True)
class Distances:
    """Mean squared distances of shares from wanted ones, without what chance adds, variant by variant.

    A square may come out below zero, where chance explains more than all of it; so it has no bias, and
    variants are ranked by it. People are shown its root.
    """

    squares: Array  # (variants,)
    draws: Array  # (replicates, variants) of the squares
    counts: tuple[int, ...]
    clusters: int

    def distance(self, variant: int) -> Estimate:
        """The root mean squared distance of a variant; 0 where chance explains it all."""
        low, high = percentile_bounds(_root(self.draws[:, variant]), self.clusters)
        return Estimate(float(_root(self.squares[variant])), float(low), float(high), self.counts[variant])

    def change(self, first: int, second: int) -> Estimate:
        """Change of the root mean squared distance from one variant to another."""
        low, high = percentile_bounds(self.moved(first, second), self.clusters)
        value = float(_root(self.squares[second]) - _root(self.squares[first]))
        return Estimate(value, float(low), float(high), min(self.counts[first], self.counts[second]))

    def moved(self, first: int, second: int) -> Array:
        """The same change in every draw."""
        return _root(self.draws[:, second]) - _root(self.draws[:, first])

    def p_values(self, against: int) -> Array:
        """For every variant the p-value of its difference from one of them, by their squares."""
        spread = (self.draws - self.draws[:, [against]]).var(axis=0)
        return p_value(self.squares - self.squares[against], spread, self.clusters)

    def worse_than_best(self, alpha: float) -> Array:
        """Mark the variants that are significantly worse than the best, after Holm's correction over all."""
        best = int(np.argmin(self.squares))
        others = np.arange(len(self.squares)) != best
        worse = np.zeros(len(self.squares), bool)
        worse[others] = holm(self.p_values(best)[others]) < alpha
        return worse


def distances(measured: Sequence[Measured], wanted: Sequence[Array | float]) -> Distances:
    """The distances of variants whose shares were measured with the same seeds, each from what is wanted.

    Measured shares lie farther from any value than true ones: each squared distance holds the share's
    sampling variance, which is taken off. A bootstrap draw holds it twice.
    """
    pulls = np.concatenate([one.pulls for one in measured], axis=1)
    moved = resampled_totals(pulls)
    squares, draws, at = [], [], 0
    for one, target in zip(measured, wanted, strict=True):
        noise, here = one.variances(), slice(at, at + len(one.values))
        squares.append(_square(one.values[None, :] - target, noise)[0])
        draws.append(_square(one.values + moved[:, here] - target, 2 * noise))
        at = here.stop
    counts = tuple(int(one.counts.sum()) for one in measured)
    return Distances(np.array(squares), np.stack(draws, axis=1), counts, len(pulls))


def spreads(measured: Sequence[Measured]) -> list[tuple[Estimate, Estimate]]:
    """The largest share minus the smallest one of each variant, and its change from the first variant."""
    moved = resampled_totals(np.concatenate([one.pulls for one in measured], axis=1))
    drawn, values, at = [], [], 0
    for one in measured:
        here = one.values + moved[:, at : at + len(one.values)]
        drawn.append(here.max(axis=1) - here.min(axis=1))
        values.append(float(one.values.max() - one.values.min()))
        at += len(one.values)
    clusters, found = len(measured[0].pulls), []
    for one, value, draws in zip(measured, values, drawn, strict=True):
        n = int(one.counts.sum())
        low, high = percentile_bounds(draws, clusters)
        least, most = percentile_bounds(draws - drawn[0], clusters)
        change = Estimate(value - values[0], float(least), float(most), n)
        found.append((Estimate(value, float(low), float(high), n), change))
    return found


def _square(distance: Array, noise: Array) -> Array:
    """Mean squared distance of each row, without the noise."""
    return (distance**2 - noise).mean(axis=1)


def _root(squares: Array) -> Array:
    return np.sqrt(np.maximum(squares, 0.0))


@dataclass(frozen=True)
class Dispersion:
    """The root mean squared distance of shares from the fair share, before and after a change."""

    before: Estimate
    after: Estimate
    change: Estimate
    p_value: float  # of the change, from the spread of the bootstrap


def dispersion(both: Measured, first: int, fair: float) -> Dispersion:
    """Dispersion of the first items, of the rest, and its change; clusters are drawn for both at once."""
    sides = [_part(both, slice(None, first)), _part(both, slice(first, None))]
    found = distances(sides, [fair, fair])
    change = found.change(0, 1)
    p = p_value(change.value, float(found.moved(0, 1).var()), found.clusters)
    return Dispersion(found.distance(0), found.distance(1), change, float(p))


def _part(both: Measured, side: slice) -> Measured:
    """Some of the items."""
    counted = both.counts[side], both.clusters[side], both.variances()[side]
    return Measured(both.items[side], both.values[side], both.pulls[:, side], *counted)
