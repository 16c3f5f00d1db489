import numpy as np
import polars as pl
import pytest

from khora_sim.stats import mean_interval, mean_table, measure
from khora_sim.stats.sums import MOST_CLUSTERS, cluster_of, from_sums
from tests.stats.worlds import rotated_study


def test_the_unit_of_a_group_is_the_same_everywhere_and_always():
    groups = pl.DataFrame({"rotation_group": pl.Series([0, 1, 1023, 1024, 1025, 2**64 - 1], dtype=pl.UInt64)})
    assert groups.select(cluster_of("rotation_group")).to_series().to_list() == [0, 1, 1023, 494, 495, 269]


@pytest.mark.parametrize("step", [1, 4, 35, 4096, 2**32])
def test_groups_spread_evenly_over_the_units_whatever_their_numbering(step):
    groups = pl.DataFrame({"rotation_group": np.arange(100_000, dtype=np.uint64) * np.uint64(step)})
    sizes = groups.select(cluster_of("rotation_group")).to_series().value_counts()["count"].to_numpy()
    assert len(sizes) == MOST_CLUSTERS
    assert sizes.std() < 1.3 * np.sqrt(100_000 / MOST_CLUSTERS)


def test_measure_gives_each_items_mean_and_the_pull_of_each_group():
    frame = pl.DataFrame(
        {
            "rotation_group": [1, 1, 2, 2, 3],
            "city": ["a", "b", "a", "b", "a"],
            "score": [4.0, 1.0, 6.0, 3.0, 8.0],
        }
    )
    measured = measure(frame, "score", "city")
    assert measured.items == ("a", "b")
    assert measured.values.tolist() == [6.0, 2.0]
    assert measured.counts.tolist() == [3, 2]
    assert measured.clusters.tolist() == [3, 2]
    assert sorted(measured.pulls[:, 0]) == pytest.approx([-2 / 3, 0.0, 2 / 3])
    assert measured.covariance()[0, 0] == pytest.approx(8 / 9 * 3 / 2)


def test_win_shares_of_the_same_games_hang_together_negatively():
    covariance = measure(rotated_study(np.random.default_rng(5), 500), "win_share", "city").covariance()
    assert (covariance[np.triu_indices(7, k=1)] < 0).mean() > 0.9


def test_bundling_many_groups_keeps_the_interval():
    rng = np.random.default_rng(6)
    values = np.repeat(rng.normal(size=60_000), 2) + rng.normal(size=120_000)
    groups = np.repeat(np.arange(60_000), 2)
    table = mean_table(pl.DataFrame({"rotation_group": groups, "x": values, "all": 1}), "all", value="x")
    exact = mean_interval(values, groups)
    assert table["units"].item() == MOST_CLUSTERS
    assert table["value"].item() == pytest.approx(exact.value)
    assert (table["high"] - table["low"]).item() / 2 == pytest.approx(exact.margin, rel=0.05)


def test_groups_must_be_given_for_every_observation():
    with pytest.raises(ValueError, match="2 groups were given for 3 observations"):
        mean_interval([1.0, 2.0, 3.0], [1, 2])


def test_an_item_missing_from_a_unit_is_not_pulled_by_it():
    measured = from_sums(("a", "b"), np.array([[2.0, 0.0], [1.0, 3.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert measured.pulls[0].tolist() == [0.25, 0.0]
