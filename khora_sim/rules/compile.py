"""From a checked game to the one integer record that compiled code reads."""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np

from khora_sim.rules.schema import TOKENS, Development, Effect, Event, Game, Space, words
from khora_sim.rules.specials import Special
from khora_sim.rules.tables import TABLES
from khora_sim.rules.terms import (
    MAX_TROOPS,
    WANTS_LOW,
    Achievement,
    Action,
    Colour,
    Condition,
    Gain,
    Kind,
    Quantity,
    Slot,
    Track,
    Trigger,
    word,
)
from khora_sim.rules.variant import base_data

GAIN = words(Gain)
TRIGGER = words(Trigger)


def compile_tables(game: Game) -> Any:
    """The tables of a game, as one NumPy record with its fields as attributes."""
    tables = np.zeros(1, TABLES).view(np.recarray)[0]
    _settings(tables, game)
    _tracks(tables, game)
    tables.card_count = len(game.cards)
    for position, card in enumerate(game.cards.values()):
        _source(tables.cards[position], card)
    tables.card_digest[: len(game.cards)] = _digests(game.cards)
    tables.cards_on = [_cards_on(game, trigger) for trigger in Trigger]
    tables.cards_wanting_low = [_cards_wanting_low(game, track) for track in Track]
    tables.city_count = len(game.cities)
    for position, city in enumerate(game.cities.values()):
        for step, development in enumerate(city.developments.in_order()):
            _source(tables.developments[position, step], development)
    tables.event_count = len(game.events)
    for position, event in enumerate(game.events.values()):
        _event(tables.events[position], event)
    _compare_with_base(tables, game)
    tables.space_count = len(game.spaces)
    for position, space in enumerate(game.spaces.values()):
        _space(tables.spaces[position], space)
    tables.spaces_within = [
        _set_of(space.needed <= troops for space in game.spaces.values()) for troops in range(MAX_TROOPS + 1)
    ]
    tables.persepolis = list(game.spaces).index("persepolis") if "persepolis" in game.spaces else -1
    return tables


def _compare_with_base(tables: Any, game: Game) -> None:
    """Mark the cities and events that are new and those that are missing, with the digests of all of them."""
    base = _base_game()
    for kind, digests in (("cities", tables.city_digest), ("events", tables.event_digest)):
        before, here = getattr(base, kind), getattr(game, kind)
        missing = sorted(_drawn(before) - _drawn(here), key=list(before).index)
        tables[f"new_{kind}"] = len(here.keys() - before.keys())
        tables[f"missing_{kind}"] = len(missing)
        digests[: len(here) + len(missing)] = _digests([*here, *missing])


@cache
def _base_game() -> Game:
    return Game.model_validate(base_data())


def _drawn(entries: dict[str, Any]) -> set[str]:
    """The ids that chance draws from: all but the first and the last event."""
    return {one for one, entry in entries.items() if getattr(entry, "slot", "middle") == "middle"}


def _digests(ids: Iterable[str]) -> list[int]:
    """A number for each id."""
    return [int.from_bytes(blake2b(one.encode(), digest_size=8).digest(), "little") for one in ids]


def _settings(tables: Any, game: Game) -> None:
    tables.rounds = game.rounds
    tables.hand_dealt = game.hand_dealt
    for name in ("drachmas", "citizens", "tax", "glory", "troops", "vp", "dice"):
        tables[f"start_{name}"] = getattr(game.start, name)
    tables.start_level = [getattr(game.start, word(track)) for track in Track]
    for name in ("citizens", "troops", "tax", "glory", "level"):
        tables[f"max_{name}"] = getattr(game.limits, name)
    tables.token_price = game.prices.minor_token
    tables.citizens_per_philosophy = game.prices.citizens_per_philosophy
    tables.philosophy_per_need = game.prices.philosophy_per_need
    tables.philosophy_per_level = game.prices.philosophy_per_level
    for name in ("philosophy_tokens", "legislation_citizens", "legislation_cards", "trade_bonus"):
        tables[name] = getattr(game.actions, name)
    tables.achievement_needs = [
        getattr(game.achievements, achievement.name.lower()) for achievement in Achievement
    ]


def _tracks(tables: Any, game: Game) -> None:
    for track in Track:
        for number, level in getattr(game.tracks, word(track)).items():
            tables.level_cost[track, int(number)] = level.cost
            tables.level_gain[track, int(number)] = _gains(level.gain)
            tables.level_gain_kinds[track, int(number)] = _kinds(level.gain)


def _gains(amounts: dict[str, int]) -> list[int]:
    return [amounts.get(name, 0) for name in GAIN]


def _kinds(amounts: dict[str, int]) -> int:
    """The set of gains that are given or taken: most effects have one, and 13 would have to be looked at."""
    return sum(1 << kind for kind, amount in enumerate(_gains(amounts)) if amount != 0)


def _effect(row: Any, effect: Effect) -> None:
    row["on"] = TRIGGER[effect.on]
    row["special"] = words(Special)[effect.special]
    row["condition"] = words(Condition)[effect.condition]
    row["per"] = words(Quantity)[effect.per]
    row["every"] = effect.every
    row["number"] = effect.number or 0
    row["action"] = -1 if effect.action is None else words(Action)[effect.action]
    row["track"] = -1 if effect.track is None else words(Track)[effect.track]
    row["gain"] = _gains(effect.gain)
    row["gain_kinds"] = _kinds(effect.gain)
    row["choice_count"] = len(effect.choices)
    for position, choice in enumerate(effect.choices):
        row["choices"][position] = _gains(choice)
        row["choice_kinds"][position] = _kinds(choice)


def _source(row: Any, source: Development) -> None:
    row["kind"] = words(Kind)[source.kind]
    row["cost"] = source.cost
    row["needs"] = [source.needs.get(word(colour), 0) for colour in Colour]
    row["effect_count"] = len(source.effects)
    for position, effect in enumerate(source.effects):
        _effect(row["effects"][position], effect)
    for position in range(len(source.effects), len(row["effects"])):
        row["effects"][position]["every"] = 1
    row["opens"] = any(_opens(effect) for effect in row["effects"][: len(source.effects)])


def _opens(row: Any) -> bool:
    """Tell if an effect gives actions, or tokens at once."""
    if row["special"] == Special.TAKE_ACTIONS:
        return True
    return bool(row["on"] == Trigger.AT_ONCE and row["gain"][Gain.TOKENS] > 0)


def _event(row: Any, event: Event) -> None:
    row["slot"] = words(Slot)[event.slot]
    row["by_troops"] = event.scope == "troops"
    row["has_lowest"] = event.lowest is not None
    row["lowest"]["every"] = 1
    _effect(row["effect"], event.effect)
    if event.lowest is not None:
        _effect(row["lowest"], event.lowest)


def _space(row: Any, space: Space) -> None:
    row["needed"] = space.needed
    row["lost"] = space.lost
    row["drachmas"] = space.drachmas
    row["vp"] = space.vp
    for token in space.tokens:
        size, colour = TOKENS[token]
        row[size][colour] += 1


def _cards_on(game: Game, trigger: Trigger) -> int:
    """The set of cards with an effect on a trigger."""
    return _set_of(any(effect.on == word(trigger) for effect in card.effects) for card in game.cards.values())


def _cards_wanting_low(game: Game, track: Track) -> int:
    """The set of cards with an effect that happens only while the player is low on a track."""
    conditions = [word(condition) for condition, wanted in WANTS_LOW.items() if wanted == track]
    return _set_of(
        any(effect.condition in conditions for effect in card.effects) for card in game.cards.values()
    )


def _set_of(belongs: Iterable[bool]) -> int:
    """The set of positions that belong to it; bit 63 is the sign of the 64-bit integer."""
    members = sum(1 << position for position, one in enumerate(belongs) if one)
    return members - (1 << 64) if members >> 63 else members
