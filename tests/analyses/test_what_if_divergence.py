"""Where two games diverge: both are played again, and described up to the first thing that differs."""

import pytest

from khora_sim.analyses.what_if.divergence import Replayed, divergence
from khora_sim.rules import load_rules, set_rules

CITIES = ("argos", "athens", "sparta", "thebes")


def played(*assignments: str, who: str = "random", seed: int = 3) -> Replayed:
    rules = set_rules(assignments) if assignments else load_rules()
    return Replayed(rules, (who,) * 4, CITIES, seed, 1)


def test_the_same_game_does_not_diverge():
    assert divergence(played(), played()) is None


def test_games_diverge_at_what_is_changed_and_not_before():
    found = divergence(played(), played("cities.argos.developments.1.effects.1.gain.vp=10"))
    assert found is not None
    before, after = found.first
    assert before.round == after.round == 0
    assert before.scores == after.scores == (0, 0, 0, 0)
    assert before.lines[0] == "Argos: 2 troops. +2 troops (2)."
    assert after.lines[0].startswith("Argos: 2 troops and 10 VP. +2 troops (2), +10 VP ")
    assert found.shared[-2].startswith("Thebes: goes into the game with ")
    assert found.shared[-1] == "First developments"


def test_points_alone_change_no_decision_of_random_players():
    found = divergence(played(), played("cities.argos.developments.4.effects.1.gain.glory=3"))
    assert found is None or found.decided is None


def test_other_players_diverge_at_their_first_other_decision():
    found = divergence(played(), played(who="first-legal"))
    assert found is not None
    assert found.decided == found.first
    before, after = found.first
    assert before.decision == after.decision
    assert before.decision is not None
    assert before.lines[0] != after.lines[0]
    assert before.lines[0].split(":")[0] == after.lines[0].split(":")[0]  # the same player decides


@pytest.mark.parametrize("rounds", [8, 10])
def test_a_game_that_ends_earlier_diverges_no_later_than_its_end(rounds: int):
    found = divergence(played(), played(f"rounds={rounds}"))
    assert found is not None
    assert max(found.first[0].round, found.first[1].round) <= 9
