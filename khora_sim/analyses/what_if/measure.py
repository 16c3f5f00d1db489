"""Measure a change: the rows of every game on both sides, exposure, effects and fairness, and the result."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field, PlainSerializer, computed_field

from khora_sim.analyses.what_if.divergence import Divergence
from khora_sim.analyses.what_if.things import (
    BY_LUCK,
    UNLOCKED,
    Thing,
    columns_of,
    needs_rounds,
    unlocked_column,
)
from khora_sim.rules import Rules
from khora_sim.rules.compare import Change
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.simulation.chunk import Chunk, ChunkContents
from khora_sim.simulation.column_buffers import games_columns
from khora_sim.simulation.experiment import Arm, ChunkId, Design
from khora_sim.simulation.result import EstimateJson, Result, RulesPlayed
from khora_sim.simulation.run_dir import ChunkCache
from khora_sim.simulation.sinks import KeptChunks
from khora_sim.simulation.summing import with_clusters
from khora_sim.stats import Estimate, estimates, paired_table, share_table
from khora_sim.stats.dispersion import Dispersion, dispersion
from khora_sim.stats.paired import MeanChange, clusters_of_both, corrected, mean_change, paired_tables
from khora_sim.stats.ratios import measured, shares
from khora_sim.stats.sums import Sums, sums_of

ALPHA = 0.05
OF_GAMES = ("seed", "first_seat", "winning_score", "margin")
OF_PLAYERS = ("game", "rotation_group", "seat", "city", "strategy", "score", "win_share")


# The result.


def _plain(table: pl.DataFrame) -> list[dict[str, Any]]:
    """A table for a script; JSON has no infinity."""
    return [
        {key: None if isinstance(one, float) and not math.isfinite(one) else one for key, one in row.items()}
        for row in table.to_dicts()
    ]


TableJson = Annotated[pl.DataFrame, PlainSerializer(_plain)]
RulesJson = Annotated[Rules, PlainSerializer(lambda rules: RulesPlayed.of(rules).data())]
FairnessJson = Annotated[
    Dispersion,
    PlainSerializer(
        lambda found: {name: getattr(found, name).data() for name in ("before", "after", "change")}
    ),
]


class ChangedGame(Result):
    """A game that somebody else wins after the change."""

    game: int
    seed: int
    first_seat: int
    strategies: tuple[tuple[str, ...], tuple[str, ...]]  # by seat, before and after
    cities: tuple[tuple[str, ...], tuple[str, ...]]
    winners: tuple[tuple[str, ...], tuple[str, ...]]  # cities, before and after
    scores: tuple[tuple[int, ...], tuple[int, ...]]  # by seat
    divergence: Annotated[Divergence | None, Field(serialization_alias="parting")] = None


@dataclass(frozen=True)
class Trained:
    """A player that was trained under some rules, and what it wins there."""

    strategy: str  # as it is typed
    cities: tuple[str, ...]  # whose weights were tuned; empty: general ones, or a value for all
    games: int  # of training
    command: str  # that does the same again
    won: EstimateJson  # one of them at a table of the player it starts from


@dataclass(frozen=True)
class Adapted:
    """Players who know the rules they play: trained alike, for the base game and for the changed one.

    Training makes better players of any rules. So both sides are trained, and what is left is the change.
    """

    start: str  # the player that was asked for
    how: str  # tuned or learned
    budget: str  # asked for, for each side
    before: Trained
    after: Trained


class Tables(Result):
    """Tables of a verdict: `first` is before, `second` after, `value` the change with `low` and `high`.

    Those of the family hold `p_holm`, corrected over all their rows and the change of fairness together, and
    `pairing_gain`: how many times the games two studies without common luck would need.
    """

    exposure: TableJson  # by thing, stage and among whom: games, players, or a city's players
    effects: TableJson  # by thing and what is asked about it, with intervals of both sides
    city_wins: TableJson  # by city
    city_scores: TableJson
    seat_wins: TableJson  # by seat
    strategy_wins: TableJson  # by strategy; empty where one plays at all seats
    games: TableJson  # by measure: score of all players, winning score, margin
    standing: TableJson  # win share of every city before and after, each for itself

    @property
    def family(self) -> dict[str, pl.DataFrame]:
        """The tables that are corrected together."""
        names = ("city_wins", "city_scores", "seat_wins", "strategy_wins", "games")
        return {name: getattr(self, name) for name in names}


class Verdict(Result):
    """What a change does with one line-up of players, at tables of one size."""

    players: int
    strategies: tuple[str, ...]
    after: tuple[str, ...]  # who plays the changed side: others only where that was asked for
    adapted: Adapted | None  # how the players came to know the rules that they play
    lineup: str  # how they come to the table: same, seats or pool
    games: int  # of each side
    groups: int
    fairness: FairnessJson  # of the cities
    fairness_p: float  # of its change, corrected with all rows of the tables
    winner_changed: EstimateJson  # share of games that others win
    result_changed: EstimateJson  # share of games in which any score differs
    elsewhere_changed: EstimateJson | None  # of games in which no changed thing came up on either side
    tables: Tables
    changed_games: tuple[ChangedGame, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def same(self) -> bool:
        """Whether all games came out the same."""
        return self.result_changed.value == 0

    @property
    def line_ups(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Who plays, before and after."""
        return self.strategies, self.after

    @property
    def other_players(self) -> bool:
        """Whether others play the changed side."""
        return self.strategies != self.after

    @property
    def fairer(self) -> bool | None:
        """Whether the cities come closer to the fair share; None where that is not clear."""
        return self.fairness.change.value < 0 if self.fairness_p < ALPHA else None

    @property
    def comparisons(self) -> int:
        """How many comparisons are corrected together."""
        return sum(len(table) for table in self.tables.family.values()) + 1

    @property
    def moved(self) -> list[dict[str, Any]]:
        """The cities whose win share changes for certain, the largest change first."""
        rows = self.tables.city_wins.filter(pl.col("p_holm") < ALPHA).to_dicts()
        return sorted(rows, key=lambda row: -abs(row["value"]))


class Variant(Result):
    """A change, of the rules or of who plays, and what it does."""

    label: str  # the file or the assignments, as they were typed
    file: str | None
    assignments: Annotated[tuple[str, ...], Field(serialization_alias="set")]
    rules: RulesJson
    changes: tuple[Change, ...]
    things: tuple[Thing, ...]
    verdicts: tuple[Verdict, ...] = ()  # by size of table: players asked for, adapted ones, another skill

    @property
    def main(self) -> Verdict:
        """The verdict with the players that were asked for, at the first size of table."""
        return self.verdicts[0]


class WhatIf(Result):
    """The answer."""

    format: int = 1
    khora: str
    base: Annotated[RulesJson, Field(serialization_alias="rules")]
    players: tuple[int, ...]  # sizes of table
    seed: int
    precision: float | None  # asked for, in percentage points
    adapt: str | None  # what players could take to learn the changed rules
    variants: tuple[Variant, ...]

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return self.model_dump(mode="json", by_alias=True)

    def no_change(self, variant: Variant) -> bool:
        """Whether both sides are the same."""
        return variant.rules.hash == self.base.hash and not variant.main.other_players


# The rows of every game of every arm, with only what the answer is made of.


class Rows(KeptChunks[pl.DataFrame]):
    """A row for each player of each game, in memory: the result, and whether the changed things came up."""

    def __init__(self, things: Sequence[Thing], cache: ChunkCache | None = None):
        super().__init__(cache)
        self.things = things
        self.parts: dict[ChunkId, pl.DataFrame] = {}

    def begin(self, design: Design) -> None:
        """Find the columns that the things need; an arm without a thing lacks some of them."""
        super().begin(design)
        self.found = [
            {name: one for thing in self.things for name, one in columns_of(thing, arm.rules).items()}
            for arm in design.arms
        ]
        used = {root for found in self.found for one in found.values() for root in one.meta.root_names()}
        of_games = used & {name for arm in design.arms for name in games_columns(arm.rules)}
        of_players = {name for name in used - of_games if not name.startswith(UNLOCKED)}
        columns = {
            "players": tuple(dict.fromkeys((*OF_PLAYERS, *sorted(of_players)))),
            "games": tuple(dict.fromkeys((*OF_GAMES, *sorted(of_games)))),
        }
        if needs_rounds(self.things):
            columns["rounds"] = ("development",)
        self.wanted = ChunkContents(columns=columns)

    @property
    def contents(self) -> str:
        """What is kept of a chunk, as a text that changes whenever it does."""
        return f"{self.wanted} {self.things}"

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The sides, the base game first."""
        return self.design.arms

    def reduced(self, chunk: Chunk) -> pl.DataFrame:
        """A row for each player."""
        frames, players = chunk.frames, self.arms[chunk.place.arm].sections[0].players
        games = frames["games"][np.repeat(np.arange(chunk.games), players)]
        rows = pl.concat([frames["players"], games], how="horizontal")
        if "rounds" in frames:
            rounds = frames["rounds"]["development"].to_numpy().reshape(chunk.games, -1, players)
            rows = rows.with_columns(_unlocked(rounds))
        return rows.select(*OF_PLAYERS, *OF_GAMES, **self.found[chunk.place.arm])

    def take(self, place: ChunkId, kept: pl.DataFrame) -> None:
        """Take the rows of a chunk."""
        self.parts[place] = kept

    @property
    def equally_far(self) -> set[int]:
        """The numbers of the chunks that all arms have played."""
        numbers = [
            {place.number for place in self.parts if place.arm == one} for one in range(len(self.arms))
        ]
        return set.intersection(*numbers)

    def of(self, arm: int, equally_far: bool = False) -> pl.DataFrame:
        """The rows of an arm, the same whatever the order in which chunks came.

        `equally_far` leaves out what some other arm has not played yet.
        """
        numbers = self.equally_far if equally_far else {at.number for at in self.parts if at.arm == arm}
        parts = pl.concat([self.parts[ChunkId(arm, number)] for number in sorted(numbers)])
        one, names = self.arms[arm], [pl.col(name).cast(kind) for name, kind in self.names.items()]
        rows = parts.lazy().with_columns(names)
        return with_clusters(rows, one.study, len(one.rules.city_ids)).collect()

    @property
    def names(self) -> dict[str, pl.Enum]:
        """Cities and strategies of all arms, in the order of the alphabet: numbers are faster than texts."""
        found = {
            "city": {name for arm in self.arms for name in arm.rules.city_ids},
            "strategy": {one.name for arm in self.arms for one in arm.strategies},
        }
        return {column: pl.Enum(sorted(names)) for column, names in found.items()}


def _unlocked(developments: np.ndarray) -> list[pl.Series]:
    """The round in which each player unlocked each development after the first; null where never.

    `developments` holds how many a player has, by game, round and seat.
    """
    found = []
    for place in range(2, DEVELOPMENTS + 1):
        reached = developments >= place
        rounds = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0).reshape(-1)
        column = pl.Series(unlocked_column(place), rounds, dtype=pl.UInt8)
        found.append(column.set(column == 0, None))
    return found


# Both sides, compared.


SHOWN_GAMES = 3
ALL = "all"
_NUMBERS = {"": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}
EFFECTS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("thing", "asked", "unit"), pl.String),
    **{f"{side}_{name}".strip("_"): kind for side in ("first", "second") for name, kind in _NUMBERS.items()},
    **{name or "value": kind for name, kind in _NUMBERS.items()},
}
MEASURES = {"score": "score of all players", "winning_score": "winning score", "margin": "margin"}


class Sides:
    """The rows of the base game and of a changed side, which met the same luck."""

    def __init__(self, arms: tuple[Arm, Arm], first: pl.DataFrame, second: pl.DataFrame):
        self.arms, self.first, self.second = arms, first, second
        self.players, self.group_size = arms[0].sections[0].players, arms[0].sections[0].group_size
        same_cities = arms[0].rules.city_ids == arms[1].rules.city_ids
        # Where one side has another city, a city's partner is itself, wherever both sides seat it.
        self.city_keys = ("game", "seat") if same_cities else ("game", "city")

    @property
    def both(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The rows of both sides."""
        return self.first, self.second

    def cities(self, *values: str) -> dict[str, pl.DataFrame]:
        """Changes of some values for every city that both sides have."""
        found = paired_tables(self.first, self.second, "city", values, keys=self.city_keys)
        return {value: _in_text(table) for value, table in found.items()}

    def overall(self, *values: str) -> dict[str, pl.DataFrame]:
        """Changes of some values over all players, one row each."""
        first, second = (rows.with_columns(pl.lit(ALL).alias(ALL)) for rows in self.both)
        return {value: one.drop(ALL) for value, one in paired_tables(first, second, ALL, values).items()}

    def games(self, numbers: Sequence[str], flags: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Changes over all games, one row each: of numbers of a game, and of flags that any player has."""
        first, second = (
            rows.filter(seat=1).with_columns(
                pl.lit(ALL).alias(ALL), *(pl.Series(flag, self._anybody(rows[flag])) for flag in flags)
            )
            for rows in self.both
        )
        found = paired_tables(first, second, ALL, [*numbers, *flags], keys=("game",))
        return {value: one.drop(ALL) for value, one in found.items()}

    def _anybody(self, flag: pl.Series) -> np.ndarray:
        """For each game whether a flag is up for any of its players, whose rows follow each other."""
        up: np.ndarray = np.logical_or.reduce(flag.to_numpy().reshape(-1, self.players), axis=1)
        return up

    @cached_property
    def wins(self) -> tuple[Sums, Sums]:
        """Wins of every city, of both sides."""
        first, second = (sums_of(rows, ["city"], {"win_share": pl.col("win_share")}) for rows in self.both)
        return first, second

    def margin(self) -> float:
        """The widest margin of all changes of win shares of cities."""
        table = self.cities("win_share")["win_share"]
        return float(((table["high"] - table["low"]) / 2).max())  # type: ignore[arg-type]


def evaluate(sides: Sides, things: Sequence[Thing], adapted: Adapted | None = None) -> Verdict:
    """What a change does with these players."""
    changed, among = _changed(sides, things), Among(things)
    cities = sides.cities("win_share", "score", *among.cities)
    players = sides.overall("score", *among.players)
    games = sides.games(("winning_score", "margin"), among.games)
    tables = Tables(
        exposure=exposure(things, among, games, players, cities),
        effects=effects(sides, things),
        city_wins=cities["win_share"],
        city_scores=cities["score"],
        seat_wins=paired_table(sides.first, sides.second, "seat", value="win_share"),
        strategy_wins=_strategies(sides),
        games=pl.concat(
            [_named((games | players)[name], "measure", text) for name, text in MEASURES.items()]
        ),
        standing=_standing(sides),
    )
    elsewhere = changed.filter(~pl.col("came_up"))
    fair = fairness(sides)
    family, (fairness_p,) = corrected(tables.family, fair.p_value)
    return Verdict(
        players=sides.players,
        strategies=sides.arms[0].study.strategies,
        after=sides.arms[1].study.strategies,
        adapted=adapted,
        lineup=sides.arms[0].study.lineup,
        games=len(changed),
        groups=changed["rotation_group"].n_unique(),
        fairness=fair,
        fairness_p=fairness_p,
        winner_changed=_share(changed, "winner", sides.group_size),
        result_changed=_share(changed, "result", sides.group_size),
        elsewhere_changed=_share(elsewhere, "result", sides.group_size) if len(elsewhere) else None,
        tables=tables.model_copy(update=family),
        changed_games=_examples(sides, changed),
    )


class Among:
    """The flags that tell how things came up, by among whom that is counted."""

    def __init__(self, things: Sequence[Thing]):
        every = [(thing, stage) for thing in things for stage in thing.stages]
        held = [(thing, stage) for thing, stage in every if thing.kind in ("card", "level")]
        unlocked = [(thing, stage) for thing, stage in every if stage == "unlocked"]
        self.games = [thing.column(stage) for thing, stage in every]
        self.players = [thing.column(stage) for thing, stage in held]
        self.cities = [thing.column(stage) for thing, stage in (*held, *unlocked)]


def exposure(
    things: Sequence[Thing],
    among: Among,
    games: Mapping[str, pl.DataFrame],
    players: Mapping[str, pl.DataFrame],
    cities: Mapping[str, pl.DataFrame],
) -> pl.DataFrame:
    """How often each thing came up, before and after: in games, for players, and for those of a city."""
    found = []
    for thing in things:
        for stage, words in thing.stages.items():
            flag = thing.column(stage)
            tables = {"games": games[flag]}
            if flag in among.players:
                tables["players"] = players[flag]
            if flag in among.cities:
                named = [thing.city] if thing.city else cities[flag]["city"].to_list()
                tables |= {city: cities[flag].filter(city=city).drop("city") for city in named}
            for whom, table in tables.items():
                keys = {"thing": thing.name, "stage": words, "among": whom}
                heads = [pl.lit(text).alias(name) for name, text in keys.items()]
                found.append(table.drop("p_value", "p_holm").select(*heads, pl.all()))
    return pl.concat(found) if found else pl.DataFrame()


def effects(sides: Sides, things: Sequence[Thing]) -> pl.DataFrame:
    """The measures of each thing, before and after, over the players to whom it came up."""
    rows = []
    for thing in things:
        for measure in thing.measures:
            value = thing.column(measure.value) if measure.value.startswith("|") else measure.value
            one_a_game = measure.value in OF_GAMES
            most = sides.group_size if one_a_game else sides.group_size * sides.players
            counted = pl.col(value).is_not_null() & ((pl.col("seat") == 1) | (not one_a_game))
            one, two = (frame.filter(counted) for frame in _rows_of(sides, thing, measure.stage))
            means = mean_change(one, two, value, share=measure.unit == "share", rows_per_group=most)
            if any(one is not None and one.value != 0 for one in (means.before, means.after)):
                rows.append(
                    {"thing": thing.name, "asked": measure.label, "unit": measure.unit, **_numbers(means)}
                )
    return pl.DataFrame(rows, schema=EFFECTS)


def _rows_of(sides: Sides, thing: Thing, stage: str) -> list[pl.DataFrame]:
    """The rows that a mean is taken over: to whom it came up, or would have on the other side by luck."""
    flags = [rows[thing.column(stage)] for rows in sides.both]
    if stage in BY_LUCK:
        flags = [flags[0] | flags[1]] * 2  # both sides have the same games and seats in the same order
    return [rows.filter(flag) for rows, flag in zip(sides.both, flags, strict=True)]


def _numbers(found: MeanChange) -> dict[str, float | int | None]:
    """The estimates of both sides and of the change, in columns."""
    numbers: dict[str, float | int | None] = {}
    for name, one in (("first", found.before), ("second", found.after), ("value", found.change)):
        head = "" if name == "value" else f"{name}_"
        known: dict[str, Any] = dict.fromkeys(("value", "low", "high", "n")) if one is None else vars(one)
        numbers |= {name: known["value"], f"{head}low": known["low"], f"{head}high": known["high"]}
        numbers[f"{head}n"] = known["n"]
    return numbers


def fairness(sides: Sides) -> Dispersion:
    """How far the cities lie from the fair share, before and after."""
    named = [
        sums.cells.with_columns(pl.format("{} {}", pl.lit(place), "city").alias("city"))
        for place, sums in enumerate(sides.wins)
    ]
    both = replace(sides.wins[0], cells=pl.concat(named), clusters=clusters_of_both(*sides.wins))
    found = measured(both, "city", "win_share", rows_per_group=sides.group_size)
    return dispersion(found, sides.first["city"].n_unique(), 1 / sides.players)


def _standing(sides: Sides) -> pl.DataFrame:
    parts = [
        _named(_in_text(shares(sums, ["city"], "win_share", rows_per_group=sides.group_size)), "side", side)
        for side, sums in zip(("before", "after"), sides.wins, strict=True)
    ]
    return pl.concat(parts)


def _strategies(sides: Sides) -> pl.DataFrame:
    """One strategy at all seats always has its fair share: there is nothing to test.

    Where others play after the change, `expert → merchant` says who sits in the same place.
    """
    # Both sides have the same games and seats in the same order.
    one, two = (rows["strategy"].cast(pl.String) for rows in sides.both)
    if one.n_unique() == two.n_unique() == 1:
        return pl.DataFrame()
    changed = pl.when(one == two).then(one).otherwise(one + " → " + two).alias("strategy")
    first, second = sides.first.with_columns(changed), sides.second.with_columns(two)
    return paired_table(first, second, "strategy", value="win_share")


def _changed(sides: Sides, things: Sequence[Thing]) -> pl.DataFrame:
    """Of every game: whether others win, whether any score differs, and whether a changed thing came up."""
    stages = [thing.column(stage) for thing in things for stage in thing.stages]
    everywhere = not stages or any(thing.kind == "rule" for thing in things)
    first, second = (
        rows.select(
            pl.col("game", "rotation_group", "unit", "stratum", "seat", "city", "score", "win_share"),
            came_up=pl.lit(True) if everywhere else pl.any_horizontal(*stages),
        )
        for rows in sides.both
    )
    pairs = first.join(second, on=["game", "seat"], suffix="_after", maintain_order="left")
    winner = pl.col("win_share") != pl.col("win_share_after")
    winner |= (pl.col("win_share") > 0) & (pl.col("city") != pl.col("city_after"))
    result = (pl.col("score") != pl.col("score_after")) | (pl.col("city") != pl.col("city_after"))
    return pairs.group_by("game", "rotation_group", "unit", "stratum", maintain_order=True).agg(
        winner=winner.any(),
        result=(result | winner).any(),
        came_up=(pl.col("came_up") | pl.col("came_up_after")).any(),
    )


def _examples(sides: Sides, changed: pl.DataFrame) -> tuple[ChangedGame, ...]:
    """The first games with luck of their own that others win."""
    games = changed.filter("winner").unique("rotation_group", keep="first", maintain_order=True)
    found = []
    for game in games["game"].head(SHOWN_GAMES):
        rows = [side.filter(game=game).sort("seat") for side in sides.both]
        who = [_as_typed(arm, one["strategy"].to_list()) for arm, one in zip(sides.arms, rows, strict=True)]
        cities, scores = ([tuple(one[name]) for one in rows] for name in ("city", "score"))
        winners = [tuple(one.filter(pl.col("win_share") > 0)["city"]) for one in rows]
        seed, first = (int(rows[0][name][0]) for name in ("seed", "first_seat"))
        found.append(
            ChangedGame(
                game=game,
                seed=seed,
                first_seat=first,
                strategies=(who[0], who[1]),
                cities=(cities[0], cities[1]),
                winners=(winners[0], winners[1]),
                scores=(scores[0], scores[1]),
            )
        )
    return tuple(found)


def _as_typed(arm: Arm, names: Sequence[str]) -> tuple[str, ...]:
    """Strategies as they are asked for again: a file by its path."""
    typed = {strategy.name: spec for strategy, spec in zip(arm.strategies, arm.study.specs, strict=True)}
    return tuple(typed[name] for name in names)


def _share(games: pl.DataFrame, column: str, group_size: int) -> Estimate:
    named = games.with_columns(pl.col(column).cast(pl.Float64), pl.lit(ALL).alias(ALL))
    return estimates(share_table(named, ALL, value=column, rows_per_group=group_size))[0]


def _in_text(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col("city").cast(pl.String))


def _named(table: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    return table.select(pl.lit(name).alias(column), pl.all())
