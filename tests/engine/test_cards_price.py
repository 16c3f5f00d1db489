"""What each of the 40 cards asks for: drachmas to pay, knowledge to own."""

from tests.engine.covering import each
from tests.engine.scene import Scene

PRICES = [
    ("bank", 0, "rr"),
    ("austerity", 6, "ggg"),
    ("proskenion", 0, "bb"),
    ("diversification", 6, "rbg"),
    ("central-government", 4, "gg"),
    ("gold-reserve", 8, "rrr"),
    ("heavy-taxes", 4, "rrgg"),
    ("hall-of-statues", 2, "rbg"),
    ("stoa-poikile", 0, "g"),
    ("amnesty-for-socrates", 2, ""),
    ("persians", 0, "bg"),
    ("extraordinary-collection", 0, "r"),
    ("diolkos", 0, "r"),
    ("corinthian-columns", 0, ""),
    ("foreign-supplies", 2, ""),
    ("gradualism", 0, "g"),
    ("old-guard", 0, "rg"),
    ("oracle", 3, "rbg"),
    ("power", 0, "rb"),
    ("public-market", 3, "r"),
    ("reformists", 0, "rbg"),
    ("founding-the-lyceum", 3, ""),
    ("stadion", 2, "bb"),
    ("lighthouse", 1, "r"),
    ("helepole", 1, "b"),
    ("constructing-the-mint", 2, "rr"),
    ("ostracism", 3, ""),
    ("rivalry", 0, ""),
    ("peripteros", 1, "gg"),
    ("quarry", 0, "r"),
    ("contribution", 0, "b"),
    ("colossus-of-rhodes", 6, "rbg"),
    ("silver-mining", 3, "r"),
    ("scholarly-welcome", 2, ""),
    ("tunnel-of-eupalinos", 4, ""),
    ("gifts-from-the-west", 0, ""),
    ("council", 0, ""),
    ("mercenary-recruitment", 0, "r"),
    ("archives", 2, ""),
    ("greek-fire", 0, "b"),
]


def offered(card, drachmas, tokens):
    scene = Scene().give(0, drachmas=drachmas, tokens=tokens, hand=card)
    return card in scene.action("politics").options


@each("price", "card, cost, needs", PRICES)
def test_card_can_be_played_with_just_its_price(card, cost, needs):
    scene = Scene().give(0, drachmas=cost, tokens=needs, hand=card)
    scene.action("politics")
    assert scene.options == [card, "none"]
    scene.choose(card)
    assert scene.in_play(0) == {card}
    assert card not in scene.hand(0)


@each("price", "card, cost, needs", PRICES)
def test_card_cannot_be_played_for_less(card, cost, needs):
    assert cost == 0 or not offered(card, cost - 1, needs)
    for token in set(needs):
        assert not offered(card, cost, needs.replace(token, "", 1))


@each("price", "card, cost, needs", PRICES)
def test_major_tokens_count_like_minor_ones_and_none_are_spent(card, cost, needs):
    scene = Scene().give(0, drachmas=cost, tokens=needs.upper(), hand=card)
    scene.action("politics").choose(card)
    changes = scene.changes(0)
    assert not [name for name in changes if name.startswith("major")]
    assert changes["in play"] == 1
