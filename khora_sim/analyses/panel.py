"""A panel: frozen decisions of many games, and what every option of each is worth by deep search.

A decision is kept as the seed of its game and the options that were taken before it. Played again, the game
stands where it stood, whatever the record of a game looks like in a later version.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from khora_sim.common.commands import making_panel
from khora_sim.engine.match import Match
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy

Array = np.ndarray[Any, Any]
SURE = 1.96  # standard errors: a difference below that may be luck of the search
STALE = f"the panel is damaged, or of another khora; make it again: {making_panel()}"


class Frozen(NamedTuple):
    """A decision, and the chance to win after each of its options."""

    seed: int
    players: int
    taken: list[int]  # options that were taken before it, where there was more than one
    options: list[int]
    first: Array  # the chance by the first half of the worlds
    second: Array  # by the second half
    errors: Array  # standard error of the difference to the best option

    @property
    def values(self) -> Array:
        """The chance to win after each option, by all worlds."""
        return np.asarray((self.first + self.second) / 2)

    @property
    def losses(self) -> Array:
        """What each option loses against the best one.

        One half of the worlds chooses the best option and the other half says what it is worth, and the other
        way round: an option that was only lucky in the search is not counted as better. So the loss of an
        option as good as the best is 0 on average, and may be less.
        """
        by_second = self.second[self.first.argmax()] - self.second
        by_first = self.first[self.second.argmax()] - self.first
        return np.asarray((by_first + by_second) / 2)


@dataclass(frozen=True)
class Panel:
    """Decisions in a fixed order, and where they come from."""

    decisions: tuple[Frozen, ...]
    origin: dict[str, Any]
    name: str = ""  # what to call it in a message
    path: Path | None = None  # as it was asked for; None: the built-in one
    digest: str = ""  # of its file

    @property
    def settings(self) -> int:
        """The options of the game that all games were played with, as bits."""
        return int(self.origin["settings"])

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules other than those of the games."""
        made = self.origin["rules"]
        if (made["hash"], made["version"]) != (rules.hash, rules.version):
            raise UserError(
                f"{self.name}: was made with rules {made['hash'][:12]} of version {made['version']}; "
                f"these are {rules.short_hash} of version {rules.version}; make it again: {making_panel()}"
            )

    def matches(self, rules: Rules, only: int | None = None) -> Iterator[tuple[int, Frozen, Match]]:
        """All decisions, or `only` one: its number, from 1, and its game, played again up to it."""
        self.check_rules(rules)
        if only is not None and not 1 <= only <= len(self.decisions):
            raise UserError(
                f"{self.name}: has no decision {only}; they count from 1 to {len(self.decisions)}"
            )
        numbers = range(1, len(self.decisions) + 1) if only is None else [only]
        for number in numbers:
            one = self.decisions[number - 1]
            where = f"{self.name}: decision {number}"
            match, options = replay(rules, one.players, one.seed, self.settings, one.taken, where)
            if options != one.options:
                raise UserError(f"{where}: has other options than it was kept with; {STALE}")
            yield number, one, match


def replay(
    rules: Rules, players: int, seed: int, settings: int, taken: Sequence[int], where: str
) -> tuple[Match, list[int]]:
    """A game played again, and the options it stands before; one that is not there is never tried."""
    match = Match(rules, players, seed, settings)
    options = match.advance()
    for step, option in enumerate(taken, start=1):
        if option not in options:
            raise UserError(
                f"{where}: step {step} of its game takes {option}, which is not among the options; {STALE}"
            )
        options = match.choose(option)
    return match, options


def origin_of(strategy: Strategy) -> dict[str, str]:
    """A strategy as the origin of a panel names it."""
    return {"name": strategy.name, "digest": strategy.digest}
