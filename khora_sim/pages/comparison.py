"""Two studies side by side: differences with intervals, paired game by game where both met the same luck."""

from dataclasses import dataclass

import polars as pl

from khora_sim.common.wording import counted, listed
from khora_sim.pages.comparison_sections import (
    city_section,
    ending_section,
    points_section,
    strategy_section,
)
from khora_sim.pages.differences import differences
from khora_sim.pages.family import Family, family_of
from khora_sim.pages.load import Material
from khora_sim.pages.luck import shared_luck
from khora_sim.pages.pair import Pair
from khora_sim.pages.phrases import Row, estimate_of, is_significant, rows_of, shortened, who_played
from khora_sim.pages.shapes import Section
from khora_sim.stats import decimals_of, format_estimate, wilson

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


def compare(first: Material, second: Material) -> Comparison:
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


def _players(first: Material, second: Material) -> str:
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
