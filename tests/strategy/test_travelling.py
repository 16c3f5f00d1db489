"""Strategies travel to other processes by name, with what no file there holds."""

import pickle
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules
from khora_sim.strategy import load
from khora_sim.strategy.learned.value import LearnedValue, write_learned
from khora_sim.strategy.loading import _received, _to_send
from khora_sim.training.learn import _perturbed

RULES = load_rules()


def sent(one):
    return pickle.loads(pickle.dumps(one))


@pytest.mark.parametrize("spec", ["steward", "steward:tax=5", "merchant", "sage:policies=1", "plain-example"])
def test_a_built_in_strategy_travels_by_its_name(spec):
    strategy = load(spec)
    assert len(pickle.dumps(strategy)) < 400
    assert sent(strategy).digest == strategy.digest
    assert sent(strategy).name == spec


def test_weights_that_no_file_holds_go_along():
    (strategy,) = islice(_perturbed(load("steward"), np.random.default_rng(1)), 1)
    there = sent(strategy)
    assert there.layers == strategy.layers != load("steward").layers
    assert (there.rate, there.digest) == (strategy.rate, strategy.digest)


def test_a_weights_file_need_not_be_there(tmp_path: Path):
    file = tmp_path / "mine.toml"
    text = load("weights-example").path.read_text(encoding="utf-8")
    file.write_text(text.replace("weights-example", "mine"), encoding="utf-8")
    strategy, packed = load(str(file)), pickle.dumps(load(str(file)))
    file.unlink()
    there = pickle.loads(packed)
    assert (there.name, there.digest, there.layers) == (strategy.name, strategy.digest, strategy.layers)


def doubled(value: LearnedValue) -> LearnedValue:
    weights = {players: {**one, "out": 2 * one["out"]} for players, one in value.weights.items()}
    return LearnedValue(weights, {"seed": 1})


def test_a_value_that_is_being_learned_goes_along():
    sage = load("sage")
    strategy = replace(sage, learned=doubled(sage.learned))
    assert np.array_equal(sent(strategy).learned.weights[4]["out"], 2 * sage.learned.weights[4]["out"])


def test_the_file_of_a_learned_value_need_not_be_there(tmp_path: Path):
    file = tmp_path / "mine.npz"
    write_learned(doubled(load("sage").learned), file)
    strategy = load(f"sage:learned={file}:worlds=2")
    packed = pickle.dumps(strategy)
    file.unlink()
    there = pickle.loads(packed)
    assert (there.name, there.digest, there.values) == (strategy.name, strategy.digest, strategy.values)
    assert there.learned.digest == strategy.learned.digest
    assert np.array_equal(there.learned.weights[4]["out"], strategy.learned.weights[4]["out"])


def test_another_version_of_a_strategy_is_refused():
    _, (own, _, *rest) = _to_send(load("merchant"))
    with pytest.raises(UserError, match="a worker has another version of merchant than the one that sent"):
        _received(own, "another", *rest)


def test_rules_travel_as_text():
    changed = set_rules(["cards.lighthouse.cost=2"])
    assert sent(changed).hash == changed.hash != sent(RULES).hash == RULES.hash
