"""Learning: lessons can be repeated, shared out and taken up again, and say how they went."""

from dataclasses import replace

import numpy as np
import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.common.seed_ranges import TRAINING
from khora_sim.rules import load_rules, set_rules
from khora_sim.simulation.backend import Backend
from khora_sim.strategy import load
from khora_sim.strategy.learned.value import read_learned
from khora_sim.training import learn as learning
from khora_sim.training.learn import (
    Learner,
    Learning,
    Lesson,
    LessonGames,
    Record,
    held_out,
    play_lesson,
    seed_of,
)
from khora_sim.training.making import Budget
from khora_sim.training.positions import OneCity, collect

RULES = load_rules()


@pytest.fixture
def short(monkeypatch):
    """Lessons of few games, of one fast player."""
    monkeypatch.setattr(learning, "POOL_GAMES", 60)
    monkeypatch.setattr(learning, "WARM_GAMES", 60)
    monkeypatch.setattr(learning, "OWN_GAMES", 4)
    monkeypatch.setattr(learning, "SEARCHERS", ("sage:policies=1:breadth=2",))
    monkeypatch.setattr(
        learning, "mixed_pool", lambda seed: [load("steward"), load("merchant"), load("random")]
    )


def test_positions_are_the_same_however_games_are_shared_out():
    pool = [load("merchant"), load("random")]
    lesson = LessonGames(Lesson(0, 3, 12, 20, 77), RULES, pool, 5)
    whole = collect(RULES, pool, 3, 77, 0, 12, 20)
    for backend, chunk in ((Backend("threads", 1), 5), (Backend("threads", 2), 3)):
        played = []
        found = play_lesson(lesson._replace(chunk=chunk), backend, played.append)
        assert (found == whole).all()
        assert sum(played) == 12


def test_a_position_is_seen_at_the_start_of_each_round_with_what_came_of_it():
    positions = collect(RULES, [load("random")], 4, 5, 0, 3, 0)
    assert positions["rounds"].tolist() == [9, 8, 7, 6, 5, 4, 3, 2, 1] * 3
    won = positions["places"]["won"]
    assert won.sum(axis=1) == pytest.approx(1)
    scores = positions["places"]["score"]
    assert (scores[won == 1].reshape(-1) == scores.max(axis=1)[(won == 1).any(axis=1)]).all()
    assert ((positions["places"]["hand"] != 0).sum(axis=1) <= 1).all()


def test_hands_are_drafted_before_the_first_position():
    positions = collect(RULES, [load("steward")], 2, 5, 0, 12, 0)
    undrafted = collect(set_rules(["options.draft=false"]), [load("steward")], 2, 5, 0, 12, 0)
    first, dealt = (found[found["rounds"] == 9]["places"]["hand"] for found in (positions, undrafted))
    assert first.shape == dealt.shape
    assert (first != dealt).any(axis=1).mean() > 0.9


def test_one_city_is_played_by_the_pool_in_every_seat_and_all_others_by_somebody_else():
    only_here = OneCity("argos", load("first_legal"))
    positions = collect(RULES, [load("merchant")], 3, 5, 0, 6, 0, only_here)
    argos = RULES.city_ids.index("argos")
    cities = positions["places"]["city"][:, :3][positions["rounds"] == 9]
    assert [row.tolist().index(argos) for row in cities] == [0, 1, 2, 0, 1, 2]
    ends = positions["places"][:, :3][positions["rounds"] == 1]
    assert (ends["won"] == (ends["city"] == argos)).all(), (
        "merchant always beats a player that takes the first option"
    )
    one, other = collect(RULES, [load("merchant")], 3, 5, 0, 4, 0, only_here), positions[:36]
    assert (one == other).all()


def test_one_city_is_learned_against_others_who_learn_nothing(short, tmp_path):
    asked = {"city": "argos", "against": "merchant", "start": "sage", "budget": "64games", "workers": 1}
    found = khora_sim.learn(out=tmp_path / "argos.npz", **asked)
    origin = read_learned(found.path).origin
    assert (origin["city"], origin["against"]) == ("argos", load("merchant").digest)
    assert origin["lessons"][1]["shares"]["argos"] > 0.5, "sage beats merchants"


def test_random_moves_make_other_games():
    exact, slipped = (collect(RULES, [load("merchant")], 4, 5, 0, 5, slips) for slips in (0, 300))
    assert (exact["places"]["score"] != slipped["places"]["score"]).any()


def test_held_out_positions_are_of_games_that_nothing_is_learned_from():
    positions = collect(RULES, [load("random")], 2, 5, 0, 11, 0)
    learned, unseen = held_out(positions)
    assert (len(learned), len(unseen)) == (90, 9)
    assert unseen["rounds"][0] == 9


def test_seeds_of_learnings_and_lessons_differ_and_are_for_training():
    seeds = [seed_of(*address) for address in ((0, 4, 0), (0, 4, 1), (0, 3, 0), (1, 4, 0), (7, 2, 12))]
    assert len(set(seeds)) == len(seeds)
    assert all(seed in TRAINING for seed in seeds)


@pytest.mark.slow
def test_a_learning_that_was_stopped_goes_on_to_the_same_value(short, tmp_path, monkeypatch):
    asked = {"players": 2, "budget": "68games", "seed": 3, "workers": 2}
    whole = khora_sim.learn(out=tmp_path / "whole.npz", **asked)
    assert (whole.games, whole.lessons) == (68, 3)

    kept = learning.write_state

    def stopped(folder, state):
        kept(folder, state)
        if len(state.records) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(learning, "write_state", stopped)
    with pytest.raises(KeyboardInterrupt):
        khora_sim.learn(out=tmp_path / "stopped.npz", **asked)
    monkeypatch.setattr(learning, "write_state", kept)
    with pytest.raises(UserError, match=r"is unfinished work for .*; continue it with --resume"):
        khora_sim.learn(out=tmp_path / "stopped.npz", **asked)
    with pytest.raises(UserError, match=r"--budget differs from what it was begun with \(learn --players 2 "):
        khora_sim.learn(out=tmp_path / "stopped.npz", resume=True, budget="70games")
    khora_sim.learn(out=tmp_path / "stopped.npz", resume=True, workers=1)
    one, other = (read_learned(tmp_path / name) for name in ("whole.npz", "stopped.npz"))
    assert all((one.weights[2][name] == other.weights[2][name]).all() for name in one.weights[2])
    assert one.origin == other.origin
    assert [lesson["games"] for lesson in one.origin["lessons"]] == [60, 4, 4]
    assert not (tmp_path / "stopped.learning").exists()


def test_a_value_to_start_from_is_not_fitted_to_the_mixed_pool_alone(short, tmp_path):
    started = khora_sim.learn(out=tmp_path / "pool.npz", start="sage", budget="60games", seed=3, workers=1)
    before, after = load("sage").learned.weights[4], read_learned(started.path).weights[4]
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_a_fit_that_does_worse_where_it_is_held_out_is_dropped(short, tmp_path, monkeypatch):
    def worse(weights, *_):
        return weights | {"out": -10 * weights["out"]}

    monkeypatch.setattr(learning, "fit", worse)
    kept = khora_sim.learn(out=tmp_path / "kept.npz", start="sage", budget="64games", seed=3, workers=1)
    before, after = load("sage").learned.weights[4], read_learned(kept.path).weights[4]
    assert np.array_equal(before["out"], after["out"])
    lesson = read_learned(kept.path).origin["lessons"][-1]
    assert lesson["lesson"] == 1
    assert lesson["loss"] == lesson["loss_before"]


def test_a_value_keeps_the_lessons_of_all_learnings_before_it(tmp_path):
    backend, parent = Backend("threads", 1), None
    for seed in (5, 6, 7):
        learner = Learner(Learning(RULES, (4,), Budget(games=100 * seed), seed, parent), tmp_path, backend)
        learner.records = [Record(0, 4, 60, seed, 1.4, 1.3, 60.0, {})]
        parent = replace(learner.value(), digest=f"digest {seed}")
    origin = parent.origin
    assert (origin["seed"], origin["parent"]) == (7, "digest 6")
    assert [one["seed"] for one in origin["earlier"]] == [5, 6]
    assert [one["budget"] for one in origin["earlier"]] == ["500games", "600games"]
    assert [one["rules"] for one in origin["earlier"]] == [RULES.hash] * 2
    assert [one["digest"] for one in origin["earlier"]] == ["digest 5", "digest 6"]
    assert [one["lessons"][0]["seed"] for one in (*origin["earlier"], origin)] == [5, 6, 7]
    assert "earlier" not in origin["earlier"][1]


def test_a_value_is_written_over_only_if_it_was_learned_and_may_be_replaced(short, tmp_path):
    asked = {"players": 2, "budget": "60games", "start": "sage", "workers": 1}
    out = tmp_path / "value.npz"
    out.write_text("mine")
    with pytest.raises(UserError, match=r"already exists; write over it with --replace"):
        khora_sim.learn(out=out, **asked)
    with pytest.raises(UserError, match=r"was not made by khora learn, and is not replaced"):
        khora_sim.learn(out=out, replace=True, **asked)
    assert out.read_text() == "mine"
    out.unlink()
    khora_sim.learn(out=out, seed=1, **asked)
    khora_sim.learn(out=out, seed=2, replace=True, **asked)
    assert read_learned(out).origin["seed"] == 2


def test_a_folder_of_somebody_else_is_not_removed(short, tmp_path):
    mine = tmp_path / "value.learning" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(UserError, match=r"value.learning: holds no learning; choose another --out"):
        khora_sim.learn(out=tmp_path / "value.npz", replace=True, budget="60games")
    assert mine.read_text() == "mine"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"out": "value.txt"}, "expected a file for the value that ends in .npz"),
        ({"budget": "soon"}, "--budget soon: expected games or time"),
        ({"players": "9"}, "--players 9: expected one or several of 2, 3, 4"),
        ({"seed": -1}, "--seed -1: expected a whole number from 0 to 99999"),
        ({"start": "nothing.npz"}, "nothing.npz: no such file"),
        ({"workers": 0}, "--workers 0: expected 1 or more"),
        ({"city": "argus"}, '--city: no city is called "argus"; did you mean argos'),
        ({"against": "sage"}, "--against sage: for learning one city; name it with --city"),
        ({"city": "argos", "against": "plain_example"}, "--against plain_example: is plain Python"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_line(tmp_path, given, message):
    out = tmp_path / given.pop("out", "value.npz")
    with pytest.raises(UserError) as problem:
        khora_sim.learn(out=out, **given)
    assert message in str(problem.value)
    assert np.array_equal(list(tmp_path.iterdir()), [])
