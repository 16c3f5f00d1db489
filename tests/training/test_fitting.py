"""Fitting: gradients are those of the loss, and a rule that decides games is found."""

import numpy as np
import pytest

from khora_sim.rules import load_rules
from khora_sim.strategy.learned.facts import COUNT, FACTS
from khora_sim.training import fitting
from khora_sim.training.fitting import columns_of, fit, inputs, loss_of, new_weights, scale_of
from khora_sim.training.positions import POSITION

RULES = load_rules()
POINTS = FACTS.fields["points"][1] // 4
PLAYERS = 3


def made_up(count: int, seed: int = 1) -> np.ndarray:
    """Positions in which whoever has most points, or the Lighthouse in play, wins."""
    generator = np.random.default_rng(seed)
    positions = np.zeros(count, POSITION)
    positions["rounds"], positions["players"] = generator.integers(1, 10, count), PLAYERS
    places = positions["places"][:, :PLAYERS]
    places["facts"][:, :, POINTS] = generator.integers(0, 20, (count, PLAYERS))
    places["city"] = generator.integers(0, 7, (count, PLAYERS))
    places["unlocked"] = generator.integers(1, 5, (count, PLAYERS))
    lighthouse = RULES.card_ids.index("lighthouse")
    owner = generator.integers(0, PLAYERS, count)
    places["in_play"][np.arange(count), owner] = 1 << lighthouse
    strength = places["facts"][:, :, POINTS] + 10 * (places["in_play"] != 0)
    places["won"][np.arange(count), strength.argmax(axis=1)] = 1
    places["score"] = places["facts"][:, :, POINTS]
    return positions


@pytest.mark.slow
def test_a_rule_that_decides_games_is_found(monkeypatch):
    monkeypatch.setattr(fitting, "BATCH", 128)
    positions, unseen = made_up(8_000), made_up(2_000, seed=2)
    scale = scale_of(positions, PLAYERS)
    columns = columns_of(RULES, scale)
    start = new_weights(1, scale)
    assert loss_of(unseen, PLAYERS, columns, start) == pytest.approx(np.log(PLAYERS), abs=0.05)
    fitted = fit(start, [positions], columns, PLAYERS, 6, 1)
    assert loss_of(unseen, PLAYERS, columns, fitted) < 0.4
    assert loss_of(unseen, PLAYERS, columns, start) == pytest.approx(np.log(PLAYERS), abs=0.05)


def test_the_same_seed_fits_the_same_weights():
    positions = made_up(3_000)
    columns = columns_of(RULES, scale_of(positions, PLAYERS))
    start = new_weights(1, columns.scale)
    one, other = (fit(start, [positions], columns, PLAYERS, 1, 1) for _ in range(2))
    assert all((one[name] == other[name]).all() for name in one)


def _loss(positions, columns, weights):
    """The loss that is fitted: cross-entropy, and the squared error of the score."""
    rows = inputs(positions, PLAYERS, columns)
    out = fitting._forward(rows, columns.weights(weights), weights)[2]
    won, score = fitting._targets(positions, PLAYERS)
    entropy = -(won * np.log(fitting._chances(out, PLAYERS))).sum() / len(positions)
    return entropy + fitting.SCORE_WEIGHT * ((out[:, 1] - score) ** 2).mean()


@pytest.mark.parametrize("name", ["facts", "in_force", "next_by_round", "second", "out", "bias"])
def test_gradients_are_those_of_the_loss(name):
    positions = made_up(200)
    columns = columns_of(RULES, np.ones(COUNT, np.float32))
    generator = np.random.default_rng(3)
    weights = {
        key: (0.05 * generator.standard_normal(one.shape))
        for key, one in new_weights(1, columns.scale).items()
    }
    found = fitting._gradients(positions, PLAYERS, columns, weights)[name]
    place = np.unravel_index(np.abs(found).argmax(), found.shape)
    step = 1e-4
    weights[name][place] += step
    above = _loss(positions, columns, weights)
    weights[name][place] -= 2 * step
    below = _loss(positions, columns, weights)
    assert found[place] == pytest.approx((above - below) / (2 * step), rel=0.02)
