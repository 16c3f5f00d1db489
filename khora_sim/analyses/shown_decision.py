"""One decision of a panel in full: how the game stands, and what its options are worth."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from khora_sim.analyses.grade import POINTS, Answer, answer_at, ready
from khora_sim.analyses.panel import Frozen, Panel
from khora_sim.common.wording import counted, listed
from khora_sim.engine.match import Match
from khora_sim.records.decision_words import options_in_words
from khora_sim.records.state import members
from khora_sim.records.telling import Table, cities, state_table
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy


class Valued(NamedTuple):
    """An option in words, with its value in percent and percentage points."""

    option: str
    win_chance: float
    behind: float  # the best option
    error: float  # standard error of that


@dataclass(frozen=True)
class ShownDecision:
    """A decision as its player sees it, and what a strategy chooses."""

    strategy: str
    panel: str
    seed: int
    city: str  # its name
    answer: Answer
    state: Table
    cards: tuple[str, ...]  # lines
    options: tuple[Valued, ...]  # from the best

    def data(self) -> dict[str, Any]:
        """The decision for a script."""
        options = [one._asdict() for one in self.options]
        return {"strategy": self.strategy, "seed": self.seed, **self.answer._asdict(), "options": options}


def show_decision(strategy: Strategy, panel: Panel, rules: Rules, number: int) -> ShownDecision:
    """A decision of a panel, by its number from 1."""
    ((_, decision, match),) = panel.matches(rules, number)
    answer = answer_at(ready(strategy, match), number, decision, match, panel)
    return ShownDecision(
        strategy.name,
        panel.name,
        decision.seed,
        cities(match)[match.seat],
        answer,
        state_table(match),
        tuple(_cards(match)),
        tuple(sorted(_valued(match, decision), key=lambda one: -one.win_chance)),
    )


def _valued(match: Match, decision: Frozen) -> Iterator[Valued]:
    values = decision.values
    for place, words in enumerate(options_in_words(match, decision.options)):
        behind = POINTS * float(values.max() - values[place])
        yield Valued(words, POINTS * float(values[place]), behind, POINTS * float(decision.errors[place]))


def _cards(match: Match) -> Iterator[str]:
    """The event and everybody's cards, as far as the player knows them."""
    game, names = match.game, match.rules.card_names
    if game.round_number:
        yield f"Event: {match.rules.event_names[game.events[game.round_number - 1]]}"
    for seat, city in enumerate(cities(match)):
        in_play = listed([names[card] for card in members(game.in_play[seat])])
        hand = [names[card] for card in members(game.hand[seat])]
        known = listed(hand) if seat == match.seat else counted(len(hand), "card") if hand else ""
        yield f"{city}: in play {in_play or 'nothing'}; in hand {known or 'nothing'}"
