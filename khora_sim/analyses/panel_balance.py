"""Which decision of a game a panel takes: the kind, city and round that it has fewest of."""

from collections import Counter
from typing import Any

import numpy as np

from khora_sim.engine.agenda import Task

#: Kinds that every game is made of come twice as often as those that a card or an event brings.
OFTEN = {
    *(Task.PICK_CARD, Task.PLACE_TILES, Task.PAY_CITIZENS, Task.KEEP_CARD, Task.BUY_TOKEN),
    *(Task.EXPLORE, Task.PLAY_CARD, Task.DEVELOP, Task.CLIMB),
}
IN_VAIN = 0.25  # what a decision counts whose options turned out to be alike: so none is looked for forever


class Balance:
    """How many decisions of each kind, city and round a panel has."""

    def __init__(self) -> None:
        self.kinds: Counter[int] = Counter()
        self.in_vain: Counter[int] = Counter()
        self.cities: Counter[tuple[int, int]] = Counter()
        self.rounds: Counter[tuple[int, int]] = Counter()

    def add(self, step: Any) -> None:
        """Count a decision."""
        self._count(step, 1)

    def drop(self, step: Any) -> None:
        """Take back a decision whose options are alike."""
        self._count(step, -1)
        self.in_vain[int(step["task"])] += 1

    def _count(self, step: Any, number: int) -> None:
        kind, city, round_ = (int(step[key]) for key in ("task", "city", "round"))
        self.kinds[kind] += number
        self.cities[kind, city] += number
        self.rounds[kind, round_] += number

    def _has(self, kind: int) -> float:
        """How much there is of a kind, by its weight."""
        return (self.kinds[kind] + IN_VAIN * self.in_vain[kind]) / (2 if kind in OFTEN else 1)

    def choose(self, steps: np.ndarray[Any, Any], seed: int) -> int:
        """The place of the decision of a game that is wanted most; luck decides between equals."""
        luck = np.random.default_rng(seed).random(len(steps)).tolist()
        rows = zip(*(steps[key].tolist() for key in ("task", "city", "round")), luck, strict=True)
        wanted = [
            (self._has(kind), self.cities[kind, city] + self.rounds[kind, round_], one)
            for kind, city, round_, one in rows
        ]
        return wanted.index(min(wanted))
