"""The 8 cards that score at the end, and the final scoring itself."""

import pytest

from khora_sim.records.state import ranks
from tests.engine.covering import covers, each
from tests.engine.scene import Scene

# card, how the player stands, points for it
AT_THE_END = [
    ("bank", {"drachmas": 7}, 3),
    ("austerity", {"hand": "quarry power"}, 6),
    ("proskenion", {"citizens": 9}, 9),
    ("diversification", {"economy": 4, "culture": 3, "military": 5}, 9),
    ("central-government", {}, 2),
    ("gold-reserve", {"economy": 5}, 10),
    ("heavy-taxes", {"tax": 4}, 8),
    ("hall-of-statues", {"tokens": "rrbG"}, 4),
]


@each("card", "card, given, points", AT_THE_END)
def test_card_scores_at_the_end(card, given, points):
    scene = Scene().give(0, in_play=card, vp=11, **given)
    assert scene.end_of_game().changes(0) == {"vp": points}
    assert scene.changes(1) == {}


@each("card", "card, given, points", AT_THE_END)
def test_card_does_nothing_when_played(card, given, points):
    hand = f"{card} {given.get('hand', '')}"
    scene = Scene().give(0, drachmas=8, tokens="rrrbbbggg", hand=hand)
    scene.play(card)
    assert set(scene.changes(0)) <= {"drachmas", "hand", "in play"}


@covers("card", "central-government")
def test_central_government_counts_itself_among_the_cards_in_play():
    scene = Scene().give(0, in_play="central-government quarry council")
    assert scene.end_of_game().changes(0) == {"vp": 6}


@covers("card", "bank")
def test_bank_rounds_down():
    assert Scene().give(0, in_play="bank", drachmas=1).end_of_game().changes(0) == {}


@covers("final scoring", "glory")
def test_glory_counts_once_for_every_major_token():
    scene = Scene().give(0, glory=3, tokens="RRGbb").give(1, glory=4, tokens="rrr").give(2, tokens="BG")
    scene.end_of_game()
    assert [scene.changes(seat) for seat in range(3)] == [{"vp": 9}, {}, {}]


@covers("final scoring", "sum")
def test_all_that_scores_adds_up():
    scene = Scene().give(0, city="athens", development=4, glory=2, tokens="RBg", drachmas=4, vp=20)
    scene.give(0, in_play="bank hall-of-statues quarry")
    assert scene.end_of_game().changes(0) == {"vp": 3 * 3 + 2 * 2 + 4 // 2 + 3}
    assert scene.player(0).vp == 38


@covers("final scoring", "round")
def test_only_the_last_round_ends_the_game():
    scene = Scene().give(0, in_play="bank", drachmas=8)
    assert scene.end_of_round(8).changes(0) == {}
    assert scene.game.round_number == 9
    assert scene.asked[1] == "place-tiles"


@pytest.mark.parametrize(
    ("points", "drachmas", "places"),
    [
        ((9, 12, 7), (0, 0, 9), [2, 1, 3]),
        ((9, 9, 7), (1, 2, 9), [2, 1, 3]),  # most drachmas
        ((9, 9, 7), (2, 2, 9), [1, 1, 3]),  # a shared victory
    ],
)
@covers("final scoring", "ties")
def test_ties_go_to_the_most_drachmas_and_are_shared_beyond_that(points, drachmas, places):
    scene = Scene()
    for seat in range(3):
        scene.give(seat, vp=points[seat], drachmas=drachmas[seat])
    assert ranks(scene.end_of_game().match) == places
