"""Rankings of games in which one plays against several of another, from counts of where the one finished.

All others are of one kind, so that the place of the one says everything about the order of finish, and counts
by unit say everything about any number of games.
"""

import numpy as np
import polars as pl

from khora_sim.stats.groups import UNIT
from khora_sim.stats.rankings import Block, Rankings
from khora_sim.stats.sums import COUNT

#: What the counts are by: who was the one, who all others, where the one finished, and how many shared that
#: place, the one included.
ONE, OTHER, PLACE, SHARING = "one", "other", "place", "sharing"


def rankings_of_one(finishes: pl.DataFrame, players: int, factor: str) -> Rankings:
    """Rankings from counts of games by one, other, unit, place and sharing, at tables of one size.

    A place that k share counts as the k places they take, in equal parts.
    """
    names = sorted({*finishes[ONE], *finishes[OTHER]})
    kind = pl.Enum(names)
    rows = (
        finishes.with_columns(
            pl.col(ONE, OTHER).cast(kind).to_physical(),
            pl.int_ranges(pl.col(PLACE).cast(pl.Int64), (pl.col(PLACE) + pl.col(SHARING)).cast(pl.Int64)),
            (pl.col(COUNT) / pl.col(SHARING)).alias("weight"),
        )
        .explode(PLACE)
        .group_by(ONE, OTHER, UNIT, PLACE)
        .agg(pl.col("weight").sort().sum())  # in one order: the same bits from the same counts
        .sort(ONE, OTHER, UNIT, PLACE)
    )
    ones, others, places = (rows[name].to_numpy().astype(np.int64) for name in (ONE, OTHER, PLACE))
    kinds = np.tile(others, (players, 1))
    kinds[places - 1, np.arange(len(rows))] = ones
    block = Block(kinds.astype(np.uint16), rows["weight"].to_numpy(), rows[UNIT].to_numpy().astype(np.uint16))
    counts = np.bincount(ones, rows["weight"].to_numpy(), len(names))
    counts += np.bincount(others, rows["weight"].to_numpy(), len(names)) * (players - 1)
    return Rankings(
        factors=(factor,),
        levels=(tuple(names),),
        kind_levels=np.arange(len(names))[:, None],
        kind_counts=np.rint(counts).astype(np.int64),
        blocks=(block,),
        games=int(finishes[COUNT].sum()),
    )
