"""What a loaded strategy is, however it was written."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from khora_sim.engine.play import MAX_PARAMETERS


@dataclass(frozen=True)
class Strategy:
    """A player, ready to sit down: what it is called, what it declares, and how it decides."""

    name: str  # as asked for: `merchant` or `merchant:patience=3`
    kind: str  # compiled, weights or python
    family: str  # control, archetype, balanced, specialist, example …
    summary: str  # one line
    deterministic: bool  # equal ratings: the first one, or the player's own luck
    source: str  # where the idea comes from
    digest: str  # hash of its source and parameters
    rate: Callable | None = None  # compiled: rates all options of a decision
    chooser: Any = None  # plain Python: has `choose(view, options)`
    parameters: np.ndarray = field(default_factory=lambda: np.zeros(MAX_PARAMETERS))
