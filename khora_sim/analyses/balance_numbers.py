"""The numbers that a search for balance may change: as typed, from a file, or those of all developments."""

from typing import Any

from khora_sim.common.files import read_toml
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.rules.ranges import Number, numbers_of

REACH = 2  # how far a number may move where nobody says so
WANTED = "a TOML file with a table [vary] of paths and values"
FREE = 1  # the development that every city begins with costs nothing


def usual_numbers(rules: Rules) -> tuple[Number, ...]:
    """What every development of a city costs, and every amount that it gives, within 2 of what it is."""
    found = []
    for city, own in rules.model.cities.items():
        for place, development in enumerate(own.developments.in_order(), 1):
            path = f"cities.{city}.developments.{place}"
            if place != FREE:
                found.append(_around(f"{path}.cost", development.cost, 0))
            for at, effect in enumerate(development.effects, 1):
                here = f"{path}.effects.{at}"
                found += [_around(f"{here}.gain.{word}", amount, 1) for word, amount in effect.gain.items()]
                if effect.number is not None:
                    found.append(_around(f"{here}.number", effect.number, 1))
                for choice, amounts in enumerate(effect.choices, 1):
                    where = f"{here}.choices.{choice}"
                    found += [_around(f"{where}.{word}", amount, 1) for word, amount in amounts.items()]
    return tuple(found)


def _around(path: str, value: int, least: int) -> Number:
    values = range(max(value - REACH, min(least, value)), value + REACH + 1)
    return Number(path, value, tuple(values))


def numbers_in(file: str, rules: Rules) -> tuple[Number, ...]:
    """The numbers that a file names, with their values as they are typed: "cards.bank.cost" = "0..2"."""
    data: Any = read_toml(file, WANTED).get("vary")
    if not isinstance(data, dict) or not data:
        raise UserError(
            f'{file}: has no table [vary]; expected lines such as "cards.lighthouse.cost" = "0..4"'
        )
    lines = []
    for path, values in data.items():
        if isinstance(values, dict):
            raise UserError(
                f'{file}: vary.{path}: write the path in quotes, as in "cards.lighthouse.cost" = "0..4"'
            )
        text = ",".join(map(str, values)) if isinstance(values, list) else str(values)
        lines.append(f"{path}={text}")
    return numbers_of(lines, rules, f"{file}:")
