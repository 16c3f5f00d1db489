"""Phase G: the five achievements."""

import pytest

from tests.engine.covering import covers, each
from tests.engine.scene import Scene

# achievement, just enough, one too few
ACHIEVEMENTS = [
    ("victory-points", {"vp": 10}, {"vp": 9}),
    ("citizens", {"citizens": 12}, {"citizens": 11}),
    ("troops", {"troops": 6}, {"troops": 5}),
    ("economy", {"economy": 4}, {"economy": 3}),
    ("politics", {"in_play": "bank quarry power"}, {"in_play": "bank quarry"}),
]
NOTHING = {"vp": 0, "citizens": 0, "troops": 0, "economy": 1, "in_play": ""}


@each("achievement", "achievement, enough, too_few", ACHIEVEMENTS)
@pytest.mark.parametrize("reward", ["tax", "glory"])
def test_achievement_earned_alone_gives_tax_or_glory(achievement, enough, too_few, reward):
    scene = Scene().give(0, **too_few).give(1, **enough)
    scene.achievements()
    assert (scene.asked, scene.options) == ((1, "tax-or-glory"), ["tax", "glory"])
    scene.choose(reward)
    assert [scene.changes(seat) for seat in range(3)] == [{}, {reward: 1}, {}]
    assert scene.asked is None


@each("achievement", "achievement, enough, too_few", ACHIEVEMENTS)
def test_achievement_shared_gives_tax_to_each_and_no_choice(achievement, enough, too_few):
    scene = Scene().give(0, **enough).give(1, **too_few).give(2, **enough)
    scene.achievements()
    assert scene.asked is None
    assert [scene.changes(seat) for seat in range(3)] == [{"tax": 1}, {}, {"tax": 1}]


@each("achievement", "achievement, enough, too_few", ACHIEVEMENTS)
def test_achievement_is_earned_in_one_round_only(achievement, enough, too_few):
    scene = Scene().give(0, **enough)
    scene.achievements().choose("glory")
    scene.give(1, **enough).achievements()
    assert scene.asked is None
    assert [scene.changes(seat) for seat in range(3)] == [{}, {}, {}]


@each("achievement", "achievement, enough, too_few", ACHIEVEMENTS)
def test_achievement_is_never_lost_again(achievement, enough, too_few):
    scene = Scene().give(0, **enough)
    scene.achievements().choose("tax")
    scene.give(0, **NOTHING).achievements()
    assert scene.player(0).tax == 1
    scene.give(0, **enough).achievements()
    assert scene.player(0).tax == 1


@covers("achievement", "victory-points", "troops")
def test_several_achievements_in_a_round_are_each_chosen_for():
    scene = Scene().give(2, vp=10, troops=6)
    scene.achievements().choose("tax", "glory")
    assert scene.changes(2) == {"tax": 1, "glory": 1}


@covers("achievement", "troops", "economy")
def test_different_players_earn_different_achievements_in_a_round():
    scene = Scene().give(0, troops=6).give(1, economy=4)
    scene.achievements()
    assert scene.asked == (0, "tax-or-glory")
    scene.choose("glory")
    assert scene.asked == (1, "tax-or-glory")
    scene.choose("tax")
    assert [scene.changes(seat) for seat in range(3)] == [{"glory": 1}, {"tax": 1}, {}]
