"""What a study does not show: its players, its rules, its tables, and what it cannot keep apart."""

import math

import polars as pl

from khora_sim.common.options import as_arguments, differing, settings_of
from khora_sim.common.wording import listed
from khora_sim.pages.load import Material
from khora_sim.pages.phrases import largest
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.stats.sums import Sums

UNEVEN = 0.05  # 0: every city has every strategy alike often; 1: each has its own
TANGLED = 0.5  # from here on a city cannot be separated from its player or seat
FEW_GAMES = 2000
WIDE_SECTIONS = "achievements, cards, dice, events, tracks, profiles, ratings and what decides games"


def limits(material: Material) -> list[str]:
    """What must not be concluded, line by line, most important first."""
    sentences = [_players(material), *_uneven(material), _tables(material), _rules(material)]
    sentences += [*_cities(material), *_samples(material)]
    if not material.study.complete:
        sentences.append(
            f"The study is unfinished: {material.game_count:,} of {material.manifest.games:,} games are "
            f"there. {material.study.to_resume} plays the rest."
        )
    return [line for line in sentences if line]


def _players(material: Material) -> str:
    known = {one.name: one.family for one in material.manifest.strategies}
    families = {known.get(name, "") for name in material.strategies}
    names = listed(material.strategies)
    who = f"Everyone played {names}" if len(material.strategies) == 1 else f"The players were {names}"
    if families == {"control"}:
        return (
            f"Skill: {who[0].lower() + who[1:]}, without a plan to win. Cities may rank quite otherwise "
            "in the hands of players who try."
        )
    if len(material.strategies) == 1:
        return (
            f"Skill: {who[0].lower() + who[1:]}, a program. Other hands, and people's, may get "
            "more out of other cities."
        )
    return (
        f"Skill: {who[0].lower() + who[1:]}: programs, not people. The order holds for these "
        "players; see each strategy on its own below."
    )


def _tables(material: Material) -> str:
    played = list(material.tables_of)
    others = [str(n) for n in PLAYER_COUNTS if n not in played]
    if not others:
        return ""
    return (
        f"Tables: all games had {listed([str(n) for n in played], 'or')} players; nothing is said "
        f"about {listed(others, 'or')}."
    )


def _rules(material: Material) -> str:
    rules, plan = material.manifest.rules, material.manifest.plan
    which = "the base game" if rules.name == "base" else f"the variant {rules.name}"
    options = [option.unusual for option in differing(settings_of(**as_arguments(plan)))]
    more = f", and {listed(options)}" if options else ""
    return f"Rules: {which} was played (rules {rules.hash[:12]}){more}."


def _cities(material: Material) -> list[str]:
    absent = [city for city in material.manifest.enums.cities if city not in material.cities]
    if not absent:
        return []
    return [f"Cities: {listed([material.city(city) for city in absent])} did not play."]


def _samples(material: Material) -> list[str]:
    """Say where not every game was read."""
    sentences, games = [], f"{material.game_count:,} games"
    if material.wide_games < material.game_count:
        sentences.append(
            f"Sampling: {WIDE_SECTIONS} rest on {material.wide_games:,} of {games}, in parts spread evenly "
            "over the study; win shares and tiers rest on all."
        )
    if material.rounds is not None and material.round_games < material.game_count:
        sentences.append(f"Sampling: figures by round rest on {material.round_games:,} of {games}.")
    return sentences


def _uneven(material: Material) -> list[str]:
    """Say where a city was not played by all strategies, or from all seats, alike."""
    sentences = []
    levels = {"strategies": len(material.strategies), "seats": max(material.tables_of)}
    for words, how_far in spread_unevenly(material).items():
        if how_far > _bound(material, levels[words]):
            sentences.append(
                f"Fairness: the {words} were not spread evenly over the cities, so win shares mix both; "
                "the ratings below take that apart as far as it can be."
            )
    return sentences


def _bound(material: Material, levels: int) -> float:
    """How uneven a plan may be: what chance alone does where groups are drawn at random is no flaw of it."""
    if material.game_count < FEW_GAMES:
        return TANGLED
    groups_of_a_city = material.group_count * max(material.tables_of) / len(material.cities)
    return UNEVEN + math.sqrt(levels / groups_of_a_city)


def spread_unevenly(material: Material) -> dict[str, float]:
    """How unevenly strategies and seats are spread over the cities."""
    return {
        "strategies": unevenness(material.standing, "strategy"),
        "seats": unevenness(material.seating, "seat"),
    }


def unevenness(sums: Sums, factor: str) -> float:
    """How far the cities are from being spread alike over a factor: 0 is even, 1 is each on its own."""
    by_table = sums.totals(["players", "city", factor]).with_columns(pl.col("c").cast(pl.Float64))
    expected = (
        pl.col("c").sum().over("players", "city")
        * pl.col("c").sum().over("players", factor)
        / pl.col("c").sum().over("players")
    )
    # What a city lacks of one level it has too much of others; with k levels at most 1 - 1/k of its games.
    levels = by_table[factor].n_unique()
    if levels < 2:
        return 0.0
    rows = by_table.with_columns((pl.col("c") - expected).clip(lower_bound=0).alias("excess"))
    per_city = rows.group_by("city").agg(pl.col("excess").sum() / pl.col("c").sum())
    return min(largest(per_city["excess"]) / (1 - 1 / levels), 1.0)
