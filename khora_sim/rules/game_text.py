"""A game as text: whole, as TOML, for manifests; bare, as data, for the hash; spaces, in words."""

import json
from typing import Any

from khora_sim.common.wording import counted
from khora_sim.rules.schema import Game, Space

SETTINGS = ("rounds", "hand_dealt", "start", "limits", "prices", "actions", "achievements", "options")
SETS = ("cards", "cities", "events", "spaces")


def plain(game: Game) -> dict[str, Any]:
    """The game as nested plain data, with the keys of the TOML files and without what is at its default."""
    return game.model_dump(by_alias=True, exclude_defaults=True)


def canonical(game: Game) -> dict[str, Any]:
    """All that decides how a game runs; the order of cards, cities, events and spaces is part of it."""
    data = plain(game)
    bare: dict[str, Any] = {key: data[key] for key in SETTINGS}
    bare["tracks"] = data["tracks"]
    for key in SETS:
        bare[key] = [[entry_id, _without_words(entry)] for entry_id, entry in data[key].items()]
    return bare


def _without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_words(inner) for key, inner in value.items() if key not in ("name", "text")}
    return value


def to_toml(game: Game) -> str:
    """The whole game as TOML."""
    return toml_text(plain(game))


def toml_text(data: dict[str, Any]) -> str:
    """The data of a rules file as TOML."""
    lines: list[str] = []
    _table(lines, "", data, depth=0)
    return "\n".join(lines).lstrip("\n") + "\n"


def _table(lines: list[str], path: str, table: dict[str, Any], depth: int) -> None:
    """A table and its sub-tables; from the fourth level on, and for gains and needs, tables stand in line."""
    inner = {key: value for key, value in table.items() if _has_own_heading(key, value, depth)}
    plain_keys = {key: value for key, value in table.items() if key not in inner}
    if path and (plain_keys or not inner):
        lines.append(f"\n[{path}]")
    lines.extend(f"{key} = {_value(value)}" for key, value in plain_keys.items())
    for key, value in inner.items():
        _table(lines, f"{path}.{key}" if path else key, value, depth + 1)


def _has_own_heading(key: str, value: Any, depth: int) -> bool:
    return isinstance(value, dict) and depth < 4 and key not in ("needs", "effect", "lowest", "gain")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + " }"
    return str(value)


def space_names(game: Game) -> list[str]:
    """All spaces in words; those that read alike get their id added."""
    names = [space.name or ", ".join(space_in_words(space, space.lost)) for space in game.spaces.values()]
    return [
        name if names.count(name) == 1 else f"{name} ({key})"
        for key, name in zip(game.spaces, names, strict=True)
    ]


def space_in_words(space: Space, lost: int) -> tuple[str, str]:
    """What lies on a space, and what it needs, gives and makes a player lose."""
    tokens = " and ".join(token.replace("-", " ") for token in space.tokens)
    bonus = [counted(space.drachmas, "drachma")] if space.drachmas else []
    bonus += [f"{space.vp} VP"] if space.vp else []
    gives = f", gives {' and '.join(bonus)}" if bonus else ""
    return tokens, f"needs {space.needed}, loses {lost}{gives}"
