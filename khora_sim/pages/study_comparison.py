"""Two studies compared: what differs between their plans, their games and their results."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from khora_sim.common.options import as_arguments
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError
from khora_sim.pages.comparison import (
    NO_CITY_SEEN,
    Comparison,
    Sides,
    before_after_change,
    correction,
    equal_results,
    pairing_worth,
    shared_draws,
    significant,
    stacked,
    streams,
)
from khora_sim.pages.page_model import Section
from khora_sim.pages.sections.points import LABELS
from khora_sim.pages.study_data import StudyData, who_played
from khora_sim.pages.table import count, text
from khora_sim.pages.wording import Row, capital, estimate_of, largest, rows_of
from khora_sim.rules import read_rules
from khora_sim.rules.compare import changes
from khora_sim.rules.schema import Game
from khora_sim.simulation.manifest import Manifest, PlayedRules
from khora_sim.stats import format_estimate
from khora_sim.stats.paired import corrected
from khora_sim.stats.sums import collect

Rows = Callable[[StudyData], pl.LazyFrame]  # a table of a study
TEXTS = pl.col(pl.Enum).cast(pl.String)  # studies may know other cities and strategies
MOST = 12  # changes of rules that are listed one by one
ENDINGS = {"winning_score": "Winning score", "margin": "Margin", "lead_changes": "Lead changes"}
NO_COMMON_CITY = "The studies have no city in common."
NO_COMMON_SIZE = "The studies have no size of table in common."
NO_GAME = "No game came out differently."


@dataclass(frozen=True)
class Pair:
    """Two studies, and whether their games can be paired."""

    first: StudyData
    second: StudyData

    @property
    def both(self) -> tuple[StudyData, StudyData]:
        """The two studies."""
        return self.first, self.second

    @cached_property
    def shared(self) -> int:
        """Games with numbers that both studies have."""
        return min(self.first.game_count, self.second.game_count)

    @cached_property
    def is_paired(self) -> bool:
        """True if game by game both met the same seeds, with the same cities in the same seats."""
        one, two = (data.manifest.rules.version for data in self.both)
        same_seeds = self._same(lambda data: data.games, "game", "seed", "players")
        return one == two and same_seeds and self._same(lambda data: data.players, "game", "seat", "city")

    @cached_property
    def same_results(self) -> bool:
        """True if paired games all ended with the same scores and winners."""
        keys = ("game", "seat", "score", "win_share")
        return self.is_paired and self._same(lambda data: data.players, *keys)

    @cached_property
    def shared_groups(self) -> int:
        """Rotation groups of the games that both studies have."""
        groups = self._shared(self.first.games).select(pl.col("rotation_group").n_unique())
        return int(collect(groups).item())

    @property
    def scale_free(self) -> bool:
        """True if wins are counted against the fair share, since the tables are not all of one size."""
        return self.first.only_players is None or self.first.only_players != self.second.only_players

    @cached_property
    def players(self) -> Sides:
        """All players of both studies."""
        wins = pl.col("win_share") * pl.col("players") if self.scale_free else pl.col("win_share")
        return self._sides(lambda data: data.players.with_columns(wins.alias("success")))

    @cached_property
    def points(self) -> Sides:
        """The players whose points by source are read."""
        return self._sides(lambda data: data.wide)

    @cached_property
    def games(self) -> Sides:
        """All games of both studies."""
        return self._sides(lambda data: data.games, ("game",))

    @cached_property
    def replaced(self) -> dict[str, str] | None:
        """The strategy of the second study in the place of each of the first, where every place has one."""
        one, two = (data.manifest.plan for data in self.both)
        if not self.is_paired or len(one.specs) != len(two.specs) or one.by_city.keys() != two.by_city.keys():
            return None
        follows = dict(zip(one.specs, two.specs, strict=True))
        return follows if all(follows[a] == b for a, b in zip(one.specs, two.specs, strict=True)) else None

    def _sides(self, rows: Rows, keys: tuple[str, ...] = ("game", "seat")) -> Sides:
        first, second = (self._shared(rows(one)) if self.is_paired else rows(one) for one in self.both)
        return Sides(
            first=first.with_columns(TEXTS),
            second=second.with_columns(TEXTS),
            paired=self.is_paired,
            keys=keys,
        )

    def _shared(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        return frame.filter(pl.col("game") < self.shared)

    def _same(self, rows: Rows, *keys: str) -> bool:
        """True if the shared games have the same rows: as many, with the same sum over hashes of the keys."""
        check = (pl.len(), pl.struct(keys).hash().sum().alias("check"))
        one, two = (
            collect(self._shared(rows(data)).select(keys).with_columns(TEXTS).select(check)).row(0)
            for data in self.both
        )
        return bool(one == two)


@dataclass(frozen=True)
class Tables:
    """The differences between two studies, corrected together; an empty table has nothing to compare."""

    city_wins: pl.DataFrame
    city_scores: pl.DataFrame
    strategy_wins: pl.DataFrame
    strategy_scores: pl.DataFrame
    endings: pl.DataFrame
    points: pl.DataFrame


def tables_of(pair: Pair) -> Tables:
    """Compare two studies in every way that the page shows, and correct for all of it."""
    cities = pair.players.compared("city", "success", "score")
    strategies = {"success": pl.DataFrame(), "score": pl.DataFrame()}
    if pair.replaced is not None:
        strategies = pair.players.compared("strategy", "success", "score")
    elif set(pair.first.strategies) & set(pair.second.strategies):
        # Where the second study has the strategies in other places, a seat's partner is another strategy.
        apart = Sides(first=pair.players.first, second=pair.players.second, paired=False)
        strategies = apart.compared("strategy", "success", "score")
    # One strategy at all seats always has its fair share: there is nothing to test.
    if all(len(data.strategies) == 1 for data in pair.both):
        strategies["success"] = pl.DataFrame()
    points = pl.DataFrame()
    if not any(data.lacks(*LABELS) for data in pair.both):
        points = stacked(pair.points.compared("players", *LABELS), "source", {name: name for name in LABELS})
        points = points.filter((pl.col("first") != 0) | (pl.col("second") != 0))
    tables = {
        "city_wins": cities["success"],
        "city_scores": cities["score"],
        "strategy_wins": strategies["success"],
        "strategy_scores": strategies["score"],
        "endings": stacked(pair.games.compared("players", *ENDINGS), "measure", ENDINGS),
        "points": points,
    }
    return Tables(**corrected(tables)[0])


@dataclass(frozen=True)
class StudyComparison:
    """The findings of a comparison of two studies; a difference is always second minus first."""

    players: str  # who played
    finding: str  # what can be said
    detail: str
    sure: list[str]  # how far to believe it
    differences: list[str]  # between the plans, rules and strategies
    games: int  # that were compared
    paired: bool  # game by game, both with the same seeds
    tables: Tables
    sections: list[Section]  # for the page

    @property
    def headline(self) -> str:
        """The finding with who played: what is said of cities holds for these players."""
        return f"With {self.players}, {self.finding[0].lower()}{self.finding[1:]}"


def compare(first: StudyData, second: StudyData) -> StudyComparison:
    """Compare two studies; a difference is always second minus first."""
    pair = Pair(first, second)
    tables = tables_of(pair)
    shown = Comparison(
        ("A", "B"),
        "B minus A",
        first.names["cities"],
        family="this page",
        prefix="compare-",
        percent=not pair.scale_free,
    )
    one, two = who_played(first), who_played(second)
    finding, detail = _found(pair, shown, tables.city_wins)
    return StudyComparison(
        players=one if one == two else f"{one} in A, {two} in B",
        finding=finding,
        detail=detail,
        sure=_sure(pair, tables),
        differences=differences(first.manifest, second.manifest),
        games=pair.shared if pair.is_paired else first.game_count + second.game_count,
        paired=pair.is_paired,
        tables=tables,
        sections=[
            _cities(pair, shown, tables),
            _strategies(pair, shown, tables),
            _endings(shown, tables.endings),
            _points(pair, shown, tables.points),
        ],
    )


def _found(pair: Pair, shown: Comparison, city_wins: pl.DataFrame) -> tuple[str, str]:
    """The finding, and the numbers behind it."""
    if city_wins.is_empty():
        return NO_COMMON_CITY, "Nothing can be compared city by city."
    if pair.same_results:
        return NO_GAME, equal_results(pair.shared, pair.shared_groups)
    winners = shown.winners(city_wins)
    finding = f"From A to B, {winners}." if winners else f"{capital(NO_CITY_SEEN)}."
    rows = rows_of(city_wins.sort("value", descending=True))
    parts = []
    for row in rows if len(rows) == 1 else (rows[0], rows[-1]):
        before, after, change = before_after_change(row, percent=shown.percent)
        parts.append(f"{shown.city(row)} {change} ({before} → {after})")
    word = "win share, in percentage points" if shown.percent else "wins against the fair share"
    if len(rows) == 1:
        return finding, f"Change in {word}: {parts[0]}."
    return finding, (
        f"Highest and lowest of {len(rows)} measured changes in {word}: {'; '.join(parts)}. "
        "The extremes of many tend to overstate."
    )


def _sure(pair: Pair, tables: Tables) -> list[str]:
    together = correction(sum(len(table) for table in vars(tables).values()), "this page")
    if not pair.is_paired:
        return [
            "The studies met different luck or seated other cities, so they are compared as wholes, "
            "not game by game. "
            "The same seed and plan in both would give narrower intervals.",
            together,
        ]
    changes = len(tables.city_wins) and not pair.same_results
    return [
        f"{counted(pair.shared, 'game')} are compared one by one.",
        *shared_by(pair.first.manifest, pair.second.manifest),
        *([pairing_worth(tables.city_wins)] if changes else []),
        together,
    ]


def shared_by(first: Manifest, second: Manifest) -> list[str]:
    """The random draws that paired games of two studies share, and those that they do not."""
    try:
        one, two = _played(first), _played(second)
    except UserError:  # rules of another version of khora, which this one cannot read
        return ["Game by game the same in both: cities and seats. This khora cannot tell what else."]
    same_first_player = first.plan.first_player == second.plan.first_player
    return shared_draws(streams(one, two, same_first_player=same_first_player))


def _played(manifest: Manifest) -> Game:
    """The rules of a study with the options that it was played with."""
    model = read_rules(manifest.rules.toml).model
    chosen = {name: value for name, value in as_arguments(manifest.plan).items() if value is not None}
    return model.model_copy(update={"options": model.options.model_copy(update=chosen)})


def differences(first: Manifest, second: Manifest) -> list[str]:
    """One line for each thing that differs; the studies are called A and B."""
    sentences = []
    for key, value in first.plan:
        other = getattr(second.plan, key)
        if other != value and key != "rounds":  # a table more or less changes no game
            name = key.replace("_", " ").capitalize()
            sentences.append(f"{name}: {_shown(value)} in A, {_shown(other)} in B.")
    sentences += _changed_rules(first.rules, second.rules)
    digests = {one.name: one.digest for one in first.strategies}
    for one in second.strategies:
        if digests.get(one.name, one.digest) != one.digest:
            sentences.append(f"The strategy {one.name} was another version in A than in B.")
    if first.versions.khora != second.versions.khora:
        sentences.append(f"khora {first.versions.khora} in A, {second.versions.khora} in B.")
    return sentences or ["Nothing: the same plan, rules and strategies."]


def _changed_rules(one: PlayedRules, two: PlayedRules) -> list[str]:
    versions = f"Rules version {one.version} in A, {two.version} in B: the same seeds may give other games."
    heads = [versions] if one.version != two.version else []
    if one.hash == two.hash:
        return heads
    heads.append(f"Rules: {one.name} in A, {two.name} in B.")
    try:
        found = changes(read_rules(one.toml).model, read_rules(two.toml).model)
    except UserError:  # rules of another version of khora, which this one cannot read
        return heads
    sentences = [change.in_words() for change in found if change.key not in ("name", "text")]
    more = len(sentences) - MOST
    rest = [f"… and {counted(more, 'more change')} of the rules."] if more > 0 else []
    return [*heads, *sentences[:MOST], *rest]


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not set"}[value]
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _cities(pair: Pair, shown: Comparison, tables: Tables) -> Section:
    wins, scores = tables.city_wins, tables.city_scores
    one, two = ({data.city(city) for city in data.cities} for data in pair.both)
    absent = sorted(one ^ two)
    notes = [f"Only in one of the studies, and so left out: {listed(absent)}."] if absent else []
    if wins.is_empty():
        return Section("cities", "Cities", NO_COMMON_CITY, notes=notes)
    counted = f"n {int(wins['n'].sum()):,} {'pairs' if pair.is_paired else 'players in both studies'}"
    stronger = ("Change in win share", "Right of the line: stronger in B.", "B minus A")
    more = ("Change in mean score", "Right of the line: more points in B, whoever wins.", "points, B minus A")
    return Section(
        "cities",
        "Cities",
        shown.lead("win share", wins, shown.city, shares=True),
        [
            shown.dots("cities", stronger, wins, shown.city, counted, shares=True),
            shown.dots("scores", more, scores, shown.city, counted),
        ],
        shown.city_tables(wins, scores),
        notes,
    )


def _strategies(pair: Pair, shown: Comparison, tables: Tables) -> Section:
    """Strategies by name; where they are other ones at the same places of the plan, first against second."""
    wins, scores = tables.strategy_wins, tables.strategy_scores
    if scores.is_empty():
        lead = "The studies have no strategy in common, and their games are not paired."
        return Section("strategies", "Strategies", lead)
    names = {one: f"{one} → {two}" for one, two in (pair.replaced or {}).items() if one != two}

    def name(row: Row) -> str:
        own: str = row["strategy"]
        return names.get(own, own)

    heads, one = [text("Strategy", name)], wins.is_empty()
    found = [shown.table("strategy-scores", "Mean score of each strategy", scores, heads, shown=one)]
    if one:
        lead = f"One strategy at all seats ({name(rows_of(scores)[0])}) always has its fair share. "
        lead += shown.lead("mean score", scores, name)
    else:
        lead = shown.lead("win share", wins, name, shares=True)
        found.insert(0, shown.table("strategies", "Win share of each strategy", wins, heads, shares=True))
    return Section("strategies", "Strategies", lead, tables=found)


def _endings(shown: Comparison, table: pl.DataFrame) -> Section:
    if table.is_empty():
        return Section("endings", "How games end", NO_COMMON_SIZE)

    def name(row: Row) -> str:
        return f"{row['measure'].lower()} at {row['players']} players"

    lead = shown.lead("winning scores, margins and lead changes", table, name)
    heads = [text("Measure", "measure"), count("Players", "players")]
    return Section(
        "endings", "How games end", lead, tables=[shown.table("endings", "Whole games", table, heads)]
    )


def _points(pair: Pair, shown: Comparison, table: pl.DataFrame) -> Section:
    title = "Where points come from"
    if any(data.lacks(*LABELS) for data in pair.both):
        return Section("points", title, "One of the studies does not say where points came from.")
    if table.is_empty():
        return Section("points", title, NO_COMMON_SIZE)
    several = table["players"].n_unique() > 1

    def name(row: Row) -> str:
        return LABELS[row["source"]] + (f", {row['players']} players" if several else "")

    lead = shown.lead("where points come from", table, name)
    if sure := significant(table):
        change = format_estimate(estimate_of(sure[0]), signed=True, unit="points", with_n=False)
        lead = (
            f"The largest significant change is in {name(sure[0])}: {change} for each player; the largest of "
            f"{len(table)} measured changes tends to overstate the truth."
        )
    titles = (
        "Change in points by source",
        "Right of the line: more points from this source in B.",
        "points per player, B minus A",
    )
    figure = shown.dots("points", titles, table, name, f"n {largest(table['n']):,.0f} players")
    sources = shown.table("points", "Mean points by source", table, [text("Source", name)], shown=False)
    return Section("points", title, lead, [figure], [sources])
