"""Habits: what a strategy does against itself, city by city, and what it never does.

Every set of cities is played equally often, the cities moving around the table. Who else plays changes what a
player does, so these are habits among its own kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import polars as pl
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from khora_sim.analyses.analysis import Analysis, Examined, Players, Run, Seed
from khora_sim.analyses.habits.rates import Rates, columns_for, rates_of
from khora_sim.common.command_options import Count, Flag
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.wording import RARE, listed
from khora_sim.rules import load_rules
from khora_sim.simulation.experiment import Arm, Design, settled_plan
from khora_sim.simulation.result import EstimateJson, Result
from khora_sim.simulation.run_options import RulesFile, RunOptions
from khora_sim.simulation.sinks import Columns
from khora_sim.simulation.study_file import study_of
from khora_sim.stats import estimates

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Table


class HabitsOptions(RunOptions):
    """Actions, tracks, developments, cards and spaces are counted, with every set of cities equally often."""

    command = "strategies habits"

    strategy: Examined
    players: Players = 4
    games: Annotated[
        Count,
        Flag("Games to play, rounded up so that every set of cities comes equally often.", metavar="N"),
    ] = 2800
    seed: Seed = 0
    rules: RulesFile = None


class BlindSpot(Result):
    """Something that a strategy never does, or hardly ever, although it could.

    A rate counts as one when the upper end of its 95 % interval is below `RARE`. No rate shows whether
    the strategy is right to leave a thing undone; readers of its results should know that it does.
    """

    kind: str  # development, action, level, card or space
    what: str  # `2`, `trade`, `culture 4`, or the id of a card or space
    cities: tuple[str, ...]  # ids; empty where it is not listed by city
    share: EstimateJson  # of the cases in which it could be done; of several cities the highest
    sentence: str


@dataclass(frozen=True)
class Names:
    """Names of things by their ids."""

    cities: Mapping[str, str]
    cards: Mapping[str, str]
    spaces: Mapping[str, str]


class Habits(Result):
    """What a strategy does among its own kind, and what it leaves undone."""

    strategy: str
    players: int
    games: int  # played, in whole turns of all sets of cities
    seed: int
    limit: float = RARE
    blind_spots: tuple[BlindSpot, ...]
    undecided: int  # rates that may be below the limit of a blind spot or above it
    rates: Rates
    names: Annotated[Names, Field(exclude=True)]

    @model_serializer(mode="wrap")
    def _flat(self, serialized: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The tables of rates beside the rest."""
        found = serialized(self)
        rates = found.pop("rates")
        return {**found, **rates}


class HabitsAnalysis(Analysis[HabitsOptions, Habits]):
    """What a strategy does, and what it never does."""

    Options = HabitsOptions

    def run(self, options: HabitsOptions, run: Run) -> Habits:
        """Let a strategy play itself."""
        seed = seed_in(JUDGING, options.seed)
        return measured(arm_of(options.strategy, options.players, options.games, seed, options.rules), run)

    def brief(self, result: Habits, *, full: bool = False) -> "Sequence[str | Table]":
        """Blind spots, then developments, actions and tracks by city; with `full` all that was counted."""
        from khora_sim.analyses.habits.brief import everything, short

        return [*short(result), *(everything(result) if full else [])]

    def page(self, result: Habits, options: HabitsOptions) -> None:
        """There is none."""


def arm_of(strategy: str, players: int, games: int, seed: int, rules: str | None = None) -> Arm:
    """The study that habits are seen in: a strategy against itself, with every set of cities."""
    asked = {"strategies": (strategy,), "players": players, "games": games, "seed": seed}
    fixed = {"cities": "all", "lineup": "same", "rotate": "cities", "rounds": True}
    return settled_plan(study_of({**asked, **fixed}), load_rules(rules), rules)


def measured(arm: Arm, run: Run) -> Habits:
    """Play a study of a strategy against itself, and count what it does."""
    sink = Columns(columns_for(arm.rules), run.chunks)
    run.play(Design((arm,)), sink)
    rates, rules = rates_of(arm, sink), arm.rules
    names = Names(
        cities=dict(zip(rules.city_ids, rules.city_names, strict=True)),
        cards=dict(zip(rules.card_ids, rules.card_names, strict=True)),
        spaces=dict(zip(rules.space_ids, rules.space_names, strict=True)),
    )
    looked = [
        RatesOfKind("development", rates.next_developments, ("development",)),
        RatesOfKind("action", rates.actions, ("action",)),
        RatesOfKind("level", rates.next_levels, ("track", "level")),
        RatesOfKind("card", rates.cards_used, ("card",)),
        RatesOfKind("space", rates.spaces, ("space",)),
    ]
    return Habits(
        strategy=arm.study.strategies[0],
        players=arm.sections[0].players,
        games=arm.games,
        seed=arm.study.seed,
        blind_spots=tuple(blind_spots(looked, names)),
        undecided=undecided(looked),
        rates=rates,
        names=names,
    )


class RatesOfKind(NamedTuple):
    """A kind of thing that was looked at: its rates, and the columns that name a thing."""

    kind: str
    rates: pl.DataFrame
    keys: tuple[str, ...]


def blind_spots(looked: Sequence[RatesOfKind], names: Names) -> list[BlindSpot]:
    """What is left undone, in the order of the tables; a thing is listed once for all its cities."""
    return [spot for one in looked for spot in _of_kind(one, names)]


def undecided(looked: Sequence[RatesOfKind]) -> int:
    """Count the rates that may be below the limit or above it: more games tell."""
    below, reaches = pl.col("low") < RARE, pl.col("high") >= RARE
    return sum(len(one.rates.filter(below & reaches)) for one in looked)


def _of_kind(looked: RatesOfKind, names: Names) -> Iterator[BlindSpot]:
    found = looked.rates.filter(pl.col("high") < RARE)
    for things, own in found.group_by(looked.keys, maintain_order=True):
        cities = tuple(own["city"].cast(pl.String)) if "city" in own.columns else ()
        share = max(estimates(own), key=lambda estimate: estimate.high)
        word = "never" if share.value == 0 else "hardly ever"
        yield BlindSpot(
            kind=looked.kind,
            what=" ".join(map(str, things)),
            cities=cities,
            share=share,
            sentence=f"{word} {_done(looked.kind, things, cities, names)}",
        )


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


ANALYSIS = HabitsAnalysis()
