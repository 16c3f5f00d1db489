import math

import pytest

from khora_sim.stats import Estimate, decimals_of, format_estimate


@pytest.mark.parametrize(
    ("estimate", "words", "expected"),
    [
        (Estimate(0.27412, 0.26802, 0.28022, 20_000), {"percent": True}, "27.4 % ± 0.6, n 20,000"),
        (Estimate(0.2743, 0.2729, 0.2757, 400_000), {"percent": True}, "27.43 % ± 0.14, n 400,000"),
        (Estimate(0.004, 0.001, 0.0143, 500), {"percent": True}, "0.4 % (0.1 to 1.4), n 500"),
        (Estimate(0.25, 0.25, 0.25, 4000), {"percent": True}, "25 % exactly, n 4,000"),
        (Estimate(0.0, 0.0, 0.0, 400), {"percent": True, "signed": True, "with_n": False}, "0 % exactly"),
        (Estimate(0.25, 0.0, 1.0, 4), {"percent": True}, "25 % (too few games for an interval), n 4"),
        (Estimate(41.234, 40.9, 41.57, 900), {"unit": "points"}, "41.2 points ± 0.3, n 900"),
        (Estimate(-1.26, -1.95, -0.57, 900), {"signed": True, "with_n": False}, "−1.3 ± 0.7"),
        (Estimate(1.26, 0.57, 1.95, 900), {"signed": True, "with_n": False}, "+1.3 ± 0.7"),
        (Estimate(-0.01, -0.71, 0.69, 900), {"signed": True, "with_n": False}, "0.0 ± 0.7"),
        (Estimate(1234.5, 1178.0, 1291.0, 12), {}, "1,230 ± 60, n 12"),
        (Estimate(0.04, -0.19, 0.27, 160), {"percent": True, "with_n": False}, "4 % ± 23"),
        (Estimate(4.0, -19.0, 27.0, 160), {"whole": True, "signed": True, "with_n": False}, "+4 ± 23"),
        (Estimate(3.0, -math.inf, math.inf, 1), {}, "3 (too few games for an interval), n 1"),
        (Estimate(math.nan, 0.0, 1.0, 0), {"percent": True}, "unknown, n 0"),
    ],
)
def test_an_estimate_shows_no_more_digits_than_it_knows(estimate, words, expected):
    assert format_estimate(estimate, **words) == expected


def test_a_margin_supports_one_digit_and_two_when_it_begins_with_a_one():
    assert [decimals_of(m) for m in (61.0, 14.0, 6.1, 1.4, 0.61, 0.14, 0.1, 0.0, math.inf)] == [
        -1, 0, 0, 1, 1, 2, 2, 0, 0,
    ]  # fmt: skip


def test_margin_is_half_the_width_and_bounds_are_inside():
    estimate = Estimate(0.3, 0.2, 0.5, 10)
    assert estimate.margin == pytest.approx(0.15)
    assert estimate.holds(0.2)
    assert not estimate.holds(0.51)
