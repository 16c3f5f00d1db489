"""An arm: one way of playing, settled, counted and cut into chunks before a game is played."""

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from khora_sim import __version__
from khora_sim.common.options import as_arguments, settings_of
from khora_sim.engine.swap import Swap
from khora_sim.errors import UserError
from khora_sim.simulation.rotation import city_choices, group_size, lineup_choices
from khora_sim.simulation.study_file import MAX_GAMES, Study
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy

SCHEMA_VERSION: Literal[2] = 2
CHUNKS = 16  # wanted in a study, for work to be shared out and little to be lost
CHUNK_LEAST, CHUNK_MOST = 100, 12_500  # games of a chunk: bounds on the number of files, and on memory


@dataclass(frozen=True)
class Section:
    """The games of an arm with one number of players."""

    players: int
    group_size: int  # games of a rotation group
    groups: int
    first_group: int
    chunk_groups: int
    first_chunk: int
    first_game: int

    @property
    def games(self) -> int:
        """Games of the section."""
        return self.groups * self.group_size

    @property
    def chunks(self) -> int:
        """Chunks of the section."""
        return -(-self.groups // self.chunk_groups)


class Swapped(NamedTuple):
    """A card of one seat changes places with one of the deck, in every game of an arm."""

    when: Swap
    seat: int  # counted from 0
    number: int = 0  # of several swaps of the same games, each with cards of its own


@dataclass(frozen=True)
class Arm:
    """One way of playing: rules, options of the game, who plays what where, what is swapped, how many games.

    It decides every byte of the dataset. A study is one arm; a question compares several.
    """

    study: Study
    rules: Rules
    strategies: tuple[Strategy, ...]
    sections: tuple[Section, ...]
    rules_file: str | None = None  # as it was typed; decides nothing, but a reader wants to type it again
    swapped: Swapped | None = None

    def first(self, groups: int) -> "Arm":
        """The first groups of the arm alone, as one chunk."""
        section = replace(self.sections[0], groups=groups, chunk_groups=groups)
        return replace(self, sections=(section,))

    @property
    def games(self) -> int:
        """Games to play: those asked for, rounded up to whole turns."""
        return sum(section.games for section in self.sections)

    @property
    def groups(self) -> int:
        """Rotation groups."""
        return sum(section.groups for section in self.sections)

    @property
    def chunks(self) -> int:
        """Chunks, each a part of the dataset."""
        return sum(section.chunks for section in self.sections)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables to write."""
        return ("games", "players", "rounds") if self.study.rounds else ("games", "players")

    @property
    def compiled(self) -> bool:
        """Whether every strategy is machine code, so that threads can share the work."""
        return all(strategy.rate is not None for strategy in self.strategies)

    @property
    def settings(self) -> int:
        """The options of the game as the engine takes them."""
        return settings_of(**as_arguments(self.study))

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the bytes of the dataset, the libraries aside."""
        decides: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "khora": __version__,
            "study": _asked(self.study),
            "rules": [self.rules.version, self.rules.to_toml()],
            "strategies": [[strategy.name, strategy.digest] for strategy in self.strategies],
        }
        if self.swapped is not None:
            decides["swapped"] = [int(one) for one in self.swapped]
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def _asked(study: Study) -> dict[str, Any]:
    """What a study asks for; strategies tied to cities only where there are some, as in earlier studies."""
    asked = study.model_dump(mode="json")
    return asked if study.by_city else {key: asked[key] for key in asked if key != "by_city"}


def sections(study: Study, cities: int) -> tuple[Section, ...]:
    """One section for each number of players, with as many games each, rounded up to whole turns."""
    asked = -(-study.games // len(study.players))
    found: list[Section] = []
    group = chunk = game = 0
    for players in study.players:
        size = group_size(study, players)
        turn = city_choices(study, cities, players) * lineup_choices(study, players)
        groups = turn * -(-asked // (turn * size))
        whole = groups * size * len(study.players)
        wanted = min(max(whole // CHUNKS, CHUNK_LEAST), CHUNK_MOST)
        chunk_groups = -(-wanted // size)
        section = Section(players, size, groups, group, chunk_groups, chunk, game)
        found.append(section)
        group, chunk, game = group + groups, chunk + section.chunks, game + section.games
    if game > MAX_GAMES:
        raise UserError(
            f"games: whole turns of this plan take {game:,} games; at most {MAX_GAMES:,} are possible"
        )
    return tuple(found)
