"""One notation of ranges: whole numbers, shares with what is near enough, and limits."""

from decimal import Decimal

import pytest

from khora_sim.common.ranges import share, whole_numbers
from khora_sim.errors import UserError


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3", (3,)),
        ("0..4", (0, 1, 2, 3, 4)),
        ("0..6:2", (0, 2, 4, 6)),
        ("0..7:3", (0, 3, 6)),
        ("4, 0,2", (0, 2, 4)),
        ("-2..0", (-2, -1, 0)),
        ("0..2,2..3,9", (0, 1, 2, 3, 9)),
    ],
)
def test_whole_numbers_are_ranges_steps_and_lists(text, numbers):
    assert whole_numbers(text, "--vary rounds") == numbers


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nine", "--vary rounds: 'nine' is not a range of whole numbers; try 0..4, 0..6:2 or 0,2,4"),
        ("", "--vary rounds: '' is not a range of whole numbers; try 0..4, 0..6:2 or 0,2,4"),
        ("4..0", "--vary rounds: 4..0 runs downwards; try 0..4"),
        ("0..4:0", "--vary rounds: a step of 0 never ends; try 0..4"),
        ("0..999999999", "--vary rounds: more than 100 values; take a larger step, such as 0..200:10"),
    ],
)
def test_other_texts_are_one_error(text, told):
    with pytest.raises(UserError) as refused:
        whole_numbers(text, "--vary rounds")
    assert str(refused.value) == told


@pytest.mark.parametrize(
    ("text", "centre", "within", "limits"),
    [
        ("25", "25", None, ("25", "25")),
        ("25 %", "25", None, ("25", "25")),
        ("25+-2", "25", "2", ("23", "27")),
        ("25 ± 2", "25", "2", ("23", "27")),
        ("33.3+/-0.1", "33.3", "0.1", ("33.2", "33.4")),
        ("23..27", "25", "2", ("23", "27")),
        ("0.1..0.4", "0.25", "0.15", ("0.1", "0.4")),
    ],
)
def test_a_share_has_what_is_near_enough_or_limits(text, centre, within, limits):
    found = share(text)
    assert found == (Decimal(centre), None if within is None else Decimal(within))
    assert found.limits == tuple(map(Decimal, limits))


@pytest.mark.parametrize("text", ["", "many", "-5", "101", "27..23", "20..101", "25+-", "20..30..40", "1e1"])
def test_what_is_no_share_from_0_to_100_is_none(text):
    assert share(text) is None
