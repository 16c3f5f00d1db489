"""A short ladder: the targets hold with room to spare, and the scoreboard itself is sound."""

import json

import numpy as np
import pytest

from khora_sim import ladder
from khora_sim.cli import main
from khora_sim.stats import Estimate
from tests.strategies.test_every_strategy import ARCHETYPES

GROUPS = 40


def share(one: str, against: str, groups: int = GROUPS) -> float:
    return float(ladder.games_won(one, against, groups, seed=7).mean())


@pytest.mark.parametrize("name", ARCHETYPES)
def test_an_archetype_beats_three_random_players(name):
    assert share(name, "random") >= 0.85


def test_steward_beats_three_random_players():
    assert share("steward", "random") >= 0.95


@pytest.mark.parametrize("name", ARCHETYPES)
def test_steward_wins_more_than_its_share_against_three_of_an_archetype(name):
    assert share("steward", name) >= 0.30


@pytest.mark.parametrize("name", ["random", "first-legal", "steward", *ARCHETYPES])
def test_idle_loses_to_everyone(name):
    assert share("idle", name) < 0.15


def test_a_strategy_against_itself_wins_exactly_its_share():
    assert share("merchant", "merchant") == pytest.approx(0.25, abs=1e-12)


def test_the_same_seed_gives_the_same_games_and_another_seed_others():
    first = ladder.games_won("merchant", "random", 10, seed=3)
    assert np.array_equal(first, ladder.games_won("merchant", "random", 10, seed=3))
    other = ladder.games_won("patron", "merchant", 10, seed=4)
    assert not np.array_equal(other, ladder.games_won("patron", "merchant", 10, seed=5))


def test_the_groups_of_a_row_do_not_depend_on_how_many_are_played():
    long = ladder.games_won("merchant", "treasurer", 12, seed=3)
    assert np.array_equal(long[:5], ladder.games_won("merchant", "treasurer", 5, seed=3))


def test_a_target_is_met_by_the_share_itself():
    won = Estimate(0.86, 0.80, 0.92, 400)
    assert ladder.Row("merchant", "random", won, 0.85).met
    assert not ladder.Row("merchant", "random", won, 0.87).met


def test_the_command_prints_every_row_for_a_script(monkeypatch, capsys):
    arguments = ["khora", "strategies", "ladder", "--games", "4", "--seed", "2", "--json"]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit) as stop:
        main.run()
    assert not stop.value.code
    data = json.loads(capsys.readouterr().out)
    assert data["seed"] == 2
    assert data["null"] == 0.25
    assert len(data["rows"]) == 2 * len(ARCHETYPES) + 1
    assert {row["n"] for row in data["rows"]} == {4}
    assert [row["one"] for row in data["rows"][:8]] == list(ARCHETYPES)
