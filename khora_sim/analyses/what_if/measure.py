"""Measure a change: the rows of every game on both sides, exposure, effects and fairness, and the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field, PlainSerializer, computed_field

from khora_sim.analyses.what_if.divergence import Divergence, Replayed, divergence
from khora_sim.analyses.what_if.things import (
    BY_CHANCE,
    UNLOCKED,
    Thing,
    columns_of,
    needs_rounds,
    unlocked_column,
)
from khora_sim.pages.comparison import Sides, significant, stacked
from khora_sim.pages.wording import is_significant
from khora_sim.rules.compare import Change
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.simulation.chunk import Chunk, ChunkContents
from khora_sim.simulation.column_buffers import games_columns
from khora_sim.simulation.experiment import Arm, ChunkId, Design, Section
from khora_sim.simulation.result import EstimateJson, FrameJson, Result, RulesJson
from khora_sim.simulation.run_dir import ChunkCache
from khora_sim.simulation.sinks import KeptChunks
from khora_sim.simulation.summing import with_clusters
from khora_sim.stats import Estimate, estimates, share_table
from khora_sim.stats.dispersion import Dispersion, dispersion
from khora_sim.stats.paired import clusters_of_both, corrected, mean_change
from khora_sim.stats.ratios import measured, shares
from khora_sim.stats.sums import Sums, sums_of

OF_GAMES = ("seed", "first_seat", "winning_score", "margin")
OF_PLAYERS = ("game", "rotation_group", "seat", "city", "strategy", "score", "win_share")


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
    divergence: Annotated[Divergence | None, Field(serialization_alias="parting")]


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

    start: str  # the given player
    how: str  # tuned, learned or taught
    budget: str  # of each side
    before: Trained
    after: Trained


class Tables(Result):
    """Tables of a verdict: `first` is before, `second` after, `value` the change with `low` and `high`.

    Those of the family hold `p_holm`, corrected over all their rows and the change of fairness together, and
    `pairing_gain`: how many times the games two studies without shared seeds would need.
    """

    exposure: FrameJson  # by thing, stage and among whom: games, players, or a city's players
    effects: FrameJson  # by thing and measure, with intervals of both sides
    city_wins: FrameJson  # by city
    city_scores: FrameJson
    seat_wins: FrameJson  # by seat
    strategy_wins: FrameJson  # by strategy; empty where one plays at all seats
    games: FrameJson  # by measure: score of all players, winning score, margin
    standing: FrameJson  # win share of every city before and after, each for itself

    @property
    def family(self) -> dict[str, pl.DataFrame]:
        """The tables that are corrected together."""
        names = ("city_wins", "city_scores", "seat_wins", "strategy_wins", "games")
        return {name: getattr(self, name) for name in names}


class Verdict(Result):
    """The effect of a change with one line-up of players, at tables of one size."""

    players: int
    strategies: tuple[str, ...]
    after: tuple[str, ...]  # who plays the changed side: others only where they are given
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
        """True if all games came out the same."""
        return self.result_changed.value == 0

    @property
    def line_ups(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The players, before and after."""
        return self.strategies, self.after

    @property
    def other_players(self) -> bool:
        """True if others play the changed side."""
        return self.strategies != self.after

    @property
    def fairer(self) -> bool | None:
        """True if the cities come closer to the fair share; None where that is not clear."""
        return self.fairness.change.value < 0 if is_significant(self.fairness_p) else None

    @property
    def comparisons(self) -> int:
        """The number of comparisons that are corrected together."""
        return sum(len(table) for table in self.tables.family.values()) + 1

    @property
    def moved(self) -> list[dict[str, Any]]:
        """The cities whose win share changes for certain, the largest change first."""
        return significant(self.tables.city_wins)


class Variant(Result):
    """A change, of the rules or of who plays, and what it does."""

    label: str  # the file or the assignments, as they were typed
    file: str | None
    assignments: Annotated[tuple[str, ...], Field(serialization_alias="set")]
    rules: RulesJson
    changes: tuple[Change, ...]
    things: tuple[Thing, ...]
    verdicts: tuple[Verdict, ...] = ()  # by size of table: given players, adapted ones, another skill

    @property
    def main(self) -> Verdict:
        """The verdict with the given players, at the first size of table."""
        return self.verdicts[0]


class WhatIf(Result):
    """The answer."""

    format: int = 1
    khora: str
    base: Annotated[RulesJson, Field(serialization_alias="rules")]
    players: tuple[int, ...]  # sizes of table
    seed: int
    precision: float | None  # wanted, in percentage points
    adapt: str | None  # what players could take to learn the changed rules
    variants: tuple[Variant, ...]

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return self.model_dump(mode="json", by_alias=True)

    def no_change(self, variant: Variant) -> bool:
        """True if both sides are the same."""
        return variant.rules.hash == self.base.hash and not variant.main.other_players


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
        """All that is kept of a chunk, as a text that changes whenever it does."""
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

    def sides(self, arm: int, equally_far: bool = False) -> "PlayedSides":
        """The base game and another arm."""
        arms = self.arms[0], self.arms[arm]
        # Where one side has another city, a city's partner is itself, wherever both sides seat it.
        same_cities = arms[0].rules.city_ids == arms[1].rules.city_ids
        return PlayedSides(
            first=self.of(0, equally_far),
            second=self.of(arm, equally_far),
            arms=arms,
            city_keys=("game", "seat") if same_cities else ("game", "city"),
        )

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


SHOWN_GAMES = 3
#: Columns of the estimates of each side and of the change: value, bounds and n.
ESTIMATES = {
    "first": ("first", "first_low", "first_high", "first_n"),
    "second": ("second", "second_low", "second_high", "second_n"),
    "change": ("value", "low", "high", "n"),
}
EFFECTS = {
    **dict.fromkeys(("thing", "asked", "unit"), pl.String),
    **{
        name: pl.Int64 if name.endswith("n") else pl.Float64
        for columns in ESTIMATES.values()
        for name in columns
    },
}
MEASURES = {"score": "score of all players", "winning_score": "winning score", "margin": "margin"}


@dataclass(frozen=True, kw_only=True)
class PlayedSides(Sides):
    """The rows of the base game and of a changed side, in the same order: they met the same seeds."""

    first: pl.DataFrame
    second: pl.DataFrame
    arms: tuple[Arm, Arm]
    city_keys: tuple[str, ...]  # of a city's partner on the other side

    @property
    def both(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The rows of both sides."""
        return self.first, self.second

    @property
    def section(self) -> Section:
        """Tables of one size, the same on both sides."""
        return self.arms[0].sections[0]

    def cities(self, *values: str) -> dict[str, pl.DataFrame]:
        """Changes of some values for every city that both sides have."""
        return replace(self, keys=self.city_keys).compared("city", *values)

    def games(self, numbers: Sequence[str], flags: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Changes over all games, one row each: of numbers of a game, and of flags that any player has."""
        one, two = (
            rows.filter(seat=1).with_columns(pl.Series(flag, self._anybody(rows[flag])) for flag in flags)
            for rows in self.both
        )
        return Sides(first=one, second=two, keys=("game",)).overall(*numbers, *flags)

    def _anybody(self, flag: pl.Series) -> np.ndarray:
        """For each game whether a flag is up for any of its players, whose rows follow each other."""
        up: np.ndarray = np.logical_or.reduce(flag.to_numpy().reshape(-1, self.section.players), axis=1)
        return up

    @cached_property
    def wins(self) -> tuple[Sums, Sums]:
        """Wins of every city, of both sides."""
        first, second = (sums_of(rows, ["city"], {"win_share": pl.col("win_share")}) for rows in self.both)
        return first, second


def widest_margin(table: pl.DataFrame) -> float:
    """The widest margin of all changes of a table."""
    return float(((table["high"] - table["low"]) / 2).max())  # type: ignore[arg-type]


def evaluate(sides: PlayedSides, things: Sequence[Thing], adapted: Adapted | None = None) -> Verdict:
    """Measure what a change does with these players."""
    changed = _changed(sides, things)
    stages = [(thing, stage) for thing in things for stage in thing.stages]
    held = [thing.column(stage) for thing, stage in stages if thing.kind in ("card", "level")]
    unlocked = [thing.column(stage) for thing, stage in stages if stage == "unlocked"]
    cities = sides.cities("win_share", "score", *held, *unlocked)
    players = sides.overall("score", *held)
    games = sides.games(("winning_score", "margin"), [thing.column(stage) for thing, stage in stages])
    tables = Tables(
        exposure=exposure(things, games, players, cities),
        effects=effects(sides, things),
        city_wins=cities["win_share"],
        city_scores=cities["score"],
        seat_wins=sides.compared("seat", "win_share")["win_share"],
        strategy_wins=_strategies(sides),
        games=stacked(games | {"score": players["score"]}, "measure", MEASURES),
        standing=_standing(sides),
    )
    elsewhere = changed.filter(~pl.col("came_up"))
    fair = fairness(sides)
    family, (fairness_p,) = corrected(tables.family, fair.p_value)
    return Verdict(
        players=sides.section.players,
        strategies=sides.arms[0].study.strategies,
        after=sides.arms[1].study.strategies,
        adapted=adapted,
        lineup=sides.arms[0].study.lineup,
        games=len(changed),
        groups=changed["rotation_group"].n_unique(),
        fairness=fair,
        fairness_p=fairness_p,
        winner_changed=_share(changed, "winner", sides.section.group_size),
        result_changed=_share(changed, "result", sides.section.group_size),
        elsewhere_changed=_share(elsewhere, "result", sides.section.group_size) if len(elsewhere) else None,
        tables=tables.model_copy(update=family),
        changed_games=_examples(sides, changed),
    )


def exposure(
    things: Sequence[Thing],
    games: Mapping[str, pl.DataFrame],
    players: Mapping[str, pl.DataFrame],
    cities: Mapping[str, pl.DataFrame],
) -> pl.DataFrame:
    """Count how often each thing came up: in games, for players, and for those of a city."""
    found = []
    for thing in things:
        for stage, words in thing.stages.items():
            flag = thing.column(stage)
            tables = {"games": games[flag]}
            if flag in players:
                tables["players"] = players[flag]
            if flag in cities:
                named = [thing.city] if thing.city else cities[flag]["city"].to_list()
                tables |= {city: cities[flag].filter(city=city).drop("city") for city in named}
            for whom, table in tables.items():
                keys = {"thing": thing.name, "stage": words, "among": whom}
                heads = [pl.lit(text).alias(name) for name, text in keys.items()]
                found.append(table.drop("p_value", "p_holm").select(*heads, pl.all()))
    return pl.concat(found) if found else pl.DataFrame()


def effects(sides: PlayedSides, things: Sequence[Thing]) -> pl.DataFrame:
    """Take the measures of each thing, before and after, over the players to whom it came up."""
    rows = []
    for thing, measure in [(each, one) for each in things for one in each.measures]:
        value = thing.column(measure.value) if measure.value.startswith("|") else measure.value
        one_a_game = measure.value in OF_GAMES
        most = sides.section.group_size if one_a_game else sides.section.group_size * sides.section.players
        counted = pl.col(value).is_not_null() & ((pl.col("seat") == 1) | (not one_a_game))
        one, two = (frame.filter(counted) for frame in _rows_of(sides, thing, measure.stage))
        means = mean_change(one, two, value, share=measure.unit == "share", rows_per_group=most)
        if any(mean is not None and mean.value != 0 for mean in (means.before, means.after)):
            row: dict[str, Any] = {"thing": thing.name, "asked": measure.label, "unit": measure.unit}
            found = (means.before, means.after, means.change)
            for columns, mean in zip(ESTIMATES.values(), found, strict=True):
                numbers = (None,) * 4 if mean is None else (mean.value, mean.low, mean.high, mean.n)
                row |= zip(columns, numbers, strict=True)
            rows.append(row)
    return pl.DataFrame(rows, schema=EFFECTS)


def _rows_of(sides: PlayedSides, thing: Thing, stage: str) -> list[pl.DataFrame]:
    """The rows that a mean is taken over: to whom it came up, or by chance would have on the other side."""
    flags = [rows[thing.column(stage)] for rows in sides.both]
    if stage in BY_CHANCE:
        flags = [flags[0] | flags[1]] * 2  # both sides have the same games and seats in the same order
    return [rows.filter(flag) for rows, flag in zip(sides.both, flags, strict=True)]


def fairness(sides: PlayedSides) -> Dispersion:
    """Measure how far the cities lie from the fair share, before and after."""
    named = [
        sums.cells.with_columns(pl.format("{} {}", pl.lit(place), "city").alias("city"))
        for place, sums in enumerate(sides.wins)
    ]
    both = replace(sides.wins[0], cells=pl.concat(named), clusters=clusters_of_both(*sides.wins))
    found = measured(both, "city", "win_share", rows_per_group=sides.section.group_size)
    return dispersion(found, sides.first["city"].n_unique(), 1 / sides.section.players)


def _standing(sides: PlayedSides) -> pl.DataFrame:
    """The win share of every city before and after, each for itself."""
    found = {
        side: shares(sums, ["city"], "win_share", rows_per_group=sides.section.group_size)
        for side, sums in zip(("before", "after"), sides.wins, strict=True)
    }
    both = stacked(found, "side", {side: side for side in found})
    return both.with_columns(pl.col("city").cast(pl.String))


def _strategies(sides: PlayedSides) -> pl.DataFrame:
    """Changes of every strategy; `expert → merchant` where another one sits in its place after the change.

    One strategy at all seats always has its fair share: there is nothing to test.
    """
    # Both sides have the same games and seats in the same order.
    one, two = (rows["strategy"].cast(pl.String) for rows in sides.both)
    if one.n_unique() == two.n_unique() == 1:
        return pl.DataFrame()
    changed = pl.when(one == two).then(one).otherwise(one + " → " + two).alias("strategy")
    named = replace(sides, first=sides.first.with_columns(changed), second=sides.second.with_columns(two))
    return named.compared("strategy", "win_share")["win_share"]


def _changed(sides: PlayedSides, things: Sequence[Thing]) -> pl.DataFrame:
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


def _examples(sides: PlayedSides, changed: pl.DataFrame) -> tuple[ChangedGame, ...]:
    """The first games with seeds of their own that others win."""
    games = changed.filter("winner").unique("rotation_group", keep="first", maintain_order=True)
    found = []
    for game in games["game"].head(SHOWN_GAMES):
        one, two = (side.filter(game=game).sort("seat") for side in sides.both)
        seed, first_seat = one["seed"][0], one["first_seat"][0]
        before, after = (
            Replayed(arm.rules, _as_typed(arm, rows), tuple(rows["city"]), seed, first_seat)
            for arm, rows in zip(sides.arms, (one, two), strict=True)
        )
        found.append(
            ChangedGame(
                game=game,
                seed=seed,
                first_seat=first_seat,
                strategies=(before.strategies, after.strategies),
                cities=(before.cities, after.cities),
                winners=(_winners(one), _winners(two)),
                scores=(tuple(one["score"]), tuple(two["score"])),
                divergence=divergence(before, after),
            )
        )
    return tuple(found)


def _winners(rows: pl.DataFrame) -> tuple[str, ...]:
    return tuple(rows.filter(pl.col("win_share") > 0)["city"])


def _as_typed(arm: Arm, rows: pl.DataFrame) -> tuple[str, ...]:
    """Strategies by seat as a command names them: a file by its path."""
    typed = {strategy.name: spec for strategy, spec in zip(arm.strategies, arm.study.specs, strict=True)}
    return tuple(typed[name] for name in rows["strategy"])


def _share(games: pl.DataFrame, column: str, group_size: int) -> Estimate:
    named = games.with_columns(pl.col(column).cast(pl.Float64), pl.lit("all").alias("all"))
    return estimates(share_table(named, "all", value=column, rows_per_group=group_size))[0]
