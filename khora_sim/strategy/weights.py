"""Strategies as weights: a TOML file of numbers for the built-in evaluator, no code.

`[weights]` hold everywhere, `[cities.sparta]` in that city, `[players.2.weights]` at tables of two, and
`[players.2.cities.sparta]` in that city at such tables; of these, the later override the earlier. Each of
them may have tables for a third of the game: `[cities.sparta.late]`. `base` names another weights file whose
numbers hold where this one gives none.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from khora_sim.common.checking import Problem, refuse, shown
from khora_sim.common.files import parse_toml
from khora_sim.errors import UserError, nearest
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.contract import Strategy, Traits, check_traits, made_of
from khora_sim.strategy.finding import find, is_built_in, text_of
from khora_sim.strategy.parameters import Parameter, set_parameters
from khora_sim.strategy.value.features import DESCRIBED, PARTS
from khora_sim.strategy.weight_layers import Layer, named, weights_at

KEYS = ("text", "base", "traits", "weights", "cities", "players", "made")
TRAITS = ("name", "family", "summary", "deterministic", "source")
MOST = 1e100  # of a weight: sums of them stay numbers
CITY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@cache
def evaluator() -> Any:
    """The address of the compiled evaluator, which all weights files share."""
    from khora_sim.strategy import evaluator
    from khora_sim.strategy.compiled import compile_plug_in

    return compile_plug_in(evaluator, "the evaluator", allocates=False, wait="10 seconds")


def read_weights(spec: str, path: Path, settings: dict[str, str]) -> Strategy:
    """A strategy from a file of weights, as it declares itself: it plays once it is given the evaluator."""
    data = read_data(path)
    traits = traits_of(data, path)
    layers = (*_base(data, path), *_layers(data, path))
    general = named(weights_at(layers))
    declared = tuple(
        Parameter(name, "number", general[name], None, None, described.meaning)
        for name, described in DESCRIBED.items()
    )
    values = set_parameters(traits.name, declared, settings)
    if settings:
        layers = (*layers, Layer({name: float(values[name]) for name in settings}))
    return Strategy(
        name=spec,
        kind="weights",
        family=traits.family,
        summary=traits.summary,
        deterministic=traits.deterministic,
        source=traits.source,
        digest=digest_of(layers, traits.deterministic),
        text=data["text"].strip(),
        path=path,
        declared=declared,
        values=values,
        layers=layers,
        built_in=True,  # as is its code, the evaluator
        made=made_of(data, path.name),
    )


def digest_of(layers: Iterable[Layer], deterministic: bool) -> str:
    """A short hash of what decides how it plays: all weights, where they hold, and what equals are to it."""
    held = [(sorted(layer.weights.items()), layer.place) for layer in layers]
    return hashlib.sha256(repr((held, deterministic)).encode()).hexdigest()[:16]


def read_data(path: Path) -> dict[str, Any]:
    """The file as data, its keys checked."""
    data = parse_toml(text_of(path), path.name)
    _check_keys(data, KEYS, "", path)
    if not isinstance(data.get("text"), str) or not data["text"].strip():
        raise UserError(f"{path.name}: has no text; begin with text = how it plays and why")
    return data


def _check_keys(table: Iterable[str], known: Collection[str], place: str, path: Path) -> None:
    """Refuse a file with keys that are not known."""
    others = [key for key in table if key not in known]
    refuse([Problem(f"{place}{key}", f"unknown key; {nearest(key, known)}") for key in others], path.name)


def traits_of(data: dict[str, Any], path: Path) -> Traits:
    """The declared traits, checked."""
    table = data.get("traits")
    if not isinstance(table, dict):
        raise UserError(f"{path.name}: declares no traits; add [traits] with {', '.join(TRAITS)}")
    _check_keys(table, TRAITS, "traits.", path)
    missing = [Problem(f"traits.{key}", f"missing; add {key} = …") for key in TRAITS if key not in table]
    refuse(missing[:1], path.name)
    traits = Traits(**table)
    check_traits(traits, path)
    return traits


def _base(data: dict[str, Any], path: Path) -> tuple[Layer, ...]:
    """The weights that hold where the file gives none: those of its base."""
    if "base" not in data:
        return ()
    if not isinstance(data["base"], str):
        raise UserError(f"{path.name}: base should be the name of a strategy made of weights")
    name = data["base"]
    beside = path.parent / f"{name.replace('-', '_')}.toml"
    file = beside if beside.is_file() and not is_built_in(name) else find(name)
    if file == path:
        raise UserError(f"{path.name}: its base is the file itself; name another")
    if file.suffix != ".toml":
        raise UserError(f"{path.name}: its base {name} is not made of weights; name one that is a .toml file")
    if "base" in read_data(file):
        raise UserError(f"{path.name}: its base {name} has a base itself; name that one")
    return read_weights(name, file, {}).layers


def _layers(data: dict[str, Any], path: Path) -> Iterator[Layer]:
    """The weights that the file gives, from those that hold everywhere to those that hold in one place."""
    yield from _everywhere_and_in_cities(data, "", None, path)
    tables = _table(data, "players", "", path)
    _check_keys(tables, [str(players) for players in PLAYER_COUNTS], "players.", path)
    for players in PLAYER_COUNTS:
        table = _table(tables, str(players), "players.", path)
        _check_keys(table, ("weights", "cities"), f"players.{players}.", path)
        yield from _everywhere_and_in_cities(table, f"players.{players}.", players, path)


def _everywhere_and_in_cities(
    data: dict[str, Any], place: str, players: int | None, path: Path
) -> Iterator[Layer]:
    if "weights" in data:
        yield from _in_parts(data, "weights", place, path, Layer({}, None, players))
    cities = _table(data, "cities", place, path)
    for city in cities:
        if not CITY.fullmatch(city):
            refuse([Problem(f"{place}cities.{city}", "not an id; expected a city's: sparta")], path.name)
        yield from _in_parts(cities, city, f"{place}cities.", path, Layer({}, city, players))


def _in_parts(data: dict[str, Any], key: str, place: str, path: Path, layer: Layer) -> Iterator[Layer]:
    """The weights of a table, and those that it gives for parts of the game."""
    table = _table(data, key, place, path)
    always = {name: weight for name, weight in table.items() if name not in PARTS}
    yield layer._replace(weights=_weights({key: always}, key, place, path))
    for part in PARTS:
        if part in table:
            yield layer._replace(weights=_weights(table, part, f"{place}{key}.", path), part=part)


def _table(data: dict[str, Any], key: str, place: str, path: Path) -> dict[str, Any]:
    """A table of the file, empty if it is not there."""
    table = data.get(key, {})
    if not isinstance(table, dict):
        refuse([Problem(f"{place}{key}", f"{shown(table)} given; expected a table")], path.name)
    return table


def _weights(data: dict[str, Any], key: str, place: str, path: Path) -> dict[str, float]:
    """The weights of a table, checked."""
    found = {}
    table, within = _table(data, key, place, path), f"{place}{key}."
    _check_keys(table, (*DESCRIBED, *PARTS), within, path)
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST:
            refuse([Problem(f"{within}{name}", f"{shown(value)} given; expected a number")], path.name)
        found[name] = float(value)
    return found
