"""What players did and got, summed by city and strategy in one pass over the wide table."""

from functools import lru_cache

import polars as pl

from khora_sim.pages.load import Material
from khora_sim.stats.sums import Sums, sums_of

SUMMED = ("points_", "actions_", "returns_", "set_aside_", "alone_")


@lru_cache(maxsize=2)
def profile(material: Material) -> Sums:
    """Sums of points, actions, returns, tiles set aside and achievements per city, strategy and unit."""
    summed = {name: pl.col(name).cast(pl.Int32) for name in material.columns if name.startswith(SUMMED)}
    for name in members(material, "achieved_"):
        achieved = pl.col(f"achieved_{name}")
        summed[f"earned_{name}"] = (achieved > 0).cast(pl.Int32)
        summed[f"round_{name}"] = achieved.cast(pl.Int32)
    return sums_of(material.wide, ["city", "strategy"], summed)


def members(material: Material, prefix: str) -> list[str]:
    """What follows a prefix in the names of the players' columns, in their order."""
    return [name.removeprefix(prefix) for name in material.columns if name.startswith(prefix)]
