import numpy as np
import polars as pl
import pytest
from scipy import stats

from khora_sim.stats import format_estimate, paired_table, unpaired_table
from khora_sim.stats.ratios import estimates
from tests.stats.observations import paired_difference


def covered(
    rng: np.random.Generator, rate: float, change: int, groups: int = 300, studies: int = 400
) -> float:
    """How often the interval of a paired difference holds the truth, where a group changes at this rate.

    Of the four games of a group one is won; in groups that change, so many more are.
    """
    hits = []
    labels = np.repeat(np.arange(groups), 4)
    for _ in range(studies):
        first = np.tile([0.0, 0.0, 0.0, 1.0], (groups, 1))
        second = first.copy()
        second[rng.random(groups) < rate, :change] = 1.0
        found = paired_difference(first.ravel(), second.ravel(), labels).estimate
        hits.append(found.holds(rate * change / 4))
    return float(np.mean(hits))


@pytest.mark.parametrize("change", [1, 3])
@pytest.mark.parametrize("expected", [0.03, 0.5, 3, 10, 40])
def test_intervals_of_rare_changes_hold_the_truth(expected, change):
    # With 0.03 changed groups in a study 97 % of studies see none, and an interval of no width is wrong.
    rng = np.random.default_rng(int(100 * expected) + change)
    assert covered(rng, expected / 300, change) > 0.94


def players(groups: int, wins: dict[tuple[int, int], float] | None = None) -> pl.DataFrame:
    """Two seats, four games a group; seat 0 wins unless `wins` says otherwise."""
    game = np.repeat(np.arange(4 * groups), 2)
    frame = pl.DataFrame(
        {"game": game, "rotation_group": game // 4, "seat": np.tile([0, 1], 4 * groups)},
    ).with_columns(win_share=(pl.col("seat") == 0).cast(pl.Float64))
    for (number, seat), share in (wins or {}).items():
        here = (pl.col("game") == number) & (pl.col("seat") == seat)
        frame = frame.with_columns(win_share=pl.when(here).then(share).otherwise("win_share"))
    return frame


@pytest.mark.parametrize("groups", [200, 5000])  # also where groups are bundled
def test_where_no_game_differs_the_interval_is_that_of_what_was_never_seen(groups):
    same = paired_table(players(groups), players(groups), "seat", value="win_share")
    reach = stats.t.ppf(0.975, min(groups, 1024) - 1)
    assert same["value"].to_list() == [0.0, 0.0]
    assert same["p_value"].to_list() == [1.0, 1.0]
    assert same["high"].to_list() == pytest.approx(
        [reach**2 / groups] * 2
    )  # every game of a group may change
    assert (same["low"] == -same["high"]).all()


def test_a_shared_victory_more_and_one_less_leave_exactly_nothing():
    third, half = {(0, 0): 1 / 3, (0, 1): 2 / 3}, {(5, 0): 1 / 3, (5, 1): 2 / 3}
    table = paired_table(players(50, third), players(50, half), "seat", value="win_share")
    assert table["value"].to_list() == [0.0, 0.0]  # not 5.551e-17
    lines = [format_estimate(one, percent=True, signed=True, with_n=False) for one in estimates(table)]
    assert lines == ["0 % ± 5"] * 2


def test_few_changed_groups_are_no_finding_and_many_are():
    def p_of(changed: int) -> float:
        lost = {(4 * group, 0): 0.0 for group in range(changed)} | {
            (4 * group, 1): 1.0 for group in range(changed)
        }
        return paired_table(players(300), players(300, lost), "seat", value="win_share")["p_value"][0]

    # All changes point the same way; a t test would call four of them a finding (p 0.045).
    assert p_of(4) > 2 * 0.5**4
    assert p_of(30) < 0.001


def test_who_never_wins_in_either_study_may_still_win_now_and_then():
    table = unpaired_table(players(100), players(100), "seat", value="win_share")
    assert table["value"].to_list() == [0.0, 0.0]
    assert 0.03 < table["high"].min() == table["high"].max() < 0.08
    assert table["p_value"].to_list() == [1.0, 1.0]
