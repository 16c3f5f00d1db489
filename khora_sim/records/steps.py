"""A game one thing at a time: what was to do, who decided what, and how the game stood before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from khora_sim.engine.agenda import FIRST_DECISION, Task
from khora_sim.engine.match import Match
from khora_sim.records.decision_words import options_in_words
from khora_sim.strategy.asking import Choose


@dataclass(frozen=True)
class Step:
    """One thing that happened; the game it happened in stands after it."""

    task: Task
    seat: int
    value: int
    before: Any  # a copy of the record
    points: np.ndarray  # by seat and Source, before
    option: str | None = None  # a decision: what was decided, in words
    number: int | None = None  # of the decision; None for chance and for an only option


def steps(match: Match, choose: Choose) -> Iterator[Step]:
    """Play on to the end, one thing at a time."""
    decisions = 0
    while match.game.agenda_size > 0:
        task, seat, value = match.task, match.seat, match.value
        before, points = match.game.copy(), match.ledger.points.copy()
        if task < FIRST_DECISION:
            match.step()
            yield Step(task, seat, value, before, points)
            continue
        options = match.options()
        option = choose(match, options) if len(options) > 1 else options[0]
        words = options_in_words(match, options)[options.index(option)]
        if len(options) == 1:
            match.step()
            yield Step(task, seat, value, before, points, words)
            continue
        decisions += task != Task.TELL_DICE
        match.apply(option)
        yield Step(task, seat, value, before, points, words, None if task == Task.TELL_DICE else decisions)
