"""The worked examples of the rulebooks."""

from khora_sim.engine.agenda import Phase, Task
from tests.engine.covering import covers
from tests.engine.scene import Scene


@covers("example", "Miletus starts at economy 2 with 6 citizens")
def test_miletus_starts_at_economy_2_with_6_citizens():
    scene = Scene().give(0, city="miletus", development=0, citizens=3)
    scene.run(Phase.DRAFT, (Task.FIRST_DEVELOPMENTS, 0, 0))
    assert (scene.player(0).economy, scene.player(0).citizens) == (2, 6)
    scene.give(0, dice=(2, 4), tiles=(2, 6)).reveal()
    assert scene.changes(0) == {"citizens": -2}


@covers("example", "economy 2 to 3 costs 2 drachmas and gives 3 citizens")
def test_economy_2_to_3_costs_2_drachmas_and_gives_3_citizens():
    scene = Scene().give(0, economy=2, drachmas=4, citizens=4)
    assert scene.progress().choose("economy").changes(0) == {"economy": 1, "drachmas": -2, "citizens": 3}


@covers("example", "the red major that needs 6")
def test_two_troops_and_military_4_take_the_red_major_that_needs_6():
    scene = Scene().give(0, troops=2, military=4)
    scene.action("military")
    assert scene.player(0).troops == 6
    scene.choose("major-red-2")
    assert scene.player(0).troops == 3
    assert scene.changes(0) == {"troops": 1, "drachmas": 2, "major red": 1}


@covers("example", "13 troops with military 4")
def test_13_troops_and_military_4_are_17_inside_the_action_and_15_after_it():
    scene = Scene().give(0, troops=13, military=4)
    assert scene.action("military").player(0).troops == 17
    assert scene.choose("none").player(0).troops == 15


@covers("example", "citizens 12 and 14 in the same round")
def test_citizens_12_and_14_in_the_same_round_give_tax_to_both():
    scene = Scene().give(0, citizens=12).give(1, citizens=14).give(2, citizens=11)
    scene.achievements()
    assert scene.asked is None
    assert [scene.changes(seat) for seat in range(3)] == [{"tax": 1}, {"tax": 1}, {}]


@covers("example", "Green, Black and Orange resolve their tiles")
def test_green_black_and_orange_resolve_their_tiles_in_order():
    green, black, orange = 0, 1, 2
    scene = Scene().give(green, tiles=(0, 3), drachmas=5).give(orange, tiles=(0, 4), troops=3)
    scene.give(black, tiles=(4, 5), troops=3, hand="gifts-from-the-west")
    scene.all_actions()
    assert scene.asked == (green, "buy-token")  # both philosophy actions come before the trade
    assert scene.player(green).philosophy == scene.player(orange).philosophy == 1
    assert scene.changes(black) == {}
    scene.choose("none")
    assert scene.asked == (black, "explore")
    assert scene.player(orange).troops == 3
    assert scene.choose("none").asked == (orange, "explore")
    assert scene.choose("none").asked == (black, "play-card")
    assert scene.choose("none").asked is None
