"""All differences that a comparison shows, corrected together: one family a page.

Every `p (Holm)`, filled dot and sentence of the page is made from these tables, so that of a hundred pages
on studies that do not differ at most five claim anything.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from khora_sim.pages.pair import Pair
from khora_sim.pages.points_section import LABELS
from khora_sim.stats import holm

ENDINGS = {"winning_score": "Winning score", "margin": "Margin", "lead_changes": "Lead changes"}


@dataclass(frozen=True)
class Family:
    """The tables of a comparison; an empty one has nothing to compare."""

    city_wins: pl.DataFrame
    city_scores: pl.DataFrame
    strategy_wins: pl.DataFrame
    strategy_scores: pl.DataFrame
    endings: pl.DataFrame
    points: pl.DataFrame

    @property
    def count(self) -> int:
        """Comparisons of the page."""
        return sum(len(table) for table in vars(self).values())


def family_of(pair: Pair) -> Family:
    """Compare two studies in every way that the page shows, and correct for all of it."""
    strategies = {
        name: _strategies(pair, value) for name, value in (("wins", "success"), ("scores", "score"))
    }
    tables = {
        "city_wins": pair.compared("city", "success"),
        "city_scores": pair.compared("city", "score"),
        # One strategy at all seats always has its fair share: there is nothing to test.
        "strategy_wins": pl.DataFrame() if _one_strategy(pair) else strategies["wins"],
        "strategy_scores": strategies["scores"],
        "endings": pl.concat([_named(pair.ends(name), "measure", text) for name, text in ENDINGS.items()]),
        "points": _points(pair),
    }
    return Family(**corrected(tables))


def corrected(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The same tables with `p_holm` corrected over all their rows together."""
    sizes = [len(table) for table in tables.values()]
    p = [table["p_value"].to_numpy() for table in tables.values() if len(table)]
    adjusted = holm(np.concatenate(p)) if p else np.array([])
    ends = np.cumsum([0, *sizes])
    return {
        name: table.with_columns(pl.Series("p_holm", adjusted[first:last])) if len(table) else table
        for (name, table), first, last in zip(tables.items(), ends[:-1], ends[1:], strict=True)
    }


def replaced(pair: Pair) -> dict[str, str] | None:
    """Which strategy of the second study has the place of each of the first, where every place has one."""
    plans = [material.manifest.plan for material in pair.both]
    one, two = (plan.specs for plan in plans)
    follows = dict(zip(one, two, strict=False))
    same_places = len(one) == len(two) and all(follows[a] == b for a, b in zip(one, two, strict=True))
    same_places &= plans[0].by_city.keys() == plans[1].by_city.keys()
    return follows if pair.is_paired and same_places else None


def _one_strategy(pair: Pair) -> bool:
    return all(len(material.strategies) == 1 for material in pair.both)


def _strategies(pair: Pair, value: str) -> pl.DataFrame:
    places = replaced(pair)
    if places is None and not set(pair.first.strategies) & set(pair.second.strategies):
        return pl.DataFrame()
    # Where the second study has the strategies in other places, a seat's partner is another strategy.
    return pair.compared("strategy", value, as_wholes=places is None)


def _points(pair: Pair) -> pl.DataFrame:
    if any(material.lacks(*LABELS) for material in pair.both):
        return pl.DataFrame()
    tables = [_named(pair.compared("players", name, wide=True), "source", name) for name in LABELS]
    return pl.concat(tables).filter((pl.col("first") != 0) | (pl.col("second") != 0))


def _named(table: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    return table.select(pl.lit(name).alias(column), pl.all())
