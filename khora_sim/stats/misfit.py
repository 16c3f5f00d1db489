"""Where a Plackett-Luce model is wrong: first places that were measured minus those that it expects."""

import numpy as np
import polars as pl

from khora_sim.stats.estimate import LEVEL, Array
from khora_sim.stats.groups import MOST_UNITS
from khora_sim.stats.intervals import mean_bounds
from khora_sim.stats.multiple import holm
from khora_sim.stats.plackett_luce import Ratings, parts, race
from khora_sim.stats.rankings import Rankings
from khora_sim.stats.student import p_value


def first_places(rankings: Rankings, ratings: Ratings, *, level: float = LEVEL) -> pl.DataFrame:
    """Share of first places of every level: measured, fitted, and their difference with its interval.

    The model has one strength for all places, so it need not be right about the first one. The interval knows
    that the strengths were fitted to the same games. Holm's correction is over all levels of all factors.
    """
    kinds = len(ratings.strengths)
    observed, expected, counts, response = _sums(rankings, np.exp(ratings.strengths))
    rows = []
    for f, (factor, names) in enumerate(zip(rankings.factors, rankings.levels, strict=True)):
        belongs = np.zeros((kinds, len(names)))
        belongs[np.arange(kinds), rankings.kind_levels[:, f]] = 1.0
        won, fitted, n = (x @ belongs for x in (observed, expected, counts))
        total = n.sum(axis=0)
        value = (won - fitted).sum(axis=0) / total
        # Without a unit the fit would be another one too, and expect other shares.
        refitted = ratings.pulls @ response @ belongs
        pulls = (won - fitted - value * n - refitted) / total
        units = len(pulls)
        variance = (pulls**2).sum(axis=0) * units / max(units - 1, 1)
        low, high = mean_bounds(value, variance, np.full(len(names), units), level)
        p = p_value(value, variance, units)
        for i, name in enumerate(names):
            shares = won[:, i].sum() / total[i], fitted[:, i].sum() / total[i]
            rows.append((factor, name, *shares, value[i], low[i], high[i], round(float(total[i])), p[i]))
    table = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    return table.with_columns(pl.Series("p_holm", holm(table["p_value"].to_numpy())))


_COLUMNS = {
    "factor": pl.String,
    "level": pl.String,
    "measured": pl.Float64,
    "fitted": pl.Float64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "p_value": pl.Float64,
}


def _sums(rankings: Rankings, odds: Array) -> tuple[Array, Array, Array, Array]:
    """First places, expected first places and players by unit and kind, and how the expected ones follow."""
    kinds = len(odds)
    observed, expected, counts = (np.zeros(MOST_UNITS * kinds) for _ in range(3))
    response, seen = np.zeros(kinds * kinds), np.zeros(MOST_UNITS, dtype=bool)
    for block, part in parts(rankings.blocks):
        rank, weights = block.kinds[:, part].astype(np.int64), block.weights[part]
        e, left = race(block.kinds[:, part], odds)
        chance = e / left[0]
        row = block.units[part].astype(np.int64) * kinds
        seen[block.units[part]] = True
        observed += np.bincount(row + rank[0], weights, len(observed))
        for i in range(len(rank)):
            expected += np.bincount(row + rank[i], weights * chance[i], len(expected))
            counts += np.bincount(row + rank[i], weights, len(counts))
            response += np.bincount(rank[i] * (kinds + 1), weights * chance[i], kinds * kinds)
            for j in range(len(rank)):
                both = weights * chance[i] * chance[j]
                response -= np.bincount(rank[i] * kinds + rank[j], both, kinds * kinds)
    by_unit = (x.reshape(MOST_UNITS, kinds)[seen] for x in (observed, expected, counts))
    return *by_unit, response.reshape(kinds, kinds)  # type: ignore[return-value]
