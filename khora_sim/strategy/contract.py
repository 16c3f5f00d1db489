"""What a loaded strategy is, however it was written, and how it fails."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.engine.seat import Player
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.strategy.declarations import Traits
from khora_sim.strategy.learned.value import LearnedValue
from khora_sim.strategy.parameters import NOWHERE, Parameter
from khora_sim.strategy.weights import UNSAID, Layer, Made, rows


@dataclass(frozen=True)
class Strategy:
    """A player, ready to sit down: what it is called, what it declares, and how it decides."""

    name: str  # as asked for: `merchant` or `merchant:patience=3`
    kind: str  # compiled, weights or python
    family: str
    summary: str
    deterministic: bool
    source: str
    digest: str  # hash of its source and parameters
    text: str = ""  # how it plays and why
    path: Path | None = None
    declared: tuple[Parameter, ...] = ()
    values: dict[str, float | str] = field(default_factory=dict)  # of its parameters
    rate: Any = None  # compiled: the address of the function that rates all options of a decision
    chooser: Callable[[], Any] | None = None  # plain Python: makes a player with `choose(view, options)`
    memory: int = 0
    spares: int = Traits.spares
    policies: tuple["Strategy", ...] = ()
    base: str = ""  # the first of its policies as the file declares it; `base=NAME` names another
    learned: LearnedValue | None = None
    layers: tuple[Layer, ...] = ()  # weights: those that hold everywhere, in cities, at tables of so many
    made: Made = UNSAID  # weights: how they were found, as the file says

    def parameters(self, rules: Rules) -> np.ndarray:
        """The numbers compiled code reads; a city or space becomes its place among those of the rules."""
        if self.kind == "weights":
            return rows(self.layers, rules.city_ids)
        numbers = np.zeros(len(self.values))
        ids = {"city": rules.city_ids, "space": rules.space_ids}
        for index, (declared, value) in enumerate(zip(self.declared, self.values.values(), strict=True)):
            if isinstance(value, str):
                known = ids[declared.type]
                value = float(known.index(value)) if value in known else NOWHERE
            numbers[index] = value
        return numbers

    def player(self, rules: Rules) -> Player:
        """What takes a seat for this strategy."""
        return Player(
            self.rate,
            self.deterministic,
            self.parameters(rules),
            self.memory,
            self.spares,
            tuple(one.player(rules) for one in self.policies),
            self.learned.nets(rules) if self.learned is not None else np.zeros(0),
        )


class StrategyError(UserError):
    """A game could not be played on, because of a strategy or the rules; those before `place` ended well."""

    def __init__(self, message: str, index: int = -1):
        super().__init__(message)
        self.index = index
