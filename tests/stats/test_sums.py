"""Sums: the same bits in any order, whoever summed, and every row counted once."""

from random import Random

import numpy as np
import polars as pl
import pytest

from khora_sim.stats import mean_table, means, share_table, shares, sums_of
from khora_sim.stats.sums import MOST_CLUSTERS, PARTS, Sums, total

KEYS = ["city", "seat"]


def played(groups: int) -> pl.DataFrame:
    """Made-up games of four, some won by three together."""
    rng = np.random.default_rng(3)
    wins = np.array([[1, 0, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0], [0, 1 / 2, 1 / 2, 0], [0, 0, 0, 1]])
    return pl.DataFrame(
        {
            "rotation_group": np.repeat(np.arange(groups, dtype=np.uint32), 4),
            "city": rng.choice(["argos", "sparta", "thebes"], groups * 4),
            "seat": np.tile(np.arange(1, 5, dtype=np.uint8), groups),
            "win_share": wins[rng.integers(4, size=groups)].ravel(),
            "score": rng.integers(-20, 90, groups * 4).astype(np.int16),
        }
    )


def summed(frame: pl.DataFrame) -> Sums:
    score = pl.col("score").cast(pl.Int64)
    wanted = {"win_share": pl.col("win_share"), "score": score, "square": score * score}
    return sums_of(frame, KEYS, wanted, ends=(score, score))


def test_chunks_add_up_in_any_order_to_the_same_bits():
    frame = played(3000)
    whole = summed(frame)
    chunks = [summed(frame[first : first + 400]) for first in range(0, len(frame), 400)]
    for order in range(5):
        Random(order).shuffle(chunks)
        added = chunks[0]
        for one in chunks[1:]:
            added += one
        for found in (added, total(chunks)):
            assert found.cells.equals(whole.cells)
            assert found.cells.schema == whole.cells.schema
            assert found.clusters.equals(whole.clusters)


def test_wins_are_whole_sixtieths_and_no_win_is_lost():
    sums = summed(played(3000))
    assert sums.cells.schema["win_share"] == pl.Int64
    assert sums.cells["win_share"].sum() == 3000 * PARTS["win_share"]


@pytest.mark.parametrize("winners", [1, 2, 3, 4, 5])
def test_a_victory_shared_by_up_to_five_is_a_whole_number_of_parts(winners: int):
    assert PARTS["win_share"] % winners == 0


def test_cost_does_not_grow_with_the_number_of_games():
    assert len(summed(played(5000)).clusters) == MOST_CLUSTERS
    assert len(summed(played(20_000)).cells) <= MOST_CLUSTERS * 3 * 4


def test_every_row_that_was_played_is_counted_once():
    sums = summed(played(1500))
    assert sums.rows == 6000
    assert shares(sums, ["city"], "win_share")["n"].sum() == 6000
    assert sums.only(seat=1).rows == 1500


def test_estimates_from_sums_are_those_from_rows():
    frame = played(2500)
    sums = total([summed(frame[:4000]), summed(frame[4000:])])
    assert shares(sums, ["city"], "win_share").equals(share_table(frame, "city"))
    assert means(sums, ["seat"], "score").equals(mean_table(frame, "seat").drop("sd"))


def test_what_is_left_out_leaves_the_units_as_they_are():
    sums = summed(played(300))
    some = sums.only(pl.col("city") == "argos")
    assert some.clusters.equals(sums.clusters)
    assert some.totals(["city"])["c"].item() == some.rows < sums.rows


def test_a_sum_can_be_made_of_others():
    sums = summed(played(300)).with_sum("twice", 2 * pl.col("score"))
    once, twice = (means(sums, [], name)["value"].item() for name in ("score", "twice"))
    assert twice == pytest.approx(2 * once)


def test_the_ends_of_a_value_are_kept_and_not_added():
    frame = played(300)
    sums = total([summed(frame[:600]), summed(frame[600:])])
    assert sums.cells["lowest"].min() == frame["score"].min()
    assert sums.cells["highest"].max() == frame["score"].max()
