"""What a repetition of a study would show: chances that allow for its own luck and for this one's."""

import numpy as np

from khora_sim.stats.estimate import Array
from khora_sim.stats.groups import Measured

DRAWS = 4000
# How much of the spread between the measured values may be chance: B = noise / (noise + true spread). That
# all items are equal (B = 1) has as much weight as all other values of B together.
_NOISE_PARTS = (np.arange(64) + 0.5) / 64


def repeated(measured: Measured, draws: int = DRAWS, seed: int = 0) -> Array:
    """Values that repetitions of the study may give (draws by items).

    The leader of a study is partly the strongest item and partly the luckiest one, so its measured lead
    overstates its true one. The true values are taken to scatter normally around their mean, by an amount
    that the data says (a hierarchical model, half the prior weight on all items being equal); a repetition
    adds sampling noise of its own. Only differences between items count: the draws are centred on zero.
    """
    items, units = len(measured.items), len(measured.pulls)
    scale = float(np.abs(measured.values).max(initial=0.0)) or 1.0
    if items < 2:
        return np.zeros((draws, items))
    basis = np.linalg.qr(np.column_stack([np.ones(items), np.eye(items)[:, : items - 1]]))[0][:, 1:]
    noise, axes = np.linalg.eigh(basis.T @ measured.covariance() @ basis)
    typical = float(np.maximum(noise, 0.0).mean())
    if typical <= (1e-12 * scale) ** 2:  # nothing but rounding moves the values
        same = measured.values - measured.values.mean()
        return np.tile(np.round(same / scale, 12), (draws, 1))
    noise = np.maximum(noise, 1e-9 * typical)
    seen = axes.T @ basis.T @ measured.values
    spread = np.concatenate([[0.0], typical * (1 - _NOISE_PARTS) / _NOISE_PARTS])
    weight = np.concatenate([[len(_NOISE_PARTS)], np.ones(len(_NOISE_PARTS))])
    variance = spread[:, None] + noise
    log_likelihood = -0.5 * (np.log(variance) + seen**2 / variance).sum(axis=1)
    weight = weight * np.exp(log_likelihood - log_likelihood.max())
    rng = np.random.default_rng(seed)
    chosen = spread[rng.choice(len(spread), draws, p=weight / weight.sum())][:, None]
    kept = chosen / (chosen + noise)
    # Few units guess the noise badly: Student's t takes the normal distribution's place.
    degrees = max(units - 1, 1)
    widened = np.sqrt(degrees / rng.chisquare(degrees, (draws, 1)))
    drawn = kept * seen + widened * np.sqrt((kept + 1) * noise) * rng.normal(size=(draws, items - 1))
    return drawn @ axes.T @ basis.T
