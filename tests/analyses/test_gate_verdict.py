"""The words of a gate follow from the intervals, by the rules that are written down."""

import pytest

from khora_sim.analyses.gate import GateOptions
from khora_sim.analyses.gate.verdict import (
    Finding,
    Limits,
    Range,
    Word,
    evaluated,
    joint_level,
    limits_of,
    range_of,
    worst,
)
from khora_sim.errors import UserError
from khora_sim.stats import Estimate

ANY = Range(0.2, 0.3)


def between(low: float, high: float) -> Estimate:
    """An interval in percent."""
    return Estimate((low + high) / 200, low / 100, high / 100, 1000)


def word(low: float, high: float, most: float = 2.0) -> Word:
    """The word for a change."""
    return evaluated(between(low, high), most, between(24, 26), None).word


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (2.1, 5, Word.FAIL),
        (-5, -2.1, Word.FAIL),
        (0.5, 3, Word.WARN),
        (-3, -0.5, Word.WARN),
        (0.5, 1.9, Word.PASS),
        (-9, 9, Word.PASS),
        (0, 3, Word.PASS),
    ],
)
def test_a_change_fails_where_all_of_its_interval_is_too_large_and_warns_where_it_may_be(low, high, expected):
    assert word(low, high) == expected


def test_no_change_is_too_large_by_nothing():
    assert word(0, 0, most=0) == Word.PASS
    assert word(0.1, 0.2, most=0) == Word.FAIL


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (30.1, 33, Word.FAIL),
        (10, 19.9, Word.FAIL),
        (29, 31, Word.WARN),
        (19, 21, Word.WARN),
        (20, 30, Word.PASS),
    ],
)
def test_a_share_fails_outside_its_limits_and_warns_across_one(low, high, expected):
    assert evaluated(between(-1, 1), 2.0, between(low, high), ANY).word == expected


def test_what_is_new_has_to_keep_to_the_limits():
    assert evaluated(None, 2.0, between(24, 26), ANY).word == Word.NEW
    assert evaluated(None, 2.0, between(31, 33), ANY) == Finding(
        Word.FAIL, "31.0 to 33.0 %, outside 20..30 %; not in the baseline"
    )


def test_what_is_gone_is_removed_whatever_the_limits():
    assert evaluated(None, 2.0, None, ANY).word == Word.REMOVED


def test_the_worst_word_is_the_verdict():
    assert worst([Word.PASS, Word.NEW, Word.WARN]) == Word.WARN
    assert worst([Word.REMOVED, Word.FAIL]) == Word.FAIL
    assert worst([]) == Word.PASS


def test_joint_intervals_share_out_5_in_100():
    assert joint_level(1) == pytest.approx(0.95)
    assert joint_level(10) == pytest.approx(0.995)


def test_limits_are_typed_in_percent():
    assert limits_of("20..30", None, 1.5) == Limits(city_share=Range(0.2, 0.3), change=1.5)


@pytest.mark.parametrize(
    "typed", ["20", "20-30", "30..20", "a..b", "..", "-1..30", "20..101", "nan..30", "1..2..3"]
)
def test_what_is_no_range_is_refused(typed):
    with pytest.raises(UserError, match=r"should be a range of percentages such as 20\.\.30"):
        range_of(typed, "--city-share")


def test_a_change_is_a_number_of_percentage_points(tmp_path):
    with pytest.raises(UserError, match="--change -1: expected 0 to 100 percentage points"):
        GateOptions.of({"baseline": tmp_path / "b.json", "write": True, "change": -1})
