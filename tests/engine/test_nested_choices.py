"""Choices inside choices: cards inside events, actions inside developments inside events."""

from khora_sim.engine.match import Match
from tests.engine.covering import covers
from tests.engine.scene import BASE, Scene


@covers("nested", "Ostracism inside Prosperity")
def test_ostracism_inside_prosperity():
    scene = Scene(players=2).give(0, troops=2, drachmas=3, tokens="r", philosophy=4)
    scene.give(0, hand="ostracism proskenion", in_play="quarry diolkos").give(1, troops=2, hand="council")
    scene.resolve("prosperity").choose("ostracism", "quarry")
    assert (scene.asked, scene.options) == ((0, "play-card"), ["quarry", "none"])  # no philosophy in events
    scene.choose("quarry")
    assert scene.asked == (1, "play-card")  # the other of the tied comes after all of that
    assert scene.changes(0) == {"drachmas": -3, "tax": 1, "hand": -1, "in play": 1}
    scene.choose("none")
    assert scene.asked is None


def persepolis_explored(scene):
    scene.give(1, troops=15).action("military", seat=1).choose("persepolis")
    return scene


@covers("nested", "Ostracism inside Conquest of the Persians")
def test_ostracism_inside_conquest_of_the_persians():
    scene = persepolis_explored(Scene(players=2).give(0, drachmas=3, tokens="r"))
    scene.give(0, hand="ostracism", in_play="gifts-from-the-west")
    scene.resolve("conquest-of-the-persians", 9).choose("politics", "ostracism", "gifts-from-the-west")
    assert scene.asked == (1, "choose-action")
    assert scene.changes(0) == {"in play": 1, "hand": -1}  # 3 drachmas paid and 3 gained


@covers("nested", "Sparta 3 inside Conquest of the Persians")
def test_the_military_actions_of_sparta_3_inside_conquest_of_the_persians():
    scene = persepolis_explored(
        Scene(players=2).give(0, city="sparta", development=2, drachmas=2, military=3)
    )
    scene.give(0, tokens="rbbbg", in_play="oracle")
    scene.resolve("conquest-of-the-persians", 9).choose("development", "yes")
    scene.choose("minor-red-1", "minor-red-2")
    assert scene.asked == (1, "choose-action")
    gains = {"troops": 6, "tax": 2, "minor red": 2, "vp": 4}
    assert scene.changes(0) == gains | {"drachmas": -2, "development": 1}


@covers("nested", "legislation inside Conquest of the Persians")
def test_citizens_of_an_event_s_legislation_fall_to_15_when_the_event_ends():
    scene = persepolis_explored(Scene(players=2).give(0, citizens=14))
    scene.resolve("conquest-of-the-persians", 9).choose("legislation", "none")
    assert scene.player(0).citizens == 17
    scene.choose("none")
    assert scene.player(0).citizens == 15


@covers("nested", "Scholarly Welcome with Athens")
def test_card_triggers_come_before_what_the_card_asks():
    scene = Scene().give(0, city="athens", development=3, drachmas=2, hand="scholarly-welcome")
    scene.play("scholarly-welcome")
    assert scene.asked == (0, "gain-token")
    scene.choose("blue")
    assert scene.changes(0) == {"vp": 3, "troops": 2, "minor blue": 1, "hand": -1, "in play": 1}


@covers("nested", "a whole game")
def test_a_whole_game_of_first_options_has_nine_rounds_and_ends():
    match = Match(BASE, 4, seed=12)
    rounds = []
    options = match.advance()
    while options:
        if not rounds or rounds[-1] != match.game.round_number:
            rounds.append(int(match.game.round_number))
        options = match.choose(options[0])
    assert rounds == list(range(10))
    assert match.game.agenda_size == 0
