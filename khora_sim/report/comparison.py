"""Two studies side by side: differences with intervals, paired game by game where both met the same luck."""

from dataclasses import dataclass

import polars as pl

from khora_sim.report.changes import city_section, ending_section, points_section, strategy_section
from khora_sim.report.differences import differences
from khora_sim.report.load import Material
from khora_sim.report.pair import Pair
from khora_sim.report.shapes import Section
from khora_sim.report.words import estimate_of, listed, plural, rows_of, stands
from khora_sim.stats import format_estimate


@dataclass(frozen=True)
class Comparison:
    """What a comparison found."""

    headline: str
    detail: str
    sure: list[str]
    differences: list[str]
    sections: list[Section]


def compare(first: Material, second: Material) -> Comparison:
    """Compare two studies; a difference is always second less first."""
    pair = Pair(first, second)
    cities = pair.compared("city", "success")
    sections = [
        city_section(pair, cities),
        strategy_section(pair),
        ending_section(pair),
        points_section(pair),
    ]
    return Comparison(
        headline=_headline(pair, cities),
        detail=_detail(pair, cities),
        sure=_sure(pair, cities),
        differences=differences(first.manifest, second.manifest),
        sections=sections,
    )


def _headline(pair: Pair, cities: pl.DataFrame) -> str:
    if cities.is_empty():
        return "The studies have no city in common."
    sure = [row for row in rows_of(cities.sort("value")) if stands(row["p_holm"])]
    if not sure:
        return "No city's win share changes by an amount that can be seen."
    gain, loss = sure[-1], sure[0]
    told = []
    if gain["value"] > 0:
        told.append(f"{pair.first.city(gain['city'])} gains most")
    if loss["value"] < 0:
        told.append(f"{pair.first.city(loss['city'])} loses most")
    return f"From A to B, {listed(told)}."


def _detail(pair: Pair, cities: pl.DataFrame) -> str:
    if cities.is_empty():
        return "Nothing can be compared city by city."
    rows = rows_of(cities.sort("value"))
    told = []
    for row in dict.fromkeys((len(rows) - 1, 0)):
        one = rows[row]
        told.append(
            f"{pair.first.city(one['city'])} {_success(pair, one)} ({_share(pair, one['first'])} to "
            f"{_share(pair, one['second'])})"
        )
    word = "wins against the fair share" if pair.scale_free else "win share, in percentage points"
    return f"Change in {word}: {'; '.join(told)}."


def _success(pair: Pair, row: dict) -> str:
    return format_estimate(estimate_of(row), percent=not pair.scale_free, signed=True, with_n=False)


def _share(pair: Pair, value: float) -> str:
    return f"{value:.2f}" if pair.scale_free else f"{100 * value:.1f} %"


def _sure(pair: Pair, cities: pl.DataFrame) -> list[str]:
    if not pair.is_paired:
        return [
            "The studies met different luck or seated other cities, so they are compared as wholes, "
            "not game by game. "
            "The same seed and plan in both would give narrower intervals."
        ]
    gains = cities["pairing_gain"].drop_nulls()
    told = [
        f"{plural(pair.shared, 'game')} are compared one by one: the same dice, cards, events, "
        "cities and seats in both studies."
    ]
    if len(gains):
        gain = min(float(gains.median()), 1e6)  # type: ignore[arg-type]
        told.append(
            f"Pairing is worth {gain:.1f} times the games: unpaired studies would have needed that "
            "many for the same intervals."
            if gain >= 1.05
            else "Pairing gains little here: the games went their own ways soon after the same start."
        )
    return told
