"""Phase C: the roll, the first player, tiles on dice, citizens and philosophy tokens."""

import pytest

from khora_sim.engine.agenda import Phase, Task
from tests.engine.covering import covers
from tests.engine.scene import Payment, Scene


def rolled(*dice, first_player=0):
    scene = Scene(players=len(dice))
    for seat, pips in enumerate(dice):
        scene.give(seat, dice=pips)
    scene.game.first_player = first_player
    return scene.event("drought").after_the_roll()


def revealed(dice, tiles, **given):
    scene = Scene(players=2).give(1, dice=(6, 6), tiles=(0, 1))
    return scene.give(0, dice=dice, tiles=tiles, **given).reveal()


def paid(scene):
    """The dice of the first seat whose tiles are paid for."""
    return [die for die in range(3) if scene.game.ready[0] >> die & 1]


@covers("dice phase", "roll")
def test_everyone_rolls_all_their_dice():
    scene = Scene().give(1, dice_count=3).event("drought")
    scene.run(Phase.DICE, (Task.ROLL, 0, 0))
    dice = scene.game.dice[:3]
    assert ((dice[:, :2] >= 1) & (dice[:, :2] <= 6)).all()
    assert (dice[:, 2] > 0).tolist() == [False, True, False]


@covers("dice phase", "first player")
@pytest.mark.parametrize(
    ("dice", "before", "after"),
    [
        (((3, 4), (1, 2), (6, 6)), 0, 1),  # the lowest sum
        (((2, 2), (1, 3), (5, 5)), 0, 0),  # a tie: who has it keeps it
        (((2, 2), (1, 3), (5, 5)), 2, 0),  # a tie: closest clockwise
        (((6, 6), (1, 3), (2, 2)), 2, 2),
        (((6, 6), (1, 3), (2, 2)), 0, 1),
        (((1, 1, 3), (2, 2), (6, 6)), 0, 1),  # all three dice count
        (((4, 4), (4, 4), (4, 4), (4, 4)), 3, 3),
        (((4, 4), (4, 5), (3, 4), (4, 3)), 1, 2),
        (((3, 4), (4, 5), (4, 4), (4, 3)), 1, 3),
    ],
)
def test_lowest_sum_is_first_and_ties_go_clockwise(dice, before, after):
    scene = rolled(*dice, first_player=before)
    assert scene.game.first_player == after
    assert scene.asked == (after, "place-tiles")


@covers("dice phase", "tiles")
@pytest.mark.parametrize(
    ("dice", "ways"),
    [((2, 5), 42), ((4, 4), 21), ((1, 2, 3), 210), ((1, 1, 3), 105), ((2, 6, 2), 105), ((5, 5, 5), 35)],
)
def test_a_different_tile_goes_on_each_die_and_equal_dice_are_alike(dice, ways):
    scene = rolled(dice, (6, 6, 6))
    assert len(scene.options) == len(set(scene.options)) == ways
    seen = {tuple(sorted(zip(dice, tiles, strict=True))) for tiles in scene.options}
    assert len(seen) == ways  # no two ways come to the same
    assert all(len(set(tiles)) == len(dice) for tiles in scene.options)


@covers("dice phase", "tiles")
def test_all_place_in_secret_before_anyone_reveals():
    scene = rolled((1, 2), (3, 4), (5, 6))
    for seat in range(3):
        assert scene.asked == (seat, "place-tiles")
        assert scene.game.phase == Phase.DICE
        scene.choose((0, 1))
    assert scene.game.phase == Phase.CITIZENS
    assert scene.asked is None


@covers("dice phase", "growing population")
def test_the_token_of_growing_population_can_be_used_at_once():
    scene = Scene(players=2).give(0, dice=(1, 1)).give(1, dice=(6, 6)).event("growing-population", 1)
    scene.after_the_roll().choose((0, 4), (0, 1))
    assert scene.asked == (0, "pay-citizens")
    scene.choose(Payment((0, 1), tokens=1, left=0))  # 3 for the token, 3 for the tile
    assert paid(scene) == [0, 1]


@covers("dice phase", "citizens")
@pytest.mark.parametrize(
    ("dice", "tiles", "lost"),
    [((2, 4), (2, 6), 2), ((6, 6), (5, 6), 0), ((1, 1), (5, 6), 9), ((1, 2, 3), (6, 5, 4), 9)],
)
def test_citizens_make_up_for_dice_below_their_tiles(dice, tiles, lost):
    scene = revealed(dice, tiles, citizens=10)
    assert scene.asked is None
    assert scene.changes(0) == ({"citizens": -lost} if lost else {})
    assert paid(scene) == list(range(len(dice)))


@covers("dice phase", "set aside")
def test_a_tile_that_cannot_be_paid_is_set_aside_and_costs_nothing():
    scene = revealed((1, 3), (6, 3), citizens=4)
    assert scene.asked is None
    assert scene.changes(0) == {}
    assert paid(scene) == [1]
