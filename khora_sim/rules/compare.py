"""Changes of a variant against the base game, one at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from khora_sim.rules.describe import GAINED, SETS, SETTINGS, effect_in_words, effects_in_words, gain_in_words
from khora_sim.rules.schema import Effect, Game

WORDED = ("effects", "effect", "lowest")  # shown in words, and the text that goes with them not again


@dataclass(frozen=True)
class Change:
    """One thing that differs from the base game."""

    key: str
    what: str  # changed, added or removed
    before: str | None
    after: str | None

    def in_words(self) -> str:
        """The change as one line."""
        if self.what == "changed":
            return f"{self.key}: {self.before} -> {self.after}"
        return f"{self.key}: {self.what} ({self.after or self.before})"


def changes(base: Game, game: Game) -> list[Change]:
    """All changes, in the order of the rules file."""
    found = []
    for section in (*SETTINGS, "tracks"):
        found += list(_compared(section, getattr(base, section), getattr(game, section)))
    for section in SETS:
        before, after = getattr(base, section), getattr(game, section)
        for key in [*before, *(key for key in after if key not in before)]:
            path = f"{section}.{key}"
            if key not in after:
                found.append(Change(path, "removed", _called(before[key]), None))
            elif key not in before:
                found.append(Change(path, "added", None, _called(after[key])))
            else:
                found += list(_compared(path, before[key], after[key]))
    return found


def _called(entry: Any) -> str:
    text = getattr(entry, "text", None)
    name = entry.name or " and ".join(entry.tokens)
    return f"{name}: {text}" if text else name


def _compared(key: str, before: Any, after: Any) -> Iterator[Change]:
    if before == after:
        return
    inner_before, inner_after = _parts(before), _parts(after)
    if inner_before is None or inner_after is None:
        yield Change(key, "changed", _shown(before), _shown(after))
        return
    reworded = any(inner_before.get(name) != inner_after.get(name) for name in WORDED)
    for name in {**inner_before, **inner_after}:
        if name == "text" and reworded:
            continue
        yield from _compared(f"{key}.{name}", inner_before.get(name), inner_after.get(name))


def _parts(value: Any) -> dict[str, Any] | None:
    """Parts of a table of the file, by its keys; gains and needs count as one."""
    if isinstance(value, Effect):
        return None
    fields = getattr(type(value), "model_fields", None)
    if fields is not None:
        return {field.alias or name: getattr(value, name) for name, field in fields.items()}
    if isinstance(value, dict) and any(hasattr(type(inner), "model_fields") for inner in value.values()):
        return dict(value)
    return None


def _shown(value: Any) -> str:
    if isinstance(value, Effect):
        return effect_in_words(value)
    if isinstance(value, list) and value and isinstance(value[0], Effect):
        return effects_in_words(value)
    if isinstance(value, dict) and value and set(value) <= set(GAINED):
        return gain_in_words(value)
    if isinstance(value, dict):
        return ", ".join(f"{amount} {name}" for name, amount in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)
