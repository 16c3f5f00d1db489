"""Many comparisons at once."""

import numpy as np
import numpy.typing as npt

from khora_sim.stats.estimate import Array


def holm(p_values: npt.ArrayLike) -> Array:
    """Holm's adjusted p-values: below 0.05 a finding is significant although many things were compared."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
