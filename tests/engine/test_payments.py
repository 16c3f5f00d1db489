"""Phase C: a payment is one decision; every outcome is offered once, and nothing else."""

import random

import pytest

from khora_sim.engine.agenda import Task
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.rules.schema import MAX_LIMIT
from tests.engine.covering import covers
from tests.engine.scene import Payment, Scene


def revealed(dice, tiles, **given):
    scene = Scene(players=2).give(1, dice=(6, 6), tiles=(0, 1))
    return scene.give(0, dice=dice, tiles=tiles, **given).reveal()


def outcomes_by_hand(costs, citizens, tokens, each, most):
    """Every outcome, by trying all orders of the tiles and a token at every point."""
    found = set()

    def go_on(waiting, paid, spent, left):
        if not waiting:
            found.add(Payment(tuple(sorted(paid)), spent, left))
        if spent < tokens and min(left + each, most) > left:
            go_on(waiting, paid, spent + 1, min(left + each, most))
        for die in waiting:
            rest = waiting - {die}
            if costs[die] <= left:
                go_on(rest, paid | {die}, spent, left - costs[die])
            else:
                go_on(rest, paid, spent, left)

    go_on(frozenset(range(len(costs))), frozenset(), 0, citizens)
    return found


class AnyPayment:
    """Where all kinds of payments can be asked for."""

    def __init__(self):
        self.scene = Scene(players=2)

    def options(self, dice, tiles, citizens, tokens, each=3, most=15):
        """The options of such a payment, whether or not there is a choice."""
        game, tables = self.scene.game, self.scene.match.tables[0]
        game.dice[:], game.tile[:], game.active[:] = 0, -1, 0
        game.dice[0, : len(dice)], game.tile[0, : len(dice)] = dice, tiles
        game.citizens[0], game.philosophy[0] = citizens, tokens
        tables.citizens_per_philosophy, tables.max_citizens = each, most
        self.scene._agenda((Task.PAY_CITIZENS, 0, 0))
        self.scene._listed = self.scene.match.options()
        return self.scene.options


@covers("dice phase", "payments")
@pytest.mark.parametrize(
    ("each", "limits", "payments"),
    [(3, [15], 900), (1, [4, 15], 200), (2, [5, 15], 300), (4, [15], 200), (5, [6, 15], 200), (0, [15], 50)],
)
def test_the_options_are_the_outcomes_of_all_orders_with_tokens_at_all_points(each, limits, payments):
    luck, payment = random.Random(each), AnyPayment()
    for _ in range(payments):
        dice = [luck.randint(1, 6) for _ in range(luck.choice([1, 2, 2, 3, 3, 3]))]
        tiles = luck.sample(range(7), len(dice))
        most = luck.choice(limits)
        citizens, tokens = luck.randint(0, most), luck.randint(0, 6)
        costs = [max(tile - pips, 0) for pips, tile in zip(dice, tiles, strict=True)]
        offered = payment.options(dice, tiles, citizens, tokens, each, most)
        given = (costs, citizens, tokens, each, most)
        assert len(offered) == len(set(offered)), given
        assert set(offered) == outcomes_by_hand(*given), given
        assert (payment.scene.reveal().asked is None) == (len(offered) == 1), given


def test_the_options_stand_in_a_fixed_order():
    offered = AnyPayment().options((1, 1, 1), (2, 3, 0), citizens=0, tokens=2)
    assert offered == [
        Payment((2,), tokens=0, left=0),
        Payment((0, 1, 2), tokens=1, left=0),
        Payment((1, 2), tokens=1, left=1),
        Payment((0, 2), tokens=1, left=2),
        Payment((2,), tokens=1, left=3),
        Payment((0, 1, 2), tokens=2, left=3),
        Payment((1, 2), tokens=2, left=4),
        Payment((0, 2), tokens=2, left=5),
        Payment((2,), tokens=2, left=6),
    ]


@covers("ruling", "tiles are set aside one by one, with tokens spent at any points")
def test_one_may_let_the_first_go_spend_a_token_pay_the_second_and_keep_one_citizen():
    scene = revealed((1, 1), (2, 3), philosophy=1)  # tiles that cost 1 and 2, and no citizens
    assert scene.options == [
        Payment((), tokens=0, left=0),
        Payment((0, 1), tokens=1, left=0),
        Payment((1,), tokens=1, left=1),
        Payment((0,), tokens=1, left=2),
        Payment((), tokens=1, left=3),
    ]
    scene.choose(Payment((1,), tokens=1, left=1))
    assert scene.changes(0) == {"citizens": 1, "philosophy": -1}
    assert scene.game.ready[0] == 0b10
    assert scene.game.active[0] == 1 << 3
    assert scene.asked is None


@covers("ruling", "tiles are set aside one by one, with tokens spent at any points")
def test_a_tile_that_can_be_paid_at_every_moment_is_never_set_aside():
    scene = revealed((1, 3), (6, 4), citizens=1, philosophy=1)  # 5 and 1; a token makes it 4 citizens
    assert {payment.dice for payment in scene.options} == {(1,)}
    scene = revealed((1, 3), (6, 4), citizens=6, philosophy=1)
    assert {payment.dice for payment in scene.options} == {(0, 1)}


@covers("dice phase", "set aside")
def test_the_player_chooses_which_tile_to_pay_when_not_all_can_be():
    scene = revealed((1, 1), (5, 6), citizens=5)
    assert scene.asked == (0, "pay-citizens")
    assert scene.options == [Payment((1,), 0, left=0), Payment((0,), 0, left=1)]
    assert scene.choose(Payment((0,), 0, 1)).changes(0) == {"citizens": -4}
    assert scene.game.ready[0] == 0b01


@covers("dice phase", "set aside")
def test_with_three_dice_two_of_the_tiles_may_be_paid():
    scene = revealed((1, 1, 1), (3, 4, 5), citizens=6)  # 2, 3 and 4
    assert scene.options == [Payment((0, 2), 0, left=0), Payment((0, 1), 0, left=1)]


@covers("dice phase", "philosophy")
def test_philosophy_tokens_buy_3_citizens_each_before_between_and_after_the_tiles():
    scene = revealed((1, 1), (5, 6), citizens=4, philosophy=2)  # 4 and 5
    assert scene.options == [
        Payment((0,), 0, left=0),
        Payment((1,), 1, left=2),
        Payment((0,), 1, left=3),
        Payment((0, 1), 2, left=1),
        Payment((1,), 2, left=5),
        Payment((0,), 2, left=6),
    ]
    scene.choose(Payment((0, 1), 2, 1))
    assert scene.changes(0) == {"citizens": 1 - 4, "philosophy": -2}


@covers("dice phase", "philosophy")
def test_philosophy_tokens_may_be_spent_after_paying_up_to_15_citizens():
    scene = revealed((5, 5), (6, 0), citizens=14, philosophy=2)
    assert scene.options == [
        Payment((0, 1), 0, left=13),
        Payment((0, 1), 1, left=14),  # the token first: 15, then pay
        Payment((0, 1), 1, left=15),  # pay, then the token
        Payment((0, 1), 2, left=15),  # a token before and a token after; a third would bring nothing
    ]


@covers("dice phase", "philosophy")
def test_a_token_that_brings_no_citizen_is_not_offered():
    assert revealed((6, 6), (5, 4), citizens=15, philosophy=3).asked is None
    assert revealed((6, 6), (5, 4), citizens=14, philosophy=3).options == [
        Payment((0, 1), 0, left=14),
        Payment((0, 1), 1, left=15),
    ]


@covers("ruling", "payments without a choice are settled first")
def test_payments_without_a_choice_are_settled_first_and_the_others_go_round_from_the_first_player():
    scene = Scene(players=4)
    for seat in (0, 2):
        scene.give(seat, dice=(1, 1), tiles=(5, 6), citizens=5)
    scene.give(1, dice=(1, 3), tiles=(6, 4), citizens=3)  # 5 and 1: only the second can be paid
    scene.give(3, dice=(4, 6), tiles=(6, 0), citizens=3)
    scene.game.first_player = 2
    scene.reveal()
    assert scene.asked == (2, "pay-citizens")
    assert scene.game.ready[:4].tolist() == [0, 0b10, 0, 0b11]
    assert scene.game.citizens[:4].tolist() == [5, 2, 5, 1]
    assert scene.choose(scene.options[0]).asked == (0, "pay-citizens")


@pytest.mark.parametrize("each", [1, 2, 3, 4, 5, 7, 10, 30])
def test_no_checked_variant_has_more_outcomes_than_a_list_of_options_holds(each):
    payment, most = AnyPayment(), 0
    for citizens in range(0, MAX_LIMIT + 1, 1 if each > 1 else 6):
        for dice in ((1, 1, 1), (1, 1, 2), (3, 2, 1), (1, 3, 1), (5, 2, 4)):
            offered = payment.options(dice, (6, 5, 4), citizens, tokens=999, each=each, most=MAX_LIMIT)
            assert len(set(offered)) == len(offered)
            most = max(most, len(offered))
    assert most <= MAX_OPTIONS
    assert most == 8 * (MAX_LIMIT + 1) or each > 1  # every set of dice with every number of citizens
