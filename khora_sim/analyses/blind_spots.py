"""Blind spots: what a strategy never does, or hardly ever, although it could.

A rate counts as one when the upper end of its 95 % interval lies below a limit. Whether the strategy is right
to leave a thing undone no rate can say; that it leaves it undone is what readers of its results should know.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from khora_sim.common.wording import RARE, listed
from khora_sim.stats import Estimate, estimates

LIMIT = RARE
NEVER, HARDLY_EVER = "never", "hardly ever"


class BlindSpot(NamedTuple):
    """Something left undone."""

    kind: str  # development, action, level, card or space
    what: str  # `2`, `trade`, `culture 4`, or the id of a card or space
    cities: tuple[str, ...]  # ids; empty where it is not listed by city
    share: Estimate  # of the cases in which it could be done; of several cities the highest
    sentence: str


@dataclass(frozen=True)
class Names:
    """What things are called, by their ids."""

    cities: Mapping[str, str]
    cards: Mapping[str, str]
    spaces: Mapping[str, str]


class RatesOfKind(NamedTuple):
    """A kind of thing that was looked at: its rates, and the columns that name a thing."""

    kind: str
    rates: pl.DataFrame
    keys: tuple[str, ...]


def blind_spots(looked: Sequence[RatesOfKind], names: Names) -> list[BlindSpot]:
    """What is left undone, in the order of the tables; a thing is listed once for all its cities."""
    return [spot for one in looked for spot in _of_kind(one, names)]


def undecided(looked: Sequence[RatesOfKind]) -> int:
    """How many rates may lie below the limit or above it: more games tell."""
    below, reaches = pl.col("low") < LIMIT, pl.col("high") >= LIMIT
    return sum(len(one.rates.filter(below & reaches)) for one in looked)


def _of_kind(looked: RatesOfKind, names: Names) -> Iterator[BlindSpot]:
    found = looked.rates.filter(pl.col("high") < LIMIT)
    for things, own in found.group_by(looked.keys, maintain_order=True):
        cities = tuple(own["city"].cast(pl.String)) if "city" in own.columns else ()
        share = max(estimates(own), key=lambda estimate: estimate.high)
        word = NEVER if share.value == 0 else HARDLY_EVER
        sentence = f"{word} {_done(looked.kind, things, cities, names)}"
        yield BlindSpot(looked.kind, " ".join(map(str, things)), cities, share, sentence)


def _done(kind: str, things: tuple[Any, ...], cities: tuple[str, ...], names: Names) -> str:
    """What is not done, in words that follow `never`."""
    thing = str(things[0])
    called = [names.cities[city] for city in cities]
    if kind == "development" and len(called) == 1:
        return f"unlocks {called[0]} {thing}"
    where = "any city" if len(called) == len(names.cities) else listed(called, "or")
    return {
        "development": f"unlocks development {thing} in {where}",
        "action": f"takes the {thing} action in {where}",
        "level": f"climbs {thing} to level {things[-1]} in {where}",
        "card": f"plays {names.cards.get(thing, thing)} when it begins with it in hand",
        "space": f"explores {names.spaces.get(thing, thing)}",
    }[kind]
