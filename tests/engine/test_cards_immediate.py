"""The 14 cards that take effect at once, each played with just its price."""

from tests.engine.covering import covers, each
from tests.engine.scene import Scene

PLAYED = {"hand": -1, "in play": 1}

# card, what the player has, what changes besides the card itself
GAINS = [
    ("peripteros", {"drachmas": 1, "tokens": "gg"}, {"drachmas": -1, "culture": 1}),
    ("quarry", {"tokens": "r"}, {"tax": 1}),
    ("contribution", {"tokens": "bbrG"}, {"drachmas": 3}),
    ("colossus-of-rhodes", {"drachmas": 6, "tokens": "rbg"}, {"drachmas": -6, "vp": 10}),
    ("silver-mining", {"drachmas": 3, "tokens": "r"}, {"drachmas": -3, "tax": 2}),
    ("tunnel-of-eupalinos", {"drachmas": 4}, {"drachmas": -4, "vp": 6}),
    ("gifts-from-the-west", {"drachmas": 2}, {"drachmas": 3}),
    ("mercenary-recruitment", {"tokens": "r", "economy": 4}, {"troops": 4}),
    ("archives", {"drachmas": 2}, {"drachmas": -2, "philosophy": 3}),
    ("greek-fire", {"tokens": "b"}, {"troops": 4}),
    ("rivalry", {}, {}),  # the others are not higher
]


@each("card", "card, given, gains", GAINS)
def test_card_gives_at_once(card, given, gains):
    scene = Scene().give(0, hand=card, **given)
    scene.play(card)
    assert scene.changes(0) == gains | PLAYED
    assert scene.changes(1) == scene.changes(2) == {}
    assert scene.asked is None


@covers("card", "council")
def test_council_draws_the_two_top_cards():
    scene = Scene().give(0, hand="council").deck("bank", "quarry", "power")
    scene.play("council")
    assert scene.hand(0) == {"bank", "quarry"}
    assert scene.deck_cards() == ["power"]
    assert scene.changes(0) == {"hand": 1, "in play": 1}


@covers("card", "scholarly-welcome")
def test_scholarly_welcome_gives_a_minor_token_of_any_colour():
    for colour in ("red", "blue", "green"):
        scene = Scene().give(0, drachmas=2, hand="scholarly-welcome")
        scene.play("scholarly-welcome")
        assert scene.options == ["red", "blue", "green"]
        scene.choose(colour)
        assert scene.changes(0) == {"drachmas": -2, f"minor {colour}": 1} | PLAYED


@covers("card", "rivalry")
def test_rivalry_gives_a_level_and_its_gain_if_all_others_are_higher():
    scene = Scene().give(0, hand="rivalry").give(1, military=2).give(2, military=3)
    scene.play("rivalry", "military")
    assert scene.changes(0) == {"military": 1, "glory": 1} | PLAYED


@covers("card", "peripteros")
def test_peripteros_gives_the_gain_of_the_level_entered():
    scene = Scene().give(0, drachmas=1, tokens="gg", culture=2, hand="peripteros")
    scene.play("peripteros")
    assert scene.changes(0) == {"drachmas": -1, "culture": 1, "tax": 1} | PLAYED


@covers("card", "peripteros")
def test_peripteros_on_the_last_level_gives_nothing():
    scene = Scene().give(0, drachmas=1, tokens="gg", culture=7, hand="peripteros")
    scene.play("peripteros")
    assert scene.changes(0) == {"drachmas": -1} | PLAYED


@covers("card", "contribution")
def test_contribution_counts_minor_tokens_only():
    scene = Scene().give(0, tokens="BBRG", hand="contribution")
    scene.play("contribution")
    assert scene.changes(0) == PLAYED


@covers("card", "ostracism")
def test_ostracism_takes_a_card_back_and_plays_another():
    scene = Scene().give(0, drachmas=5, tokens="r", hand="ostracism archives", in_play="quarry diolkos")
    scene.play("ostracism")
    assert scene.asked == (0, "take-back-card")
    assert scene.options == ["diolkos", "quarry"]
    scene.choose("quarry")
    assert scene.asked == (0, "play-card")
    assert scene.options == ["quarry", "archives", "none"]
    scene.choose("quarry")
    assert scene.changes(0) == {"drachmas": -3, "tax": 1, "hand": -1, "in play": 1}
    assert scene.in_play(0) == {"ostracism", "quarry", "diolkos"}


@covers("card", "ostracism")
def test_ostracism_may_end_with_the_card_back_in_hand():
    scene = Scene().give(0, drachmas=3, hand="ostracism", in_play="gifts-from-the-west")
    scene.play("ostracism")
    assert scene.options == ["gifts-from-the-west", "none"]  # one card to take back is no choice
    scene.choose("none")
    assert scene.hand(0) == {"gifts-from-the-west"}
    assert scene.changes(0) == {"drachmas": -3}


@covers("card", "ostracism")
def test_ostracism_ends_what_the_card_taken_back_did():
    scene = Scene().give(0, drachmas=13, hand="ostracism", in_play="corinthian-columns")
    scene.play("ostracism", "none")
    scene.action("trade").choose("red")
    assert scene.changes(0) == {"drachmas": 2 - 5, "minor red": 1}
