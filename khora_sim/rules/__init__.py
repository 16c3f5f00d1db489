"""The rules as data: the base game, variants laid over it, and the tables they become."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from khora_sim.common.files import parse_toml, read_toml
from khora_sim.common.options import as_arguments, settings_of
from khora_sim.rules.assignments import variant_of
from khora_sim.rules.compile import compile_tables
from khora_sim.rules.describe import canonical, space_names, to_toml, toml_text
from khora_sim.rules.schema import Game
from khora_sim.rules.variant import SETS, WANTED, base_data, checked_game, lay_over

if TYPE_CHECKING:
    from khora_sim.rules.compare import Change

#: Changes whenever the same rules file, seed and decisions would give another game.
RULES_VERSION = "4"


@dataclass(frozen=True)
class Rules:
    """A game ready to be played: its tables, and the words that go with them in the order of the tables."""

    model: Game
    tables: Any  # one NumPy record of TABLES
    hash: str  # of all that decides how a game runs, not of names and texts
    card_ids: list[str]
    card_names: list[str]
    city_ids: list[str]
    city_names: list[str]
    event_ids: list[str]
    event_names: list[str]
    space_ids: list[str]
    space_names: list[str]  # the spaces in words
    version: str = RULES_VERSION

    @property
    def name(self) -> str:
        """`base`, or the variant's name."""
        return self.model.name

    @property
    def short_hash(self) -> str:
        """The first 12 characters of the hash, for people."""
        return self.hash[:12]

    @property
    def settings(self) -> int:
        """The options of the game as these rules have them, as a set of bits."""
        return settings_of(**as_arguments(self.model.options))

    def changes(self) -> "list[Change]":
        """Changes from the base game, one at a time; `in_words` describes one."""
        from khora_sim.rules.compare import changes

        return changes(load_rules().model, self.model)

    def to_toml(self) -> str:
        """The whole game as TOML, variant included; `read_rules` reads it back."""
        return to_toml(self.model)

    def __reduce__(self) -> tuple[Any, ...]:
        """Rules travel to other processes as text, and are compiled there."""
        return _received, (self.to_toml(),)

    def to_variant(self) -> str:
        """The whole game as a variant file, which may be laid over the base game."""
        data, base = parse_toml(self.to_toml(), self.name), base_data()
        gone = {section: [key for key in base[section] if key not in data[section]] for section in SETS}
        return toml_text({**data, "remove": {section: keys for section, keys in gone.items() if keys}})


def load_rules(variant: str | Path | None = None, over: str | Path | None = None) -> Rules:
    """The base game, or the base game with a variant file laid over it, or over another variant."""
    if variant is None:
        return load_rules(over) if over is not None else _rules(checked_game(base_data(), "base.toml"))
    base, where = base_data(), str(variant)
    if over is not None:
        base = lay_over(base, read_toml(over, WANTED), str(over)) | {"name": base["name"]}
    return _rules(checked_game(lay_over(base, read_toml(variant, WANTED), where), where))


def set_rules(assignments: Sequence[str], start: dict[str, Any] | None = None, where: str = "--set") -> Rules:
    """The base game, or a variant of it (its data), with some values changed: `cards.lighthouse.cost=2`."""
    return _rules(checked_game(lay_over(base_data(), variant_of(assignments, start), where), where))


@lru_cache(maxsize=16)
def _received(text: str) -> Rules:
    return read_rules(text, "the rules that were sent")


def variant_data(variant: str | Path | None) -> dict[str, Any] | None:
    """The data of a variant file; None for the base game."""
    return None if variant is None else read_toml(variant, WANTED)


def read_rules(text: str, where: str = "rules") -> Rules:
    """The rules from the TOML text of a whole game, as `Rules.to_toml` gives it."""
    return _rules(checked_game(parse_toml(text, where), where))


def _rules(game: Game) -> Rules:
    digest = hashlib.sha256(json.dumps(canonical(game), sort_keys=True).encode()).hexdigest()
    return Rules(
        model=game,
        tables=compile_tables(game),
        hash=digest,
        card_ids=list(game.cards),
        card_names=[card.name for card in game.cards.values()],
        city_ids=list(game.cities),
        city_names=[city.name for city in game.cities.values()],
        event_ids=list(game.events),
        event_names=[event.name for event in game.events.values()],
        space_ids=list(game.spaces),
        space_names=space_names(game),
    )
