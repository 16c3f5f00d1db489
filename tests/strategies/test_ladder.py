"""A short ladder: the targets hold with room to spare, and the scoreboard itself is sound."""

import json

import pytest

from khora_sim.cli import main
from khora_sim.lab.against import share_won
from khora_sim.lab.crew import Crew
from khora_sim.questions import ladder
from khora_sim.stats import Estimate, Sums
from tests.strategies.test_every_strategy import ARCHETYPES

GAMES = 160


def won(one: str, against: str, games: int, seed: int) -> Sums:
    return ladder.games_won([ladder.Pairing(one, against)], games, seed)[0]


def share(one: str, against: str) -> float:
    return share_won(won(one, against, GAMES, seed=7), ladder.PLAYERS).value


@pytest.mark.parametrize("name", ARCHETYPES)
def test_an_archetype_beats_three_random_players(name):
    assert share(name, "random") >= 0.85


def test_steward_beats_three_random_players():
    assert share("steward", "random") >= 0.95


@pytest.mark.parametrize("name", ARCHETYPES)
def test_steward_wins_more_than_its_share_against_three_of_an_archetype(name):
    assert share("steward", name) >= 0.30


def test_expert_wins_far_more_than_its_share_against_three_stewards():
    assert share("expert", "steward") >= 0.4


@pytest.mark.parametrize("name", ["random", "first-legal", "steward", *ARCHETYPES])
def test_idle_loses_to_everyone(name):
    assert share("idle", name) < 0.15


def test_a_strategy_against_itself_wins_exactly_its_share():
    assert share("merchant", "merchant") == pytest.approx(0.25, abs=1e-12)


def test_the_same_seed_gives_the_same_games_and_another_seed_others():
    first = won("merchant", "random", 40, seed=3)
    assert first.cells.equals(won("merchant", "random", 40, seed=3).cells)
    other = won("patron", "merchant", 40, seed=4)
    assert not other.cells.equals(won("patron", "merchant", 40, seed=5).cells)


def test_the_groups_of_a_row_do_not_depend_on_how_many_are_played():
    long = won("merchant", "treasurer", 48, seed=3)
    assert long.cells[:5].equals(won("merchant", "treasurer", 20, seed=3).cells)


def test_rows_do_not_depend_on_each_other_nor_on_the_workers():
    pairings = [ladder.Pairing("merchant", "random"), ladder.Pairing("idle", "random")]
    both = ladder.games_won(pairings, 240, 3, Crew("threads", 3))
    alone = [won(one.one, one.against, 240, seed=3) for one in pairings]
    assert all(a.cells.equals(b.cells) for a, b in zip(both, alone, strict=True))


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
    assert len(data["rows"]) == 2 * len(ARCHETYPES) + 2
    assert {row["n"] for row in data["rows"]} == {4}
    assert [row["one"] for row in data["rows"][:8]] == list(ARCHETYPES)
