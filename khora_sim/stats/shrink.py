"""The largest of many measured effects is one that chance helped: shrink effects towards their mean."""

import numpy as np
import numpy.typing as npt

from khora_sim.stats.estimate import Array


def shrunken(values: npt.ArrayLike, variances: npt.ArrayLike, centre: float | None = None) -> Array:
    """Empirical-Bayes estimates of many effects that were measured with these variances.

    Each is moved towards the mean of all, or towards a given centre, by the part of its distance that chance
    explains. The true spread is Paule and Mandel's: the one that makes the weighted squares as large as they
    should be. What was not measured (not finite) stays as it is.
    """
    values, variances = np.asarray(values, dtype=float), np.asarray(variances, dtype=float)
    known = np.isfinite(values) & np.isfinite(variances)
    if known.sum() < 3:  # two effects do not say how far effects scatter
        return values.copy()
    x, v = values[known], np.maximum(variances[known], 1e-300)
    spread = true_spread(x, v, centre)
    mean = _mean(x, v + spread, centre)
    moved = values.copy()
    moved[known] = mean + spread / (spread + v) * (x - mean)
    return moved


def true_spread(values: Array, variances: Array, centre: float | None = None) -> float:
    """Variance of the true effects behind measured ones; 0 where chance alone explains how they differ."""
    enough = len(values) - (centre is None)

    def excess(spread: float) -> float:
        total = variances + spread
        return float(((values - _mean(values, total, centre)) ** 2 / total).sum()) - enough

    if excess(0.0) <= 0:
        return 0.0
    farthest = np.abs(values - _mean(values, variances, centre)).max()
    low, high = 0.0, float((2 * farthest) ** 2)  # no spread that large is needed
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def _mean(values: Array, variances: Array, centre: float | None) -> float:
    if centre is not None:
        return centre
    return float((values / variances).sum() / (1 / variances).sum())
