"""A state tells tiles that are paid for, set aside, and not paid for yet."""

from khora_sim.engine.agenda import Phase, Task
from khora_sim.records.record_format import State
from khora_sim.records.state import state_of, steps
from khora_sim.records.telling import Line, Teller
from tests.engine.scene import BASE, Payment, Scene


def payments(scene: Scene) -> list[list[str]]:
    """By seat and die, as a record writes it."""
    state = State.model_validate(state_of(BASE, scene.game))
    return [[die.payment for die in player.dice] for player in state.players.values()]


def revealed() -> Scene:
    """Corinth and Argos have a choice, Miletus has none; Corinth is first."""
    scene = Scene().give(1, dice=(1, 1), tiles=(5, 6), citizens=5)
    scene.give(0, dice=(1, 6), tiles=(6, 0), citizens=2, philosophy=1).give(
        2, dice=(1, 3), tiles=(6, 4), citizens=1
    )
    scene.game.first_player = 1
    return scene


def test_before_the_reveal_nothing_is_paid_for():
    scene = revealed()
    scene.run(Phase.DICE)
    assert payments(scene) == [["not yet", "not yet"]] * 3


def test_in_the_middle_of_the_payments_who_has_not_paid_yet_is_distinguished_from_who_set_a_tile_aside():
    scene = revealed().reveal()
    assert scene.asked == (1, "pay-citizens")
    assert payments(scene) == [["not yet", "not yet"], ["not yet", "not yet"], ["set aside", "paid"]]
    scene.choose(Payment((1,), tokens=0, left=0))
    assert payments(scene) == [["not yet", "not yet"], ["set aside", "paid"], ["set aside", "paid"]]
    scene.choose(Payment((0, 1), tokens=1, left=0))
    assert payments(scene) == [["paid", "paid"], ["set aside", "paid"], ["set aside", "paid"]]


def test_dice_of_the_round_before_keep_what_was_paid_until_the_next_roll():
    scene = revealed().reveal()
    scene.choose(Payment((1,), 0, 0), Payment((0, 1), 1, 0))
    scene.game.phase = Phase.TAX
    assert payments(scene) == [["paid", "paid"], ["set aside", "paid"], ["set aside", "paid"]]


def test_a_replay_says_who_paid_what_in_the_order_of_the_payments():
    scene = revealed()
    scene.run(Phase.DICE)
    scene._agenda((Task.REVEAL, 0, 0))
    teller = Teller(scene.match, ["anyone"] * 3)
    lines = [
        line for step in steps(scene.match, lambda match, options: options[-1]) for line in teller.tell(step)
    ]
    assert lines == [
        Line("The tiles are revealed."),
        Line("pays 1 citizen for military, sets development aside: 0 citizens left.", who="Miletus"),
        Line("pays 4 citizens for politics, sets development aside: 1 citizen left.", who="Corinth"),
        Line(
            "sets development aside, spends 1 philosophy token for 3 citizens: 5 citizens left.", who="Argos"
        ),
    ]
