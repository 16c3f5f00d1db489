"""Learning a policy: parts are kept, a stop loses none, and the file says what was learned from."""

import numpy as np
import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.learned.policy import read_policy
from khora_sim.training import learn_policy
from khora_sim.training.imitation import collect
from khora_sim.training.policy_fitting import (
    Batches,
    Fit,
    fit_policy,
    loss_gradient,
    new_weights,
    scales_of,
)
from khora_sim.training.policy_sights import sights_of

RULES = load_rules()
TEACHER = "sage:policies=1:breadth=2:more_worlds=0"


@pytest.fixture
def short(monkeypatch):
    """Parts of few games."""
    monkeypatch.setattr(learn_policy, "PART", 2)
    monkeypatch.setattr(learn_policy, "HELD_OUT", 3)
    monkeypatch.setattr(learn_policy, "EPOCHS", 2.0)
    monkeypatch.setattr(learn_policy, "JUDGED", 100)


@pytest.mark.slow
def test_a_learning_that_was_stopped_goes_on_to_the_same_policy(short, tmp_path, monkeypatch):
    asked = {"policy": True, "teacher": TEACHER, "players": 2, "budget": "9games", "seed": 3}
    whole = khora_sim.learn(out=tmp_path / "whole.npz", workers=2, **asked)
    assert (whole.games, whole.lessons) == (9, 1)
    kept, written = learn_policy.write_sights, []

    def stopped(sights, path):
        if len(written) == 3:
            raise KeyboardInterrupt
        kept(sights, path)
        written.append(path)

    monkeypatch.setattr(learn_policy, "write_sights", stopped)
    with pytest.raises(KeyboardInterrupt):
        khora_sim.learn(out=tmp_path / "stopped.npz", workers=1, **asked)
    monkeypatch.setattr(learn_policy, "write_sights", kept)
    with pytest.raises(UserError, match=r"is unfinished work for .*; continue it with --resume"):
        khora_sim.learn(out=tmp_path / "stopped.npz", **asked)
    khora_sim.learn(out=tmp_path / "stopped.npz", resume=True, workers=1)
    one, other = (read_policy(tmp_path / name) for name in ("whole.npz", "stopped.npz"))
    assert all((one.weights[2][name] == other.weights[2][name]).all() for name in one.weights[2])
    assert one.origin == other.origin
    assert not (tmp_path / "stopped.learning").exists()
    lesson = one.origin["lessons"][0]
    assert (lesson["games"], lesson["players"]) == (9, 2)
    assert sum(n for _, n in lesson["by_city"].values()) == lesson["held_out"]
    assert sum(n for _, n in lesson["by_kind"].values()) == lesson["held_out"]
    assert "place-tiles" in lesson["by_kind"]
    judged = lesson["against"]
    assert (judged["strategy"], judged["n"]) == ("steward", 100)
    assert 0 <= judged["low"] <= judged["value"] <= judged["high"] < 0.9


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"teacher": "sage"}, r"--teacher sage: for learning a policy; add --policy"),
        ({"policy": True, "city": "argos"}, r"--city argos: a policy is learned for all cities"),
        ({"policy": True, "teacher": "steward"}, r"--teacher steward: its ratings are no win chances"),
        ({"policy": True, "teacher": "adept"}, r"--teacher adept: its ratings are no win chances"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_line(tmp_path, given, message):
    with pytest.raises(UserError, match=message):
        khora_sim.learn(out=tmp_path / "policy.npz", budget="100games", **given)


def gradient_of(scores, values) -> np.ndarray:
    """The change of a decision's loss with its scores."""
    at = np.zeros(len(scores))
    loss_gradient(np.array(scores), np.array(values), at)
    return at


def test_the_loss_pulls_towards_the_best_option_and_away_from_those_nobody_looked_at():
    gradient = gradient_of([0.0, 0.0, 0.0], [0.30, 0.20, np.nan])
    assert gradient[0] < 0 < gradient[1] < gradient[2]
    assert gradient.sum() == pytest.approx(0, abs=1e-9)


def test_the_loss_is_flat_where_all_options_are_alike():
    assert gradient_of([1.0, 1.0], [0.4, 0.4]) == pytest.approx([0, 0], abs=1e-9)


def test_steps_against_the_gradients_lower_the_regret_of_a_net():
    found = collect(RULES, load("steward"), [load("steward")], 3, 9, 0, 4)
    sights = sights_of(RULES, found)
    scales = scales_of([sights])
    fit, batches = Fit(RULES, new_weights(1, scales), scales), Batches.of([sights], *scales)
    before = fit.regrets(batches).mean()
    fit_policy(fit, batches, 60.0, 1)
    assert fit.regrets(batches).mean() < 0.5 * before
