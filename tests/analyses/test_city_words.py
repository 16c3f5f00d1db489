"""What is said of cities along a ladder, by the rules that `analyses.cities` states."""

import numpy as np
import pytest

from khora_sim.analyses.cities import against_fair, corrected, p_beyond, word_for, words_for
from khora_sim.pages.published_answers import (
    FOR_BEGINNERS,
    IN_STRONG_HANDS,
    OPEN,
    STRONG,
    WEAK,
    WEAK_IN_STRONG_HANDS,
    headline,
    peers_by_player,
    sentences,
)
from tests.analyses.made_up_cities import made_up_answer, self_play


@pytest.mark.parametrize(
    ("levels", "word"),
    [
        (("above", "above", "above"), STRONG),
        (("open", "above", "above"), IN_STRONG_HANDS),
        (("below", "below", "above"), IN_STRONG_HANDS),
        (("above", "open", "below"), FOR_BEGINNERS),
        (("below", "below", "below"), WEAK),
        (("open", "below", "below"), WEAK_IN_STRONG_HANDS),
        (("above", "above", "open"), OPEN),
        (("open", "open", "open"), OPEN),
    ],
)
def test_the_strongest_player_decides_and_the_others_say_how_far_down_it_holds(levels, word):
    assert word_for(levels) == word


def test_a_share_is_distinguished_from_the_fair_one_only_where_the_corrected_p_stands():
    assert against_fair(0.3, 0.25, 0.04) == "above"
    assert against_fair(0.2, 0.25, 0.04) == "below"
    assert against_fair(0.3, 0.25, 0.05) == "open"


def test_all_players_and_cities_of_a_table_are_corrected_together():
    assert corrected({("a", "x"): 0.01, ("a", "y"): 0.04, ("b", "x"): 0.03}) == pytest.approx(
        {("a", "x"): 0.03, ("a", "y"): 0.06, ("b", "x"): 0.06}
    )


def p_of(share: float, spread: float) -> float:
    """The p-value of a share of 10,000 independent games."""
    one = np.array([share])
    p = p_beyond(one, 0.25, np.array([spread]), one * (1 - one) / 1e4, np.array([1000]), np.array([10_000]))
    return float(p[0])


def test_a_difference_has_to_be_larger_than_the_spread_between_players():
    assert p_of(0.30, 0.0) < 1e-6
    assert p_of(0.30, 0.03) < 1e-4
    assert p_of(0.30, 0.045) > 0.1  # half a point beyond the spread is within chance
    assert p_of(0.30, 0.06) == 1.0  # inside the spread
    assert p_of(0.20, 0.06) == 1.0
    assert p_of(0.05, 0.30) == 1.0  # no share lies so far below


def test_the_headline_names_the_players_and_leaves_random_play_out():
    answer = made_up_answer(random={"argos": "above"}, merchant={"argos": "below"}, sage={"argos": "below"})
    (table,) = answer.tables
    message = headline(answer, table)
    assert message.startswith("At 4 players, from merchant to sage, each among its own kind: ")
    assert "Argos is weak at all levels" in message
    assert message.endswith("not settled: Corinth, Thebes, Miletus, Sparta, Olympia and Athens.")


def test_without_peers_the_uncertainty_of_the_players_is_said_to_be_unknown():
    answer = made_up_answer(sage={})
    assert any(
        "as strong as sage would change this is unknown" in line
        for line in sentences(answer, answer.tables[0])
    )


def test_with_peers_the_largest_spread_is_the_uncertainty_of_the_verdict():
    answer = made_up_answer(peers={"olympia": 0.31, "argos": 0.22}, sage={})
    (table,) = answer.tables
    assert table.spread("olympia") == pytest.approx(0.06)
    assert table.between_players("argos") == pytest.approx((0.22, 0.25))
    assert any(
        "differ by up to 6.0 points of win share, most with Olympia" in line
        for line in sentences(answer, table)
    )


def test_peers_of_another_player_say_how_far_to_trust_its_shares_only():
    answer = made_up_answer(peers={"olympia": 0.31}, peer="adept:learned=a.npz", adept={}, sage={})
    (table,) = answer.tables
    assert table.spread("olympia") is None
    assert table.spread("olympia", table.ladder[0]) == pytest.approx(0.06)
    assert any("as strong as sage would change this is unknown" in one for one in sentences(answer, table))


def test_both_uncertainties_are_said_where_two_players_have_peers():
    answer = made_up_answer(peers={"olympia": 0.31}, adept={}, sage={})
    (table,) = answer.tables
    (peer,) = table.peers
    other = peer.model_copy(update={"strategy": "adept:learned=a.npz"})
    table = table.model_copy(update={"peers": (peer, other)})
    sentence = next(one for one in sentences(answer, table) if "trained independently" in one)
    assert sentence.endswith(
        "that is how far to trust it. 2 players like adept differ by up to 6.0 points, most with Olympia."
    )


def test_a_peer_belongs_to_the_player_of_its_name_and_else_to_the_strongest():
    ladder = ["steward", "adept:learned=x.npz", "sage"]
    found = peers_by_player(ladder, ["adept:learned=y.npz", "./other.py"])
    assert found == {"steward": [], "adept:learned=x.npz": ["adept:learned=y.npz"], "sage": ["./other.py"]}


def test_what_players_never_unlock_is_named_beside_the_shares():
    answer = made_up_answer(merchant={}, sage={}, unlocked={"sparta": 0.0})
    message = sentences(answer, answer.tables[0])[-1]
    assert message.startswith("Developments hardly ever unlocked (in less than 2 % of games): ")
    assert "by merchant, Sparta 2; by sage, Sparta 2." in message


def test_a_player_that_never_unlocks_a_city_is_left_out_of_its_words():
    known, blind = (
        self_play("expert", {"olympia": "below"}, {} if rate is None else {"olympia": rate})
        for rate in (None, 0.0)
    )
    weak, strong = self_play("steward", {"olympia": "above"}, {}), self_play("sage", {"olympia": "above"}, {})
    assert words_for([weak, known, strong])["olympia"] == IN_STRONG_HANDS
    assert words_for([weak, blind, strong])["olympia"] == STRONG
    assert words_for([weak, blind])["olympia"] == OPEN


def test_a_single_player_says_nothing_of_other_levels():
    answer = made_up_answer(steward={"olympia": "above", "miletus": "above", "sparta": "below"})
    message = headline(answer, answer.tables[0])
    assert message.startswith(
        "At 4 players, with steward in every seat: Miletus and Olympia are above their fair share; "
        "Sparta is below its fair share; not settled: "
    )
