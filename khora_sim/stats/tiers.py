"""Tiers: which items (cities, strategies) the data can tell apart, and how sure their order is."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.groups import Measured
from khora_sim.stats.intervals import mean_bounds, share_bounds
from khora_sim.stats.multiple import holm
from khora_sim.stats.predictive import DRAWS, repeated
from khora_sim.stats.student import p_value


@dataclass(frozen=True)
class Tiers:
    """Items from strongest to weakest, in tiers.

    Any two items of different tiers differ significantly (5 % after Holm's correction over all pairs).
    Inside a tier some pairs may differ significantly too; `pairs` has them all.
    """

    # item, tier, value, low, high, n; top and above_next: the chance that in a repetition of the study, with
    # luck of its own, the item comes first, or above the one after it here
    table: pl.DataFrame
    ranks: pl.DataFrame  # item, and the chance of each rank in a repetition: rank_1, rank_2, ...
    pairs: pl.DataFrame  # better, worse, value, low, high, p_value, p_holm

    def groups(self) -> list[list[str]]:
        """The names, tier by tier."""
        return [list(names) for names in self.table.group_by("tier", maintain_order=True).agg("item")["item"]]


def tiers(
    measured: Measured,
    *,
    share: bool = False,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = 0,
) -> Tiers:
    """Group items into tiers that the data can tell apart; `share` keeps their bounds between 0 and 1."""
    order = np.argsort(-measured.values, kind="stable")
    pairs = _pairs(measured, order, level)
    tier = _tier_numbers(len(order), pairs, 1 - level)
    again = repeated(measured, draws, seed)
    ranks = rank_chances(again)[order]
    names = [measured.items[i] for i in order]
    bounds = _bounds(measured, share, level)
    table = pl.DataFrame(
        {
            "item": names,
            "tier": tier,
            **{key: np.asarray(column)[order] for key, column in bounds.items()},
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


def _pairs(measured: Measured, order: np.ndarray, level: float) -> pl.DataFrame:
    """All pairs, better one first, with cluster-robust differences and Holm's correction over all of them."""
    upper, lower = np.triu_indices(len(order), k=1)
    a, b = order[upper], order[lower]
    covariance = measured.covariance()
    spread = np.diag(covariance)
    variance = np.maximum(spread[a] + spread[b] - 2 * covariance[a, b], 0.0)
    difference = measured.values[a] - measured.values[b]
    difference[difference < 1e-12 * _scale(measured)] = 0.0  # what rounding leaves of equal items
    units = np.minimum(measured.units[a], measured.units[b])
    low, high = mean_bounds(difference, variance, units, level)
    p = p_value(difference, variance, units)
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


def _bounds(measured: Measured, share: bool, level: float) -> dict[str, Array]:
    variance, units = measured.variances(), measured.units
    if share:
        low, high = share_bounds(measured.values, variance, units, measured.counts, level, measured.groups)
    else:
        low, high = mean_bounds(measured.values, variance, units, level)
    return {"value": measured.values, "low": low, "high": high, "n": measured.counts}


def _scale(measured: Measured) -> float:
    return float(np.abs(measured.values).max(initial=0.0)) or 1.0


def _above_next(draws: Array) -> list[float | None]:
    """Share of draws in which each item is above the one after it; None for the last."""
    upper, lower = draws[:, :-1], draws[:, 1:]
    chances = (upper > lower).mean(axis=0) + 0.5 * (upper == lower).mean(axis=0)
    return [*(float(c) for c in chances), None][: draws.shape[1]]
