"""Sides of a what-if: other players, options of the game, and tables of several sizes."""

import json
from types import SimpleNamespace

import polars as pl
import pytest

import khora_sim
from khora_sim.analyses.what_if.measure import Verdict, _rows_of
from khora_sim.analyses.what_if.things import BY_CHANCE
from tests.checks.false_claims import WHAT_IF, claims_of

FEW = {"strategies": "random", "also_with": "none", "games": 140, "seed": 5, "workers": 1}
LONELY = ("idle", "random", "random", "random")


def verdicts(**changes) -> tuple[Verdict, ...]:
    (variant,) = khora_sim.what_if(**{**FEW, **changes}).variants
    return variant.verdicts


def test_the_same_players_on_both_sides_are_exactly_zero():
    answer = khora_sim.what_if(changed_strategies="random", **FEW)
    assert answer.no_change(answer.variants[0])
    (found,) = answer.variants[0].verdicts
    assert found.same
    assert set(found.tables.city_wins["value"]) == {0.0}


def test_other_players_meet_the_same_luck_in_the_same_seats():
    (found,) = verdicts(changed_strategies=("idle",))
    assert found.line_ups == (("random",), ("idle",))
    assert found.tables.strategy_wins.is_empty()  # one in every seat has the fair share
    scores = found.tables.games.filter(measure="score of all players").row(0, named=True)
    assert scores["high"] < -5  # who does nothing scores less
    for game in found.changed_games:
        assert game.cities[0] == game.cities[1]
        assert game.strategies == (("random",) * 4, ("idle",) * 4)


def test_one_other_player_at_the_table_is_compared_place_by_place():
    (found,) = verdicts(changed_strategies=LONELY)
    places = {row["strategy"]: row for row in found.tables.strategy_wins.to_dicts()}
    assert set(places) == {"random", "random → idle"}
    assert (places["random → idle"]["n"], places["random"]["n"]) == (140, 420)
    assert places["random → idle"]["value"] == pytest.approx(-3 * places["random"]["value"])
    assert places["random → idle"]["high"] < 0


def test_line_ups_of_other_lengths_are_refused():
    with pytest.raises(khora_sim.UserError, match="3 for 2 of --strategies; name as many, or one"):
        verdicts(strategies=("random", "idle"), changed_strategies=LONELY[:3])


def test_an_option_of_the_game_is_a_value_of_the_rules():
    one, two = khora_sim.what_if(reroll=True, **FEW), khora_sim.what_if(set="options.reroll=true", **FEW)
    assert json.dumps(one.data()) == json.dumps(two.data())
    assert not one.variants[0].main.same


def test_sizes_of_table_stand_side_by_side_each_as_if_asked_for_alone():
    both = verdicts(set=("cards.lighthouse.cost=3",), players=(4, 2))
    assert [found.players for found in both] == [4, 2]
    (alone,) = verdicts(set=("cards.lighthouse.cost=3",), players=(2,))
    assert both[1].tables.city_wins.equals(alone.tables.city_wins)
    assert both[1].fairness == alone.fairness


@pytest.mark.slow
def test_sides_that_differ_in_luck_alone_are_seldom_distinguishable():
    """Of 20 at most 4: a right method passes that in 3 of 1,000 runs. `false_claims` plays 200."""
    claimed = [bool(claims_of(f"{WHAT_IF}, few games", seed)) for seed in range(1, 41, 2)]
    assert sum(claimed) <= 4


def test_sides_that_differ_in_rules_are_distinguishable_where_it_is_plain():
    """The judging that `false_claims` counts on is not silent about everything."""
    (found,) = verdicts(set=("cities.argos.developments.1.effects.1.gain.vp=10",))
    assert found.tables.city_scores.filter(pl.col("p_holm") < 0.05)["city"].to_list() == ["argos"]


@pytest.mark.parametrize("stage", sorted(BY_CHANCE))
def test_a_thing_that_came_to_other_players_is_measured_on_those_of_both_sides(stage: str):
    first = pl.DataFrame({"seat": [1, 2, 3], "came": [True, False, False]})
    second = pl.DataFrame({"seat": [1, 2, 3], "came": [False, True, False]})
    thing = SimpleNamespace(column=lambda stage: "came")
    sides = SimpleNamespace(both=(first, second))
    rows = _rows_of(sides, thing, stage)  # type: ignore[arg-type]
    assert [one["seat"].to_list() for one in rows] == [[1, 2], [1, 2]]
