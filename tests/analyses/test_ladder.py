"""The ladder: shares, ratings, cycles, and what cannot be distinguished."""

import pytest

from khora_sim.analyses.ladder import Ladder, Pairing, Plan, climb, contenders, design_of, judged
from khora_sim.common.seed_ranges import JUDGING
from khora_sim.errors import UserError
from khora_sim.simulation.backend import Crew
from khora_sim.stats import Estimate
from tests.analyses.made_up import sums_of_all

NAMES = ("random", "first-legal", "idle")
RING = {("a", "b"): 0.4, ("b", "c"): 0.4, ("c", "a"): 0.4, ("b", "a"): 0.1, ("c", "b"): 0.1, ("a", "c"): 0.1}


def climbed(plan: Plan, workers: int = 1, backend: str = "threads") -> Ladder:
    return climb(plan, design_of(plan), crew=Crew(backend, workers))


@pytest.fixture(scope="module")
def small() -> Ladder:
    return climbed(Plan(NAMES, games=40))


def test_every_ordered_pair_is_played_and_rated(small: Ladder):
    assert small.names[-1] == "idle"
    assert {(pairing.one, pairing.other) for pairing in small.pairings} == {
        (one, other) for one in NAMES for other in NAMES if one != other
    }
    assert {pairing.share.n for pairing in small.pairings} == {40}
    assert small.beats("random", "idle")
    assert not small.beats("idle", "random")


def test_ratings_are_reported_as_in_chess_around_1500(small: Ladder):
    assert sum(rung.rating.value for rung in small.rungs) / 3 == pytest.approx(1500)
    assert small.rungs[0].rating.n == 2 * 40 + 2 * 3 * 40


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_the_answer_does_not_depend_on_the_workers(backend: str):
    plan = Plan(("random", "idle"), games=240)
    assert climbed(plan, 2, backend).data() == climbed(plan).data()


def test_a_mirror_lands_on_the_null_exactly_and_is_not_distinguishable():
    mirror = climbed(Plan(("merchant", "merchant:patience=3"), games=80))
    assert [pairing.share.value for pairing in mirror.pairings] == [0.25, 0.25]
    assert [rung.rating.value for rung in mirror.rungs] == pytest.approx([1500, 1500])
    assert mirror.sentences == ["merchant and merchant:patience=3 are not distinguishable by their ratings."]
    assert mirror.cycles == mirror.mutual == []


def test_at_a_table_of_two_both_orders_are_the_same_games():
    plan = Plan(("random", "first-legal", "idle"), players=2, games=40)
    assert len(design_of(plan).arms) == 3
    ladder = climbed(plan)
    assert ladder.null == 0.5
    for one, other in (("random", "idle"), ("first-legal", "random")):
        there, back = ladder.shares[one, other], ladder.shares[other, one]
        assert there.value + back.value == pytest.approx(1)
        assert there.low + back.high == pytest.approx(1)


def test_a_pairing_does_not_depend_on_who_else_climbs(small: Ladder):
    alone = climbed(Plan(("idle", "random"), games=40))
    assert alone.shares["random", "idle"] == small.shares["random", "idle"]


def test_the_order_in_which_strategies_are_named_changes_nothing(small: Ladder):
    turned = climbed(Plan(NAMES[::-1], games=40))
    assert (turned.rungs, turned.pairings) == (small.rungs, small.pairings)


def test_a_cycle_is_named_where_each_of_its_steps_is_certain():
    plan = Plan(("c", "a", "b"))
    ladder = judged(plan, sums_of_all(plan, RING))
    assert ladder.cycles == [("a", "b", "c")]
    assert ladder.sentences[0] == (
        "a beats b, b beats c and c beats a: a cycle, so no order is right for all of them."
    )


def test_a_cycle_with_an_uncertain_step_is_not_named():
    plan = Plan(("a", "b", "c"))
    assert judged(plan, sums_of_all(plan, RING | {("c", "a"): 0.2})).cycles == []


def test_two_that_beat_a_table_of_each_other_are_no_cycle_but_are_named():
    plan = Plan(("a", "b"))
    ladder = judged(plan, sums_of_all(plan, {("a", "b"): 0.4, ("b", "a"): 0.4}))
    assert ladder.cycles == []
    assert ladder.sentences[0] == "a and b each win more than their share against a table of the other."


def test_the_stronger_stands_higher_and_in_a_tier_of_its_own():
    plan = Plan(("weak", "strong", "middle", "alike"))
    beaten = {("strong", name): 0.6 for name in plan.strategies} | {
        ("weak", name): 0.1 for name in plan.strategies
    }
    ladder = judged(plan, sums_of_all(plan, beaten))
    assert (ladder.names[0], ladder.names[-1]) == ("strong", "weak")
    assert [rung.tier for rung in ladder.rungs] == [1, 2, 2, 3]
    assert [sorted(names) for names in ladder.unsettled] == [["alike", "middle"]]


def test_who_always_wins_has_a_rating_without_bounds():
    plan = Plan(("best", "b", "c"))
    lost = {(name, "best"): 0.0 for name in "bc"}
    ladder = judged(plan, sums_of_all(plan, lost | {("best", name): 1.0 for name in "bc"}))
    assert ladder.names[0] == "best"
    assert ladder.rungs[0].tier is None
    assert ladder.data()["rungs"][0]["rating"]["high"] is None
    assert ladder.sentences[-1] == "No bounds on the rating of best: too few games won or lost."


@pytest.mark.parametrize(("low", "certain"), [(0.26, True), (0.25, False)])
def test_only_an_interval_above_the_null_beats(low: float, certain: bool):
    share = Estimate(0.30, low, 0.34, 400)
    assert Ladder(Plan(("a", "b")), (), (Pairing("a", "b", share),)).beats("a", "b") is certain


def test_all_built_in_strategies_climb_but_examples():
    assert {"steward", "merchant", "random", "idle"} < set(contenders())
    assert not {"plain-example", "weights-example"} & set(contenders())


def test_seeds_are_those_kept_for_judging():
    assert Plan(NAMES).seed in JUDGING


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(("random",)), "a ladder needs two strategies or more"),
        (Plan(("random", "idle", "random")), "random: named twice; name every strategy once"),
        (Plan(("random", "idel")), "there is no strategy 'idel'; did you mean idle?"),
        (Plan(NAMES, players=5), "players: 5 given; expected a whole number from 2 to 4"),
        (Plan(NAMES, games=0), "games: 0 given; expected a whole number from 1 to"),
    ],
)
def test_what_cannot_be_played_is_reported_in_one_line(plan: Plan, message: str):
    with pytest.raises(UserError, match=message) as problem:
        design_of(plan)
    assert "\n" not in str(problem.value)
