"""How built-in players pay citizens for tiles, and when they sell glory for an achievement."""

import pytest

from khora_sim.engine.agenda import Phase, Task
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.games import play_set_ups
from tests.engine.scene import Payment, Scene
from tests.strategy.plug_ins import set_ups
from tests.strategy.probe import ratings

EVALUATORS = ("weights-example", "steward")
PRICE_LISTS = ("merchant", "patron", "treasurer")
JUDGES = (*EVALUATORS, *PRICE_LISTS)


def choice(scene: Scene, strategy: str):
    """What a strategy decides, in the words of the scene."""
    rated = ratings(load(strategy), scene.match, scene._listed)
    assert sorted(rated)[-1] > sorted(rated)[-2], "a tie"
    return scene.options[rated.argmax()]


def revealed(dice, tiles, **given) -> Scene:
    scene = Scene(players=2).give(1, dice=(6, 6), tiles=(0, 1))
    scene.give(0, dice=dice, tiles=tiles, **given).reveal()
    assert scene.asked == (0, "pay-citizens")
    return scene


@pytest.mark.parametrize("player", JUDGES)
def test_the_tile_worth_most_is_paid_where_not_all_can_be(player):
    scene = revealed(
        (1, 1), (2, 6), citizens=5, culture=7
    )  # culture for 1, or a development without knowledge
    assert choice(scene, player) == Payment((0,), tokens=0, left=4)


@pytest.mark.parametrize("player", JUDGES)
def test_a_useless_tile_is_set_aside_and_a_token_spent_for_the_good_one(player):
    scene = revealed((4, 1), (5, 3), philosophy=1, economy=7, drachmas=1)  # politics without a card, trade
    assert Payment((0, 1), tokens=1, left=0) in scene.options
    assert choice(scene, player) == Payment((1,), tokens=1, left=1)


@pytest.mark.parametrize("player", JUDGES)
def test_no_token_is_spent_for_a_useless_tile(player):
    scene = revealed((4, 4), (6, 0), philosophy=1, citizens=1)  # a development without knowledge
    assert Payment((0, 1), tokens=1, left=2) in scene.options
    assert choice(scene, player).dice == (1,)


@pytest.mark.parametrize("player", JUDGES)
def test_tokens_are_kept_where_citizens_suffice(player):
    scene = revealed((4, 4), (5, 4), philosophy=3, citizens=9)
    assert choice(scene, player) == Payment((0, 1), tokens=0, left=8)


@pytest.mark.parametrize("player", PRICE_LISTS)
def test_a_price_list_spends_no_more_tokens_than_the_tiles_need(player):
    scene = revealed((1, 4), (3, 4), philosophy=3, economy=7)
    assert choice(scene, player) == Payment((0, 1), tokens=1, left=1)


def test_the_idle_player_pays_for_as_little_as_it_may():
    scene = revealed((1, 4), (3, 6), philosophy=1, economy=7)  # trade, and a development that asks first
    assert choice(scene, "idle") == Payment((), tokens=0, left=0)


@pytest.mark.parametrize("player", ["weights-example", "merchant", "idle"])
def test_payments_of_more_than_200_outcomes_are_rated_without_harm(player, tmp_path):
    variant = tmp_path / "crowded.toml"
    variant.write_text(
        "[limits]\ncitizens = 30\n[prices]\ncitizens_per_philosophy = 1\n[actions]\nphilosophy_tokens = 30\n"
    )
    scene = Scene(players=2, rules=load_rules(variant)).give(1, dice=(6, 6), tiles=(0, 1))
    scene.give(0, dice=(1, 1, 1), tiles=(6, 5, 4), philosophy=60, culture=4).reveal()
    assert len(scene.options) == 248
    assert choice(scene, player).tokens <= 12  # what all three tiles cost
    games, _ = play_set_ups(scene.rules, set_ups(30), [load(player)])
    assert (games.phase == Phase.OVER).all()


def before_achievements(**given) -> Scene:
    scene = Scene(players=2).event("drought").give(0, city="thebes", development=2, **given)
    scene.run(Phase.EVENT_RESOLUTION, (Task.END_EVENT, 0, 0), (Task.ACHIEVEMENTS, 0, 0))
    assert scene.asked == (0, "sell-glory")
    return scene


# With 10 majors a glory is worth more than 12 points, a sale 4 points and 2 drachmas.
MAJORS = "RRRRBBBGGG"


@pytest.mark.parametrize("player", JUDGES)
def test_glory_is_sold_where_the_achievement_gives_it_back(player):
    scene = before_achievements(vp=9, glory=1, tokens=MAJORS)
    assert choice(scene, player) == "sell"


@pytest.mark.parametrize("player", JUDGES)
def test_glory_is_kept_where_somebody_else_meets_the_achievement_too_and_only_tax_is_left(player):
    scene = Scene(players=2).give(1, vp=12).event("drought")
    scene.give(0, city="thebes", development=2, vp=9, glory=1, tokens=MAJORS)
    scene.run(Phase.EVENT_RESOLUTION, (Task.END_EVENT, 0, 0), (Task.ACHIEVEMENTS, 0, 0))
    assert choice(scene, player) == "none"


@pytest.mark.parametrize("player", JUDGES)
def test_two_sales_for_one_achievement_are_weighed_together(player):
    assert choice(before_achievements(vp=2, glory=2, tokens="RB"), player) == "sell"
    assert choice(before_achievements(vp=2, glory=2, tokens=2 * MAJORS), player) == "none"


@pytest.mark.parametrize("player", JUDGES)
def test_in_the_last_round_an_achievement_is_worth_the_glory_it_gives(player):
    scene = before_achievements(vp=9, glory=1, tokens="RRBBGG")
    scene.game.round_number = 9
    assert choice(scene, player) == "sell"


def test_players_that_decline_what_they_can_do_not_sell():
    assert choice(before_achievements(vp=9, glory=1), "idle") == "none"
