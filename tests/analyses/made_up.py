"""Made-up sums of a ladder: who wins how many of its games against whom."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from khora_sim.analyses.ladder import LadderOptions, pairs
from khora_sim.stats.sums import CLUSTER, PARTS, Sums, from_cells

UNITS = 100


def sums_of_pair(share: float, players: int, seed: int) -> Sums:
    """One that wins each game with a chance and is last in all others, a game of each unit in every seat."""
    rows = []
    for unit, wins in enumerate(np.random.default_rng(seed).binomial(players, share, UNITS).tolist()):
        rows += [(1, 1, 1, unit, wins, wins * PARTS["win_share"]), (1, players, 1, unit, players - wins, 0)]
    names = ["slot", "place", "sharing", CLUSTER, "c", "win_share"]
    return from_cells(pl.DataFrame(rows, schema=names, orient="row"), names[:3], PARTS)


def ladder_of(*strategies: str, **asked: Any) -> LadderOptions:
    """A ladder as it is asked for."""
    return LadderOptions.of({"strategies": strategies, **asked})


def sums_of_all(options: LadderOptions, shares: Mapping[tuple[str, str], float]) -> list[Sums]:
    """The sums of every pair; whoever is not named wins its share."""
    null = 1 / options.players
    return [sums_of_pair(shares.get(p, null), options.players, seed) for seed, p in enumerate(pairs(options))]
