"""Phase F: the 16 events."""

import pytest

from tests.engine.covering import covers, each
from tests.engine.scene import ACTIONS, Scene


def table_of(troops, first_player=0, **everyone):
    """A table where each player has so many troops, and all have the same of everything else."""
    scene = Scene(players=len(troops))
    for seat, count in enumerate(troops):
        scene.give(seat, troops=count, **everyone)
    scene.game.first_player = first_player
    return scene


def changes(scene):
    return [scene.changes(seat) for seat in range(scene.players)]


# event, what everyone has, what it does to everyone, what is left of a smaller amount
FOR_ALL = [
    ("plague-of-athens", "citizens", -2),
    ("supplies-from-lydia", "drachmas", 3),
    ("invention-of-the-trireme", "troops", 3),
    ("drought", "drachmas", -2),
    ("outbreak-of-war", "troops", -2),
]


@each("event", "event, name, amount", FOR_ALL)
def test_event_touches_everyone_whatever_their_troops(event, name, amount):
    scene = table_of((5, 4, 3), **({} if name == "troops" else {name: 4}))
    assert changes(scene.resolve(event)) == [{name: amount}] * 3


@each("event", "event, name, amount", [row for row in FOR_ALL if row[2] < 0])
def test_event_takes_no_more_than_there_is(event, name, amount):
    scene = Scene(players=2).give(0, **{name: 1})
    scene.resolve(event)
    assert changes(scene) == [{name: -1}, {}]


# event, what everyone has, most troops, least troops
BY_TROOPS = [
    ("origin-of-the-academy", {"philosophy": 2}, {"philosophy": 1}, {"philosophy": -2}),
    ("conscripting-troops", {"citizens": 5}, {"citizens": 3}, {"citizens": -3}),
    ("eleusinian-mysteries", {"vp": 5}, {"vp": 4}, {"vp": -4}),
    ("the-savior-of-greece", {"drachmas": 5}, {"drachmas": 2}, {"drachmas": -2}),
]


@each("event", "event, everyone, most, least", BY_TROOPS)
def test_event_touches_only_most_and_least_troops(event, everyone, most, least):
    assert changes(table_of((2, 5, 0), **everyone).resolve(event)) == [{}, most, least]


@each("event", "event, everyone, most, least", BY_TROOPS)
def test_event_touches_all_of_the_tied(event, everyone, most, least):
    assert changes(table_of((5, 5, 0), **everyone).resolve(event)) == [most, most, least]
    assert changes(table_of((1, 5, 1), **everyone).resolve(event)) == [least, most, least]
    assert changes(table_of((1, 4, 1, 4), **everyone).resolve(event)) == [least, most, least, most]


LITTLE = [
    # event, all have 1, all are tied for most and least: first the gain, then the loss
    ("origin-of-the-academy", "philosophy", -1),
    ("conscripting-troops", "citizens", 0),
    ("eleusinian-mysteries", "vp", 0),
    ("the-savior-of-greece", "drachmas", 0),
]


@each("event", "event, name, change", LITTLE)
def test_all_tied_apply_both_halves_gains_first(event, name, change):
    scene = table_of((3, 3, 3), **{name: 1})
    assert changes(scene.resolve(event)) == [{name: change} if change else {}] * 3


@each("event", "event, name, change", LITTLE)
def test_lowest_half_takes_no_more_than_there_is(event, name, change):
    scene = table_of((3, 0), **{name: 1})
    assert scene.resolve(event).changes(1) == {name: -1}


@covers("event", "the-thirty-tyrants")
def test_the_thirty_tyrants_draw_for_the_most_and_discard_for_the_least():
    scene = table_of((1, 4, 0)).give(2, hand="bank quarry power").deck("council", "archives", "oracle")
    scene.resolve("the-thirty-tyrants")
    assert scene.hand(1) == {"council", "archives"}
    assert (scene.asked, scene.options) == ((2, "discard"), ["bank", "power", "quarry"])
    scene.choose("power", "bank")
    assert scene.hand(2) == {"quarry"}
    assert scene.deck_cards() == ["oracle", "power", "bank"]
    assert changes(scene) == [{}, {"hand": 2}, {"hand": -2}]


@covers("event", "the-thirty-tyrants")
def test_the_thirty_tyrants_draw_in_turn_order_before_anyone_discards():
    scene = table_of((0, 0), first_player=1).deck("bank", "quarry", "power", "council")
    scene.resolve("the-thirty-tyrants")
    assert scene.hand(1) == {"bank", "quarry"}
    assert scene.hand(0) == {"power", "council"}
    assert (scene.asked, scene.options) == ((1, "discard"), ["bank", "quarry"])
    scene.choose("quarry")  # the last card is no choice
    assert scene.asked == (0, "discard")
    scene.choose("power")
    assert scene.deck_cards() == ["quarry", "bank", "power", "council"]


@covers("event", "the-thirty-tyrants")
def test_the_thirty_tyrants_discard_at_most_the_hand():
    scene = table_of((1, 0)).give(1, hand="bank", in_play="quarry")
    assert scene.resolve("the-thirty-tyrants").changes(1) == {"hand": -1}
    assert scene.in_play(1) == {"quarry"}


@covers("event", "oracle-of-delphi")
def test_oracle_of_delphi_takes_a_token_of_choice_for_2_philosophy_tokens():
    scene = Scene().give(0, tokens="rrG").give(1, tokens="b")
    scene.resolve("oracle-of-delphi")
    assert (scene.asked, scene.options) == ((0, "lose-token"), ["minor red", "major green"])
    scene.choose("major green")
    assert changes(scene) == [
        {"major green": -1, "philosophy": 2},
        {"minor blue": -1, "philosophy": 2},
        {},  # lost nothing, gains nothing
    ]


@covers("event", "military-victory")
def test_military_victory_lets_the_most_troops_climb_for_2_less():
    scene = table_of((4, 1, 4), drachmas=4, culture=2, military=3)
    scene.resolve("military-victory")
    assert (scene.asked, scene.options) == ((0, "climb-cheaper"), ["economy", "culture", "military", "none"])
    scene.choose("military")  # 4 - 2
    assert scene.asked == (2, "climb-cheaper")
    scene.choose("economy")  # 2 - 2
    gains = {"economy": 1, "citizens": 3}
    assert changes(scene) == [{"drachmas": -2, "military": 1, "glory": 1}, {}, gains]


@covers("event", "military-victory")
def test_military_victory_may_be_declined_and_price_stops_at_0():
    scene = table_of((4, 1), culture=1, economy=3)
    assert scene.resolve("military-victory").options == ["culture", "military", "none"]  # 1 - 2 and 2 - 2
    assert changes(scene.choose("none")) == [{}, {}]


@covers("event", "the-rise-of-persia")
def test_the_rise_of_persia_lets_everyone_climb_the_military_track_for_2_less():
    scene = table_of((0, 5, 2), first_player=1, drachmas=2, military=3)
    scene.resolve("the-rise-of-persia")
    assert (scene.asked, scene.options) == ((1, "climb-cheaper"), ["military", "none"])
    scene.choose("military", "none", "military")
    up = {"drachmas": -2, "military": 1, "glory": 1}
    assert changes(scene) == [up, up, {}]


@covers("event", "prosperity")
def test_prosperity_lets_the_most_troops_play_a_card():
    scene = table_of((2, 2, 1)).give(0, hand="gifts-from-the-west").give(1, drachmas=2, hand="archives")
    scene.resolve("prosperity")
    assert (scene.asked, scene.options) == ((0, "play-card"), ["gifts-from-the-west", "none"])
    scene.choose("gifts-from-the-west", "archives")
    played = {"hand": -1, "in play": 1}
    assert changes(scene) == [{"drachmas": 3} | played, {"drachmas": -2, "philosophy": 3} | played, {}]


@covers("event", "growing-population")
def test_growing_population_gives_a_token_for_dice_of_4_or_less():
    scene = Scene(players=4).event("growing-population", 1)
    for seat, dice in enumerate([(1, 3), (2, 3), (1, 1), (1, 2, 2)]):
        scene.give(seat, dice=dice)
    scene.after_the_roll()
    assert changes(scene) == [{"philosophy": 1}, {}, {"philosophy": 1}, {}]


@covers("event", "growing-population")
def test_growing_population_does_nothing_more_when_it_is_resolved():
    scene = Scene(players=2).give(0, dice=(1, 1)).give(1, dice=(1, 2))
    assert changes(scene.resolve("growing-population", 1)) == [{}, {}]


def persepolis_explored(scene, seat=2):
    scene.give(seat, troops=15).action("military", seat).choose("persepolis")
    return scene


@covers("event", "conquest-of-the-persians")
def test_conquest_of_the_persians_gives_everyone_an_action_other_than_military():
    scene = persepolis_explored(Scene().give(0, culture=3, citizens=1))
    scene.game.first_player = 1
    scene.resolve("conquest-of-the-persians", 9)
    offered = [action for action in ACTIONS if action != "military"]
    assert (scene.asked, scene.options) == ((1, "choose-action"), [*offered, "none"])
    scene.choose("philosophy", "none", "culture")
    assert changes(scene) == [{"vp": 3}, {"philosophy": 1}, {}]  # no die and no citizens


@covers("event", "conquest-of-the-persians")
def test_conquest_of_the_persians_does_nothing_while_persepolis_stands():
    scene = Scene()
    assert scene.resolve("conquest-of-the-persians", 9).asked is None
    assert changes(scene) == [{}, {}, {}]


@pytest.mark.parametrize(("action", "asked"), [("politics", "play-card"), ("development", "develop")])
@covers("event", "conquest-of-the-persians")
def test_conquest_of_the_persians_has_cards_and_developments_paid_for_as_usual(action, asked):
    scene = persepolis_explored(Scene(players=2).give(0, drachmas=2, hand="archives bank", tokens="bb"), 1)
    scene.resolve("conquest-of-the-persians", 9).choose(action)
    assert scene.asked == (0, asked)
    scene.choose({"politics": "archives", "development": "yes"}[action])
    if action == "politics":
        assert scene.changes(0) == {"drachmas": -2, "philosophy": 3, "hand": -1, "in play": 1}
    else:
        assert scene.choose(2).changes(0) == {"vp": 4, "development": 1}
