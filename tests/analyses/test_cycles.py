"""Cycles in who beats whom."""

from khora_sim.analyses.cycles import cycles


def test_a_ladder_without_a_ring_has_no_cycle():
    assert cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_a_ring_of_three_is_reported_once_from_its_first_name():
    assert cycles({"c": {"a"}, "a": {"b"}, "b": {"c"}, "d": {"a"}}) == [("a", "b", "c")]


def test_everyone_is_in_the_shortest_ring_that_holds_them():
    beaten = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"a"}}
    assert cycles(beaten) == [("a", "b", "c"), ("a", "b", "c", "d")]
