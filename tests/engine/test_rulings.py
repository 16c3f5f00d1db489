"""The rulings on dice, losses, limits, actions and cards, each as it is worded in the rules."""

import pytest

from khora_sim.engine.agenda import Phase, Task
from tests.engine.covering import covers, each
from tests.engine.scene import BASE, Scene


@covers("ruling", "a third die is rolled from the next round on")
def test_a_third_die_is_rolled_from_the_next_round_on():
    scene = Scene(players=2).give(0, dice=(6, 4), tiles=(5, 0), drachmas=1, tokens="gg", culture=3)
    scene.give(0, hand="peripteros").give(1, dice=(6, 6), tiles=(0, 1))
    scene.all_actions().choose("none", "peripteros")  # player 1 keeps no card
    assert scene.player(0).culture == 4
    assert scene.game.dice[0].tolist() == [6, 4, 0]
    scene.event("drought", 4).end_of_round(3)
    assert (scene.game.dice[0] > 0).tolist() == [True, True, True]
    assert (scene.game.dice[1] > 0).tolist() == [True, True, False]


LOSSES = [
    ("losses stop at 0: drachmas", "drought", {"drachmas": 1}, {"drachmas": -1}),
    ("losses stop at 0: philosophy tokens", "origin-of-the-academy", {"philosophy": 1}, {"philosophy": -1}),
    ("losses stop at 0: citizens", "conscripting-troops", {"citizens": 2}, {"citizens": -2}),
    ("losses stop at 0: troops", "outbreak-of-war", {"troops": 1}, {"troops": -1}),
    ("losses stop at 0: VP", "eleusinian-mysteries", {"vp": 3}, {"vp": -3}),
    ("losses stop at 0: cards", "the-thirty-tyrants", {"hand": "bank", "in_play": "quarry"}, {"hand": -1}),
]


@each("ruling", "ruling, event, given, change", LOSSES)
def test_losses_stop_at_0(ruling, event, given, change):
    scene = Scene(players=2).give(0, **given).give(1, troops=9)
    assert scene.resolve(event).changes(0) == change


CAPS = [
    # what is gained by playing a card, from where, to where
    ("tax past 10 is lost", "silver-mining", "tax", 9, 10),
    ("citizens past 15 are lost at once", None, "citizens", 14, 15),
    ("troops past 15 are lost at once", "greek-fire", "troops", 13, 15),
    ("mercenaries at 13 troops with economy 5 end at 15", "mercenary-recruitment", "troops", 13, 15),
]


@each("ruling", "ruling, card, name, start, end", CAPS)
def test_what_passes_a_limit_is_lost_at_once(ruling, card, name, start, end):
    scene = Scene().give(0, drachmas=3, tokens="rb", economy=5, **{name: start})
    if card:
        scene.give(0, hand=card).play(card)
    else:
        scene.give(0, tokens="bb").develop(3)  # Argos 2: 5 citizens
    assert vars(scene.player(0))[name] == end


@covers("ruling", "glory past 10 is lost")
def test_glory_past_10_is_lost():
    scene = Scene().give(0, city="argos", development=3, drachmas=2, tokens="rbbbgg", glory=9)
    assert scene.develop().player(0).glory == 10


@covers("ruling", "citizens from legislation may pass 15 until the phase ends")
def test_citizens_from_legislation_may_pass_15_until_the_phase_ends():
    scene = Scene(players=2).give(0, tiles=(1, 6), citizens=15, tokens="bb").deck("bank")
    scene.all_actions().choose("bank")
    assert scene.player(0).citizens == 18
    scene.choose("yes", 3)  # Argos 2: 5 citizens, which are lost
    assert scene.player(0).citizens == 15


@covers("ruling", "troops past 15 count inside a military action")
def test_troops_past_15_count_inside_a_military_action():
    scene = Scene().give(0, troops=15, military=4).action("military")
    assert scene.player(0).troops == 19
    scene.choose("persepolis")
    assert scene.player(0).troops == 4
    scene = Scene().give(0, troops=15, military=4).action("military").choose("none")
    assert scene.player(0).troops == 15


@covers("ruling", "between two military actions troops fall to 15")
def test_between_two_military_actions_troops_fall_to_15():
    scene = Scene().give(0, city="sparta", development=2, drachmas=2, tokens="rbbbg", troops=14, military=3)
    scene.develop()
    assert scene.player(0).troops == 17
    scene.choose("none")
    assert scene.player(0).troops == 15 + 3


@covers("ruling", "triggers fire on every action of Olympia 4")
def test_olympia_4_fires_culture_triggers_three_times():
    scene = Scene().give(0, city="olympia", development=3, drachmas=3, tokens="rrbggg", culture=5)
    scene.give(0, in_play="stoa-poikile persians")
    gains = {"vp": 15, "drachmas": 6 - 3, "troops": 3 * (2 + 1), "philosophy": 3}
    assert scene.develop().changes(0) == gains | {"development": 1}


@covers("ruling", "triggers fire on every action of Sparta 3")
def test_sparta_3_fires_military_triggers_twice():
    scene = Scene().give(0, city="sparta", development=2, drachmas=2, tokens="rbbbg")
    scene.develop()  # with 1 troop there is nothing to explore; with 2 there is
    assert scene.choose("none").changes(0) == {"drachmas": -2, "tax": 2, "troops": 2, "development": 1}


@covers("ruling", "triggers fire on the action of Conquest of the Persians")
def test_conquest_of_the_persians_fires_triggers():
    scene = Scene(players=2).give(0, in_play="lighthouse diolkos", troops=15)
    scene.action("military").choose("persepolis")
    scene.resolve("conquest-of-the-persians", 9).choose("trade", "none")
    assert scene.changes(0) == {"drachmas": 2 + 1, "troops": 1, "vp": 3 + 1}


@covers("ruling", "what a trade action adds can help to buy the token")
def test_the_drachma_of_diolkos_helps_to_buy_the_token():
    scene = Scene().give(0, drachmas=2, in_play="diolkos").action("trade").choose("red")
    assert scene.changes(0) == {"drachmas": 3 - 5, "troops": 1, "vp": 1, "minor red": 1}


@covers("ruling", "Oracle needs a development really unlocked")
def test_oracle_pays_nothing_for_a_development_action_that_unlocks_none():
    scene = Scene().give(0, in_play="oracle", tokens="bb").action("development").choose("none")
    assert scene.changes(0) == {}
    scene = Scene().give(0, in_play="oracle").action("development")
    assert (scene.asked, scene.changes(0)) == (None, {})


@covers("ruling", "the development of the set-up is no action")
def test_the_development_of_the_set_up_fires_nothing():
    scene = Scene().give(0, development=0, in_play="oracle")
    scene.run(Phase.DRAFT, (Task.FIRST_DEVELOPMENTS, 0, 0))
    assert scene.changes(0) == {"troops": 2, "development": 1}
    assert scene.match.ledger.actions.sum() == 0


@covers("ruling", "Helepole and Sparta 1 add up")
@pytest.mark.parametrize(("space", "needed", "lost"), [("major-red-2", 6, 3), ("minor-red-1", 2, 1)])
def test_helepole_and_sparta_1_save_2_troops_but_as_many_are_needed(space, needed, lost):
    scene = Scene().give(0, city="sparta", in_play="helepole", troops=needed - 1)
    scene.action("military").choose(space)
    assert scene.player(0).troops == needed - max(lost - 2, 0)
    scene = Scene().give(0, city="sparta", in_play="helepole", troops=needed - 2)
    assert space not in scene.action("military").options


@covers("ruling", "Power and Public Market also pay when tied")
def test_power_and_public_market_also_pay_when_tied():
    scene = Scene().give(0, in_play="power").give(1, in_play="public-market")
    scene.tax_phase()
    assert [scene.changes(seat) for seat in range(3)] == [{"vp": 4}, {"vp": 3}, {}]


@covers("ruling", "Rivalry wants all others strictly higher")
def test_rivalry_gives_nothing_when_anyone_is_tied():
    scene = Scene().give(0, hand="rivalry", military=2).give(1, military=2).give(2, military=7)
    assert scene.play("rivalry").changes(0) == {"hand": -1, "in play": 1}


@covers("ruling", "Ostracism cannot take itself back")
def test_ostracism_cannot_take_itself_back():
    scene = Scene().give(0, drachmas=9, hand="ostracism", in_play="quarry diolkos")
    assert scene.play("ostracism").options == ["diolkos", "quarry"]


@covers("ruling", "with no other card in play Ostracism still has its politics action")
def test_ostracism_alone_still_gives_a_politics_action():
    scene = Scene().give(0, drachmas=3, hand="ostracism gifts-from-the-west").play("ostracism")
    assert scene.asked == (0, "play-card")
    scene.choose("gifts-from-the-west")
    assert scene.changes(0) == {"hand": -2, "in play": 2}  # 3 drachmas paid and 3 gained


@covers("ruling", "every card played fires the card-played effects")
def test_a_card_played_again_after_ostracism_fires_again():
    scene = Scene().give(0, city="athens", development=3, drachmas=3)
    scene.give(0, hand="ostracism", in_play="gifts-from-the-west extraordinary-collection")
    scene.play("ostracism", "gifts-from-the-west", "gifts-from-the-west")
    gains = {"drachmas": -3 + 3 + 2 * (2 + 2), "vp": 6, "troops": 4}
    assert scene.changes(0) == gains | {"hand": -1, "in play": 1}


@covers("ruling", "Miletus 2 takes two different tracks")
def test_miletus_2_with_two_tracks_at_their_end_gives_one_level():
    scene = Scene().give(0, city="miletus", development=1, drachmas=1, tokens="r", economy=7, culture=7)
    gains = {"military": 1, "glory": 1}
    assert scene.develop().changes(0) == gains | {"drachmas": -1, "development": 1}
    assert scene.asked is None


@covers("ruling", "Argos 1 and 2 are immediate, once")
def test_argos_1_and_2_do_nothing_after_they_were_unlocked():
    scene = Scene().give(0, city="argos", development=2, tax=1)
    assert scene.tax_phase().changes(0) == {"drachmas": 1}
    for action in ("philosophy", "culture"):
        assert set(scene.action(action).changes(0)) == {{"culture": "vp"}.get(action, action)}


@covers("ruling", "discarded cards go under the deck")
def test_discarded_cards_go_under_the_deck():
    scene = Scene(players=2).give(0, hand="bank power").give(1, troops=1).deck("oracle", "quarry", "council")
    scene.resolve("the-thirty-tyrants").choose("power")
    assert scene.deck_cards() == ["council", "power", "bank"]


@covers("ruling", "no reshuffle: what is left is drawn")
@pytest.mark.parametrize("left", [0, 1, 2])
def test_what_is_left_of_the_deck_is_drawn(left):
    cards = ["bank", "quarry"][:left]
    scene = Scene().give(0, hand="council").deck(*cards)
    scene.play("council")
    assert scene.hand(0) == set(cards)
    assert scene.deck_cards() == []


@covers("ruling", "legislation with one card left, and with none")
def test_legislation_with_a_short_deck():
    scene = Scene().deck("bank").action("legislation").choose("bank")
    assert scene.changes(0) == {"citizens": 3, "hand": 1}
    scene = Scene().deck().action("legislation")
    assert (scene.asked, scene.changes(0)) == (None, {"citizens": 3})


@covers("ruling", "Conquest of the Persians comes before achievements and scoring")
def test_points_of_the_last_action_still_earn_an_achievement():
    scene = Scene(players=2).give(0, vp=6, culture=4, troops=14).event("conquest-of-the-persians", 9)
    scene.action("military").choose("persepolis")
    scene.run(Phase.PROGRESS, (Task.EVENT, 0, 0), (Task.ACHIEVEMENTS, 0, 0), (Task.END_ROUND, 0, 0))
    scene.choose("culture", "none")
    assert scene.asked == (0, "tax-or-glory")
    scene.choose("glory")
    assert scene.asked is None
    assert scene.player(0).vp == 6 + 4 + 1 * 3  # glory 1 and the three majors of Persepolis


@covers("ruling", "Ionic Columns are Corinthian Columns")
def test_the_card_is_called_corinthian_columns():
    assert "Corinthian Columns" in BASE.card_names
    assert "Ionic Columns" not in BASE.card_names
