"""The 28 developments: what each asks for and what it does."""

import pytest

from khora_sim.engine.agenda import Phase, Task
from tests.engine.covering import covers, each
from tests.engine.scene import Scene

# development, cost, needs; the first ones are free at set-up
PRICES = [
    ("corinth 2", 1, "r"),
    ("corinth 3", 2, "rrbg"),
    ("corinth 4", 3, "rrbbgg"),
    ("thebes 2", 0, "bg"),
    ("thebes 3", 0, "rbbg"),
    ("thebes 4", 2, "rrbbgg"),
    ("miletus 2", 1, "r"),
    ("miletus 3", 2, "rrg"),
    ("miletus 4", 4, "rrrgg"),
    ("sparta 2", 1, "bb"),
    ("sparta 3", 2, "rbbbg"),
    ("sparta 4", 4, "rrbbbgg"),
    ("olympia 2", 0, "g"),
    ("olympia 3", 2, "rgg"),
    ("olympia 4", 3, "rrbggg"),
    ("argos 2", 0, "bb"),
    ("argos 3", 0, "rbb"),
    ("argos 4", 2, "rbbbgg"),
    ("athens 2", 0, "rg"),
    ("athens 3", 1, "bb"),
    ("athens 4", 2, "rrbbgg"),
]


def before(development, **given):
    """A player who has everything below a development."""
    city, number = development.split()
    return Scene().give(0, city=city, development=int(number) - 1, **given)


def unlocked(development, **given):
    """A player who has the development."""
    city, number = development.split()
    return Scene().give(0, city=city, development=int(number), **given)


def offered(development, drachmas, tokens):
    return "yes" in before(development, drachmas=drachmas, tokens=tokens).action("development").options


@each("price", "development, cost, needs", PRICES)
def test_development_can_be_unlocked_with_just_its_price(development, cost, needs):
    scene = before(development, drachmas=cost, tokens=needs)
    scene.action("development")
    assert scene.options == ["yes", "none"]
    scene.choose("yes")
    assert scene.changes(0)["development"] == 1


@each("price", "development, cost, needs", PRICES)
def test_development_cannot_be_unlocked_for_less(development, cost, needs):
    assert cost == 0 or not offered(development, cost - 1, needs)
    for token in set(needs):
        assert not offered(development, cost, needs.replace(token, "", 1))


@each("price", "development, cost, needs", PRICES)
def test_development_may_be_declined(development, cost, needs):
    scene = before(development, drachmas=cost, tokens=needs)
    assert scene.action("development").choose("none").changes(0) == {}


AT_SET_UP = [
    ("corinth 1", {"drachmas": 4}),
    ("thebes 1", {"military": 1, "glory": 1}),
    ("miletus 1", {"economy": 1, "citizens": 3}),
    ("sparta 1", {}),
    ("olympia 1", {"tax": 1}),
    ("argos 1", {"troops": 2}),
    ("athens 1", {"philosophy": 3}),
]


@each("development", "development, gains", AT_SET_UP)
def test_first_development_takes_effect_at_set_up(development, gains):
    scene = before(development)
    scene.run(Phase.DRAFT, (Task.FIRST_DEVELOPMENTS, 0, 0))
    assert scene.changes(0) == gains | {"development": 1}


# development, what the player has besides its price, what changes besides the price
AT_ONCE = [
    ("corinth 2", "rbG", {}, {"tax": 3}),
    ("miletus 4", "rrrgg", {}, {"vp": 15}),
    ("olympia 3", "rgg", {}, {"culture": 2, "tax": 1}),
    ("olympia 4", "rrbggg", {"culture": 4}, {"vp": 12, "troops": 3, "philosophy": 3}),
    ("argos 3", "rbb", {}, {"military": 1, "glory": 1}),
    ("argos 4", "rbbbgg", {"glory": 3}, {"glory": 2}),
]


@each("development", "development, tokens, given, gains", AT_ONCE)
def test_development_gives_at_once(development, tokens, given, gains):
    cost = next(cost for name, cost, _ in PRICES if name == development)
    scene = before(development, drachmas=cost, tokens=tokens, **given)
    paid = {"drachmas": -cost} if cost else {}
    assert scene.develop().changes(0) == gains | paid | {"development": 1}
    assert scene.asked is None


AT_THE_END = [
    ("corinth 4", "rrbbggRB", 16),
    ("thebes 4", "rrbbgRGG", 10),
    ("sparta 4", "rrbbBBggg", 16),
    ("athens 4", "", 6),
]


@each("development", "development, tokens, points", AT_THE_END)
def test_development_scores_at_the_end(development, tokens, points):
    scene = unlocked(development, tokens=tokens, in_play="quarry council")
    assert scene.end_of_game().changes(0) == {"vp": points}


@covers("development", "corinth 3")
def test_corinth_3_allows_2_levels_each_1_drachma_cheaper():
    scene = unlocked("corinth 3", drachmas=4)
    scene.progress().choose("economy", "military")
    assert scene.asked is None
    assert scene.changes(0) == {"drachmas": -2, "economy": 1, "citizens": 3, "military": 1, "glory": 1}


@covers("development", "thebes 2")
def test_thebes_2_sells_glory_for_2_drachmas_and_4_vp_as_often_as_wished():
    scene = unlocked("thebes 2", glory=2, drachmas=1)
    scene.action("trade")
    assert scene.options == ["sell", "none"]
    scene.choose("sell")
    assert scene.options == ["red", "blue", "green", "sell", "none"]
    scene.choose("sell", "red")
    assert scene.changes(0) == {"drachmas": 2 + 2 + 2 - 5, "glory": -2, "vp": 8, "minor red": 1}


@covers("development", "thebes 3")
def test_thebes_3_may_explore_twice_in_a_military_action():
    scene = unlocked("thebes 3", troops=5)
    scene.action("military").choose("major-red-2", "minor-green-2")  # 6 - 3 = 3, which 3/0 needs
    assert scene.asked is None
    assert scene.changes(0) == {"troops": 1 - 3, "drachmas": 2, "major red": 1, "minor green": 1}


@covers("development", "thebes 3")
def test_thebes_3_may_stop_after_one_exploration():
    scene = unlocked("thebes 3", troops=5)
    scene.action("military").choose("minor-red-1", "none")
    assert scene.asked is None
    assert scene.changes(0) == {"minor red": 1}  # 1 troop raised and 1 lost


@covers("development", "miletus 2")
def test_miletus_2_gives_a_level_on_each_of_two_different_tracks():
    scene = before("miletus 2", drachmas=1, tokens="r")
    scene.develop()
    assert scene.options == ["economy", "culture", "military"]
    scene.choose("military")
    assert scene.options == ["economy", "culture"]
    scene.choose("economy")
    gains = {"economy": 1, "citizens": 3, "military": 1, "glory": 1}
    assert scene.changes(0) == gains | {"drachmas": -1, "development": 1}


@covers("development", "miletus 3")
def test_miletus_3_gives_3_vp_with_every_trade():
    scene = unlocked("miletus 3")
    assert scene.action("trade").changes(0) == {"drachmas": 2, "vp": 3}


@covers("development", "sparta 1")
def test_sparta_1_saves_1_troop_when_exploring():
    scene = unlocked("sparta 1", troops=5)
    scene.action("military").choose("major-red-2")  # needs 6, loses 3
    assert scene.changes(0) == {"troops": 1 - 2, "drachmas": 2, "major red": 1}


@covers("development", "sparta 2")
def test_sparta_2_gives_1_tax_with_every_military_action():
    scene = unlocked("sparta 2")
    assert scene.action("military").changes(0) == {"troops": 1, "tax": 1}


@covers("development", "sparta 3")
def test_sparta_3_takes_two_military_actions():
    scene = before("sparta 3", drachmas=2, tokens="rbbbg", military=3)
    scene.develop()
    assert scene.player(0).troops == 3
    scene.choose("minor-red-1")  # needs 2, loses 1, of which Sparta 1 saves 1
    assert scene.player(0).troops == 6
    scene.choose("major-green-2")  # needs 6, loses 3, of which Sparta 1 saves 1
    assert scene.asked is None
    gains = {"troops": 4, "tax": 2, "vp": 2, "minor red": 1, "major green": 1}
    assert scene.changes(0) == gains | {"drachmas": -2, "development": 1}


@covers("development", "olympia 2")
def test_olympia_2_gives_a_troop_and_a_philosophy_token_with_every_culture_action():
    scene = unlocked("olympia 2")
    assert scene.action("culture").changes(0) == {"vp": 1, "troops": 1, "philosophy": 1}


@covers("development", "argos 2")
@pytest.mark.parametrize(
    ("choice", "gain"), [(0, {"troops": 2}), (1, {"drachmas": 3}), (2, {"vp": 4}), (3, {"citizens": 5})]
)
def test_argos_2_gives_one_of_four_gains(choice, gain):
    scene = before("argos 2", tokens="bb")
    scene.develop()
    assert scene.options == [0, 1, 2, 3]
    assert scene.choose(choice).changes(0) == gain | {"development": 1}


@covers("development", "athens 2", "athens 3")
def test_athens_2_and_3_pay_for_every_card_played():
    cards = {"hand": -1, "in play": 1}
    scene = unlocked("athens 2", hand="gifts-from-the-west")
    assert scene.play("gifts-from-the-west").changes(0) == {"drachmas": 3 + 2, "vp": 3} | cards
    scene = unlocked("athens 3", hand="gifts-from-the-west")
    assert scene.play("gifts-from-the-west").changes(0) == {"drachmas": 3 + 2, "vp": 3, "troops": 2} | cards


def test_three_developments_are_all_a_game_has():
    scene = unlocked("argos 4", drachmas=9, tokens="rrrbbbggg")
    assert scene.action("development").asked is None
    assert scene.changes(0) == {}
