"""Quantiles of whole numbers, such as scores."""

from collections.abc import Sequence

import polars as pl

from khora_sim.stats.groups import collect


def quantiles(frame: pl.LazyFrame, by: str, value: str, levels: Sequence[float]) -> pl.DataFrame:
    """Quantiles (q5, q50, ...), mean and n of a whole number, from how often each value occurs."""
    counted = collect(frame.group_by(by, value).agg(pl.len().cast(pl.Int64).alias("n"))).sort(by, value)
    below = (pl.col("n").cum_sum() / pl.col("n").sum()).over(by).alias("below")
    x = pl.col(value).cast(pl.Float64)
    found = [x.filter(pl.col("below") >= level).first().alias(f"q{round(100 * level)}") for level in levels]
    mean = (x * pl.col("n")).sum() / pl.col("n").sum()
    return (
        counted.with_columns(below).group_by(by).agg(*found, mean.alias("mean"), pl.col("n").sum()).sort(by)
    )
