"""Reading rules files and laying a variant over the base game."""

import tomllib
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from khora_sim.common.checking import Problem, checked, refuse, shown
from khora_sim.errors import nearest
from khora_sim.rules.checks import sense_problems
from khora_sim.rules.describe import with_texts
from khora_sim.rules.schema import Game

SETTINGS = ("start", "limits", "prices", "actions", "achievements", "options")
NUMBERS = ("rounds", "hand_dealt")
#: The sets a variant may change, add to and remove from; what one is called; the keys a new one needs.
SETS = {
    "cards": ("card", ("name", "kind", "cost", "effects")),
    "cities": ("city", ("name", "developments")),
    "events": ("event", ("name", "slot", "effect")),
    "spaces": ("space", ("tokens", "needed", "lost")),
}
WANTED = "a variant in TOML"
KNOWN = ("name", "text", *NUMBERS, *SETTINGS, "tracks", *SETS, "remove")


@cache
def _base_text() -> str:
    return (Path(__file__).parent / "base.toml").read_text(encoding="utf-8")


@cache
def _base() -> dict[str, Any]:
    return tomllib.loads(_base_text())


def base_data() -> dict[str, Any]:
    """The base game as plain data, fresh at every call."""
    return deepcopy(_base())


def checked_game(data: dict[str, Any], where: str) -> Game:
    """The game that the data of a whole game describes, or one error that lists its problems."""
    game = checked(Game, data, where)
    refuse(sense_problems(game), where)
    return with_texts(game)


def lay_over(base: dict[str, Any], variant: dict[str, Any], where: str) -> dict[str, Any]:
    """The base game with a variant's changes, additions and removals."""
    problems = [Problem(key, f"unknown key; {nearest(key, KNOWN)}") for key in variant if key not in KNOWN]
    problems += _tables_expected(variant)
    refuse(problems, where)
    if variant.get("name") == base["name"]:
        refuse([Problem("name", f'"{base["name"]}" is the base game; expected a name of its own')], where)
    game = base | {key: variant[key] for key in NUMBERS if key in variant}
    game["name"] = variant.get("name", Path(where).stem)
    game["text"] = variant.get("text", "a variant of the base game")
    for section in SETTINGS:
        game[section] = base[section] | variant.get(section, {})
    game["tracks"] = _merged_two_deep(base["tracks"], variant.get("tracks", {}))
    removed = variant.get("remove", {})
    problems += [
        Problem(f"remove.{key}", f"unknown key; {nearest(key, SETS)}") for key in removed if key not in SETS
    ]
    for section in SETS:
        game[section], found = _laid_over_set(section, base[section], variant.get(section, {}), removed)
        problems += found
    refuse(problems, where)
    return game


def _tables_expected(variant: dict[str, Any]) -> list[Problem]:
    """Whatever should be a table, or a table of tables, and is not."""
    problems = []
    for section in (*SETTINGS, "tracks", *SETS, "remove"):
        table = variant.get(section, {})
        if not isinstance(table, dict):
            problems.append(Problem(section, f"{shown(table)} given; expected a table, as in [{section}]"))
        elif section == "tracks" or section in SETS:
            problems += [
                Problem(
                    f"{section}.{key}", f"{shown(entry)} given; expected a table, as in [{section}.{key}]"
                )
                for key, entry in table.items()
                if not isinstance(entry, dict)
            ]
    return problems


def _merged_two_deep(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Tables of tables, where a change names only what is new; what is no table is left for the checks."""
    merged = dict(base)
    for key, table in changes.items():
        merged[key] = dict(base.get(key, {}))
        for inner_key, inner in table.items():
            known = merged[key].get(inner_key)
            both_tables = isinstance(known, dict) and isinstance(inner, dict)
            merged[key][inner_key] = _changed(known, inner) if both_tables else inner
    return merged


def _changed(entry: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """An entry with a change, without what no longer fits.

    A text that describes other effects is dropped. An event that becomes one for all, or is
    given an empty `lowest`, has none any more.
    """
    changed = entry | change
    if "text" not in change and any(key in change for key in ("effects", "effect", "lowest", "scope")):
        changed.pop("text", None)
    if change.get("lowest") == {} or ("lowest" not in change and change.get("scope") == "all"):
        changed.pop("lowest", None)
    return changed


def _laid_over_set(
    section: str, base: dict[str, Any], changes: dict[str, Any], removed: dict[str, Any]
) -> tuple[dict[str, Any], list[Problem]]:
    """The cards, cities, events or spaces of a variant: what stays in its place, then what is new."""
    gone, problems = _removals(section, base, changes, removed)
    entries = {key: entry for key, entry in base.items() if key not in gone}
    called, required = SETS[section]
    for key, change in changes.items():
        missing = [name for name in required if name not in change]
        if key not in base and missing:
            hint = nearest(key, base)
            more = (
                f"no {called} of this id to change ({hint}); a new {called} also needs {', '.join(missing)}"
            )
            problems.append(Problem(f"{section}.{key}", more))
        elif section == "cities" and key in base and isinstance(change.get("developments"), dict):
            both = {"developments": base[key]["developments"]}
            entries[key] = (
                base[key] | change | _merged_two_deep(both, {"developments": change["developments"]})
            )
        else:
            entries[key] = _changed(base.get(key, {}), change)
    return entries, problems


def _removals(
    section: str, base: dict[str, Any], changes: dict[str, Any], removed: dict[str, Any]
) -> tuple[list[str], list[Problem]]:
    """Ids that a variant removes, and what is wrong with them."""
    called, _ = SETS[section]
    gone = removed.get(section, [])
    if not isinstance(gone, list) or not all(isinstance(key, str) for key in gone):
        return [], [Problem(f"remove.{section}", f"{shown(gone)} given; expected a list of ids")]
    problems = []
    for place, key in enumerate(gone, start=1):
        where = f"remove.{section}[{place}]"
        if key not in base:
            problems.append(Problem(where, f'no {called} "{key}" to remove; {nearest(key, base)}'))
        elif key in changes:
            problems.append(Problem(where, f'"{key}" is changed as well; expected one or the other'))
        elif key in gone[: place - 1]:
            problems.append(Problem(where, f'"{key}" is removed twice; expected once'))
    return gone, problems
