"""The ruling on free levels: who holds a card that rewards being low on the track may decline them."""

import pytest

from khora_sim.engine.agenda import NONE, Task
from khora_sim.engine.match import Match
from khora_sim.records.decision_words import options_in_words
from khora_sim.rules import load_rules
from khora_sim.rules.terms import WANTS_LOW, Condition, Track
from khora_sim.strategy import load
from khora_sim.strategy.table import Table
from tests.engine.covering import covers
from tests.engine.scene import Scene

RULING = "free levels may be declined where a card rewards being low"
VARIANT = """
name = "Humble cards"

[cards.humble]
name = "Humble"
kind = "ongoing"
cost = 0
needs = {}
effects = [{ on = "tax-phase", if = "lowest-culture", gain = { drachmas = 1 } }]
text = "1 drachma in the tax phase while nobody has a lower culture level."

[cards.march]
name = "March"
kind = "immediate"
cost = 0
needs = {}
effects = [{ on = "at-once", gain = { military = 1, culture = 1, vp = 2, tokens = 1 } }]
text = "1 free military level, 1 free culture level, 2 VP and a minor token."
"""


@pytest.fixture(scope="module")
def humble(tmp_path_factory):
    path = tmp_path_factory.mktemp("variant") / "humble.toml"
    path.write_text(VARIANT, encoding="utf-8")
    return load_rules(path)


@covers("ruling", RULING)
@pytest.mark.parametrize("where", ["hand", "in_play"])
@pytest.mark.parametrize(("choice", "gained"), [("culture", {"culture": 1}), ("none", {})])
def test_a_free_culture_level_may_be_declined_with_power(where, choice, gained):
    cards = {"hand": "peripteros power"} if where == "hand" else {"hand": "peripteros", "in_play": "power"}
    scene = Scene().give(0, drachmas=1, tokens="gg", **cards)
    scene.play("peripteros")
    assert (scene.asked, scene.options) == ((0, "choose-track"), ["culture", "none"])
    scene.choose(choice)
    assert scene.asked is None
    paid = {"drachmas": -1, "hand": -1, "in play": 1}
    assert scene.changes(0) == paid | gained


@covers("ruling", RULING)
def test_a_level_that_is_taken_brings_its_gain_and_one_that_is_declined_does_not():
    def played(choice):
        scene = Scene().give(0, drachmas=1, tokens="gg", culture=2, hand="peripteros power")
        return scene.play("peripteros", choice).changes(0)

    taken, declined = played("culture"), played("none")
    assert declined == {"drachmas": -1, "hand": -1, "in play": 1}
    without = Scene().give(0, drachmas=1, tokens="gg", culture=2, hand="peripteros")
    assert taken == without.play("peripteros").changes(0)
    assert taken["culture"] == 1


@covers("ruling", RULING)
@pytest.mark.parametrize(("choice", "gained"), [("military", {"military": 1, "glory": 1}), ("none", {})])
def test_a_free_military_level_may_be_declined_with_rivalry_in_hand(choice, gained):
    scene = Scene(players=2).give(0, city="argos", development=2, tokens="rbb", hand="rivalry")
    scene.develop()
    assert (scene.asked, scene.options) == ((0, "choose-track"), ["military", "none"])
    assert scene.choose(choice).changes(0) == {"development": 1} | gained


@covers("ruling", RULING)
def test_rivalry_itself_may_be_declined_once_it_is_in_play():
    scene = Scene(players=2).give(0, hand="rivalry").give(1, military=2)
    assert scene.play("rivalry").options == ["military", "none"]
    assert scene.choose("none").changes(0) == {"hand": -1, "in play": 1}


@covers("ruling", RULING)
@pytest.mark.parametrize(
    "cards", [{}, {"hand": "peripteros rivalry"}, {"in_play": "rivalry public-market old-guard"}]
)
def test_nothing_is_asked_without_a_card_for_that_track(cards):
    scene = Scene().give(0, drachmas=1, tokens="gg", **({"hand": "peripteros"} | cards))
    if "in_play" in cards:
        scene.give(0, hand="peripteros")
    scene.play("peripteros")
    assert scene.asked is None
    assert scene.changes(0)["culture"] == 1


@covers("ruling", RULING)
def test_nothing_is_asked_at_the_end_of_a_track():
    scene = Scene().give(0, drachmas=1, tokens="gg", culture=7, hand="peripteros power")
    scene.play("peripteros")
    assert scene.asked is None
    assert scene.changes(0) == {"drachmas": -1, "hand": -1, "in play": 1}


@covers("ruling", RULING)
@pytest.mark.parametrize(
    ("choices", "levels"),
    [(("culture", "culture"), 2), (("culture", "none"), 1), (("none", "culture"), 1), (("none", "none"), 0)],
)
def test_two_free_levels_are_two_choices(choices, levels):
    scene = Scene().give(0, city="olympia", development=2, drachmas=2, tokens="rgg", in_play="power")
    scene.develop(*choices)
    assert scene.asked is None
    assert scene.player(0).culture == 1 + levels


@covers("ruling", RULING)
def test_one_level_below_the_end_only_one_of_two_levels_is_asked_for():
    scene = Scene().give(0, city="olympia", development=2, drachmas=2, tokens="rgg", culture=6)
    scene.give(0, in_play="power").develop("culture")
    assert scene.asked is None
    assert scene.player(0).culture == 7


@covers("ruling", RULING)
def test_levels_on_tracks_of_choice_may_be_declined_while_such_a_track_is_left():
    scene = Scene().give(0, city="miletus", development=1, drachmas=1, tokens="r", hand="power")
    assert scene.develop().options == ["economy", "culture", "military", "none"]
    assert scene.choose("culture").options == ["economy", "military"]
    scene = Scene().give(0, city="miletus", development=1, drachmas=1, tokens="r", hand="power")
    scene.develop("economy")
    assert scene.options == ["culture", "military", "none"]
    scene.choose("none")
    assert scene.asked is None
    assert scene.changes(0) == {"drachmas": -1, "development": 1, "economy": 1, "citizens": 3}


@covers("ruling", RULING)
def test_the_development_of_the_set_up_is_taken_as_it_is():
    scene = Scene(players=2).give(0, city="thebes", development=0, hand="rivalry")
    scene.game.round_number = 0
    scene.run(0, (Task.FIRST_DEVELOPMENTS, 0, 0))
    assert scene.asked is None
    assert scene.player(0).military == 2


@covers("ruling", RULING)
def test_a_level_to_pay_for_is_asked_for_once():
    scene = Scene().give(0, drachmas=1, in_play="power")
    assert scene.progress().options == ["culture", "none"]
    assert scene.choose("culture").changes(0) == {"drachmas": -1, "culture": 1}


@covers("ruling", RULING)
def test_cards_of_a_variant_count_by_what_they_do(humble):
    scene = Scene(rules=humble).give(0, hand="march humble rivalry")
    scene.play("march")
    seen = []
    while scene.asked is not None:
        seen.append(scene.options)
        scene.choose(scene.options[-1])
    assert seen == [["red", "blue", "green"], ["military", "none"], ["culture", "none"]]
    assert scene.changes(0) == {"vp": 2, "minor green": 1, "hand": -1, "in play": 1}


def test_every_condition_that_wants_a_player_to_be_low_is_known():
    assert list(WANTS_LOW) == [one for one in Condition if one.name.startswith(("LOWEST", "WEAKEST"))]


def declining(**given) -> Match:
    """A game in which a player is asked about a free culture level."""
    scene = Scene(players=2).give(0, drachmas=1, tokens="gg", hand="peripteros", **given)
    return scene.event("drought").play("peripteros").match


def test_both_options_have_words():
    match = declining(in_play="power")
    assert options_in_words(match, match.options()) == [
        "moves up to culture 2 for free",
        "declines a free level",
    ]


@pytest.mark.parametrize("name", ["merchant", "patron", "steward", "expert", "sage"])
def test_players_stay_low_while_it_pays(name):
    match = declining(in_play="power")  # it pays 4 VP in each of seven rounds to come, a level much less
    table, options = Table(match.rules, [load(name)]), match.options()
    table.out[: len(options)] = options
    assert table.ask_compiled(match._games, 0, table.tables, len(options), 0) == NONE


@pytest.mark.parametrize("name", ["merchant", "patron", "steward"])
def test_players_rise_where_somebody_else_is_lower_anyway(name):
    match = declining(in_play="power", culture=3)
    table, options = Table(match.rules, [load(name)]), match.options()
    table.out[: len(options)] = options
    assert table.ask_compiled(match._games, 0, table.tables, len(options), 0) == Track.CULTURE
