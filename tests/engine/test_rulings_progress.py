"""The rulings on levels, philosophy tokens and Thebes' glory."""

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Phase, Task
from tests.engine.covering import covers
from tests.engine.scene import Scene

UP_2 = {"economy": 1, "citizens": 3}


@covers("ruling", "Old Guard: a free step by Constructing the Mint breaks it")
def test_a_free_step_by_constructing_the_mint_breaks_old_guard():
    scene = Scene().give(0, in_play="old-guard constructing-the-mint")
    assert scene.progress().choose("economy").changes(0) == UP_2
    scene = Scene().give(0, in_play="old-guard constructing-the-mint")
    assert scene.progress().choose("none").changes(0) == {"vp": 4}


@covers("ruling", "Old Guard: Peripteros, developments and events do not break it")
def test_levels_outside_the_progress_phase_do_not_break_old_guard():
    scene = Scene(players=2).give(0, drachmas=1, tokens="gg", troops=2)
    scene.give(0, in_play="old-guard", hand="peripteros")
    scene.play("peripteros")
    assert scene.progress().changes(0) == {"vp": 4}
    scene.resolve("military-victory").choose("military")
    assert scene.progress().changes(0) == {"vp": 4}
    scene = Scene(players=2).give(0, city="argos", development=2, tokens="rbb", in_play="old-guard")
    scene.develop()
    assert scene.player(0).military == 2
    assert scene.progress().changes(0) == {"vp": 4}


@covers("ruling", "Old Guard looks at one phase at a time")
def test_old_guard_forgets_the_steps_of_the_round_before():
    scene = Scene(players=2).give(0, in_play="old-guard", drachmas=1)
    assert scene.progress().choose("culture").changes(0) == {"drachmas": -1, "culture": 1}
    assert scene.progress().changes(0) == {"vp": 4}


@covers("ruling", "Gradualism also lowers event steps")
def test_gradualism_also_lowers_event_steps():
    scene = Scene(players=2).give(0, in_play="gradualism", drachmas=1, military=3, troops=1)
    assert scene.resolve("the-rise-of-persia").choose("military").player(0).drachmas == 0  # 4 - 2 - 1
    scene = Scene(players=2).give(0, in_play="gradualism", drachmas=3, culture=3, troops=1)
    assert scene.resolve("military-victory").choose("culture").player(0).drachmas == 0  # 6 - 2 - 1


@covers("ruling", "Constructing the Mint and Corinth 3 work in the progress phase only")
def test_the_mint_and_corinth_3_do_nothing_for_event_steps():
    scene = Scene(players=2).give(0, in_play="constructing-the-mint", drachmas=9, economy=5, troops=1)
    assert scene.resolve("military-victory").choose("economy").changes(0) == {"drachmas": -2, "economy": 1}
    scene = Scene(players=2).give(0, city="corinth", development=3, drachmas=9, military=2, troops=1)
    assert scene.resolve("military-victory").choose("military").changes(0) == {"drachmas": -1, "military": 1}
    assert scene.asked is None


@covers("ruling", "discounts of Gradualism and Corinth 3 add up in the progress phase")
def test_gradualism_and_corinth_3_together_are_2_drachmas_cheaper():
    scene = Scene().give(0, city="corinth", development=3, in_play="gradualism", drachmas=4, culture=3)
    assert scene.progress().choose("culture").changes(0) == {"drachmas": -4, "culture": 1, "dice": 1}


@covers("ruling", "Reformists and Corinth 3 do not add up")
@pytest.mark.parametrize(("settings", "levels"), [(0, 2), (Setting.PROGRESS_BONUSES_STACK, 3)])
def test_reformists_and_corinth_3_add_up_only_by_option(settings, levels):
    scene = Scene(settings=Setting.DRAFT | settings)
    scene.give(0, city="corinth", development=3, in_play="reformists", drachmas=30)
    scene.progress()
    for _ in range(levels):
        scene.choose("military")
    assert scene.asked is None
    assert scene.player(0).military == 1 + levels


@covers("ruling", "Constructing the Mint is free for levels bought with philosophy too")
def test_the_mint_is_free_for_levels_bought_with_philosophy():
    scene = Scene().give(0, in_play="constructing-the-mint", philosophy=1)
    scene.progress().choose("economy", "economy")
    assert scene.changes(0) == {"economy": 2, "citizens": 6, "philosophy": -1}


@covers("ruling", "philosophy tokens buy no level in what an event grants")
@pytest.mark.parametrize("event", ["military-victory", "the-rise-of-persia"])
def test_philosophy_buys_no_second_level_in_an_event(event):
    scene = Scene(players=2).give(0, philosophy=5, drachmas=30, troops=1)
    scene.resolve(event).choose("military")
    assert scene.asked != (0, "climb-cheaper")
    assert scene.player(0).philosophy == 5


@covers("ruling", "philosophy tokens stand in for no knowledge in what an event grants")
def test_philosophy_stands_in_for_no_knowledge_in_an_event():
    scene = Scene(players=2).give(0, philosophy=9, drachmas=30, troops=15, hand="quarry")
    assert scene.resolve("prosperity").asked is None
    scene.action("military").choose("persepolis")
    scene.give(0, tokens="")
    scene.resolve("conquest-of-the-persians", 9).choose("politics")
    assert scene.asked == (1, "choose-action")  # nothing can be played
    scene.resolve("conquest-of-the-persians", 9).choose("development")
    assert scene.asked == (1, "choose-action")


@covers("ruling", "philosophy tokens stand in for knowledge inside Ostracism in phase D")
def test_philosophy_stands_in_for_knowledge_in_the_action_ostracism_gives():
    scene = Scene().give(0, philosophy=2, drachmas=3, hand="ostracism quarry")
    scene.play("ostracism", "quarry")
    assert scene.changes(0) == {"drachmas": -3, "philosophy": -2, "tax": 1, "hand": -2, "in play": 2}


@covers("ruling", "philosophy tokens buy no level in phase D and no citizens in phase E")
def test_philosophy_tokens_have_one_use_in_each_phase():
    scene = Scene(players=2).give(0, philosophy=4, citizens=2)
    assert scene.action("culture").asked is None
    assert scene.progress().asked is None
    assert scene.changes(0) == {}


def thebes(**given):
    return Scene(players=2).give(0, city="thebes", development=2, **given)


SOLD = {"glory": -1, "drachmas": 2, "vp": 4}


@covers("ruling", "Thebes 2 is offered before paying in phase D")
def test_thebes_2_is_offered_before_paying_in_phase_d():
    scene = thebes(glory=1, drachmas=2, hand="tunnel-of-eupalinos")
    scene.action("politics")
    assert scene.options == ["sell", "none"]
    scene.choose("sell", "tunnel-of-eupalinos")
    assert scene.changes(0) == {"glory": -1, "drachmas": -2, "vp": 4 + 6, "hand": -1, "in play": 1}
    scene = thebes(glory=1, tokens="rrbbgg").give(0, development=3)
    assert scene.action("development").options == ["sell", "none"]
    assert scene.choose("sell", "yes").changes(0) == {"glory": -1, "vp": 4, "development": 1}


@covers("ruling", "Thebes may sell glory in a development action with all developments")
def test_thebes_may_sell_glory_in_a_development_action_with_all_developments():
    scene = thebes(glory=1).give(0, development=4)
    assert scene.action("development").options == ["sell", "none"]
    assert scene.choose("sell").changes(0) == SOLD
    assert scene.asked is None


@covers("ruling", "Thebes 2 is offered before paying in phase E")
def test_thebes_2_is_offered_before_paying_in_phase_e():
    scene = thebes(glory=2)
    scene.progress()
    assert scene.options == ["sell", "none"]
    scene.choose("sell")
    assert scene.options == ["economy", "culture", "military", "sell", "none"]
    scene.choose("economy")
    assert scene.changes(0) == {"glory": -1, "vp": 4} | UP_2


@covers("ruling", "Thebes 2 is offered in events that ask for drachmas")
def test_thebes_2_is_offered_in_events_that_ask_for_drachmas():
    scene = thebes(glory=1, troops=2, hand="archives")
    assert scene.resolve("prosperity").choose("sell").options == ["archives", "none"]
    scene = thebes(glory=1, military=3)
    assert scene.resolve("the-rise-of-persia").choose("sell").options == ["military", "none"]


@covers("ruling", "Thebes 2 is offered before the final scoring")
def test_thebes_2_is_offered_before_the_final_scoring():
    scene = thebes(glory=3, tokens="R", in_play="bank")
    scene.end_of_game()
    assert (scene.asked, scene.options) == ((0, "sell-glory"), ["sell", "none"])
    scene.choose("sell", "sell", "none")
    assert scene.changes(0) == {"glory": -2, "drachmas": 4, "vp": 2 * 4 + 4 // 2 + 1}
    scene = thebes(glory=1)
    assert scene.end_of_game().choose("sell").changes(0) == SOLD
    assert scene.asked is None


@covers("ruling", "Thebes 2 is for who has unlocked it")
def test_nobody_else_sells_glory():
    scene = Scene(players=2).give(0, city="thebes", development=1, glory=5).give(1, glory=5)
    assert scene.end_of_game().asked is None
    assert scene.action("trade").asked is None


@covers("ruling", "Growing Population pays right after the roll")
def test_growing_population_pays_before_tiles_are_placed():
    scene = Scene(players=2).give(0, dice=(2, 2)).give(1, dice=(6, 6)).event("growing-population", 1)
    scene.run(Phase.DICE, (Task.ROLLED, 0, 0))
    assert scene.asked == (0, "place-tiles")
    assert scene.changes(0) == {"philosophy": 1}
