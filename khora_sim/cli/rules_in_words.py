"""The parts of a game as table rows, as data and as paragraphs, for `khora rules`."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from khora_sim.common.commands import listing_rules
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.rules.describe import gain_in_words
from khora_sim.rules.terms import Track, word

SECTIONS = {"cards": "card", "cities": "city", "events": "event", "spaces": "space", "tracks": "track"}
Table = tuple[Sequence[str], list[list[str]], Sequence[str]]


def entries(rules: Rules, section: str) -> list[dict[str, Any]]:
    """All entries of a section as plain data, each with its id."""
    if section == "tracks":
        tracks = rules.model.tracks.model_dump(by_alias=True)
        return [
            {"id": track, "levels": [{"level": int(number), **level} for number, level in levels.items()]}
            for track, levels in tracks.items()
        ]
    found = [
        {"id": key, **entry.model_dump(by_alias=True, exclude_none=True)}
        for key, entry in getattr(rules.model, section).items()
    ]
    if section == "spaces":
        for entry, name in zip(found, rules.space_names, strict=True):
            entry["name"] = name
    return found


def table_of(rules: Rules, section: str) -> Table:
    """The columns and rows of a section, and which columns hold numbers."""
    model = rules.model
    if section == "cards":
        rows = [
            [key, card.name, card.kind, str(card.cost), needs_in_words(card.needs), card.text or ""]
            for key, card in model.cards.items()
        ]
        return ("Id", "Name", "Kind", "Cost", "Needs", "Effect"), rows, ("Cost",)
    if section == "cities":
        rows = []
        for key, city in model.cities.items():
            steps = city.developments.in_order()
            numbered = "\n".join(f"{number}. {step.text}" for number, step in enumerate(steps, start=1))
            prices = "\n".join(price_in_words(step.cost, step.needs) for step in steps)
            rows.append([key, city.name, numbered, prices])
        return ("Id", "Name", "Developments", "Cost and needs"), rows, ()
    if section == "events":
        rows = [
            [key, event.name, rounds_in_words(rules, event.slot), event.text or ""]
            for key, event in model.events.items()
        ]
        return ("Id", "Name", "Comes in", "Effect"), rows, ()
    if section == "spaces":
        rows = [
            [key, ", ".join(one.tokens), *map(str, (one.needed, one.lost, one.drachmas, one.vp))]
            for key, one in model.spaces.items()
        ]
        numbers = ("Troops needed", "Troops lost", "Drachmas", "VP")
        return ("Id", "Tokens", *numbers), rows, numbers
    rows = [
        [word(track), number, str(level.cost), gain_in_words(level.gain) if level.gain else "-"]
        for track in Track
        for number, level in getattr(model.tracks, word(track)).items()
    ]
    return ("Track", "Level", "Cost", "Gain"), rows, ("Level", "Cost")


def needs_in_words(needs: dict[str, int]) -> str:
    """Knowledge tokens to own: `2 red, 1 blue`."""
    return ", ".join(f"{count} {colour}" for colour, count in needs.items()) or "-"


def rounds_in_words(rules: Rules, slot: str) -> str:
    """The rounds in which an event of a slot may come."""
    rounds = rules.model.rounds
    return {"first": "round 1", "last": f"round {rounds}"}.get(slot, f"rounds 2-{rounds - 1}")


def price_in_words(cost: int, needs: dict[str, int]) -> str:
    """The price of a card or development: `1 drachma, needs 2 red`."""
    parts = [gain_in_words({"drachmas": cost})] if cost else []
    parts += [f"needs {needs_in_words(needs)}"] if needs else []
    return ", ".join(parts) or "free"


def find(rules: Rules, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Everything that has a name or id, whatever its case, accents and spaces."""
    wanted = _simple(name)
    found, known = [], []
    for section in SECTIONS:
        for entry in entries(rules, section):
            known.append(entry["id"])
            if wanted in (_simple(entry["id"]), _simple(entry.get("name", entry["id"]))):
                found.append((section, entry))
    if not found:
        hint = nearest(wanted, known)
        if not hint.startswith("did"):
            hint = f"{listing_rules('cards')} shows all cards, and so on"
        raise UserError(f'nothing in the rules is called "{name}"; {hint}')
    return found


def _simple(name: str) -> str:
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(one for one in decomposed if not unicodedata.combining(one))
    return "-".join("".join(one if one.isalnum() else " " for one in letters).split())


def entry_in_words(rules: Rules, section: str, entry: dict[str, Any]) -> str:
    """A card, city, event, space or track as a short paragraph."""
    kind = SECTIONS[section]
    title = f"{entry.get('name', entry['id'])} ({kind} {entry['id']})"
    if section == "cards":
        return f"{title}\n{entry['kind']}; {price_in_words(entry['cost'], entry['needs'])}\n{entry['text']}"
    if section == "cities":
        lines = [
            f"{number}. {step['text']} ({step['kind']}; {price_in_words(step['cost'], step['needs'])})"
            for number, step in entry["developments"].items()
        ]
        return "\n".join([title, *lines])
    if section == "events":
        return f"{title}\ncomes in {rounds_in_words(rules, entry['slot'])}\n{entry['text']}"
    if section == "spaces":
        gives = gain_in_words({k: entry[k] for k in ("drachmas", "vp") if entry[k]})
        troops = f"needs {entry['needed']} troops, loses {entry['lost']}, gives {gives}"
        return f"{title}\n{', '.join(entry['tokens'])}; {troops}"
    lines = [
        f"{level['level']}. {level['cost']} drachmas; gives {gain_in_words(level['gain'])}"
        for level in entry["levels"]
    ]
    return "\n".join([title, *lines])
