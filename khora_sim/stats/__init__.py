"""Intervals, paired comparisons, tiers and ratings: pure functions on numpy arrays and polars frames."""

from khora_sim.stats.association import against_strata, correlation, flag_table
from khora_sim.stats.estimate import LEVEL, Estimate, decimals_of, format_estimate
from khora_sim.stats.intervals import holm, mean_interval, share_interval, wilson
from khora_sim.stats.paired import paired_table, unpaired_table
from khora_sim.stats.plackett_luce import (
    Rankings,
    Ratings,
    first_places,
    rankings_of_one,
    rate,
    read_rankings,
)
from khora_sim.stats.ratios import estimates, mean_table, means, measure, measured, share_table, shares
from khora_sim.stats.sums import Measured, Sums, sums_of
from khora_sim.stats.tiers import Tiers, shrunken, tiers

__all__ = [
    "LEVEL",
    "Estimate",
    "Measured",
    "Rankings",
    "Ratings",
    "Sums",
    "Tiers",
    "against_strata",
    "correlation",
    "decimals_of",
    "estimates",
    "first_places",
    "flag_table",
    "format_estimate",
    "holm",
    "mean_interval",
    "mean_table",
    "means",
    "measure",
    "measured",
    "paired_table",
    "rankings_of_one",
    "rate",
    "read_rankings",
    "share_interval",
    "share_table",
    "shares",
    "shrunken",
    "sums_of",
    "tiers",
    "unpaired_table",
    "wilson",
]
