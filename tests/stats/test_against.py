import numpy as np
import polars as pl
import pytest

from khora_sim.stats import against_strata
from khora_sim.stats.sums import CLUSTER, Sums, from_cells


def _sums(rows: list[tuple]) -> Sums:
    cells = pl.DataFrame(rows, schema=["item", "stratum", CLUSTER, "s", "c"], orient="row")
    return from_cells(cells, ["item", "stratum"])


def test_an_item_is_compared_with_the_rest_of_its_stratum_and_not_with_itself():
    sums = _sums([("a", 1, 0, 8.0, 10), ("b", 1, 1, 2.0, 10), ("a", 1, 1, 6.0, 10), ("b", 1, 0, 0.0, 10)])
    found = against_strata(sums, "item", ["stratum"], "s", without_itself=True)
    assert found["value"].to_list() == pytest.approx([0.6, -0.6])
    within = against_strata(sums, "item", ["stratum"], "s")
    assert within["value"].to_list() == pytest.approx([0.3, -0.3])  # half of what there is


def test_strata_count_as_often_as_the_item_is_there():
    sums = _sums([("a", 1, 0, 30.0, 30), ("b", 1, 0, 0.0, 30), ("a", 2, 1, 0.0, 10), ("b", 2, 1, 10.0, 10)])
    found = against_strata(sums, "item", ["stratum"], "s", without_itself=True)
    assert found["value"].to_list() == pytest.approx([30 / 40 - 10 / 40, -0.5])
    assert found["n"].to_list() == [40, 40]


def test_a_stratum_of_one_item_has_nothing_to_compare_it_with():
    sums = _sums([("a", 1, 0, 1.0, 2), ("b", 2, 0, 1.0, 2), ("c", 2, 1, 0.0, 2)])
    assert against_strata(sums, "item", ["stratum"], "s", without_itself=True)["item"].to_list() == [
        "b",
        "c",
    ]


@pytest.mark.parametrize("without_itself", [False, True])
@pytest.mark.parametrize("shared", [0.0, 3.0])  # luck that all items of a cluster have in common
def test_intervals_hold_the_truth_whether_or_not_the_items_share_their_luck(
    without_itself: bool, shared: float
):
    rng, hits = np.random.default_rng(5), []
    means = np.array([1.0, 0.0, 0.5])
    parts = np.array([0.6, 0.3, 0.1])
    for _ in range(500):
        counts = rng.multinomial(12, parts, 50)  # how many of each a cluster has is chance too
        luck = shared * rng.normal(size=(50, 1))
        totals = counts * (means + luck) + np.sqrt(counts) * rng.normal(size=(50, 3))
        cells = pl.DataFrame(
            {
                "item": np.tile(np.array(["a", "b", "c"]), 50),
                "stratum": np.zeros(150, dtype=int),
                CLUSTER: np.repeat(np.arange(50), 3),
                "s": totals.ravel(),
                "c": counts.ravel(),
            }
        ).filter(pl.col("c") > 0)
        sums = from_cells(cells, ["item", "stratum"])
        found = against_strata(sums, "item", ["stratum"], "s", without_itself=without_itself)
        rest = (means @ parts - (means * parts if without_itself else 0)) / (
            1 - parts if without_itself else 1
        )
        truth = means - rest
        hits.append((found["low"].to_numpy() <= truth) & (truth <= found["high"].to_numpy()))
    assert np.mean(hits, axis=0) == pytest.approx(np.full(3, 0.95), abs=0.03)
