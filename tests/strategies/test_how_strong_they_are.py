"""How strong the built-in strategies are: targets that a short ladder of all of them meets."""

import pytest

import khora_sim
from khora_sim.analyses.ladder import Ladder, contenders
from tests.strategies.test_every_strategy import ARCHETYPES


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    fast = tuple(name for name in contenders() if name != "sage")
    return khora_sim.ladder(*fast, games=80, seed=7)


@pytest.mark.parametrize("name", ARCHETYPES)
def test_an_archetype_beats_three_random_players(ladder: Ladder, name: str):
    assert ladder.shares[name, "random"].value >= 0.85


def test_steward_beats_three_random_players(ladder: Ladder):
    assert ladder.shares["steward", "random"].value >= 0.97


@pytest.mark.parametrize("name", ARCHETYPES)
def test_steward_wins_more_than_its_share_against_three_of_an_archetype(ladder: Ladder, name: str):
    assert ladder.shares["steward", name].value >= 0.35


@pytest.mark.parametrize("name", ["random", "first-legal", "steward", *ARCHETYPES])
def test_idle_loses_to_everyone(ladder: Ladder, name: str):
    assert ladder.shares["idle", name].value < 0.15


def test_expert_wins_far_more_than_its_share_against_three_stewards(ladder: Ladder):
    assert ladder.shares["expert", "steward"].value >= 0.4


def test_adept_wins_far_more_than_its_share_against_three_experts(ladder: Ladder):
    assert ladder.shares["adept", "expert"].value >= 0.4


def test_adept_expert_and_steward_stand_first_and_idle_last(ladder: Ladder):
    assert (*ladder.names[:3], ladder.names[-1]) == ("adept", "expert", "steward", "idle")


@pytest.mark.slow
def test_sage_beats_three_stewards():
    assert khora_sim.ladder("sage", "steward", games=80, seed=7).shares["sage", "steward"].value >= 0.75
