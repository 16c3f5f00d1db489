"""Habits: what a strategy does against itself, city by city, and what it never does.

Every set of cities is played equally often, the cities moving around the table. Who else plays changes what a
player does, so these are habits among its own kind.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import polars as pl
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from khora_sim.analyses.analysis import Analysis, Examined, Players, Run, Seed
from khora_sim.analyses.habits.rates import LATER, Rates, columns_for, rates_of
from khora_sim.common.command_options import Count, Flag
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.wording import RARE, counted, listed
from khora_sim.pages.page_model import Table, grid
from khora_sim.pages.wording import SHOWN_UNKNOWN
from khora_sim.rules import load_rules
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.result import EstimateJson, Result
from khora_sim.simulation.run_dir import RulesFile, RunOptions
from khora_sim.simulation.sinks import Columns
from khora_sim.simulation.study_file import study_of
from khora_sim.stats import estimates, format_estimate


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

    def brief(self, result: Habits, *, full: bool = False) -> Sequence[str | Table]:
        """Blind spots, then developments, actions and tracks by city; with `full` all that was counted."""
        return [*_short(result), *(_more(result) if full else [])]

    def page(self, result: Habits, options: HabitsOptions) -> None:
        """There is none."""


def arm_of(strategy: str, players: int, games: int, seed: int, rules: str | None = None) -> Arm:
    """The study that habits are seen in: a strategy against itself, with every set of cities."""
    asked = {"strategies": (strategy,), "players": players, "games": games, "seed": seed}
    fixed = {"cities": "all", "lineup": "same", "rotate": "cities", "rounds": True}
    return resolve_study(study_of({**asked, **fixed}), load_rules(rules), rules)


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


def _short(found: Habits) -> Iterator[str | Table]:
    """Blind spots first, then developments, actions and tracks by city."""
    yield (
        f"{found.strategy} against itself: {found.games:,} games of {found.players} players, all sets of "
        f"cities, seed {found.seed}; with 95 % intervals."
    )
    yield from _blind_spots(found)
    yield "\nDevelopments: share of games in which each is unlocked, and the mean round"
    yield _developments(found)
    yield "\nActions: share of the tiles paid for"
    yield _by_city(found, found.rates.actions, "action")
    yield "\nTracks: mean level at the end"
    yield _by_city(found, found.rates.tracks, "track", percent=False)


def _more(found: Habits) -> Iterator[str | Table]:
    """Levels, rounds, cards and spaces."""
    rates, names = found.rates, found.names
    for track in _things(rates.levels, "track"):
        yield f"\nLevels of {track}: share of games in which each is reached"
        yield _by_city(found, rates.levels.filter(track=track), "level")
    for city, name in names.cities.items():
        yield f"\nActions by round, {name}: share of the tiles paid for"
        yield _crossed("Round", rates.actions_by_round.filter(city=city), "round", "action", {})
    yield "\nCards: share of hands that keep one they were dealt, and of games in which one is played"
    yield _cards(found)
    yield "\nCards: share of games begun with one in hand in which it is played, by city"
    yield _crossed("Card", rates.cards_used_by_city, "card", "city", {**names.cards, **names.cities})
    yield "\nSpaces: share of games in which anyone explores one"
    rows = [(names.spaces[space], n, share) for space, (n, share) in _rows(rates.spaces, "space").items()]
    yield grid(("Space", "Games", "Explored"), rows, right=("Games", "Explored"))


def _blind_spots(found: Habits) -> Iterator[str]:
    limit = f"{100 * found.limit:.0f} %"
    rule = f"upper end of the interval below {limit} of the cases in which it could"
    yield f"\nPossible blind spots ({rule}){':' if found.blind_spots else ': none.'}"
    for spot in found.blind_spots:
        most = "up to " if len(spot.cities) > 1 else ""
        yield f"  {spot.sentence}: {most}{format_estimate(spot.share, percent=True)}"
    if found.undecided:
        yield f"  {counted(found.undecided, 'more rate')} may lie below {limit}; more --games tell."
    if found.blind_spots:
        yield "  What is measured with this player may miss what these things are worth."


def _developments(found: Habits) -> Table:
    shares, rounds = found.rates.developments, found.rates.development_rounds
    share, when = _cells(shares, "city", "development"), _cells(rounds, "city", "development", percent=False)
    counts = _counts(shares)
    rows = [
        (name, counts[city], *(one(city, place) for place in LATER for one in (share, when)))
        for city, name in found.names.cities.items()
    ]
    columns = ("City", "Games", *(title for place in LATER for title in (str(place), "in round")))
    return grid(columns, rows, right=columns[1:])


def _by_city(found: Habits, table: pl.DataFrame, key: str, *, percent: bool = True) -> Table:
    """Cities by things, with the number of cases of each city."""
    cell, counts, things = _cells(table, "city", key, percent=percent), _counts(table), _things(table, key)
    rows = [
        (name, counts[city], *(cell(city, thing) for thing in things))
        for city, name in found.names.cities.items()
    ]
    columns = ("City", "n", *(str(thing).capitalize() for thing in things))
    return grid(columns, rows, right=columns[1:])


def _crossed(title: str, table: pl.DataFrame, row: str, column: str, names: Mapping[str, str]) -> Table:
    """Things by things; the most cases of a row are its n."""
    cell, rows, columns = _cells(table, row, column), _things(table, row), _things(table, column)
    counts = {one: f"{max(table.filter(**{row: one})['n'].to_list()):,}" for one in rows}
    cells = [
        (names.get(one, str(one)), counts[one], *(cell(one, other) for other in columns)) for one in rows
    ]
    head = (title, "n", *(names.get(other, str(other).capitalize()) for other in columns))
    return grid(head, cells, right=head[1:])


def _cards(found: Habits) -> Table:
    tables = (found.rates.cards_kept, found.rates.cards_used, found.rates.cards_played)
    kept, used, played = (_rows(one, "card") for one in tables)
    unknown = ("0", SHOWN_UNKNOWN)
    rows = [
        (name, *kept.get(card, unknown), used.get(card, unknown)[1], *played.get(card, unknown))
        for card, name in found.names.cards.items()
    ]
    columns = ("Card", "Dealt", "Kept in the draft", "Played of those in hand", "Games", "Played of all")
    return grid(columns, rows, right=columns[1:])


def _things(table: pl.DataFrame, key: str) -> list[Any]:
    return table[key].unique(maintain_order=True).to_list()


def _counts(table: pl.DataFrame) -> dict[str, str]:
    return {city: f"{n:,}" for city, n in table.select("city", "n").iter_rows()}


def _cells(
    table: pl.DataFrame, row: str, column: str, *, percent: bool = True
) -> Callable[[object, object], str]:
    """The cell of a table for two keys, as text."""
    keys = table.select(row, column).iter_rows()
    texts = [format_estimate(one, percent=percent, with_n=False) for one in estimates(table)]
    found = dict(zip(keys, texts, strict=True))
    return lambda one, other: found.get((one, other), SHOWN_UNKNOWN)


def _rows(table: pl.DataFrame, key: str) -> dict[Any, tuple[str, str]]:
    """The things of a table with their n and share, as text."""
    rows = [(f"{one.n:,}", format_estimate(one, percent=True, with_n=False)) for one in estimates(table)]
    return dict(zip(table[key], rows, strict=True))


COMMAND = HabitsAnalysis()
