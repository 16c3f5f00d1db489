"""Tiers: the items (cities, strategies) that the data can tell apart, and how sure their order is."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.intervals import holm, mean_bounds, p_value, share_bounds
from khora_sim.stats.sums import Measured

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
    items, clusters = len(measured.items), len(measured.pulls)
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
    # Few clusters guess the noise badly: Student's t takes the normal distribution's place.
    degrees = max(clusters - 1, 1)
    widened = np.sqrt(degrees / rng.chisquare(degrees, (draws, 1)))
    drawn = kept * seen + widened * np.sqrt((kept + 1) * noise) * rng.normal(size=(draws, items - 1))
    return drawn @ axes.T @ basis.T


def shrunken(values: npt.ArrayLike, variances: npt.ArrayLike, centre: float | None = None) -> Array:
    """Empirical-Bayes estimates of many effects that were measured with these variances.

    The largest of many measured effects is one that chance helped. Each is moved towards the mean of all, or
    towards a given centre, by the part of its distance that chance explains. The true spread is Paule and
    Mandel's: the one that makes the weighted squares as large as they should be. What was not measured (not
    finite) stays as it is.
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


@dataclass(frozen=True)
class Tiers:
    """Items from strongest to weakest, in tiers.

    Any two items of different tiers differ significantly (5 % after Holm's correction over all pairs).
    Inside a tier some pairs may differ significantly too; `pairs` has them all.
    """

    # item, tier, value, low, high, n; top and above_next: the chance that in a repetition of the study, with
    # seeds of its own, the item comes first, or above the one after it here
    table: pl.DataFrame
    ranks: pl.DataFrame  # item, and the chance of each rank in a repetition: rank_1, rank_2, ...
    pairs: pl.DataFrame  # better, worse, value, low, high, p_value, p_holm

    def groups(self) -> list[list[str]]:
        """The names, tier by tier."""
        return [list(names) for names in self.table.group_by("tier", maintain_order=True).agg("item")["item"]]


def tiers(measured: Measured, *, share: bool = False, draws: int = DRAWS, seed: int = 0) -> Tiers:
    """Group items into tiers that the data can tell apart; `share` keeps their bounds between 0 and 1."""
    order = np.argsort(-measured.values, kind="stable")
    pairs = _pairs(measured, order)
    tier = _tier_numbers(len(order), pairs, 1 - LEVEL)
    again = repeated(measured, draws, seed)
    ranks = rank_chances(again)[order]
    names = [measured.items[i] for i in order]
    variance, values = measured.variances(), measured.values
    if share:
        low, high = share_bounds(values, variance, measured.clusters, measured.counts, groups=measured.groups)
    else:
        low, high = mean_bounds(values, variance, measured.clusters)
    bounds = {"value": values, "low": low, "high": high, "n": measured.counts}
    table = pl.DataFrame(
        {
            "item": names,
            "tier": tier,
            **{key: column[order] for key, column in bounds.items()},
            "top": ranks[:, :1].ravel(),
            "above_next": pl.Series(_above_next(again[:, order]), dtype=pl.Float64),
        },
        schema_overrides={"item": pl.String, "tier": pl.Int64},
    )
    chances = pl.DataFrame({"item": names} | {f"rank_{r + 1}": ranks[:, r] for r in range(len(names))})
    return Tiers(table, chances, pairs.drop("upper", "lower"))


def rank_chances(draws: Array) -> Array:
    """Chance of each rank (items by ranks, first is best) over draws (draws by items).

    Items that draw level share the ranks they would take, in equal parts.
    """
    rows, items = draws.shape
    chances = np.zeros((items, items))
    for i in range(items):
        above = (draws > draws[:, [i]]).sum(axis=1)
        level = (draws == draws[:, [i]]).sum(axis=1)
        for rank in range(items):
            inside = (above <= rank) & (rank < above + level)
            chances[i, rank] = (inside / level).sum() / rows
    return chances


def _pairs(measured: Measured, order: np.ndarray) -> pl.DataFrame:
    """All pairs, better one first, with cluster-robust differences and Holm's correction over all of them."""
    upper, lower = np.triu_indices(len(order), k=1)
    a, b = order[upper], order[lower]
    covariance = measured.covariance()
    spread = np.diag(covariance)
    variance = np.maximum(spread[a] + spread[b] - 2 * covariance[a, b], 0.0)
    difference = measured.values[a] - measured.values[b]
    largest = float(np.abs(measured.values).max(initial=0.0)) or 1.0
    difference[difference < 1e-12 * largest] = 0.0  # what rounding leaves of equal items
    clusters = np.minimum(measured.clusters[a], measured.clusters[b])
    low, high = mean_bounds(difference, variance, clusters)
    p = p_value(difference, variance, clusters)
    names = np.array(measured.items, dtype=object)
    return pl.DataFrame(
        {
            "upper": upper,
            "lower": lower,
            "better": pl.Series(names[a], dtype=pl.String),
            "worse": pl.Series(names[b], dtype=pl.String),
            "value": difference,
            "low": low,
            "high": high,
            "p_value": p,
            "p_holm": holm(p),
        }
    )


def _tier_numbers(items: int, pairs: pl.DataFrame, alpha: float) -> list[int]:
    """A tier ends where every item above differs significantly from every item below."""
    alike = pairs.filter(pl.col("p_holm") >= alpha)
    bound = np.zeros(items, dtype=bool)  # bound[i]: no tier can end between i and i + 1
    for upper, lower in alike.select("upper", "lower").iter_rows():
        bound[upper:lower] = True
    tier, numbers = 1, []
    for i in range(items):
        numbers.append(tier)
        tier += not bound[i]
    return numbers


def _above_next(draws: Array) -> list[float | None]:
    """Share of draws in which each item is above the one after it; None for the last."""
    upper, lower = draws[:, :-1], draws[:, 1:]
    chances = (upper > lower).mean(axis=0) + 0.5 * (upper == lower).mean(axis=0)
    return [*(float(c) for c in chances), None][: draws.shape[1]]
