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
from khora_sim.common.command_options import Count, Flag
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.wording import RARE, counted, listed
from khora_sim.pages.table import Column, Table, amount, count, share, text
from khora_sim.rules import Rules, load_rules
from khora_sim.rules.terms import DEVELOPMENTS, DICE, Action, Track, word
from khora_sim.simulation.experiment import Arm, Design, resolve_study
from khora_sim.simulation.result import EstimateJson, FrameJson, Result
from khora_sim.simulation.run_dir import RulesFile, RunOptions
from khora_sim.simulation.sinks import Columns
from khora_sim.simulation.study_file import study_of
from khora_sim.stats import Estimate, estimates, format_estimate
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import CLUSTER, COUNT, GROUP, Frame, Sums, sums_of

ACTIONS = [word(action) for action in Action]
TRACKS = [word(track) for track in Track]
LATER = range(2, DEVELOPMENTS + 1)  # the first development is there from the start

Pairs = Mapping[Any, tuple[str, str]]  # by thing: how often it is done, and how often it could be


class HabitsOptions(RunOptions):
    """Actions, tracks, developments, cards and spaces are counted, with every set of cities equally often."""

    command = "strategies habits"

    strategy: Examined
    players: Players = 4
    games: Annotated[
        Count, Flag("Games to play, rounded up so that every set of cities comes equally often.", metavar="N")
    ] = 2800
    seed: Seed = 0
    rules: RulesFile = None


class Rates(Result):
    """Tables of rates and means: their keys, and `value`, `low`, `high` and `n`."""

    actions: FrameJson  # by city and action: share of the tiles paid for
    actions_by_round: FrameJson  # the same by city, round and action
    developments: FrameJson  # by city and development: share of games in which it is unlocked
    next_developments: FrameJson  # the same, of the games with the development before it
    development_rounds: FrameJson  # by city and development: mean round in which it is unlocked
    tracks: FrameJson  # by city and track: mean level at the end
    levels: FrameJson  # by city, track and level: share of games in which it is reached
    next_levels: FrameJson  # the same, of the games with the level before it
    cards_kept: FrameJson  # by card: share of the hands it was dealt to that hold it after the draft
    cards_used: FrameJson  # by card: share of games begun with it in hand in which it is played
    cards_used_by_city: FrameJson  # the same by city and card
    cards_played: FrameJson  # by card: share of all games of a player in which it is played
    spaces: FrameJson  # by space: share of games in which anyone explores it


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
    """Rates of what a strategy does among its own kind, and what it leaves undone."""

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
    """Count what a strategy does, and name what it never does."""

    Options = HabitsOptions

    def run(self, options: HabitsOptions, run: Run) -> Habits:
        """Let a strategy play itself."""
        seed = seed_in(JUDGING, options.seed)
        return measured(arm_of(options.strategy, options.players, options.games, seed, options.rules), run)

    def brief(self, result: Habits, *, full: bool = False) -> Sequence[str | Table]:
        """Blind spots, then developments, actions and tracks by city; with `full` all that was counted."""
        return [*_short(result), *(_more(result) if full else [])]


def arm_of(strategy: str, players: int, games: int, seed: int, rules: str | None = None) -> Arm:
    """The study that habits are seen in: a strategy against itself, with every set of cities."""
    given = {"strategies": (strategy,), "players": players, "games": games, "seed": seed}
    fixed = {"cities": "all", "lineup": "same", "rotate": "cities", "rounds": True}
    return resolve_study(study_of({**given, **fixed}), load_rules(rules), rules)


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


def columns_for(rules: Rules) -> dict[str, tuple[str, ...]]:
    """The columns that rates are counted from, by table."""
    tracks, cards = (f"level_{one}" for one in TRACKS), (_played_in(one) for one in rules.card_ids)
    return {
        "players": (GROUP, "city", "development", "dealt", "drafted", *tracks, *cards),
        "rounds": ("game", GROUP, "seat", "city", "round", "development", "tiles_used"),
        "games": (GROUP, "explored"),
    }


def rates_of(arm: Arm, played: Columns) -> Rates:
    """All tables of rates. A city is at a table once, so it has a row in every game of a group."""
    rules, group = arm.rules, arm.sections[0].group_size
    everybody = group * arm.sections[0].players  # rows of all cities in a group
    rounds = played.table("rounds").collect()
    ends, turns = _ends(played.table("players"), rules), _turns(rounds)
    spaces = {name: _holds("explored", place) for place, name in enumerate(rules.space_ids)}
    explored = sums_of(played.table("games"), [], spaces)
    tiles = group * DICE
    taken = {action: (action, "tiles") for action in ACTIONS}
    kept, used, played_of_all = (
        {card: (f"{done} {card}", f"{could} {card}" if could else COUNT) for card in rules.card_ids}
        for done, could in (("kept", "dealt"), ("used", "held"), ("played", ""))
    )

    def rate(sums: Sums, by: Sequence[str], key: str, pairs: Pairs, most: int) -> pl.DataFrame:
        return _stacked(shares, sums, by, key, pairs, rows_per_group=most)

    def developments(*, next_only: bool) -> pl.DataFrame:
        return rate(ends, ["city"], "development", _steps("development", LATER, next_only), group)

    def levels(*, next_only: bool) -> pl.DataFrame:
        numbers = range(2, rules.model.limits.level + 1)
        tables = {
            track: rate(ends, ["city"], "level", _steps(f"level_{track}", numbers, next_only), group)
            for track in TRACKS
        }
        return pl.concat(
            table.select("city", pl.lit(track).alias("track"), pl.exclude("city"))
            for track, table in tables.items()
        )

    return Rates(
        actions=rate(turns, ["city"], "action", taken, tiles * rules.model.rounds),
        actions_by_round=rate(turns, ["city", "round"], "action", taken, tiles),
        developments=developments(next_only=False),
        next_developments=developments(next_only=True),
        development_rounds=_unlocked_when(rounds),
        tracks=_stacked(means, ends, ["city"], "track", {one: (f"level_{one}", COUNT) for one in TRACKS}),
        levels=levels(next_only=False),
        next_levels=levels(next_only=True),
        cards_kept=rate(ends, [], "card", kept, everybody),
        cards_used=rate(ends, [], "card", used, everybody),
        cards_used_by_city=rate(ends, ["city"], "card", used, group),
        cards_played=rate(ends, [], "card", played_of_all, everybody),
        spaces=rate(explored, [], "space", {one: (one, COUNT) for one in spaces}, group),
    )


def _ends(players: Frame, rules: Rules) -> Sums:
    """By city, how games end for a player: developments, levels and cards.

    Of each card: dealt, kept of those, held after the draft, used of those, and played at all.
    """
    summed = {f"level_{one}": pl.col(f"level_{one}").cast(pl.Int64) for one in TRACKS}
    reached = {"development": DEVELOPMENTS} | dict.fromkeys(summed, rules.model.limits.level)
    for name, top in reached.items():
        summed |= {f"{name} {one}": (pl.col(name) >= one).cast(pl.Int64) for one in range(1, top + 1)}
    for place, card in enumerate(rules.card_ids):
        dealt, held = _holds("dealt", place), _holds("drafted", place)
        played = (pl.col(_played_in(card)) > 0).cast(pl.Int64)
        summed |= {f"dealt {card}": dealt, f"kept {card}": dealt * held, f"held {card}": held}
        summed |= {f"used {card}": held * played, f"played {card}": played}
    return sums_of(players, ["city"], summed)


def _turns(rounds: Frame) -> Sums:
    """By city and round, the tiles that were paid for and the actions on them."""
    summed = {name: _holds("tiles_used", place) for place, name in enumerate(ACTIONS)}
    tiles = pl.col("tiles_used").bitwise_count_ones().cast(pl.Int64)
    return sums_of(rounds, ["city", "round"], summed | {"tiles": tiles})


def _unlocked_when(rounds: Frame) -> pl.DataFrame:
    """The mean round in which each development is unlocked, of the games in which it is."""
    keys = ["game", GROUP, "stratum", "unit", "seat", "city"]
    first = {str(place): pl.col("round").filter(pl.col("development") >= place).min() for place in LATER}
    players = rounds.lazy().group_by(keys).agg(**first)
    summed = {name: pl.col(name).fill_null(0).cast(pl.Int64) for name in first}
    known = {f"n{name}": pl.col(name).is_not_null().cast(pl.Int64) for name in first}
    sums = sums_of(players, ["city"], summed | known)
    pairs = {place: (str(place), f"n{place}") for place in LATER}
    return _stacked(means, sums, ["city"], "development", pairs)


def _steps(column: str, numbers: Sequence[int], next_only: bool) -> Pairs:
    """Counts of those who come to each number, of all games, or of those who came to the one before."""
    return {one: (f"{column} {one}", f"{column} {one - 1}" if next_only else COUNT) for one in numbers}


def _played_in(card: str) -> str:
    """The column with the round in which a card was played, or 0."""
    return f"card_round_{card.replace('-', '_')}"


def _holds(column: str, place: int) -> pl.Expr:
    """1 where a set holds a member."""
    return ((pl.col(column) & (1 << place)) != 0).cast(pl.Int64)


def _stacked(
    estimated: Callable[..., pl.DataFrame],
    sums: Sums,
    by: Sequence[str],
    key: str,
    pairs: Pairs,
    **given: Any,
) -> pl.DataFrame:
    """Means or shares of many things in one table with a column that names the thing, estimated together."""
    cells = pl.concat(
        sums.cells.select(
            *by, CLUSTER, pl.lit(number).alias(key), pl.col(top).alias("top"), pl.col(of).alias("of")
        )
        for number, (top, of) in enumerate(pairs.values())
    )
    many = Sums((*by, key), cells, sums.clusters, {})
    table = estimated(many, [*by, key], "top", "of", **given).sort(key, maintain_order=True)
    return table.drop("units").with_columns(pl.Series(list(pairs)).gather(table[key]).alias(key))


class RatesOfKind(NamedTuple):
    """A kind of thing that was looked at: its rates, and the columns that name a thing."""

    kind: str
    rates: pl.DataFrame
    keys: tuple[str, ...]


def blind_spots(looked: Sequence[RatesOfKind], names: Names) -> list[BlindSpot]:
    """Things left undone, in the order of the tables; each is listed once for all its cities."""
    return [spot for one in looked for spot in _of_kind(one, names)]


def undecided(looked: Sequence[RatesOfKind]) -> int:
    """Count the rates that may be below the limit or above it: more games tell."""
    below, reaches = pl.col("low") < RARE, pl.col("high") >= RARE
    return sum(len(one.rates.filter(below & reaches)) for one in looked)


def _of_kind(looked: RatesOfKind, names: Names) -> Iterator[BlindSpot]:
    found = looked.rates.filter(pl.col("high") < RARE)
    for things, own in found.group_by(looked.keys, maintain_order=True):
        cities = tuple(own["city"].cast(pl.String)) if "city" in own.columns else ()
        highest = max(estimates(own), key=lambda estimate: estimate.high)
        often = "never" if highest.value == 0 else "hardly ever"
        yield BlindSpot(
            kind=looked.kind,
            what=" ".join(map(str, things)),
            cities=cities,
            share=highest,
            sentence=f"{often} {_done(looked.kind, things, cities, names)}",
        )


def _done(kind: str, things: tuple[Any, ...], cities: tuple[str, ...], names: Names) -> str:
    """Something that is not done, in words that follow `never`."""
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
    rates, cities = found.rates, found.names.cities
    yield (
        f"{found.strategy} against itself: {found.games:,} games of {found.players} players, all sets of "
        f"cities, seed {found.seed}; with 95 % intervals."
    )
    yield from _blind_spots(found)
    yield "\nDevelopments: share of games in which each is unlocked, and the mean round"
    unlocked, when = (
        _cells(one, "city", "development") for one in (rates.developments, rates.development_rounds)
    )
    columns = [count("Games", lambda city: unlocked[city, LATER[0]].n)]
    for place in LATER:
        columns += [share(str(place), _cell(unlocked, place)), amount("in round", _cell(when, place))]
    yield _named("City", cities, columns)
    yield "\nActions: share of the tiles paid for"
    yield _crossed("City", rates.actions, "city", "action", cities)
    yield "\nTracks: mean level at the end"
    yield _crossed("City", rates.tracks, "city", "track", cities, amount)


def _more(found: Habits) -> Iterator[str | Table]:
    """Levels, rounds, cards and spaces."""
    rates, names = found.rates, found.names
    for track in TRACKS:
        yield f"\nLevels of {track}: share of games in which each is reached"
        yield _crossed("City", rates.levels.filter(track=track), "city", "level", names.cities)
    for city, name in names.cities.items():
        yield f"\nActions by round, {name}: share of the tiles paid for"
        yield _crossed("Round", rates.actions_by_round.filter(city=city), "round", "action", {})
    yield "\nCards: share of hands that keep one they were dealt, and of games in which one is played"
    kept, used, played = (
        _cells(one, "card") for one in (rates.cards_kept, rates.cards_used, rates.cards_played)
    )
    columns = [
        _cases("Dealt", kept),
        share("Kept in the draft", _cell(kept)),
        share("Played of those in hand", _cell(used)),
        _cases("Games", played),
        share("Played of all", _cell(played)),
    ]
    yield _named("Card", names.cards, columns)
    yield "\nCards: share of games begun with one in hand in which it is played, by city"
    yield _crossed("Card", rates.cards_used_by_city, "card", "city", {**names.cards, **names.cities})
    yield "\nSpaces: share of games in which anyone explores one"
    explored = _cells(rates.spaces, "space")
    yield _named("Space", names.spaces, [_cases("Games", explored), share("Explored", _cell(explored))])


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


Cells = Mapping[tuple[Any, ...], Estimate]  # by the keys of a table of rates


def _cells(table: pl.DataFrame, *keys: str) -> Cells:
    return dict(zip(table.select(keys).iter_rows(), estimates(table), strict=True))


def _cell(cells: Cells, *column: Any) -> Callable[[Any], Estimate | None]:
    return lambda row: cells.get((row, *column))


def _cases(title: str, cells: Cells) -> Column:
    return count(title, lambda row: cells[row,].n if (row,) in cells else 0)


def _named(title: str, names: Mapping[Any, str], columns: Sequence[Column]) -> Table:
    """A row for each of some things."""
    return Table.of("", "", names, [text(title, lambda thing: thing, names), *columns])


def _crossed(
    title: str,
    table: pl.DataFrame,
    row: str,
    column: str,
    names: Mapping[Any, str],
    kind: Callable[..., Column] = share,
) -> Table:
    """Things by things; the most cases of a row are its n."""
    cells = _cells(table, row, column)
    n = dict(table.group_by(row).agg(pl.col("n").max()).iter_rows())
    things = table[column].unique(maintain_order=True)
    rows = {one: names.get(one, str(one)) for one in table[row].unique(maintain_order=True)}
    shown = [kind(names.get(one, str(one).capitalize()), _cell(cells, one)) for one in things]
    return _named(title, rows, [count("n", n.get), *shown])


COMMAND = HabitsAnalysis()
