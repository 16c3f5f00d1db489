"""Changes of means whose rows differ: known answers, gains of pairing, and intervals that hold the truth."""

import numpy as np
import polars as pl
import pytest

from khora_sim.stats import share_table
from khora_sim.stats.paired import mean_change

GROUPS, ROWS = 120, 8


def world(rng: np.random.Generator, lift: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores that share the luck of their group; each side keeps rows of its own choice."""
    group = np.repeat(np.arange(GROUPS), ROWS)
    luck = np.repeat(rng.normal(0, 3, GROUPS), ROWS)
    sides = []
    for more in (0.0, lift):
        score = luck + more + rng.normal(0, 1, len(group))
        frame = pl.DataFrame({"rotation_group": group, "score": score})
        sides.append(frame.filter(pl.Series(rng.random(len(group)) < 0.7)))
    return sides[0], sides[1]


def test_the_change_is_the_difference_of_both_means():
    first, second = world(np.random.default_rng(1), 2.0)
    found = mean_change(first, second, "score", share=False, rows_per_group=ROWS)
    assert found.before is not None
    assert found.after is not None
    assert found.change is not None
    assert found.change.value == pytest.approx(second["score"].mean() - first["score"].mean())
    assert found.change.margin < 0.5 * found.before.margin
    assert (found.before.n, found.after.n) == (len(first), len(second))


def test_shares_have_the_intervals_of_other_tables():
    frame = pl.DataFrame({"rotation_group": [0, 0, 1, 1, 2, 2], "win_share": [1.0, 0.0, 0.5, 0.5, 0.0, 1.0]})
    found = mean_change(frame, frame, "win_share", share=True, rows_per_group=2)
    table = share_table(frame.with_columns(pl.lit("a").alias("one")), "one", rows_per_group=2)
    assert found.before is not None
    assert (found.before.value, found.before.low, found.before.high) == table.select(
        "value", "low", "high"
    ).row(0)
    assert found.change is not None
    assert found.change.value == 0.0


def test_a_side_without_rows_has_no_change():
    first, second = world(np.random.default_rng(1), 0.0)
    found = mean_change(first, second.clear(), "score", share=False, rows_per_group=ROWS)
    assert found.before is not None
    assert (found.after, found.change) == (None, None)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(5)
    found = [mean_change(*world(rng, 0.5), "score", share=False, rows_per_group=ROWS) for _ in range(100)]
    held = sum(one.change is not None and one.change.holds(0.5) for one in found)
    assert 89 <= held <= 100
