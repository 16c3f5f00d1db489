"""The options of the game: reroll, shared dice, bonuses that stack, open dice."""

import pytest

from khora_sim.common.options import Setting, settings_of
from khora_sim.engine.agenda import Phase, Task
from khora_sim.engine.match import Match
from tests.engine.covering import covers
from tests.engine.scene import BASE, Scene


def roll(settings, players=3, **third):
    """A roll of round 2; `third` names seats with three dice."""
    scene = Scene(players=players, settings=settings).event("drought")
    for seat in range(players):
        scene.give(seat, dice_count=3 if f"seat_{seat}" in third else 2)
    return scene.run(Phase.DICE, (Task.ROLL, 0, 0))


def dice(scene):
    return scene.game.dice[: scene.players].tolist()


@covers("option", "reroll")
def test_reroll_lets_each_player_roll_any_of_its_dice_once_more():
    scene = roll(Setting.REROLL, seat_1=True)
    assert scene.asked == (0, "reroll")
    assert sorted(scene.options) == [(), (0,), (0, 1), (1,)]
    before = dice(scene)
    scene.choose((1,))
    after = dice(scene)
    assert after[0][0] == before[0][0]
    assert 1 <= after[0][1] <= 6
    assert after[1:] == before[1:]
    assert scene.asked == (1, "reroll")
    assert len(scene.options) == 8
    scene.choose(())
    assert dice(scene) == after
    assert scene.choose((0, 1)).asked[1] == "place-tiles"


@covers("option", "reroll")
def test_rerolls_bring_dice_that_have_nothing_to_do_with_the_first_roll():
    changed = 0
    for seed in range(200):
        match = Match(BASE, 2, seed, settings=Setting.REROLL)
        match.advance()
        before = match.game.dice[match.seat, 0]
        seat = match.seat
        match.choose(1)
        changed += match.game.dice[seat, 0] != before
    assert 140 < changed < 190  # 5 in 6


@covers("option", "reroll")
def test_first_player_and_growing_population_look_at_the_dice_after_rerolls():
    settings = Setting.REROLL | Setting.OPEN_DICE
    scene = Scene(players=2, settings=settings).event("growing-population", 1)
    scene.run(Phase.DICE, (Task.ROLL, 0, 0))
    scene.choose((6, 6), (1, 2))  # seat 1, then seat 0
    assert scene.asked == (0, "reroll")
    scene.choose((0, 1), (4, 4), (0, 1), (2, 2))
    assert scene.game.first_player == 1
    assert [scene.changes(seat) for seat in range(2)] == [{}, {"philosophy": 1}]


@covers("option", "reroll")
def test_without_the_option_nobody_rerolls():
    assert roll(0).asked[1] == "place-tiles"


@covers("option", "shared dice")
def test_shared_dice_are_the_same_two_for_everyone_and_a_third_is_ones_own():
    thirds = set()
    for seed in range(60):
        scene = Scene(settings=Setting.SHARED_DICE).event("drought")
        for seat in (1, 2):
            scene.give(seat, dice_count=3)
        scene.game.seed = seed
        scene.run(Phase.DICE, (Task.ROLL, 0, 0))
        rolled = dice(scene)
        assert rolled[0][:2] == rolled[1][:2] == rolled[2][:2]
        assert rolled[0][2] == 0
        thirds.add((rolled[1][2], rolled[2][2]))
    assert len(thirds) > 15


@covers("option", "shared dice")
def test_with_shared_dice_the_first_player_role_passes_clockwise_each_round():
    match = Match(BASE, 3, seed=4, settings=Setting.SHARED_DICE, first_player=1)
    first_players = {}
    options = match.advance()
    while options:
        if match.task == Task.PLACE_TILES:
            first_players.setdefault(int(match.game.round_number), int(match.game.first_player))
        options = match.choose(options[-1])
    assert list(first_players.values()) == [1, 2, 0, 1, 2, 0, 1, 2, 0]


@covers("option", "shared dice")
def test_with_shared_dice_only_the_third_die_may_be_rerolled():
    scene = roll(Setting.SHARED_DICE | Setting.REROLL, seat_1=True)
    assert (scene.asked, scene.options) == ((1, "reroll"), [(2,), ()])


@covers("option", "open dice")
def test_open_dice_fall_as_set():
    scene = roll(Setting.OPEN_DICE, players=2, seat_0=True)
    assert scene.asked == (1, "tell-dice")
    assert len(scene.options) == 36
    scene.choose((3, 5))
    assert scene.asked == (0, "tell-dice")
    assert len(set(scene.options)) == 216
    scene.choose((6, 1, 4))
    assert dice(scene) == [[6, 1, 4], [3, 5, 0]]


@covers("option", "open dice")
def test_open_dice_that_are_rerolled_are_reported_again_and_only_those():
    scene = roll(Setting.OPEN_DICE | Setting.REROLL, players=2)
    scene.choose((3, 5), (1, 2), (1,))  # seat 1, seat 0, which rerolls its second die
    assert (scene.asked, scene.options) == ((0, "tell-dice"), [(pips,) for pips in range(1, 7)])
    scene.choose((6,), ())
    assert dice(scene) == [[1, 6, 0], [3, 5, 0]]


@pytest.mark.parametrize(
    ("named", "bits"),
    [
        ({}, Setting.DRAFT),
        ({"draft": False}, 0),
        ({"reroll": True}, Setting.DRAFT | Setting.REROLL),
        ({"shared_dice": True, "draft": False}, Setting.SHARED_DICE),
        ({"progress_bonuses_stack": True}, Setting.DRAFT | Setting.PROGRESS_BONUSES_STACK),
    ],
)
@covers("option", "progress bonuses stack")
def test_options_by_name(named, bits):
    assert settings_of(**named) == bits
