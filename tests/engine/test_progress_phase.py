"""Phase E: levels for drachmas, one after the other, and philosophy for more."""

import pytest

from tests.engine.covering import covers
from tests.engine.scene import Scene


@covers("progress phase", "one level")
def test_one_level_on_one_track_is_what_a_player_may_take():
    scene = Scene().give(0, drachmas=20).progress()
    assert (scene.asked, scene.options) == ((0, "climb"), ["economy", "culture", "military", "none"])
    scene.choose("economy")
    assert scene.asked is None
    assert scene.changes(0) == {"drachmas": -2, "economy": 1, "citizens": 3}


@covers("progress phase", "one level")
def test_a_player_may_stay_where_it_is():
    assert Scene().give(0, drachmas=20).progress().choose("none").changes(0) == {}


@covers("progress phase", "order")
def test_players_go_one_after_the_other_from_the_first():
    scene = Scene().give(0, drachmas=2, philosophy=1).give(1, drachmas=2).give(2, drachmas=2)
    scene.game.first_player = 2
    scene.progress()
    assert scene.asked == (2, "climb")
    assert scene.choose("culture").asked == (0, "climb")
    scene.choose("culture")
    assert scene.player(0).drachmas == 1
    assert scene.asked == (1, "climb")  # player 0 has a token but no drachmas for any level


@covers("progress phase", "philosophy")
@pytest.mark.parametrize("second", ["economy", "culture", "military"])
def test_each_philosophy_token_buys_the_right_to_one_more_level_still_paid_for(second):
    costs = {"economy": 2, "culture": 1, "military": 2}
    scene = Scene().give(0, drachmas=20, philosophy=1)
    scene.progress().choose("economy", second)
    assert scene.asked is None
    assert scene.player(0).drachmas == 20 - 2 - costs[second]
    assert scene.player(0).philosophy == 0


@covers("progress phase", "philosophy")
def test_as_many_levels_as_there_are_tokens_on_any_tracks():
    scene = Scene().give(0, drachmas=30, philosophy=3)
    scene.progress().choose("economy", "economy", "economy", "culture")
    assert scene.asked is None
    gains = {"economy": 3, "citizens": 6, "vp": 5, "culture": 1}
    assert scene.changes(0) == {"drachmas": -(2 + 2 + 3 + 1), "philosophy": -3} | gains


@covers("progress phase", "philosophy")
def test_tokens_may_be_kept():
    scene = Scene().give(0, drachmas=30, philosophy=3)
    scene.progress().choose("economy", "none")
    assert scene.changes(0) == {"drachmas": -2, "economy": 1, "citizens": 3}


@covers("progress phase", "philosophy")
def test_reformists_and_philosophy_tokens_go_together():
    scene = Scene().give(0, drachmas=30, philosophy=1, in_play="reformists")
    scene.progress().choose("economy", "economy", "economy")
    assert scene.asked is None
    assert scene.changes(0) == {"drachmas": -7, "philosophy": -1, "economy": 3, "citizens": 6, "vp": 5}


@covers("progress phase", "gain")
def test_the_gain_of_a_level_can_be_had_before_the_next_one_is_chosen():
    scene = Scene().give(0, drachmas=9, philosophy=1, citizens=14)
    scene.progress().choose("economy")
    assert scene.player(0).citizens == 15
    assert scene.options == ["economy", "culture", "military", "none"]
