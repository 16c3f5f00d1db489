"""Designs, their arms, and how line-ups and cities move around the table.

A rotation group is played with one luck. In its game r the player of slot s, or the city that was first at
seat s, sits at seat s + r. Where strategies and cities both move, they do so independently: every strategy
then plays every city in every seat exactly once.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, perm
from typing import Any, Literal, NamedTuple

import numpy as np

from khora_sim import __version__
from khora_sim.common.options import as_arguments, left_open, settings_of
from khora_sim.common.wording import listed
from khora_sim.engine.setup import Swap
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules, load_rules
from khora_sim.simulation.study_file import MAX_GAMES, MOST_STRATEGIES, Study
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy

SCHEMA_VERSION: Literal[2] = 2
CHUNKS = 16  # wanted in a study, for work to be shared out and little to be lost
CHUNK_LEAST, CHUNK_MOST = 100, 12_500  # games of a chunk: bounds on the number of files, and on memory


def group_size(study: Study, players: int) -> int:
    """Games of a rotation group."""
    return {"none": 1, "both": players * players}.get(study.rotate, players)


def city_choices(study: Study, cities: int, players: int) -> int:
    """Sets or seatings of cities that take turns; 1 where they do not."""
    return {"all": comb(cities, players), "seatings": perm(cities, players)}.get(str(study.cities), 1)


def lineup_choices(study: Study, players: int) -> int:
    """Line-ups that take turns; 1 where they do not."""
    count = len(study.strategies)
    if study.lineup != "combinations":
        return 1
    return comb(count, players) if count >= players else comb(count + players - 1, players)


def slots(study: Study, players: int) -> np.ndarray:
    """For each game of a group and each seat: the slot of the line-up that sits there."""
    return shifted(players, turns(study, players)[0])


def turns(study: Study, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Seats by which strategies and cities have moved on, for each game of a group."""
    games = np.arange(group_size(study, players))
    if study.rotate == "both":
        return games // players, games % players
    still = np.zeros_like(games)
    return (games, still) if study.rotate == "strategies" else (still, games)


def shifted(players: int, turns: np.ndarray) -> np.ndarray:
    """For each game and seat: the seat that its occupant came from."""
    return (np.arange(players) - turns[:, None]) % players


def in_words(study: Study) -> str:
    """The rotation of a study, for people."""
    words = {
        "strategies": "the strategies move around the table; cities, deals and dice stay at their seats",
        "cities": "the cities move around the table; strategies, deals and dice stay at their seats",
        "both": "strategies and cities move around the table independently; deals and dice stay",
        "none": "nothing moves; every game has its own luck",
    }[study.rotate]
    return f"{words}; a strategy that is tied to a city goes with it" if study.by_city else words


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

    It is counted and cut into chunks before a game is played, and decides every byte of the dataset. A study
    is one arm; an analysis compares several.
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
        """True if every strategy is machine code, so that threads can share the work."""
        return all(strategy.rate is not None for strategy in self.strategies)

    @property
    def settings(self) -> int:
        """The options of the game as the engine takes them."""
        return settings_of(**as_arguments(self.study))

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the bytes of the dataset, the libraries aside."""
        study = self.study.model_dump(mode="json")
        if not self.study.by_city:  # as in earlier studies
            del study["by_city"]
        decides: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "khora": __version__,
            "study": study,
            "rules": [self.rules.version, self.rules.to_toml()],
            "strategies": [[strategy.name, strategy.digest] for strategy in self.strategies],
        }
        if self.swapped is not None:
            decides["swapped"] = [int(one) for one in self.swapped]
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def sections(study: Study, cities: int) -> tuple[Section, ...]:
    """One section for each number of players, with as many games each, rounded up to whole turns."""
    wanted_games = -(-study.games // len(study.players))
    found: list[Section] = []
    group = chunk = game = 0
    for players in study.players:
        size = group_size(study, players)
        turn = city_choices(study, cities, players) * lineup_choices(study, players)
        groups = turn * -(-wanted_games // (turn * size))
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


class ChunkId(NamedTuple):
    """The place of a chunk in a design."""

    arm: int
    number: int  # of the chunk in its arm


@dataclass(frozen=True)
class Design:
    """The arms of an analysis, all played with one seed: a rotation group meets the same chance in each."""

    arms: tuple[Arm, ...]

    def __post_init__(self) -> None:
        if len({arm.study.seed for arm in self.arms}) != 1:
            raise ValueError("the arms of a design should have one seed")

    @property
    def games(self) -> int:
        """Games of all arms."""
        return sum(arm.games for arm in self.arms)

    @property
    def compiled(self) -> bool:
        """True if every strategy is machine code, so that threads can share the work."""
        return all(arm.compiled for arm in self.arms)

    def rows(self) -> list[list[ChunkId]]:
        """All chunks in the order in which they are played: the first of every arm, then the second.

        After a row every arm has played equally far, and arms can be compared.
        """
        most = max(arm.chunks for arm in self.arms)
        return [
            [ChunkId(one, number) for one, arm in enumerate(self.arms) if number < arm.chunks]
            for number in range(most)
        ]


def plan_study(study: Study) -> Arm:
    """Load the rules and strategies of a study and resolve what it left open."""
    rules = load_rules(study.rules)
    return resolve_study(study.model_copy(update={"rules": None}), rules, study.rules)


def resolve_study(study: Study, rules: Rules, rules_file: str | None = None) -> Arm:
    """The arm of a study under given rules, with everything that the study left open."""
    _check_cities(study, rules)
    study = study.model_copy(update={"by_city": _by_city(study, rules)})
    strategies = tuple(load(spec) for spec in study.specs)
    found = {"lineup": _lineup(study), "rotate": study.rotate, **left_open(study, rules.model.options)}
    if study.rotate == "auto":
        # Both at once is only played when it is named: N x N games of one rotation group say less about mean
        # scores than as many games in groups of N, and no more about win shares.
        found["rotate"] = "strategies" if len(set(study.strategies)) > 1 else "cities"
    study = study.model_copy(update=found)
    if study.first_player != "random" and study.first_player > min(study.players):
        raise UserError(
            f"first_player: seat {study.first_player} is not taken; "
            f"with {min(study.players)} players the seats are 1 to {min(study.players)}"
        )
    return Arm(study, rules, strategies, sections(study, len(rules.city_ids)), rules_file)


def _lineup(study: Study) -> str:
    """The way in which strategies come to the table."""
    count = len(study.strategies)
    as_many = all(players == count for players in study.players)
    if study.lineup == "auto":
        return "same" if count <= 1 else "seats" if as_many else "pool"
    if study.lineup == "same" and count > 1:
        raise UserError(f"lineup: same is for one strategy, and {count} are named; try pool")
    if study.lineup == "seats" and not as_many:
        tables = listed([str(players) for players in study.players], "or")
        raise UserError(f"lineup: seats needs a strategy for each of {tables} seats, and {count} are named")
    return study.lineup


def _by_city(study: Study, rules: Rules) -> dict[str, str]:
    """The strategies that are tied to a city, in the order of the rules."""
    for city in study.by_city:
        if city not in rules.city_ids:
            raise UserError(f'by_city: no city is called "{city}"; {nearest(city, rules.city_ids)}')
    others = [city for city in rules.city_ids if city not in study.by_city]
    if not study.strategies and others:
        raise UserError(f"no strategies; say who plays the other cities: {', '.join(others)}")
    if len(study.specs) > MOST_STRATEGIES:
        raise UserError(f"strategies and by_city: at most {MOST_STRATEGIES} are possible together")
    return {city: study.by_city[city] for city in rules.city_ids if city in study.by_city}


def _check_cities(study: Study, rules: Rules) -> None:
    if isinstance(study.cities, str):
        return
    named = [city for city in study.cities if city != "random"]
    for city in named:
        if city not in rules.city_ids:
            raise UserError(f'cities: no city is called "{city}"; {nearest(city, rules.city_ids)}')
    if len(set(named)) < len(named):
        raise UserError(f"cities: {', '.join(named)}: each city is there once")
    if len(study.cities) > min(study.players):
        raise UserError(f"cities: {len(study.cities)} cities for {min(study.players)} seats")
