"""Comparing the speed of two trees: which games are the same, and the arithmetic of the table."""

import numpy as np
import pytest

from tests.checks.compare_speed import main, rows_of
from tests.checks.speed_driver import ANALYSES, analyse, play_slice, study_hash
from tests.checks.speed_table import Row, as_data, in_cells
from tests.checks.speed_trees import Times
from tests.simulation.folders import run


def test_the_same_tree_plays_the_same_games():
    first, again = (play_slice("random", 40, seed=1) for _ in range(2))
    assert first["games"] == again["games"] == 40
    assert first["hash"] == again["hash"]


def test_another_seed_or_another_player_is_another_hash():
    played = [play_slice("random", 40, 1), play_slice("random", 40, 2), play_slice("first-legal", 40, 1)]
    assert len({one["hash"] for one in played}) == 3


@pytest.mark.parametrize("fact", ["seeds", "cities", "scores", "decisions", "points"])
def test_every_fact_of_a_game_counts(fact: str, monkeypatch: pytest.MonkeyPatch):
    facts = {
        name: np.zeros((4, 4), np.int16) for name in ("seeds", "cities", "scores", "decisions", "points")
    }
    monkeypatch.setattr("tests.checks.speed_driver.adapter", lambda *_: (lambda _: facts, [range(4)]))
    before = play_slice("", 4, 1)["hash"]
    facts[fact][3, 3] = 1
    assert play_slice("", 4, 1)["hash"] != before


def test_how_wide_a_number_is_stored_makes_no_other_game(monkeypatch: pytest.MonkeyPatch):
    def played(kind: type) -> str:
        facts = {"scores": np.arange(8, dtype=kind)}
        monkeypatch.setattr("tests.checks.speed_driver.adapter", lambda *_: (lambda _: facts, [range(8)]))
        return play_slice("", 8, 1)["hash"]

    assert played(np.int16) == played(np.int64)


@pytest.mark.parametrize("analysis", ANALYSES)
def test_an_analysis_is_hashed_by_the_numbers_of_its_answer(analysis: str, monkeypatch: pytest.MonkeyPatch):
    name, given, options = ANALYSES[analysis]
    for call, games in (("first", 280), ("again", 280), ("other", 560)):
        monkeypatch.setitem(ANALYSES, call, (name, given, options | {"games": games}))
    first, again, other = map(analyse, ("first", "again", "other"))
    assert first["hash"] == again["hash"]
    assert first["hash"] != other["hash"]
    assert first["seconds"] > 0


def test_a_study_is_hashed_by_its_games_not_its_files(tmp_path):
    run(tmp_path / "plain", games=40)
    run(tmp_path / "rounds", games=40, rounds=True)
    run(tmp_path / "other", games=40, seed=8)
    plain, rounds, other = (study_hash(tmp_path / name) for name in ("plain", "rounds", "other"))
    assert plain == rounds
    assert plain != other


def test_the_ratio_is_best_against_best_and_its_spread_comes_from_pairs():
    row = Row("random", "µs", ref=[10.0, 20.0, 40.0, 10.0, 10.0], this=[5.0, 20.0, 30.0, 10.0, 10.0])
    assert row.ratio == 0.5
    assert row.quartiles == (0.75, 1.0)  # pairs: 0.5, 0.75, 1, 1, 1
    assert in_cells(row) == ("random", "µs", "10.00", "5.00", "0.500", "0.750 to 1.000", "5", "")


def test_a_single_pair_has_no_spread():
    assert Row("compile", "s", ref=[4.0], this=[3.0]).quartiles is None
    assert in_cells(Row("compile", "s", ref=[4.0], this=[3.0]))[4:7] == ("0.750", "", "1")


def test_games_are_the_same_only_if_every_run_of_both_trees_had_one_hash():
    def same(ref: set[str], this: set[str]) -> bool | None:
        return as_data(Row("steward", "µs", [1.0], [1.0], (ref, this)))["same_games"]

    assert same({"a"}, {"a"}) is True
    assert same({"a"}, {"b"}) is False
    assert same({"a", "b"}, {"a", "b"}) is False
    assert Row("start", "s", [1.0], [1.0]).same_games is None


def test_a_process_has_a_row_of_processor_time_and_one_of_waiting():
    processor, wall = rows_of(
        "study", [[Times(8.0, 12.0), Times(4.0, 6.0)], [Times(7.0, 13.0), Times(5.0, 5.0)]]
    )
    assert (processor.ref, processor.this) == ([12.0, 13.0], [6.0, 5.0])
    assert (wall.ref, wall.this) == ([8.0, 7.0], [4.0, 5.0])


def test_an_unknown_commit_is_one_line(capsys: pytest.CaptureFixture[str]):
    assert main(["no-such-commit"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "error: no commit is called 'no-such-commit' here; git log --oneline lists them\n"
