"""Who tries to do better than a strategy in one city: searchers, forced play, players made for it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from khora_sim.analyses.habits import Habits
from khora_sim.analyses.ladder import contenders
from khora_sim.errors import UserError, nearest
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy

SEARCHER, WRAPPER = "sage", "restricted"
MORE_WORLDS = 3
SELDOM = 0.5  # a development unlocked in fewer games is forced
EVERY = 3  # an action that is hardly ever taken is forced in every third round: always would prove nothing
ORDINAL = {1: "every round", 2: "every second round", 3: "every third round"}
FORCED = ("development", "track", "action")
#: Kinds of challengers.
SEARCH, FORCE, TUNED, LEARNED, NAMED = "search", "force", "tuned", "learned", "named"
MADE = (TUNED, LEARNED)  # for the city alone


class Challenger(NamedTuple):
    """Somebody who plays the city in the place of the strategy that is looked at."""

    kind: str  # search, force, tuned, learned or named
    label: str  # in words
    spec: str  # as it can be typed


class Force(NamedTuple):
    """Something that a player must do: parameters of the wrapper, as they are typed."""

    settings: str  # `force_development=2:from_round=4`

    @property
    def label(self) -> str:
        """What is forced, in words that follow `forcing`."""
        given = dict(part.split("=", 1) for part in self.settings.split(":"))
        later = f" from round {given['from_round']} on" if given.get("from_round", "1") != "1" else ""
        if "force_development" in given:
            return f"development {given['force_development']}{later}"
        if "force_track" in given:
            to = f" up to level {given['force_level']}" if "force_level" in given else ""
            return f"{given['force_track']} levels first{to}{later}"
        every = int(given.get("every", "1"))
        return f"the {given['force_action']} action {ORDINAL.get(every, f'every {every} rounds')}{later}"

    def on(self, strategy: str) -> Challenger:
        """The strategy with this forced upon it."""
        return Challenger(FORCE, f"forcing {self.label}", f"{WRAPPER}:{self.settings}:base={strategy}")


def force_of(text: str) -> Force:
    """What is typed after --force: `development=2`, `track=military`, `action=trade:every=2`."""
    kind, _, rest = text.strip().partition("=")
    if kind not in FORCED or not rest:
        examples = "development=2, track=military or action=trade, or with more: development=2:from_round=4"
        unknown = "" if kind in FORCED else f" {nearest(kind, FORCED)};"
        raise UserError(f"--force {text}:{unknown} expected {examples}")
    force = Force(f"force_{kind}={rest}")
    load(f"{WRAPPER}:{force.settings}")  # refuses what cannot be set
    return force


def suspects(habits: Habits, city: str) -> list[Force]:
    """What a strategy seldom does in a city: developments of few games, and its blind spots there."""
    seldom = habits.rates.developments.filter(pl.col("city") == city, pl.col("value") < SELDOM)
    found = [f"force_development={place}" for place in seldom["development"]]
    first_levels: dict[str, str] = {}
    for spot in habits.blind_spots:
        if city not in spot.cities:
            continue
        if spot.kind == "action" and spot.what != "development":  # developments are forced by number
            found.append(f"force_action={spot.what}:every={EVERY}")
        if spot.kind == "level":
            track, level = spot.what.split()
            first_levels.setdefault(track, level)
    found += [f"force_track={track}:force_level={level}" for track, level in first_levels.items()]
    return [Force(settings) for settings in found]


def searchers(strategy: Strategy) -> list[Challenger]:
    """The search player on every fast built-in policy and on the strategy itself, and with more worlds."""
    bases = [name for name in contenders() if _is_fast(load(name))]
    if strategy.name not in bases and strategy.rate is not None and not strategy.policies:
        bases.append(strategy.name)
    found = [Challenger(SEARCH, f"searcher on {base}", f"{SEARCHER}:base={base}") for base in bases]
    more = f"{SEARCHER}:worlds={MORE_WORLDS}"
    found.append(Challenger(SEARCH, f"searcher with {MORE_WORLDS} worlds", more))
    return [one for one in found if load(one.spec).digest != strategy.digest]


def named(specs: Sequence[str]) -> list[Challenger]:
    """Players that the user wants tried, each once."""
    return [Challenger(NAMED, load(spec).name, spec) for spec in dict.fromkeys(specs)]


def _is_fast(strategy: Strategy) -> bool:
    """Whether a strategy decides by itself, and means to win."""
    return strategy.family != "control" and strategy.rate is not None and not strategy.policies


def forced(strategy: Strategy, forces: Sequence[Force]) -> Iterator[Challenger]:
    """The strategy with each thing forced upon it, each once."""
    for force in dict.fromkeys(forces):
        yield force.on(strategy.name)
