"""Effects of an intervention, from games with it and the same games without it (control variates).

A game with the intervention and its twin without it share their seed, but soon part. How much of a result the
twin foretells is a slope b between 0 (nothing: the twin is no better than any other game) and 1 (everything:
only the difference counts). The effect is the mean of (with - b x twin), minus (1 - b) times the mean of all
games without it. Any b gives the right mean; the fitted one gives the narrowest interval. Where all twins are
alike b is 1, and the effect exactly 0.
"""

from dataclasses import dataclass, replace

import numpy as np

from khora_sim.stats.estimate import Array, Estimate
from khora_sim.stats.intervals import mean_bounds, p_value, zero_event_variance


@dataclass(frozen=True)
class Counted:
    """Sums in whole numbers by item, stratum (such as a city) and cluster: of results with the intervention,
    of their twins, and of all games without it (the control).
    """

    n: Array
    changed: Array
    twin: Array
    control_n: Array
    control: Array
    moved: Array  # pairs whose results differ; without pairs, rows that are not where nearly all are
    slope: Array  # by item


@dataclass(frozen=True)
class Effects:
    """Effects by item and stratum, how far each cluster pulls them, and their zero-event variance."""

    values: Array
    pulls: Array  # (items, strata, clusters)
    zero_event: Array  # variance of changes that were not seen
    n: Array
    clusters: Array

    def negated(self) -> "Effects":
        """The effects the other way round."""
        return replace(self, values=0.0 - self.values, pulls=-self.pulls)

    def averaged(self) -> "Effects":
        """The mean over all strata that were seen, each with the same weight, as a single stratum."""
        seen = (self.n > 0).astype(float)
        weights = seen / np.maximum(seen.sum(axis=1, keepdims=True), 1)
        values = (weights * np.where(self.n > 0, self.values, 0.0)).sum(axis=1, keepdims=True)
        return Effects(
            np.where(self.n.sum(axis=1, keepdims=True) > 0, values, np.nan),
            (weights[..., None] * self.pulls).sum(axis=1, keepdims=True),
            (weights**2 * self.zero_event).sum(axis=1, keepdims=True),
            self.n.sum(axis=1, keepdims=True),
            self.clusters.max(axis=1, keepdims=True),
        )

    def variances(self, *, seen: bool = False) -> Array:
        """Variances of the effects, infinite where fewer than two clusters say something.

        They allow for changes that were not seen, unless only what was `seen` is asked for.
        """
        known = np.maximum(self.clusters, 2)
        spread = (self.pulls**2).sum(axis=2) * known / (known - 1)
        return np.where(self.clusters > 1, spread if seen else spread + self.zero_event, np.inf)

    def margins(self) -> Array:
        """Half the widths of the intervals."""
        low, high = mean_bounds(np.zeros_like(self.values), self.variances(), self.clusters)
        return (high - low) / 2

    def estimates(self) -> list[list[Estimate]]:
        """The effects with their intervals, by item and stratum."""
        low, high = mean_bounds(self.values, self.variances(), self.clusters)
        rows = zip(self.values, low, high, self.n, strict=True)
        return [
            [Estimate(float(v), float(a), float(b), int(n)) for v, a, b, n in zip(*row, strict=True)]
            for row in rows
        ]

    def p_values(self) -> Array:
        """Two-sided p-values of each effect by itself; 1 where nothing was seen."""
        p = p_value(np.nan_to_num(self.values), np.nan_to_num(self.variances(), posinf=0.0), self.clusters)
        return np.where(self.clusters > 1, p, 1.0)


def fitted_slope(n: Array, y: Array, x: Array, xy: Array, xx: Array) -> Array:
    """The slope of y on x inside the strata, by item, between 0 and 1; 1 where x does not vary.

    The sums are whole numbers by item and stratum, so that equal results give exactly 1.
    """
    size = np.maximum(n, 1)
    covariance = (xy - x * y / size).sum(axis=1)
    variance = (xx - x * x / size).sum(axis=1)
    return np.clip(np.where(variance > 0, covariance / np.where(variance > 0, variance, 1), 1.0), 0.0, 1.0)


def off_an_end(n: Array, total: Array, parts: int) -> Array:
    """Mark the clusters whose share is off the end (0 or 1) that most clusters of its item and stratum show.

    A card whose few owners never won shows no spread at all, and would look certain without this.
    """
    above, below = total > 0, total < parts * n
    fewer = above.sum(axis=2, keepdims=True) <= below.sum(axis=2, keepdims=True)
    return np.where(fewer, above, below)


def effects(counted: Counted, scale: float, most: float) -> Effects:
    """The effects, with sums counted in parts (`scale` of them make one).

    `most` is how far the results of one rotation group can move the sum of an item and stratum: where few
    clusters differ or none, the interval allows for changes that were not seen.
    """
    b = counted.slope[:, None]
    n, control_n = counted.n.sum(axis=2), counted.control_n.sum(axis=2)
    size, control_size = np.maximum(n, 1), np.maximum(control_n, 1)
    given = counted.changed - b[..., None] * counted.twin
    mean, base = given.sum(axis=2) / size, counted.control.sum(axis=2) / control_size
    pulls = (given - mean[..., None] * counted.n) / size[..., None]
    pulls -= (1 - b)[..., None] * (
        (counted.control - base[..., None] * counted.control_n) / control_size[..., None]
    )
    clusters = (counted.n > 0).sum(axis=2)
    moved, reach = (counted.moved > 0).sum(axis=2), np.array(most)
    zero_event = zero_event_variance(moved, reach, clusters, reach, size)
    values = np.where(n > 0, mean - (1 - b) * base, np.nan)
    return Effects(values / scale, pulls / scale, np.where(n > 0, zero_event, 0.0), n, clusters)
