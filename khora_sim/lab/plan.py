"""The plan of a study: everything settled, counted and cut into chunks, before a game is played."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from khora_sim import __version__
from khora_sim.engine.match import settings_of
from khora_sim.errors import UserError, nearest
from khora_sim.lab.seating import city_choices, group_size, lineup_choices
from khora_sim.lab.study_file import MAX_GAMES, Study
from khora_sim.rules import Rules, load_rules, read_rules
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy

SCHEMA_VERSION: Literal[2] = 2
CHUNKS = 16  # wanted in a study, for work to be shared out and little to be lost
CHUNK_LEAST, CHUNK_MOST = 100, 12_500  # games of a chunk: bounds on the number of files, and on memory
OPTIONS = ("draft", "reroll", "shared_dice", "progress_bonuses_stack")


@dataclass(frozen=True)
class Section:
    """The games of a study with one number of players."""

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


@dataclass(frozen=True)
class Plan:
    """A study with everything settled; it decides every byte of the dataset."""

    study: Study
    rules: Rules
    strategies: tuple[Strategy, ...]
    sections: tuple[Section, ...]
    rules_file: str | None = None  # as it was typed; decides nothing, but a reader wants to type it again

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
        return settings_of(**{option: bool(getattr(self.study, option)) for option in OPTIONS})

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the bytes of the dataset, the libraries aside."""
        decides: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "khora": __version__,
            "study": self.study.model_dump(mode="json"),
            "rules": [self.rules.version, self.rules.to_toml()],
            "strategies": [[strategy.name, strategy.digest] for strategy in self.strategies],
        }
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def plan_study(study: Study) -> Plan:
    """Load the rules and strategies of a study and settle what it left open."""
    rules = load_rules(study.rules)
    return settled_plan(study.model_copy(update={"rules": None}), rules, study.rules)


def plan_again(study: Study, rules_text: str, rules_file: str | None = None) -> Plan:
    """The plan of a study that was settled before, with the rules it was settled with."""
    return settled_plan(study, read_rules(rules_text, "the rules in the manifest"), rules_file)


def settled_plan(study: Study, rules: Rules, rules_file: str | None = None) -> Plan:
    """Settle a study under given rules."""
    strategies = tuple(load(spec) for spec in study.strategies)
    _check_cities(study, rules)
    lineup = _lineup(study)
    rotate = _rotation(study)
    options = {
        option: getattr(rules.model.options, option) for option in OPTIONS if getattr(study, option) is None
    }
    study = study.model_copy(update={"lineup": lineup, "rotate": rotate, **options})
    if study.first_player != "random" and study.first_player > min(study.players):
        raise UserError(
            f"first_player: seat {study.first_player} is not taken; "
            f"with {min(study.players)} players the seats are 1 to {min(study.players)}"
        )
    return Plan(study, rules, strategies, sections(study, len(rules.city_ids)), rules_file)


def _lineup(study: Study) -> str:
    """How strategies come to the table."""
    count = len(study.strategies)
    as_many = all(players == count for players in study.players)
    if study.lineup == "auto":
        return "same" if count == 1 else "seats" if as_many else "pool"
    if study.lineup == "same" and count != 1:
        raise UserError(f"lineup: same is for one strategy, and {count} are named; try pool")
    if study.lineup == "seats" and not as_many:
        tables = " or ".join(map(str, study.players))
        raise UserError(f"lineup: seats wants a strategy for each of {tables} seats, and {count} are named")
    return study.lineup


def _rotation(study: Study) -> str:
    """What moves around the table: the strategies where they differ, else the cities.

    Both at once is only played when asked for: N x N games of one luck say less about mean scores than as
    many games in groups of N, and no more about win shares.
    """
    if study.rotate != "auto":
        return study.rotate
    return "strategies" if len(set(study.strategies)) > 1 else "cities"


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
