"""Grading: a strategy is asked at every decision of a panel; its grade is what its choices lose.

It sees what a player sees in a game, and is asked in the same way. It has not seen the game before: whoever
keeps notes from one decision to the next begins without any.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from khora_sim.analyses.panel import SURE, Frozen, Panel
from khora_sim.common.commands import grading
from khora_sim.engine.match import Match
from khora_sim.engine.record import SEATS
from khora_sim.records.decision_words import KINDS, options_in_words
from khora_sim.rules import Rules
from khora_sim.stats import Estimate, mean_interval, wilson
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.table import Refused, SeatedPlayers

FEW = 3  # decisions that a part needs to be named among the costliest
POINTS = 100  # percentage points in 1


class Answer(NamedTuple):
    """What a strategy chose at one decision, and what that loses."""

    number: int  # of the decision, from 1
    kind: str
    round: int  # 0 is the draft
    city: str
    seat: int  # from 1
    players: int
    chosen: str  # in words
    best: str
    loss: float  # percentage points of win chance
    behind: float  # the best option's value minus that of the choice, by all worlds
    error: float  # standard error of `behind`

    @property
    def surely_worse(self) -> bool:
        """Whether it is worse than the best option by more than luck of the search."""
        return self.behind > SURE * self.error


class Part(NamedTuple):
    """What a strategy loses at some of the decisions."""

    loss: Estimate  # percentage points of win chance a decision
    best: Estimate  # share of choices that are the best option, or not distinguishable from it

    def data(self) -> dict[str, Any]:
        """For a script; one decision has no interval."""
        numbers = {"n": self.loss.n, "loss": self.loss.value, "best": self.best.value}
        ends = {"low": self.loss.low, "high": self.loss.high}
        return numbers | {key: one if np.isfinite(one) else None for key, one in ends.items()}


@dataclass(frozen=True)
class Grade:
    """What a strategy loses at the decisions of a panel."""

    strategy: str
    panel: Panel
    rules: Rules
    answers: tuple[Answer, ...]

    @property
    def whole(self) -> Part:
        """All decisions."""
        return _part(self.answers)

    def by(self, *keys: str) -> dict[Any, Part]:
        """What it loses by `kind`, `round`, `city`, `players` or several of them, in order."""
        groups: dict[Any, list[Answer]] = {}
        for answer in self.answers:
            values = tuple(getattr(answer, key) for key in keys)
            groups.setdefault(values if len(keys) > 1 else values[0], []).append(answer)
        return {key: _part(groups[key]) for key in sorted(groups)}

    def costliest(self, count: int = 5) -> list[tuple[tuple[str, str], Part]]:
        """The kinds of decision by city in which it surely loses most, by the lower end of the interval."""
        known = [
            (key, part)
            for key, part in self.by("kind", "city").items()
            if part.loss.n >= FEW and part.loss.low > 0
        ]
        return sorted(known, key=lambda one: -one[1].loss.low)[:count]

    def worst(self, count: int = 5) -> list[Answer]:
        """The decisions at which it loses most, of those where that is no luck of the search."""
        return sorted((one for one in self.answers if one.surely_worse), key=lambda one: -one.loss)[:count]

    def data(self) -> dict[str, Any]:
        """The grade for a script."""
        parts = {f"by_{key}": _rows(self.by(key), key) for key in ("kind", "round", "city", "players")}
        return {
            "strategy": self.strategy,
            "panel": {"file": self.panel.name, "digest": self.panel.digest, **self.panel.origin},
            **self.whole.data(),
            **parts,
            "by_kind_and_city": _rows(self.by("kind", "city"), "kind", "city"),
            "answers": [one._asdict() for one in self.answers],
        }


def _rows(parts: dict[Any, Part], *keys: str) -> list[dict[str, Any]]:
    return [
        {**dict(zip(keys, key if len(keys) > 1 else (key,), strict=True)), **part.data()}
        for key, part in parts.items()
    ]


def _part(answers: Sequence[Answer]) -> Part:
    best = sum(not one.surely_worse for one in answers)
    return Part(mean_interval([one.loss for one in answers]), wilson(best, len(answers)))


def grade(
    strategy: Strategy, panel: Panel, rules: Rules, on_progress: Callable[[int], None] = lambda _: None
) -> Grade:
    """Ask a strategy at every decision of a panel; `on_progress` gets how many are done."""
    answers = []
    for answer in _answers(strategy, panel, rules):
        answers.append(answer)
        on_progress(len(answers))
    return Grade(strategy.name, panel, rules, tuple(answers))


def answer_at(players: SeatedPlayers, number: int, decision: Frozen, match: Match, panel: Panel) -> Answer:
    """What the strategy in the deciding seat chooses at a decision."""
    seat, name = match.seat, players.table.strategies[0].name
    kind = KINDS[match.task]
    where = f"deciding {kind} at decision {number} of {panel.name}"
    see = f"see it with: {grading(name, number, panel.path)}"
    players.forget()
    try:
        chosen = players.answer(match, decision.options, lambda: f"{name}: gave no answer, {where}; {see}")
    except Refused as problem:
        raise StrategyError(f"{name}: {problem}, {where}; {see}") from problem.__cause__
    words = options_in_words(match, decision.options)
    place, best, values = decision.options.index(chosen), int(decision.values.argmax()), decision.values
    return Answer(
        number,
        kind,
        int(match.game.round_number),
        match.rules.city_ids[match.game.city[seat]],
        seat + 1,
        decision.players,
        words[place],
        words[best],
        round(POINTS * float(decision.losses[place]), 3),
        round(POINTS * float(values[best] - values[place]), 3),
        round(POINTS * float(decision.errors[place]), 3),
    )


def _answers(strategy: Strategy, panel: Panel, rules: Rules) -> Iterator[Answer]:
    players: SeatedPlayers | None = None
    for number, decision, match in panel.matches(rules):
        players = players or ready(strategy, match)
        yield answer_at(players, number, decision, match, panel)
    if players is not None:
        players.table.check_untouched()


def ready(strategy: Strategy, match: Match) -> SeatedPlayers:
    """A strategy in all seats, to be asked at any decision under the rules of a game."""
    return SeatedPlayers(match, [strategy] * SEATS)
