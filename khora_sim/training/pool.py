"""The players whose games a value is learned from: many plans, none of them alike, and none perfect."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import describe, load
from khora_sim.strategy.value.features import DESCRIBED

SPREAD = 0.25  # of the weights of perturbed evaluators: each is multiplied by exp(SPREAD x a normal number)
PERTURBED = 24  # evaluators of each kind
TWICE = 2  # so often an archetype comes in the pool


def mixed_pool(seed: int) -> list[Strategy]:
    """Evaluators with perturbed weights and the archetypes: plans to learn from before there is a value."""
    generator = np.random.default_rng(seed)
    evaluators = [name for name, path in built_in().items() if path.suffix == ".toml"]
    pool = [one for name in evaluators for one in _perturbed(load(name), generator)]
    archetypes = [name for name, path in built_in().items() if describe(path).family == "archetype"]
    return pool + [load(name) for name in archetypes] * TWICE


def _perturbed(strategy: Strategy, generator: np.random.Generator) -> Iterator[Strategy]:
    """The same evaluator with other weights, many times."""
    for _ in range(PERTURBED):
        factors = dict(zip(DESCRIBED, np.exp(SPREAD * generator.standard_normal(len(DESCRIBED))), strict=True))
        yield replace(strategy, values=_multiplied(strategy.values, factors))
