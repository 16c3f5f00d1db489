"""The win shares that a designer wants: the fair share for every city, or a share for some of them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from khora_sim.common.wording import listed
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.stats import Measured, Sums, measured
from khora_sim.stats.estimate import Array

NEAR_ENOUGH = 0.02  # of what the shares of all cities average: a target may be a little off
SHAPE = "argos=25, argos=25+-2 or 25+-2"
_SHARE = re.compile(r"(\d+(?:\.\d+)?)(?:(?:\+-|\+/-|±)(\d+(?:\.\d+)?))?")


@dataclass(frozen=True)
class WantedShare:
    """The share that is wanted of a city, in parts of one."""

    share: float
    within: float | None = None  # how far from it is near enough

    def holds(self, value: float) -> bool:
        """Whether a share is near enough."""
        return self.within is not None and abs(value - self.share) <= self.within + 1e-12

    def in_words(self) -> str:
        """`25 %`, or `25 ± 2 %`."""
        near = "" if self.within is None else f" ± {100 * self.within:g}"
        return f"{100 * self.share:g}{near} %"


@dataclass(frozen=True)
class Target:
    """What is wanted of which cities; the rest may be as they are."""

    cities: Mapping[str, WantedShare]
    fair: bool  # every city at the fair share

    @property
    def shares(self) -> Array:
        """The wanted shares, in the order of the cities."""
        return np.array([one.share for one in self.cities.values()])

    def measured(self, sums: Sums, rows_per_group: int) -> Measured:
        """The shares of the cities that something is wanted of."""
        ours = sums.only(pl.col("city").cast(pl.String).is_in(list(self.cities)))
        return measured(ours, "city", "win_share", rows_per_group=rows_per_group)

    def in_words(self, names: Mapping[str, str]) -> str:
        """The target in a few words."""
        if len({*self.cities.values()}) == 1 and len(self.cities) == len(names):
            (wanted,) = {*self.cities.values()}
            share = wanted.in_words()
            return f"every city at {f'the fair share ({share})' if self.fair else share}"
        return listed([f"{names[city]} at {wanted.in_words()}" for city, wanted in self.cities.items()])

    def data(self) -> dict[str, Any]:
        """The target for a script."""
        return {city: {"share": one.share, "within": one.within} for city, one in self.cities.items()}


def target_of(typed: Sequence[str], rules: Rules, players: int, within: float | None = None) -> Target:
    """The target that was typed, in per cent; nothing typed is the fair share for every city.

    `within` is near enough where nothing else is typed.
    """
    every, named = WantedShare(1 / players, within), {}
    parts = [part.strip() for one in typed for part in one.split(",")]
    for part in parts:
        city, equals, share = part.rpartition("=")
        wanted = _wanted(share, part, within)
        if not equals:
            every = wanted
        elif city not in rules.city_ids:
            raise UserError(f'--target {part}: no city is called "{city}"; {nearest(city, rules.city_ids)}')
        elif city in named:
            raise UserError(f"--target {part}: {city} is given twice; give it once")
        else:
            named[city] = wanted
    general = not parts or any("=" not in part for part in parts)
    cities = {city: named.get(city, every) for city in rules.city_ids if general or city in named}
    if len(cities) == len(rules.city_ids):
        _check_mean(cities.values(), ",".join(parts), players)
    return Target(cities, fair=not named and every.share == 1 / players)


def _check_mean(wanted: Collection[WantedShare], typed: str, players: int) -> None:
    """Refuse shares for all cities that cannot come together: one player of each table wins."""
    fair, mean = 1 / players, sum(one.share for one in wanted) / len(wanted)
    near = sum(one.within or 0.0 for one in wanted) / len(wanted)
    if abs(mean - fair) > near + NEAR_ENOUGH:
        raise UserError(
            f"--target {typed}: the win shares of all cities average {100 * fair:.3g} % at tables of "
            f"{players}, not {100 * mean:.3g} %; try {100 * fair:.3g}, or name only the cities that matter"
        )


def _wanted(share: str, part: str, within: float | None) -> WantedShare:
    match = _SHARE.fullmatch(share.replace(" ", "").removesuffix("%"))
    if match is None or float(match[1]) > 100:
        raise UserError(f"--target {part}: should be a win share in per cent, such as {SHAPE}")
    if 0 < float(match[1]) < 1:
        percent = part.replace(match[1], f"{100 * float(match[1]):g}", 1)
        raise UserError(f"--target {part}: a win share is given in per cent; try {percent}")
    return WantedShare(float(match[1]) / 100, within if match[2] is None else float(match[2]) / 100)
