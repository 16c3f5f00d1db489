"""Intervals, paired comparisons, tiers and ratings: pure functions on numpy arrays and polars frames."""

from khora_sim.stats.association import against_strata, correlation, flag_table
from khora_sim.stats.estimate import LEVEL, Estimate, decimals_of, format_estimate
from khora_sim.stats.groups import Measured, from_sums, unit_of
from khora_sim.stats.intervals import (
    bootstrap_interval,
    holm,
    mean_interval,
    percentile_bounds,
    resampled_totals,
    share_interval,
    wilson,
)
from khora_sim.stats.paired import (
    Difference,
    paired_difference,
    paired_table,
    unpaired_difference,
    unpaired_table,
)
from khora_sim.stats.plackett_luce import (
    Rankings,
    Ratings,
    first_places,
    rankings_of_one,
    rate,
    read_rankings,
)
from khora_sim.stats.ratios import estimates, mean_table, means, measure, measured, share_table, shares
from khora_sim.stats.sums import Sums, sums_of, total
from khora_sim.stats.tiers import Tiers, rank_chances, repeated, shrunken, tiers

__all__ = [
    "LEVEL",
    "Difference",
    "Estimate",
    "Measured",
    "Rankings",
    "Ratings",
    "Sums",
    "Tiers",
    "against_strata",
    "bootstrap_interval",
    "correlation",
    "decimals_of",
    "estimates",
    "first_places",
    "flag_table",
    "format_estimate",
    "from_sums",
    "holm",
    "mean_interval",
    "mean_table",
    "means",
    "measure",
    "measured",
    "paired_difference",
    "paired_table",
    "percentile_bounds",
    "rank_chances",
    "rankings_of_one",
    "rate",
    "read_rankings",
    "repeated",
    "resampled_totals",
    "share_interval",
    "share_table",
    "shares",
    "shrunken",
    "sums_of",
    "tiers",
    "total",
    "unit_of",
    "unpaired_difference",
    "unpaired_table",
    "wilson",
]
