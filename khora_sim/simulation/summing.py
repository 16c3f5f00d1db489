"""From the players of some games to `Sums`, as a question wants them."""

from typing import NamedTuple

import polars as pl

from khora_sim.simulation.arm import Arm
from khora_sim.simulation.strata import with_units
from khora_sim.stats.groups import Frame
from khora_sim.stats.sums import PARTS, Sums, sums_of

LEAD = "lead"  # a column that is worked out: see `_lead`
MARGIN = 30  # points, by which a lead counts three quarters of the most that it can
#: Columns that the players' table lacks but follow from it: how many players share a place.
DERIVED = {"sharing": pl.len().over("game", "place").cast(pl.UInt8)}


class Summing(NamedTuple):
    """What is summed of the players' table: by which keys, which columns, and which products of two.

    A key is a column of the table or of `DERIVED`.
    """

    keys: tuple[str, ...]
    columns: tuple[str, ...] = ("win_share", "score")
    products: tuple[tuple[str, str], ...] = ()  # such as ("score", "score"), whose sum is `score*score`


def players_summed(arm: Arm, players: Frame, what: Summing) -> Sums:
    """The sums of some rows of an arm's players' table; the same bits for the same rows in any order."""
    used = {*what.columns, *(one for pair in what.products for one in pair)}
    players = players.lazy().with_columns(_lead()) if LEAD in used else players.lazy()
    kinds = players.collect_schema()
    broken = sorted(name for name in used if name not in PARTS and not kinds[name].is_integer())
    if broken:
        raise ValueError(f"only whole numbers and wins are summed, to the same bits, not {', '.join(broken)}")
    numbers = {name: pl.col(name) if name in PARTS else pl.col(name).cast(pl.Int64) for name in used}
    summed = {name: numbers[name] for name in what.columns}
    parts = {}
    for one, other in what.products:
        summed[f"{one}*{other}"] = numbers[one] * numbers[other]
        if one in PARTS or other in PARTS:
            parts[f"{one}*{other}"] = PARTS.get(one, 1) * PARTS.get(other, 1)
    derived = [DERIVED[key].alias(key) for key in what.keys if key in DERIVED]
    frame = with_units(players.lazy().with_columns(derived), arm.study, len(arm.rules.city_ids))
    return sums_of(frame, what.keys, summed, parts=parts)


def _lead() -> pl.Expr:
    """How far a player ended ahead of the best other one or behind it: tanh of the margin, -1 to 1."""
    score = pl.col("score").cast(pl.Int64)
    most, second = score.max().over("game"), score.top_k(2).min().over("game")
    margin = score - pl.when(score == most).then(second).otherwise(most)
    return (margin / MARGIN).tanh().alias(LEAD)
