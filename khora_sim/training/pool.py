"""The players whose games a value is learned from: many plans, none of them alike, and none perfect."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.learned.learned_value import LearnedValue
from khora_sim.strategy.loading import describe, load
from khora_sim.strategy.value.features import DESCRIBED
from khora_sim.strategy.weight_layers import Layer

SPREAD = 0.25  # of the weights of perturbed evaluators: each is multiplied by exp(SPREAD x a normal number)
PERTURBED = 24  # evaluators made of each one
TWICE = 2  # so often an archetype comes in the pool


def mixed_pool(seed: int) -> list[Strategy]:
    """Evaluators with perturbed weights and the archetypes: plans to learn from before there is a value."""
    generator = np.random.default_rng(seed)
    of_family = {name: describe(path).family for name, path in sorted(built_in().items())}
    evaluators = [load(name) for name, path in sorted(built_in().items()) if path.suffix == ".toml"]
    pool = [other for one in evaluators for other in _perturbed(one, generator)]
    return pool + [load(name) for name, family in of_family.items() if family == "archetype"] * TWICE


def _perturbed(strategy: Strategy, generator: np.random.Generator) -> Iterator[Strategy]:
    """The same evaluator with other weights, many times."""
    for _ in range(PERTURBED):
        factors = dict(
            zip(DESCRIBED, np.exp(SPREAD * generator.standard_normal(len(DESCRIBED))), strict=True)
        )
        yield replace(strategy, layers=tuple(_multiplied(layer, factors) for layer in strategy.layers))


def _multiplied(layer: Layer, factors: dict[str, float]) -> Layer:
    return layer._replace(weights={name: one * factors[name] for name, one in layer.weights.items()})


def searchers(names: tuple[str, ...], value: LearnedValue) -> list[Strategy]:
    """Players that look ahead, all with the value that is being learned."""
    return [replace(load(name), learned=value) for name in names]
