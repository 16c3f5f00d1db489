"""Phase D: the seven actions, their order, and that nothing in them is forced."""

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Phase, Task
from tests.engine.covering import covers
from tests.engine.scene import Scene


@covers("action", "philosophy")
def test_philosophy_gives_1_token():
    assert Scene().action("philosophy").changes(0) == {"philosophy": 1}


@covers("action", "legislation")
@pytest.mark.parametrize(("kept", "under"), [("bank", "quarry"), ("quarry", "bank")])
def test_legislation_gives_3_citizens_and_one_of_two_cards(kept, under):
    scene = Scene().deck("bank", "quarry", "power")
    scene.action("legislation")
    assert (scene.asked, scene.options) == ((0, "keep-card"), ["bank", "quarry", "none"])
    scene.choose(kept)
    assert scene.changes(0) == {"citizens": 3, "hand": 1}
    assert scene.hand(0) == {kept}
    assert scene.deck_cards() == ["power", under]


@covers("action", "legislation")
def test_legislation_may_keep_no_card():
    scene = Scene().deck("bank", "quarry", "power")
    scene.action("legislation").choose("none")
    assert scene.changes(0) == {"citizens": 3}
    assert scene.deck_cards() == ["power", "bank", "quarry"]


@covers("action", "culture")
@pytest.mark.parametrize("level", range(1, 8))
def test_culture_gives_points_equal_to_the_level(level):
    assert Scene().give(0, culture=level).action("culture").changes(0) == {"vp": level}


@covers("action", "trade")
@pytest.mark.parametrize("level", range(1, 8))
def test_trade_gives_drachmas_equal_to_the_economy_level_and_1(level):
    scene = Scene().give(0, economy=level).action("trade")
    assert scene.changes(0) == {"drachmas": level + 1}


@covers("action", "trade")
def test_trade_may_buy_one_minor_token_for_5():
    scene = Scene().give(0, drachmas=2, economy=2).action("trade")
    assert scene.options == ["red", "blue", "green", "none"]
    assert scene.choose("green").changes(0) == {"drachmas": 3 - 5, "minor green": 1}
    assert scene.asked is None
    assert Scene().give(0, drachmas=2).action("trade").asked is None  # 4 are too few


@covers("action", "trade")
def test_trade_buys_only_one_token_however_rich_the_player():
    scene = Scene().give(0, drachmas=40).action("trade").choose("red")
    assert scene.asked is None
    assert scene.player(0).drachmas == 40 + 2 - 5


@covers("action", "military")
@pytest.mark.parametrize("level", range(1, 8))
def test_military_raises_troops_equal_to_the_level(level):
    scene = Scene().give(0, military=level).action("military")
    assert scene.changes(0) == {"troops": level}


@covers("action", "military")
def test_military_need_not_explore():
    scene = Scene().give(0, troops=5).action("military")
    assert scene.choose("none").changes(0) == {"troops": 1}


@covers("action", "politics")
def test_politics_plays_one_card_or_none():
    scene = Scene().give(0, hand="gifts-from-the-west council bank").action("politics")
    assert scene.options == ["gifts-from-the-west", "council", "none"]  # no tokens for the bank
    assert scene.choose("none").changes(0) == {}
    scene.play("gifts-from-the-west")
    assert scene.asked is None
    assert scene.changes(0) == {"drachmas": 3, "hand": -1, "in play": 1}


@covers("action", "politics")
@pytest.mark.parametrize(
    ("tokens", "philosophy", "spent"),
    [("rr", 4, 4), ("rr", 3, None), ("rrg", 2, 2), ("rrgg", 3, 0), ("", 8, 8), ("", 7, None), ("Rb", 6, 6)],
)
def test_two_philosophy_tokens_stand_in_for_a_missing_knowledge_token(tokens, philosophy, spent):
    scene = Scene().give(0, drachmas=4, tokens=tokens, philosophy=philosophy, hand="heavy-taxes")  # rrgg
    scene.action("politics")
    assert ("heavy-taxes" in scene.options) == (spent is not None)
    if spent is not None:
        paid = {"philosophy": -spent} if spent else {}
        assert scene.choose("heavy-taxes").changes(0) == {"drachmas": -4, "hand": -1, "in play": 1} | paid


@covers("action", "development")
def test_philosophy_tokens_stand_in_for_knowledge_in_a_development_too():
    scene = Scene().give(0, city="corinth", development=1, drachmas=1, philosophy=3)  # needs a red one
    assert scene.develop().changes(0) == {"drachmas": -1, "philosophy": -2, "development": 1}
    scene = Scene().give(0, city="corinth", development=1, drachmas=1, philosophy=1)
    assert scene.action("development").asked is None


@covers("action", "politics")
def test_what_philosophy_stood_in_for_is_not_owned_after_the_action():
    scene = Scene().give(0, philosophy=2, hand="quarry diolkos")  # both need a red one
    scene.play("quarry")
    assert scene.action("politics").asked is None


@covers("action", "order")
def test_tiles_go_by_number_and_within_a_number_from_the_first_player():
    scene = Scene().give(0, tiles=(3, 2), drachmas=9).give(1, tiles=(2, 3), drachmas=9).give(2, tiles=(4, 0))
    scene.give(2, troops=5)
    scene.game.first_player = 1
    scene.all_actions()
    assert scene.asked == (1, "buy-token")  # both culture actions and the philosophy action came before
    assert [scene.changes(seat) for seat in range(3)] == [
        {"vp": 1},
        {"vp": 1, "drachmas": 2},
        {"philosophy": 1},
    ]
    assert scene.choose("none").asked == (0, "buy-token")
    assert scene.choose("none").asked == (2, "explore")
    assert scene.choose("none").asked is None


@covers("action", "order")
def test_cards_are_drawn_in_turn_order():
    scene = Scene().give(0, tiles=(1, 6)).give(2, tiles=(6, 1)).deck("bank", "quarry", "power", "council")
    scene.game.first_player = 2
    scene.all_actions()
    assert (scene.asked, scene.options) == ((2, "keep-card"), ["bank", "quarry", "none"])
    scene.choose("bank")
    assert (scene.asked, scene.options) == ((0, "keep-card"), ["power", "council", "none"])


@covers("action", "order")
def test_a_space_explored_is_gone_for_those_who_come_later():
    scene = Scene(players=2).give(0, tiles=(4, 0), troops=14).give(1, tiles=(4, 0), troops=14)
    scene.game.first_player = 1
    scene.all_actions().choose("persepolis")
    assert scene.asked == (0, "explore")
    assert "persepolis" not in scene.options


@covers("action", "set aside")
def test_a_tile_set_aside_is_not_used():
    scene = Scene(players=2).give(0, tiles=(0, 2), dice=(1, 1)).give(1, tiles=(5, 2), dice=(1, 2))
    scene.give(1, hand="gifts-from-the-west").all_actions()
    assert scene.asked is None
    assert [scene.changes(seat) for seat in range(2)] == [{"philosophy": 1}, {"vp": 1}]


@covers("action", "limits")
def test_citizens_above_15_fall_to_15_at_the_end_of_the_phase():
    scene = Scene(players=2).give(0, tiles=(1, 5), citizens=14, hand="gifts-from-the-west").deck("bank")
    scene.all_actions().choose("bank")
    assert scene.asked == (0, "play-card")
    assert scene.player(0).citizens == 17
    scene.choose("none")
    assert scene.player(0).citizens == 15


@covers("action", "order")
def test_only_the_tiles_of_this_round_are_used():
    scene = Scene(players=2, settings=Setting.OPEN_DICE).give(0, tiles=(0, 2)).give(1, tiles=(2, 3))
    scene.event("drought").all_actions().give(0, philosophy=0)
    scene.run(Phase.DICE, (Task.ROLL, 0, 0), (Task.ACTIONS, 0, 0))
    scene.choose((6, 5), (6, 6))  # the dice
    scene.choose((5, 6), (2, 3))  # seat 1 is first, with the lower sum
    assert [scene.changes(seat) for seat in range(2)] == [{"vp": 1, "drachmas": 2}, {}]
