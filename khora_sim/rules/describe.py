"""Rules as text: effects in words, where a variant wrote none itself, and whole games as TOML and data."""

import json
from typing import Any

from khora_sim.common.wording import counted, listed
from khora_sim.rules.schema import MAX_TEXT, City, Effect, Event, Game, Space
from khora_sim.rules.specials import BY_WORD

IN_LINE = ("needs", "effect", "lowest", "gain")  # tables without a heading of their own
GAINED = {
    "vp": ("VP", "VP"),
    "drachmas": ("drachma", "drachmas"),
    "citizens": ("citizen", "citizens"),
    "troops": ("troop", "troops"),
    "tax": ("tax", "tax"),
    "glory": ("glory", "glory"),
    "philosophy": ("philosophy token", "philosophy tokens"),
    "economy": ("free economy level", "free economy levels"),
    "culture": ("free culture level", "free culture levels"),
    "military": ("free military level", "free military levels"),
    "dice": ("die", "dice"),
    "cards": ("card from the deck", "cards from the deck"),
    "tokens": ("minor token of any colour", "minor tokens of any colour"),
}
COUNTED = {
    "drachmas": ("drachma", "drachmas"),
    "hand-cards": ("card in hand", "cards in hand"),
    "citizens": ("citizen", "citizens"),
    "lowest-track": ("level of the lowest progress track", "levels of the lowest progress track"),
    "cards-in-play": ("card in play", "cards in play"),
    "economy": ("economy level", "economy levels"),
    "culture": ("culture level", "culture levels"),
    "military": ("military level", "military levels"),
    "tax": ("tax level", "tax levels"),
    "glory": ("glory level", "glory levels"),
    "troops": ("troop", "troops"),
    "philosophy": ("philosophy token", "philosophy tokens"),
    "knowledge": ("knowledge token", "knowledge tokens"),
    "minor-tokens": ("minor token", "minor tokens"),
    "major-tokens": ("major token", "major tokens"),
    "red-tokens": ("red token", "red tokens"),
    "blue-tokens": ("blue token", "blue tokens"),
    "green-tokens": ("green token", "green tokens"),
    "developments": ("development unlocked", "developments unlocked"),
}
WHEN = {
    "always": "",
    "at-once": "",
    "tax-phase": "tax phase: ",
    "dice-phase": "right after the roll: ",
    "progress-end": "after the progress phase: ",
    "final-scoring": "at the end: ",
    "card-played": "for each other card played: ",
    "development": "for each development unlocked: ",
}
CONDITIONS = {
    "none": "",
    "lowest-culture": ", if nobody has a lower culture level",
    "highest-economy": ", if nobody has a higher economy level",
    "weakest-military": ", if every other player has a higher military level",
    "no-progress": ", if the player moved up on no track in it",
    "low-dice": ", if the player's dice sum to {number} or less",
    "persepolis-explored": ", if anyone has explored Persepolis",
}


def gain_in_words(gain: dict[str, int]) -> str:
    """A gain as people would say it: `2 drachmas and 3 VP`, `lose 2 troops`."""
    parts = []
    for name, amount in gain.items():
        what = GAINED[name][abs(amount) != 1]
        parts.append(f"{amount} {what}" if amount > 0 else f"lose {-amount} {what}")
    return listed(parts) if parts else "nothing"


def effect_in_words(effect: Effect) -> str:
    """One effect as a clause without capital and full stop."""
    when = WHEN.get(effect.on, f"{effect.on} action: ")
    if effect.special == "none":
        what = gain_in_words(effect.gain)
        if effect.per != "one":
            each = COUNTED[effect.per][effect.every > 1]
            what += f" for every {effect.every} {each}" if effect.every > 1 else f" for each {each}"
    else:
        what = BY_WORD[effect.special].words.format(
            number=effect.number,
            drachmas=counted(effect.number or 0, "drachma"),
            troops=counted(effect.number or 0, "troop"),
            cards=counted(effect.number or 0, "card"),
            action=effect.action,
            track=f"the {effect.track}" if effect.track else "any",
            gain=gain_in_words(effect.gain),
            choices="; ".join(gain_in_words(choice) for choice in effect.choices),
        )
    return when + what + CONDITIONS[effect.condition].format(number=effect.number)


def effects_in_words(effects: list[Effect]) -> str:
    """Effects as sentences."""
    return _cut(" ".join(_sentence(effect_in_words(effect)) for effect in effects))


def event_in_words(event: Event) -> str:
    """Effects of an event, and the players they touch."""
    if event.scope == "all":
        return _cut("Everyone: " + _sentence(effect_in_words(event.effect), capital=False))
    text = "Most troops: " + _sentence(effect_in_words(event.effect), capital=False)
    if event.lowest is not None:
        text += " Least: " + _sentence(effect_in_words(event.lowest), capital=False)
    return _cut(text)


def with_texts(game: Game) -> Game:
    """The game with a text worded from the effects wherever none is given."""
    cards = {key: _worded(card) for key, card in game.cards.items()}
    events = {
        key: event.model_copy(update={"text": event.text or event_in_words(event)})
        for key, event in game.events.items()
    }
    cities = {key: _worded_city(city) for key, city in game.cities.items()}
    return game.model_copy(update={"cards": cards, "events": events, "cities": cities})


def _worded(source: Any) -> Any:
    return source.model_copy(update={"text": source.text or effects_in_words(source.effects)})


def _worded_city(city: City) -> City:
    steps = city.developments
    worded = {name: _worded(getattr(steps, name)) for name in type(steps).model_fields}
    return city.model_copy(update={"developments": steps.model_copy(update=worded)})


def _sentence(clause: str, capital: bool = True) -> str:
    return (clause[0].upper() + clause[1:] if capital else clause) + "."


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


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
    inner = {key: value for key, value in table.items() if isinstance(value, dict) and key not in IN_LINE}
    inner = inner if depth < 4 else {}
    plain_keys = {key: value for key, value in table.items() if key not in inner}
    if path and (plain_keys or not inner):
        lines.append(f"\n[{path}]")
    lines.extend(f"{key} = {_value(value)}" for key, value in plain_keys.items())
    for key, value in inner.items():
        _table(lines, f"{path}.{key}" if path else key, value, depth + 1)


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
    """Tokens on a space, and what it needs, gives and makes a player lose."""
    tokens = " and ".join(token.replace("-", " ") for token in space.tokens)
    bonus = [counted(space.drachmas, "drachma")] if space.drachmas else []
    bonus += [f"{space.vp} VP"] if space.vp else []
    gives = f", gives {' and '.join(bonus)}" if bonus else ""
    return tokens, f"needs {space.needed}, loses {lost}{gives}"
