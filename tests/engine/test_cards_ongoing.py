"""The 18 cards that last: what each adds, when, and when not."""

import pytest

from tests.engine.covering import covers, each
from tests.engine.scene import ACTIONS, Scene

# card, action, what the action brings in all to a player on level 1 everywhere
WITH_ACTIONS = [
    ("stoa-poikile", "culture", {"vp": 1, "drachmas": 2}),
    ("amnesty-for-socrates", "legislation", {"citizens": 3, "philosophy": 1}),
    ("persians", "culture", {"vp": 1, "troops": 2}),
    ("diolkos", "trade", {"drachmas": 2 + 1, "troops": 1, "vp": 1}),
    ("foreign-supplies", "trade", {"drachmas": 2, "troops": 2}),
    ("founding-the-lyceum", "philosophy", {"philosophy": 1 + 1}),
    ("lighthouse", "trade", {"drachmas": 2, "vp": 3}),
]


def take(scene, action):
    """Take an action and decline whatever it offers."""
    scene.action(action)
    while scene.asked:
        scene.choose("none")
    return scene.changes(0)


@each("card", "card, action, changes", WITH_ACTIONS)
def test_card_adds_to_its_action(card, action, changes):
    assert take(Scene().give(0, in_play=card), action) == changes


@each("card", "card, action, changes", WITH_ACTIONS)
def test_card_leaves_other_actions_alone(card, action, changes):
    for other in ACTIONS:
        if other != action:
            assert take(Scene().give(0, in_play=card), other) == take(Scene(), other)


@each("card", "card, action, changes", WITH_ACTIONS)
def test_card_adds_nothing_to_the_actions_of_others(card, action, changes):
    assert take(Scene().give(1, in_play=card), action) == take(Scene(), action)


@covers("card", "extraordinary-collection")
def test_extraordinary_collection_pays_for_every_other_card():
    scene = Scene().give(0, in_play="extraordinary-collection", hand="gifts-from-the-west")
    scene.play("gifts-from-the-west")
    assert scene.changes(0) == {"drachmas": 3 + 2, "hand": -1, "in play": 1}


@covers("card", "extraordinary-collection")
def test_extraordinary_collection_does_not_pay_for_itself():
    scene = Scene().give(0, tokens="r", hand="extraordinary-collection")
    scene.play("extraordinary-collection")
    assert scene.changes(0) == {"hand": -1, "in play": 1}


@covers("card", "corinthian-columns")
def test_corinthian_columns_lower_the_price_of_a_minor_token_to_3():
    scene = Scene().give(0, drachmas=1, in_play="corinthian-columns")
    scene.action("trade").choose("blue")
    assert scene.changes(0) == {"drachmas": 2 - 3, "minor blue": 1}
    assert Scene().give(0, drachmas=2).action("trade").asked is None


@pytest.mark.parametrize(
    ("track", "level", "paid"), [("economy", 1, 1), ("culture", 1, 0), ("culture", 3, 5), ("military", 6, 8)]
)
@covers("card", "gradualism")
def test_gradualism_makes_every_level_1_drachma_cheaper(track, level, paid):
    scene = Scene().give(0, drachmas=paid, in_play="gradualism", **{track: level})
    scene.progress().choose(track)
    assert scene.changes(0)[track] == 1
    assert scene.player(0).drachmas == 0


@covers("card", "old-guard")
def test_old_guard_pays_4_after_a_progress_phase_without_a_step():
    scene = Scene().give(0, drachmas=2, in_play="old-guard")
    scene.progress().choose("none")
    assert scene.changes(0) == {"vp": 4}


@covers("card", "old-guard")
def test_old_guard_pays_nothing_after_a_step():
    scene = Scene().give(0, drachmas=2, in_play="old-guard")
    scene.progress().choose("culture")
    assert scene.changes(0) == {"drachmas": -1, "culture": 1}


@covers("card", "oracle")
def test_oracle_pays_4_for_a_development_unlocked():
    scene = Scene().give(0, tokens="bb", in_play="oracle")
    scene.develop(0)  # Argos 2: 2 troops
    assert scene.changes(0) == {"vp": 4, "troops": 2, "development": 1}


LEVELS = [
    # own level, the others' levels, whether Power (culture) and Public Market (economy) pay
    ("alone lowest", 1, (2, 3), True, False),
    ("tied lowest", 2, (2, 3), True, False),
    ("in the middle", 2, (1, 3), False, False),
    ("tied highest", 3, (1, 3), False, True),
    ("alone highest", 4, (1, 3), False, True),
    ("all equal", 2, (2, 2), True, True),
]


@pytest.mark.parametrize(("_", "own", "others", "power", "market"), LEVELS, ids=[row[0] for row in LEVELS])
@covers("card", "power", "public-market")
def test_power_and_public_market_pay_in_the_tax_phase(_, own, others, power, market):
    scene = Scene().give(0, culture=own, in_play="power")
    scene.give(1, culture=others[0]).give(2, culture=others[1])
    assert scene.tax_phase().changes(0) == ({"vp": 4} if power else {})
    scene = Scene().give(0, economy=own, in_play="public-market")
    scene.give(1, economy=others[0]).give(2, economy=others[1])
    assert scene.tax_phase().changes(0) == ({"vp": 3} if market else {})


@covers("card", "stadion")
def test_stadion_gives_2_troops_in_the_tax_phase():
    scene = Scene().give(0, tax=3, troops=1, in_play="stadion")
    assert scene.tax_phase().changes(0) == {"drachmas": 3, "troops": 2}


@covers("card", "reformists")
def test_reformists_allow_2_levels_on_any_tracks_each_paid_for():
    for second, paid in (("economy", 4), ("culture", 3)):
        scene = Scene().give(0, drachmas=4, in_play="reformists")
        scene.progress().choose("economy", second)
        assert scene.asked is None
        assert scene.changes(0)["drachmas"] == -paid


@covers("card", "helepole")
def test_helepole_saves_1_troop_when_exploring():
    scene = Scene().give(0, troops=5, in_play="helepole")
    scene.action("military").choose("major-red-2")  # needs 6, loses 3
    assert scene.changes(0) == {"troops": 1 - 2, "major red": 1, "drachmas": 2}


@covers("card", "helepole")
def test_helepole_saves_nothing_where_nothing_is_lost():
    scene = Scene().give(0, troops=2, in_play="helepole")
    scene.action("military").choose("minor-red-2")  # needs 3, loses 0
    assert scene.changes(0) == {"troops": 1, "minor red": 1}


@covers("card", "constructing-the-mint")
def test_constructing_the_mint_makes_economy_levels_free_in_the_progress_phase():
    scene = Scene().give(0, in_play="constructing-the-mint")
    scene.progress()
    assert scene.options == ["economy", "none"]
    scene.choose("economy")
    assert scene.changes(0) == {"economy": 1, "citizens": 3}
