"""Thebes' second development before the achievements of a round: offered while sales can earn one."""

import pytest

from khora_sim.engine.agenda import Phase, Task
from tests.engine.covering import covers
from tests.engine.scene import Scene

RULING = ("ruling", "Thebes 2 is offered before the achievements while sales can earn one")
SOLD = {"glory": -1, "drachmas": 2, "vp": 4}


def thebes(rules=None, **given):
    scene = Scene(players=3) if rules is None else Scene(players=3, rules=rules)
    return scene.give(0, city="thebes", development=2, **given)


def from_the_event_on(scene, event="drought", round_number=2):
    """Phases F and G."""
    scene.event(event, round_number)
    return scene.run(Phase.EVENT_RESOLUTION, (Task.EVENT, 0, 0), (Task.ACHIEVEMENTS, 0, 0))


@covers(*RULING)
def test_9_vp_and_a_glory_can_earn_the_achievement_of_10_vp():
    scene = from_the_event_on(thebes(vp=9, glory=1))
    assert (scene.asked, scene.options) == ((0, "sell-glory"), ["sell", "none"])
    assert scene.game.phase == Phase.ACHIEVEMENT
    scene.choose("sell")
    assert (scene.asked, scene.options) == ((0, "tax-or-glory"), ["tax", "glory"])
    assert scene.choose("glory").changes(0) == {"drachmas": 2, "vp": 4}
    assert scene.asked is None


@covers(*RULING)
def test_the_sale_may_be_declined():
    scene = from_the_event_on(thebes(vp=9, glory=1)).choose("none")
    assert scene.asked is None
    assert scene.changes(0) == {}
    assert scene.game.achieved[0] == 0


@covers(*RULING)
def test_glory_that_the_progress_phase_brought_can_be_sold():
    scene = thebes(vp=9, military=3, drachmas=5).event("drought")
    assert scene.rules.model.tracks.military["4"].gain == {"glory": 1}
    tasks = (Task.PROGRESS, Task.EVENT, Task.ACHIEVEMENTS)
    scene.run(Phase.PROGRESS, *((task, 0, 0) for task in tasks)).choose("military")
    assert scene.player(0).glory == 1
    assert scene.asked == (0, "sell-glory")
    assert scene.choose("sell").asked == (0, "tax-or-glory")


@covers(*RULING)
def test_glory_that_the_event_brought_can_be_sold(variant):
    event = {"scope": "all", "effect": {"on": "at-once", "gain": {"glory": 1}}}
    scene = from_the_event_on(thebes(variant(events={"drought": event}), vp=6))
    assert (scene.asked, scene.options) == ((0, "sell-glory"), ["sell", "none"])
    assert scene.choose("sell").asked == (0, "tax-or-glory")


@covers(*RULING)
def test_two_sales_are_offered_one_after_the_other_where_two_are_needed():
    scene = from_the_event_on(thebes(vp=2, glory=3))
    assert scene.choose("sell").asked == (0, "sell-glory")  # 6 VP
    assert scene.choose("sell").asked == (0, "tax-or-glory")  # 10 VP: the third glory has nothing to earn
    assert scene.choose("tax").changes(0) == {"glory": -2, "drachmas": 4, "vp": 8, "tax": 1}


@covers(*RULING)
@pytest.mark.parametrize(
    "given",
    [
        {"vp": 5, "glory": 1},  # out of reach: 9
        {"vp": 1, "glory": 2},
        {"vp": 9, "glory": 0},
        {"vp": 10, "glory": 3},  # met as it is
        {"vp": 0, "glory": 1, "citizens": 11, "troops": 5, "economy": 3},  # not what a sale brings
    ],
)
def test_nothing_is_offered_where_a_sale_earns_nothing(given):
    assert from_the_event_on(thebes(**given)).asked != (0, "sell-glory")


@covers(*RULING)
def test_nothing_is_offered_once_the_achievement_was_earned_in_an_earlier_round():
    scene = thebes(vp=9, glory=1).give(1, vp=12)
    scene.achievements().choose("tax")
    assert from_the_event_on(scene).asked is None


@covers(*RULING)
def test_an_achievement_that_somebody_else_meets_this_round_can_still_be_shared():
    scene = from_the_event_on(thebes(vp=9, glory=1).give(1, vp=12))
    assert scene.asked == (0, "sell-glory")
    scene.choose("sell")
    assert scene.asked is None
    assert [scene.changes(seat) for seat in range(3)] == [SOLD | {"tax": 1}, {"tax": 1}, {}]


@covers(*RULING)
def test_those_who_can_are_asked_from_the_first_player_clockwise(variant):
    selling = {"on": "always", "special": "sells-glory", "gain": {"vp": 1}}
    card = {"kind": "ongoing", "effects": [selling]}
    scene = thebes(variant(cards={"quarry": card, "bank": card}), vp=9, glory=1)
    scene.give(1, vp=9, glory=1, in_play="bank").give(2, vp=9, glory=1, in_play="quarry")
    scene.game.first_player = 1
    assert from_the_event_on(scene).asked == (1, "sell-glory")
    assert scene.choose("none").asked == (2, "sell-glory")
    assert scene.choose("sell").asked == (0, "sell-glory")


@covers(*RULING)
@pytest.mark.parametrize(
    ("gain", "given", "sales"),
    [
        ({"citizens": 2}, {"citizens": 9, "glory": 2}, 2),
        ({"troops": 1}, {"troops": 5, "glory": 2}, 1),
        ({"citizens": 5, "troops": 3}, {"citizens": 1, "troops": 3, "glory": 1}, 1),
    ],
)
def test_a_variant_whose_sale_brings_citizens_or_troops_offers_it_for_their_achievements(
    variant, gain, given, sales
):
    selling = {"effects": [{"on": "always", "special": "sells-glory", "gain": gain}]}
    rules = variant(cities={"thebes": {"developments": {"2": selling}}})
    scene = from_the_event_on(thebes(rules, **given))
    for _ in range(sales):
        assert (scene.asked, scene.options) == ((0, "sell-glory"), ["sell", "none"])
        scene.choose("sell")
    assert scene.asked == (0, "tax-or-glory")


@covers(*RULING)
def test_no_number_of_sales_brings_citizens_past_their_limit(variant):
    selling = {"effects": [{"on": "always", "special": "sells-glory", "gain": {"citizens": 9}}]}
    rules = variant(cities={"thebes": {"developments": {"2": selling}}}, achievements={"citizens": 15})
    scene = from_the_event_on(thebes(rules, citizens=3, glory=2))
    assert scene.choose("sell").asked == (0, "sell-glory")
    assert scene.choose("sell").asked == (0, "tax-or-glory")
    assert scene.player(0).citizens == 15


@covers(*RULING)
def test_what_is_sold_in_the_last_round_counts_for_the_achievement_and_is_offered_again_for_the_score():
    scene = thebes(vp=9, glory=2).event("conquest-of-the-persians", 9)
    tasks = (Task.EVENT, Task.ACHIEVEMENTS, Task.END_ROUND)
    scene.run(Phase.EVENT_RESOLUTION, *((task, 0, 0) for task in tasks))
    assert scene.asked == (0, "sell-glory")
    assert scene.game.phase == Phase.ACHIEVEMENT
    scene.choose("sell", "glory")
    assert (scene.asked, scene.game.phase) == ((0, "sell-glory"), Phase.FINAL_SCORING)
    scene.choose("sell", "sell")
    assert scene.changes(0) == {"glory": -2, "drachmas": 6, "vp": 12}
