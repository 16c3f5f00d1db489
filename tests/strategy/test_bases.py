"""Strategies that build on another one: what takes its place, and what cannot."""

import pytest

from khora_sim.errors import UserError
from khora_sim.strategy import finding, load


def test_a_base_takes_the_place_of_the_first_policy_and_all_others_are_still_asked():
    names = [one.name for one in load("sage").policies]
    based = [one.name for one in load("sage:base=merchant").policies]
    assert (based[0], sorted(based)) == ("merchant", sorted(names))
    assert load("sage:base=adept").digest == load("sage").digest != load("sage:base=merchant").digest


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("merchant:base=steward", "merchant builds on no other strategy; ask for merchant alone"),
        ("restricted:base=plain-example", "restricted: base plain-example is plain Python; name one that is"),
        ("restricted:base=stewart", "there is no strategy 'stewart'; did you mean steward?"),
        ("restricted:base=", "restricted:base=: no base is named; name a strategy: restricted:base=steward"),
    ],
)
def test_a_base_that_cannot_be_is_reported_in_one_line(spec, message):
    with pytest.raises(UserError) as error:
        load(spec)
    assert str(error.value).startswith(message)


def test_a_strategy_on_a_file_of_a_stranger_is_not_built_in():
    assert finding.is_built_in("restricted:base=sage:base=merchant")
    assert not finding.is_built_in("restricted:base=sage:base=./mine.py")
