"""Student's t distribution; scipy is loaded on first use, so that the command line starts fast."""

import numpy as np

from khora_sim.stats.estimate import Array


def t_quantile(level: float, degrees: Array | float) -> Array:
    """How many standard errors an interval of this level reaches to each side."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(degrees, 1e-9), 0.5 + level / 2))


def two_sided_p(t: Array | float, degrees: Array | float) -> Array:
    """The chance of a value at least this far from zero, on either side, when nothing is there."""
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(np.maximum(degrees, 1e-9), -np.abs(t)))


def p_value(difference: Array | float, variance: Array | float, units: Array | float) -> Array:
    """Two-sided p-value of a difference whose variance was estimated from so many units.

    Without any spread the t statistic says nothing; there the p-value is that of the sign test (all units
    point the same way), which is as much as so many units can show.
    """
    difference, variance, units = (np.asarray(x, dtype=float) for x in (difference, variance, units))
    flat = variance <= 0
    t = difference / np.sqrt(np.where(flat, 1.0, variance))
    sign_test = np.where(difference == 0, 1.0, np.exp2(1 - np.maximum(units, 1)))
    p = np.where(flat, sign_test, two_sided_p(t, units - 1))
    return np.where(units < 2, 1.0, p)
