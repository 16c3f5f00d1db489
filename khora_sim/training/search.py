"""CMA-ES: a cloud of candidates that moves and stretches towards those that do best.

The search is a pure function of its start, its seed and the scores it was given. So it is kept as these
scores alone: given again, they lead to the same cloud.
"""

from collections.abc import Sequence

import numpy as np
from cmaes import CMA


class Search:
    """A search over vectors of numbers, from one of them; greater scores are better.

    A number is moved by about half of what it is at the start, and by `steps` at least.
    """

    def __init__(self, start: np.ndarray, steps: np.ndarray, spread: float, population: int, seed: int):
        self.start = start
        self.scale = np.maximum(np.abs(start) / 2, steps)
        self.scores: list[list[float]] = []
        self.means = [start]  # after so many generations
        self._cloud = CMA(np.zeros(len(start)), spread, population_size=population, seed=seed)
        self._asked: list[np.ndarray] = []

    def ask(self) -> list[np.ndarray]:
        """The candidates of the next generation."""
        if not self._asked:
            self._asked = [self._cloud.ask() for _ in range(self._cloud.population_size)]
        return [self.start + self.scale * one for one in self._asked]

    def tell(self, scores: Sequence[float]) -> None:
        """What the candidates asked for are worth; the cloud moves."""
        self.ask()
        self._cloud.tell([(one, -score) for one, score in zip(self._asked, scores, strict=True)])
        self._asked = []
        self.scores.append(list(scores))
        self.means.append(self.start + self.scale * self._cloud.mean)
