"""A change between two arms from their sums is the one that the rows of their games give."""

import numpy as np
import polars as pl
import pytest

from khora_sim.stats.paired import share_change, share_difference
from khora_sim.stats.sums import Sums, sums_of
from tests.stats.observations import paired_difference, unpaired_difference

GROUPS, ROWS = 30, 4
GROUP = np.repeat(np.arange(GROUPS), ROWS)


def summed(won: np.ndarray) -> Sums:
    frame = pl.DataFrame({"rotation_group": GROUP[: len(won)], "win_share": won})
    return sums_of(frame, [], {"win_share": pl.col("win_share")})


def test_the_change_from_sums_is_that_of_pairs_of_games():
    first, second = np.random.default_rng(3).integers(0, 3, (2, GROUPS * ROWS)) / 2
    found = share_change(summed(first), summed(second), "win_share", ROWS)
    wanted = paired_difference(first, second, GROUP).estimate
    assert (found.value, found.low, found.high, found.n) == pytest.approx(
        (wanted.value, wanted.low, wanted.high, wanted.n)
    )


def test_arms_that_never_differ_leave_room_for_what_was_not_seen():
    won = np.tile([1.0, 0.0, 0.0, 0.0], GROUPS)
    found = share_change(summed(won), summed(won), "win_share", ROWS)
    assert found.value == 0
    assert found.low < 0 < found.high


def test_arms_with_other_groups_are_no_pairs():
    won = np.zeros(GROUPS * ROWS)
    with pytest.raises(ValueError, match="the same rotation groups"):
        share_change(summed(won), summed(won[ROWS:]), "win_share", ROWS)


def test_the_difference_of_studies_with_luck_of_their_own_is_welchs():
    first, second = np.random.default_rng(4).integers(0, 3, (2, GROUPS * ROWS)) / 2
    found = share_difference(summed(first), summed(second), "win_share", ROWS)
    wanted = unpaired_difference(first, second, GROUP, GROUP).estimate
    assert (found.value, found.low, found.high, found.n) == pytest.approx(
        (wanted.value, wanted.low, wanted.high, wanted.n)
    )


def test_a_difference_from_a_share_that_was_never_seen_leaves_room():
    found = share_difference(
        summed(np.zeros(GROUPS * ROWS)), summed(np.zeros(GROUPS * ROWS)), "win_share", ROWS
    )
    assert found.value == 0
    assert found.low < 0 < found.high
