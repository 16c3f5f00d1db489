"""Two studies side by side: what differs between them, in the games and in the results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError
from khora_sim.pages import plots
from khora_sim.pages.luck import shared_luck
from khora_sim.pages.page_model import (
    Column,
    Figure,
    Section,
    both_sides,
    counts,
    estimated,
    filled,
    ordered,
    words,
)
from khora_sim.pages.plots import ACCENT
from khora_sim.pages.sections.points import LABELS
from khora_sim.pages.study_data import StudyData, who_played
from khora_sim.pages.wording import Row, estimate_of, is_significant, largest, p_text, rows_of, shortened
from khora_sim.rules import read_rules
from khora_sim.rules.compare import changes
from khora_sim.simulation.manifest import Manifest, PlayedRules
from khora_sim.stats import decimals_of, format_estimate, paired_table, unpaired_table, wilson
from khora_sim.stats.paired import corrected
from khora_sim.stats.sums import collect

MOST = 12  # changes of rules that are listed one by one


def differences(first: Manifest, second: Manifest) -> list[str]:
    """One line for each thing that differs; the studies are called A and B."""
    sentences = []
    for key, value in first.plan:
        other = getattr(second.plan, key)
        if other != value and key != "rounds":  # a table more or less changes no game
            name = key.replace("_", " ").capitalize()
            sentences.append(f"{name}: {_shown(value)} in A, {_shown(other)} in B.")
    sentences += _rules(first.rules, second.rules)
    digests = {one.name: one.digest for one in first.strategies}
    for one in second.strategies:
        if digests.get(one.name, one.digest) != one.digest:
            sentences.append(f"The strategy {one.name} was another version in A than in B.")
    if first.versions.khora != second.versions.khora:
        sentences.append(f"khora {first.versions.khora} in A, {second.versions.khora} in B.")
    return sentences or ["Nothing: the same plan, rules and strategies."]


def _rules(one: PlayedRules, two: PlayedRules) -> list[str]:
    if one.hash == two.hash:
        return []
    head = f"Rules: {one.name} in A, {two.name} in B."
    try:
        found = changes(read_rules(one.toml).model, read_rules(two.toml).model)
    except UserError:  # rules of another version of khora, which this one cannot read
        return [head]
    sentences = [f"{change.in_words()}" for change in found if change.key not in ("name", "text")]
    more = (
        [f"… and {counted(len(sentences) - MOST, 'more change')} of the rules."]
        if len(sentences) > MOST
        else []
    )
    return [head, *sentences[:MOST], *more]


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not set"}[value]
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


# Two studies to be compared, and whether their games can be paired.


@dataclass(frozen=True)
class Pair:
    """Two studies, and whether their games can be paired."""

    first: StudyData
    second: StudyData

    @cached_property
    def shared(self) -> int:
        """Games with numbers that both studies have."""
        return min(self.first.game_count, self.second.game_count)

    @cached_property
    def is_paired(self) -> bool:
        """Whether game by game both met the same luck, with the same cities in the same seats."""
        versions = (m.manifest.rules.version for m in self.both)
        luck = (_check(self._shared(m.games), ["game", "seed", "players"]) for m in self.both)
        seats = (_check(self._shared(m.players), ["game", "seat", "city"]) for m in self.both)
        return _same(versions) and _same(luck) and _same(seats)

    @cached_property
    def same_results(self) -> bool:
        """Whether paired games all ended with the same scores and winners."""
        keys = ["game", "seat", "score", "win_share"]
        return self.is_paired and _same(_check(self._shared(m.players), keys) for m in self.both)

    @cached_property
    def shared_groups(self) -> int:
        """Rotation groups of the games that both studies have."""
        games = self._shared(self.first.games)
        return int(collect(games.select(pl.col("rotation_group").n_unique())).item())

    @property
    def both(self) -> tuple[StudyData, StudyData]:
        """The two studies."""
        return self.first, self.second

    @property
    def scale_free(self) -> bool:
        """Whether wins are counted against the fair share, since the tables are not all of one size."""
        return self.first.only_players is None or self.first.only_players != self.second.only_players

    def compared(self, by: str, value: str, *, wide: bool = False, as_wholes: bool = False) -> pl.DataFrame:
        """Second minus first for every city, strategy or number of players."""
        first, second = (self._rows(m.wide if wide else m.players, value) for m in self.both)
        if self.is_paired and not as_wholes:
            return paired_table(first, second, by, value=value)
        return unpaired_table(first, second, by, value=value)

    def ends(self, value: str) -> pl.DataFrame:
        """The same for what is known of whole games, by number of players."""
        if not self.is_paired:
            return unpaired_table(self.first.games, self.second.games, "players", value=value)
        first, second = (self._shared(m.games) for m in self.both)
        return paired_table(first, second, "players", value=value, keys=("game",))

    def _rows(self, frame: pl.LazyFrame, value: str) -> pl.LazyFrame:
        wins = pl.col("win_share") * pl.col("players") if self.scale_free else pl.col("win_share")
        rows = frame.with_columns(wins.alias("success"), pl.col("city", "strategy").cast(pl.String))
        rows = rows.select(
            "game", "rotation_group", "unit", "stratum", "seat", "players", "city", "strategy", value
        )
        return self._shared(rows) if self.is_paired else rows

    def _shared(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        return frame.filter(pl.col("game") < self.shared)


def _same(checks: Iterable[object]) -> bool:
    return len(set(checks)) == 1


def _check(frame: pl.LazyFrame, keys: Sequence[str]) -> tuple[int, int]:
    """Number of rows and a sum over hashes of their keys: the same for the same rows in any order."""
    named = frame.select(pl.col(key).cast(pl.String) if key == "city" else pl.col(key) for key in keys)
    row = collect(named.select(pl.len().alias("n"), pl.struct(keys).hash().sum().alias("check"))).row(0)
    return int(row[0]), int(row[1])


# All differences that a comparison shows, corrected together: one family a page.
#
# Every `p (Holm)`, filled dot and sentence of the page is made from these tables, so that of a hundred pages
# on studies that do not differ at most five claim anything.


ENDINGS = {"winning_score": "Winning score", "margin": "Margin", "lead_changes": "Lead changes"}


@dataclass(frozen=True)
class Family:
    """The tables of a comparison; an empty one has nothing to compare."""

    city_wins: pl.DataFrame
    city_scores: pl.DataFrame
    strategy_wins: pl.DataFrame
    strategy_scores: pl.DataFrame
    endings: pl.DataFrame
    points: pl.DataFrame

    @property
    def count(self) -> int:
        """Comparisons of the page."""
        return sum(len(table) for table in vars(self).values())


def family_of(pair: Pair) -> Family:
    """Compare two studies in every way that the page shows, and correct for all of it."""
    strategies = {
        name: _strategies(pair, value) for name, value in (("wins", "success"), ("scores", "score"))
    }
    tables = {
        "city_wins": pair.compared("city", "success"),
        "city_scores": pair.compared("city", "score"),
        # One strategy at all seats always has its fair share: there is nothing to test.
        "strategy_wins": pl.DataFrame() if _one_strategy(pair) else strategies["wins"],
        "strategy_scores": strategies["scores"],
        "endings": pl.concat([_named(pair.ends(name), "measure", text) for name, text in ENDINGS.items()]),
        "points": _points(pair),
    }
    return Family(**corrected(tables)[0])


def replaced(pair: Pair) -> dict[str, str] | None:
    """Which strategy of the second study has the place of each of the first, where every place has one."""
    plans = [data.manifest.plan for data in pair.both]
    one, two = (plan.specs for plan in plans)
    follows = dict(zip(one, two, strict=False))
    same_places = len(one) == len(two) and all(follows[a] == b for a, b in zip(one, two, strict=True))
    same_places &= plans[0].by_city.keys() == plans[1].by_city.keys()
    return follows if pair.is_paired and same_places else None


def _one_strategy(pair: Pair) -> bool:
    return all(len(data.strategies) == 1 for data in pair.both)


def _strategies(pair: Pair, value: str) -> pl.DataFrame:
    places = replaced(pair)
    if places is None and not set(pair.first.strategies) & set(pair.second.strategies):
        return pl.DataFrame()
    # Where the second study has the strategies in other places, a seat's partner is another strategy.
    return pair.compared("strategy", value, as_wholes=places is None)


def _points(pair: Pair) -> pl.DataFrame:
    if any(data.lacks(*LABELS) for data in pair.both):
        return pl.DataFrame()
    tables = [_named(pair.compared("players", name, wide=True), "source", name) for name in LABELS]
    return pl.concat(tables).filter((pl.col("first") != 0) | (pl.col("second") != 0))


def _named(table: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    return table.select(pl.lit(name).alias(column), pl.all())


# The sections of a comparison: what changes from the first study to the second.


# What is said where nothing is significant; any other sentence is a claim.
ALL = "after correction for all comparisons of this page"
NO_CITY = f"No change in win share is significant {ALL}."
NO_STRATEGY = f"No change in a strategy's win share is significant {ALL}."
NO_ENDING = f"No change in winning scores, margins and lead changes is significant {ALL}."
NO_SOURCE = f"No change in where points come from is significant {ALL}."


def _columns(pair: Pair, table: pl.DataFrame, percent: bool) -> list[Column]:
    rest = []
    if "pairing_gain" in table.columns:
        gains = [x if x is not None else float("nan") for x in table["pairing_gain"]]
        rest.append(ordered("Pairing gain", ["–" if x != x else f"{x:.1f}" for x in gains], gains))
    return [
        *both_sides(("A", "B"), table, percent=percent),
        estimated("B minus A", table, percent=percent, signed=True),
        ordered("p (Holm)", [p_text(p) for p in table["p_holm"]], table["p_holm"].to_list()),
        counts("n", table["n"].to_list()),
        *rest,
    ]


def _figure(
    kind: str, title: str, sentence: str, rows: list[plots.Dot], label: str, percent: bool, counted: str
) -> Figure:
    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        plots.dots(axes, rows, null=0.0, null_label="no change")
        axes.set_xlabel(label)
        plots.as_percent(axes.xaxis) if percent else plots.as_plain(axes.xaxis)

    return Figure(kind, title, sentence, draw, plots.dots_height(len(rows)) + 0.1, counted)


def _city_dots(pair: Pair, table: pl.DataFrame) -> list[plots.Dot]:
    colours, markers = pair.first.colours, pair.first.markers
    return [
        plots.Dot(
            pair.first.city(row["city"]),
            row["value"],
            row["low"],
            row["high"],
            colours[row["city"]],
            markers[row["city"]],
            faint=not is_significant(row["p_holm"]),
        )
        for row in rows_of(table.sort("value", descending=True))
    ]


def city_section(pair: Pair, family: Family) -> Section:
    """Changes of cities."""
    wins, score = family.city_wins, family.city_scores
    absent = sorted(
        {pair.first.city(c) for c in pair.first.cities} ^ {pair.second.city(c) for c in pair.second.cities}
    )
    notes = [f"Only in one of the studies, and so left out: {listed(absent)}."] if absent else []
    if wins.is_empty():
        return Section("cities", "Cities", "The studies have no city in common.", notes=notes)
    percent = not pair.scale_free
    counted = (
        f"n {int(wins['n'].sum()):,} "
        f"{'pairs' if pair.is_paired else 'players in both studies'}; bars are 95 % intervals"
    )
    names = [pair.first.city(row["city"]) for row in rows_of(wins)]
    return Section(
        "cities",
        "Cities",
        _city_lead(names, wins),
        [
            _figure(
                "compare-cities",
                "Change in win share",
                f"Right of the line: stronger in B. Filled dots are significant {ALL}.",
                _city_dots(pair, wins),
                "B minus A",
                percent,
                counted,
            ),
            _figure(
                "compare-scores",
                "Change in mean score",
                f"Right of the line: more points in B, whoever wins. Filled dots are significant {ALL}.",
                _city_dots(pair, score),
                "points, B minus A",
                False,
                counted,
            ),
        ],
        [
            filled(
                "compare-cities",
                "Win share of each city",
                wins,
                [words("City", names), *_columns(pair, wins, percent)],
                open=True,
            ),
            filled(
                "compare-scores",
                "Mean score of each city",
                score,
                [words("City", names), *_columns(pair, score, False)],
            ),
        ],
        notes,
    )


def _city_lead(names: list[str], wins: pl.DataFrame) -> str:
    changed = [name for name, p in zip(names, wins["p_holm"], strict=True) if is_significant(p)]
    if not changed:
        return NO_CITY
    rest = "." if len(changed) == len(names) else "; for the others chance alone may explain what is seen."
    return f"The win share of {listed(changed)} changes{rest}"


def strategy_section(pair: Pair, family: Family) -> Section:
    """Strategies by name; where they are other ones at the same places of the plan, first against second."""
    wins, score = family.strategy_wins, family.strategy_scores
    if score.is_empty():
        return Section(
            "strategies",
            "Strategies",
            "The studies have no strategy in common, and their games are not paired.",
        )
    follows = replaced(pair) or {}
    names = [
        name if follows.get(name, name) == name else f"{name} → {follows[name]}"
        for name in score["strategy"].to_list()
    ]
    tables = []
    if len(wins):
        tables.append(
            filled(
                "compare-strategies",
                "Win share of each strategy",
                wins,
                [words("Strategy", names), *_columns(pair, wins, not pair.scale_free)],
                open=True,
            )
        )
    tables.append(
        filled(
            "compare-strategy-scores",
            "Mean score of each strategy",
            score,
            [words("Strategy", names), *_columns(pair, score, False)],
            open=not len(wins),
        )
    )
    return Section("strategies", "Strategies", _strategy_lead(names, wins, score), tables=tables)


def one_strategy_same(name: str) -> str:
    """What is said of one strategy whose score does not change."""
    return (
        f"One strategy at all seats ({name}) always has its fair share; the change in its mean score is "
        f"not significant {ALL}."
    )


def _strategy_lead(names: list[str], wins: pl.DataFrame, score: pl.DataFrame) -> str:
    if wins.is_empty():
        row = rows_of(score)[0]
        if not is_significant(row["p_holm"]):
            return one_strategy_same(names[0])
        change = format_estimate(estimate_of(row), signed=True, unit="points", with_n=False)
        return (
            f"One strategy at all seats ({names[0]}) always has its fair share; its mean score "
            f"changes by {change}."
        )
    changed = [name for name, p in zip(names, wins["p_holm"], strict=True) if is_significant(p)]
    return f"The win share of {listed(changed)} changes." if changed else NO_STRATEGY


def ending_section(pair: Pair, family: Family) -> Section:
    """Changes of how games end."""
    rows = family.endings
    if rows.is_empty():
        return Section("endings", "How games end", "The studies have no size of table in common.")
    changed = [
        f"{row['measure'].lower()} at {row['players']} players "
        f"{format_estimate(estimate_of(row), signed=True, with_n=False)}"
        for row in rows_of(rows)
        if is_significant(row["p_holm"])
    ]
    shown = [words("Measure", rows["measure"].to_list()), counts("Players", rows["players"].to_list())]
    return Section(
        "endings",
        "How games end",
        f"From A to B: {listed(changed)}." if changed else NO_ENDING,
        tables=[
            filled("compare-endings", "Whole games", rows, [*shown, *_columns(pair, rows, False)], open=True)
        ],
    )


def points_section(pair: Pair, family: Family) -> Section:
    """Changes of where points come from."""
    title, table = "Where points come from", family.points
    if any(m.lacks(*LABELS) for m in pair.both):
        return Section("points", title, "One of the studies does not say where points came from.")
    if table.is_empty():
        return Section("points", title, "The studies have no size of table in common.")
    several = table["players"].n_unique() > 1

    def label(row: Row) -> str:
        return f"{LABELS[row['source']]}, {row['players']} players" if several else LABELS[row["source"]]

    rows = rows_of(table.sort("value", descending=True))
    dots = [
        plots.Dot(
            label(row), row["value"], row["low"], row["high"], ACCENT, faint=not is_significant(row["p_holm"])
        )
        for row in rows
    ]
    sure = [row for row in rows if is_significant(row["p_holm"])]
    lead = NO_SOURCE
    if sure:
        most = max(sure, key=lambda row: abs(row["value"]))
        change = format_estimate(estimate_of(most), signed=True, unit="points", with_n=False)
        lead = (
            f"The largest significant change is in {label(most)}: {change} for each player; the largest of "
            f"{len(rows)} measured changes tends to overstate the truth."
        )
    return Section(
        "points",
        title,
        lead,
        [
            _figure(
                "compare-points",
                "Change in points by source",
                f"Right of the line: more points from this source in B. Filled dots are significant {ALL}.",
                dots,
                "points per player, B minus A",
                False,
                f"n {largest(table['n']):,.0f} players; bars are 95 % intervals",
            )
        ],
        [
            filled(
                "compare-points",
                "Mean points by source",
                table,
                [words("Source", [label(row) for row in rows_of(table)]), *_columns(pair, table, False)],
            )
        ],
    )


# Two studies side by side: differences with intervals, paired game by game where both met the same luck.


# Findings that claim no change.
NO_COMMON_CITY = "The studies have no city in common."
NO_CITY_SEEN = "No city's win share changes by an amount that can be seen."
NO_GAME = "No game came out differently."


@dataclass(frozen=True)
class Comparison:
    """What a comparison found; a difference is always second minus first."""

    players: str  # who played
    finding: str  # what can be said
    detail: str
    sure: list[str]  # how far to believe it
    differences: list[str]  # between the plans, rules and strategies
    games: int  # that were compared
    paired: bool  # game by game, both with the same luck
    tables: Family  # polars frames: city_wins, city_scores, strategy_wins, strategy_scores, endings, points
    sections: list[Section]  # for the page

    @property
    def headline(self) -> str:
        """The finding with who played: what is said of cities holds for these players."""
        return f"With {self.players}, {self.finding[0].lower()}{self.finding[1:]}"


def compare(first: StudyData, second: StudyData) -> Comparison:
    """Compare two studies; a difference is always second minus first."""
    pair = Pair(first, second)
    family = family_of(pair)
    makers = (city_section, strategy_section, ending_section, points_section)
    return Comparison(
        players=_players(first, second),
        finding=_finding(pair, family.city_wins),
        detail=_detail(pair, family.city_wins),
        sure=_sure(pair, family),
        differences=differences(first.manifest, second.manifest),
        games=pair.shared if pair.is_paired else first.game_count + second.game_count,
        paired=pair.is_paired,
        tables=family,
        sections=[make(pair, family) for make in makers],
    )


def _players(first: StudyData, second: StudyData) -> str:
    one, two = who_played(first), who_played(second)
    return one if one == two else f"{one} in A, {two} in B"


def _finding(pair: Pair, cities: pl.DataFrame) -> str:
    if cities.is_empty():
        return NO_COMMON_CITY
    if pair.same_results:
        return NO_GAME
    sure = [row for row in rows_of(cities.sort("value")) if is_significant(row["p_holm"])]
    if not sure:
        return NO_CITY_SEEN
    # Which city changes most is not tested: all significant changes are named, the largest change first.
    more = [pair.first.city(row["city"]) for row in reversed(sure) if row["value"] > 0]
    less = [pair.first.city(row["city"]) for row in sure if row["value"] < 0]
    parts = [
        f"{shortened(cities, 'more cities')} {'win' if len(cities) > 1 else 'wins'} {word}"
        for cities, word in ((more, "more"), (less, "less"))
        if cities
    ]
    return f"From A to B, {listed(parts)}."


def _detail(pair: Pair, cities: pl.DataFrame) -> str:
    if cities.is_empty():
        return "Nothing can be compared city by city."
    if pair.same_results:
        return (
            f"All scores and winners of {counted(pair.shared, 'game')} in "
            f"{counted(pair.shared_groups, 'rotation group')} are the same. A change that shows in more than "
            f"{_rarest(pair.shared_groups)} of the rotation groups is excluded (95 %); a rarer one is not."
        )
    rows = rows_of(cities.sort("value"))
    parts = []
    for row in dict.fromkeys((len(rows) - 1, 0)):
        one = rows[row]
        parts.append(
            f"{pair.first.city(one['city'])} {_success(pair, one)} ({_success(pair, one, 'first')} → "
            f"{_success(pair, one, 'second')})"
        )
    word = "wins against the fair share" if pair.scale_free else "win share, in percentage points"
    if len(rows) == 1:
        return f"Change in {word}: {parts[0]}."
    return (
        f"Highest and lowest of {len(rows)} measured changes in {word}: {'; '.join(parts)}. "
        "The extremes of many tend to overstate."
    )


def _rarest(groups: int) -> str:
    """How often something may still happen that was not seen in so many groups."""
    bound = 100 * wilson(0, groups).high
    return f"{bound:.{max(decimals_of(bound), 0)}f} %"


def _success(pair: Pair, row: Row, side: str = "value") -> str:
    estimate, share = estimate_of(row, side), not pair.scale_free
    return format_estimate(estimate, percent=share, signed=side == "value", with_n=False)


def _sure(pair: Pair, family: Family) -> list[str]:
    together = (
        f"p (Holm) is corrected for all {family.count} comparisons of this page together; an interval is for "
        "its own number alone, so some leave out zero by chance."
    )
    if not pair.is_paired:
        return [
            "The studies met different luck or seated other cities, so they are compared as wholes, "
            "not game by game. "
            "The same seed and plan in both would give narrower intervals.",
            together,
        ]
    parts = [
        f"{counted(pair.shared, 'game')} are compared one by one.",
        *shared_luck(pair.first.manifest, pair.second.manifest),
    ]
    if len(family.city_wins) and not pair.same_results:
        gain = float(family.city_wins["pairing_gain"].fill_null(1.0).median())  # type: ignore[arg-type]
        parts.append(
            f"Pairing is worth {gain:.1f} times the games: unpaired studies would have needed that "
            "many for the same intervals."
            if gain >= 1.05
            else "Pairing gains little here: the games went their own ways soon after the same start."
        )
    return [*parts, together]
