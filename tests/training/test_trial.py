"""Candidates of a generation are compared on the same luck, against the same opponents."""

import pytest

from khora_sim.rules import load_rules
from khora_sim.simulation.backend import Backend
from khora_sim.strategy import load
from khora_sim.training.trial import Table, games_each, scores, shares_won

STEWARD = load("steward")
FOOLISH = load("steward:points=-1:working=-1")
SEED = 1_000_000_000


@pytest.fixture
def table():
    return Table(load_rules(), 3, ("sparta", "argos"), ("steward", "merchant"), Backend("threads", 1))


def test_the_same_candidate_gets_the_same_score(table):
    first, second = scores(table, [STEWARD, STEWARD], 12, SEED)
    assert first == second
    assert scores(table, [STEWARD], 12, SEED) == [first]


def test_a_foolish_candidate_scores_less_wherever_it_stands_in_the_list(table):
    wise, foolish = scores(table, [STEWARD, FOOLISH], 12, SEED)
    assert wise > foolish + 0.3
    assert scores(table, [FOOLISH, STEWARD], 12, SEED) == [foolish, wise]


def test_another_seed_is_other_luck(table):
    assert scores(table, [STEWARD], 12, SEED) != scores(table, [STEWARD], 12, SEED + 1)


def test_workers_change_nothing(table):
    both = [STEWARD, FOOLISH]
    assert scores(table, both, 12, SEED) == scores(
        table._replace(backend=Backend("threads", 2)), both, 12, SEED
    )


def test_games_are_whole_rotation_groups_in_every_city(table):
    assert [games_each(table, asked) for asked in (1, 6, 7, 12)] == [6, 6, 12, 12]


def test_a_score_is_the_share_won_and_a_little_for_the_lead(table):
    idle = table._replace(cities=("sparta",), opponents=("idle",))
    assert scores(idle, [STEWARD], 3, SEED)[0] == pytest.approx(1.3, abs=0.1)


def test_a_mirror_match_lands_on_the_fair_share(table):
    steward, merchant = shares_won(table, STEWARD, 60, SEED)
    assert steward.value == pytest.approx(1 / 3)
    assert merchant.value > 0.4
