"""Strategies as weights: a TOML file of numbers for the built-in evaluator, no code.

`base` names another weights file whose numbers hold where this one gives none. With `city`, this file's
numbers hold in that city only, and those of the base everywhere else.
"""

import hashlib
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from khora_sim.common.checking import Problem, refuse, shown
from khora_sim.common.user_files import parse_toml
from khora_sim.errors import UserError, nearest
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.finding import find, is_built_in, text_of
from khora_sim.strategy.parameters import NOWHERE, Parameter, check_value, set_parameters
from khora_sim.strategy.traits import Traits, check_traits
from khora_sim.strategy.value.features import DESCRIBED

KEYS = ("text", "base", "city", "traits", "weights")
TRAITS = ("name", "family", "summary", "deterministic", "source")
CITY = Parameter("city", "city", "", None, None, "the city in which these weights hold")


@cache
def evaluator() -> Any:
    """The address of the compiled evaluator, which all weights files share."""
    from khora_sim.strategy.compiled import compile_plug_in
    from khora_sim.strategy.evaluator import player

    return compile_plug_in(player, "the evaluator", allocates=False, wait="10 seconds")


def read_weights(spec: str, path: Path, settings: dict[str, str]) -> Strategy:
    """A strategy from a file of weights, as it declares itself: it plays once it is given the evaluator."""
    data = read_data(path)
    traits = traits_of(data, path)
    base = _base(data, path)
    own = {**_defaults(base), **_weights(data, path)}
    declared = tuple(
        Parameter(name, "number", own[name], None, None, described.meaning)
        for name, described in DESCRIBED.items()
    )
    city = data.get("city")
    if city is not None:
        if not isinstance(city, str) or base is None:
            raise UserError(f'{path.name}: city asks for a base, the weights elsewhere: base = "steward"')
        declared = (Parameter("city", "city", city, None, None, CITY.help), *declared)
    chosen = set_parameters(traits.name, declared, settings)
    values: dict[str, float | str] = {"city": chosen.get("city", NOWHERE)}
    values.update({name: chosen[name] for name in DESCRIBED})
    elsewhere = chosen if city is None else _defaults(base)
    values.update({f"{name} elsewhere": elsewhere[name] for name in DESCRIBED})
    code = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return Strategy(
        name=spec,
        kind="weights",
        family=traits.family,
        summary=traits.summary,
        deterministic=traits.deterministic,
        source=traits.source,
        digest=hashlib.sha256(f"{code} {sorted(values.items())}".encode()).hexdigest()[:16],
        text=data["text"].strip(),
        path=path,
        declared=declared,
        values=values,
        base=base,
    )


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


def _base(data: dict[str, Any], path: Path) -> Strategy | None:
    """The strategy whose weights hold where the file gives none."""
    if "base" not in data:
        return None
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
    return read_weights(name, file, {})


def _defaults(base: Strategy | None) -> dict[str, Any]:
    """The weights to start from."""
    if base is None:
        return {name: described.default for name, described in DESCRIBED.items()}
    return {name: base.values[name] for name in DESCRIBED}


def _weights(data: dict[str, Any], path: Path) -> dict[str, float]:
    """The weights the file gives, checked."""
    table = data.get("weights", {})
    if not isinstance(table, dict):
        raise UserError(f"{path.name}: weights should be a table: [weights]")
    found = {}
    _check_keys(table, DESCRIBED, "weights.", path)
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            refuse([Problem(f"weights.{name}", f"{shown(value)} given; expected a number")], path.name)
        one = Parameter(name, "number", 0.0, None, None, "")
        found[name] = float(check_value(path.name, one, value))
    return found
