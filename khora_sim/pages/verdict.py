"""The verdict: the cities in tiers that the data can tell apart, how sure that is, and its limits."""

from dataclasses import dataclass

import polars as pl

from khora_sim.common.wording import counted, listed
from khora_sim.pages import developments
from khora_sim.pages.caveats import TANGLED, limits, spread_unevenly
from khora_sim.pages.load import Material
from khora_sim.pages.phrases import (
    chance,
    estimate_of,
    fair_share,
    largest,
    p_text,
    rows_of,
    share,
    success,
    who_played,
)
from khora_sim.pages.shapes import Table, estimated, ordered, words
from khora_sim.stats import Estimate, Tiers, tiers
from khora_sim.stats.intervals import FEW_UNITS
from khora_sim.stats.ratios import measured


@dataclass(frozen=True)
class Rung:
    """A city on its step of the ladder."""

    city: str
    name: str
    colour: str
    text: str  # its success with interval
    left: float  # bounds of its interval and its value, in per cent of the ladder's width
    at: float
    width: float
    unlocked: tuple[str, ...]  # how often developments 2, 3 and 4 are unlocked; empty where that is not known


@dataclass(frozen=True)
class Verdict:
    """What a reader sees first."""

    headline: str
    detail: str
    ladder: list[list[Rung]]  # tier by tier
    fair_at: float  # where chance alone lies on the ladder, in per cent
    sure: list[str]
    limits: list[str]
    by_table: list[str]  # one line for each number of players, where there are several
    tables: list[Table]
    unlocked: list[Table]  # how often each development is unlocked
    habits: list[str]  # what these players hardly ever do


def verdict(material: Material) -> Verdict:
    """Judge the cities of a study."""
    judged = city_tiers(material)
    clear = material.group_count >= 2 and len(judged.table) > 1
    several = len(material.tables_of) > 1
    by_table = [_by_table(material, players) for players in material.tables_of] if several and clear else []
    ladder, fair_at = _ladder(material, judged)
    return Verdict(
        headline=_headline(material, judged.groups(), clear),
        detail=_detail(material, judged.table) if clear else _nothing(material),
        ladder=ladder if clear else [],
        fair_at=fair_at,
        sure=_sure(material, judged) if clear else [],
        limits=limits(material),
        by_table=by_table,
        tables=[_ranks_table(material, judged), _pairs_table(material, judged)] if clear else [],
        unlocked=developments.tables(material, judged.table["item"].to_list()),
        habits=[line for line in (developments.never(material),) if line],
    )


def city_tiers(material: Material, players: int | None = None) -> Tiers:
    """The tiers of the cities, at all tables or at those of one size."""
    sums, most = material.standing, material.rows_per_group
    if players is None:
        return tiers(measured(sums, "city", "success", rows_per_group=most), share=True)
    own = sums.only(players=players)
    return tiers(measured(own, "city", "win_share", rows_per_group=most), share=True)


def _estimates(material: Material, table: pl.DataFrame) -> dict[str, Estimate]:
    rows = table.select(
        "item", *(pl.col(c) * material.scale for c in ("value", "low", "high")), "n"
    ).iter_rows()
    return {city: Estimate(*numbers) for city, *numbers in rows}


def _headline(material: Material, groups: list[list[str]], clear: bool) -> str:
    if not clear:
        if len(material.cities) == 1:
            return (
                f"Only {material.city(material.cities[0])} was played: there is nothing to compare it with."
            )
        return f"{counted(material.game_count, 'game')} cannot rank the cities."
    if len(groups) == 1:
        return f"With {who_played(material)}, the cities are not distinguishable."
    best, worst = ([material.city(city) for city in groups[i]] for i in (0, -1))
    tangled = [words for words, how_far in spread_unevenly(material).items() if how_far > TANGLED]
    if tangled:
        return (
            f"With {who_played(material)}, {listed(best)} won most and {listed(worst)} least, but the cities "
            f"did not have the same {listed(tangled)}."
        )
    win = "win" if len(best) > 1 else "wins"
    if len(groups) == 2 and len(best) <= len(worst):
        return f"With {who_played(material)}, {listed(best)} {win} more than any other city."
    if len(groups) == 2:
        lose = "win" if len(worst) > 1 else "wins"
        return f"With {who_played(material)}, {listed(worst)} {lose} less than any other city."
    return f"With {who_played(material)}, {listed(best)} {win} most and {listed(worst)} least."


def _nothing(material: Material) -> str:
    groups = counted(material.group_count, "rotation group")
    return (
        f"The {counted(material.game_count, 'game')} of this study form {groups}; only groups are "
        "independent of each other, and an interval needs several. Play some thousand games."
    )


def _detail(material: Material, table: pl.DataFrame) -> str:
    estimates = _estimates(material, table)
    best, worst = table["item"][0], table["item"][-1]
    of = " of its games" if material.scale == 1 else " times its fair share"
    sentence = (
        f"{material.city(best)} wins {success(material, estimates[best])}{of}, "
        f"{material.city(worst)} {success(material, estimates[worst])}; {fair_share(material)}."
    )
    if not estimates[worst].value > 0 or largest(table["tier"]) == 1:
        return sentence
    ratio = estimates[best].value / estimates[worst].value
    size = "a small" if ratio < 1.1 else "a clear" if ratio < 1.5 else "a large"
    return f"{sentence} That is {size} difference: {ratio:.1f} wins for one."


def _sure(material: Material, judged: Tiers) -> list[str]:
    table = judged.table
    sentences = [f"It rests on {_groups(material)}."]
    if material.group_count < FEW_UNITS:
        sentences.append("These are few groups: look at the intervals, not at the order.")
    best = material.city(table["item"][0])
    sentences.append(
        f"If the study were repeated with other luck, {best} would come first again with a chance of "
        f"{chance(table['top'][0])}; that allows for the luck of both studies."
    )
    if largest(table["tier"]) == 1:
        widest = judged.pairs.select((pl.col("high") * material.scale).max()).item()
        unit = (
            f"{100 * widest:.0f} points of win share" if material.scale == 1 else f"{widest:.1f} fair shares"
        )
        sentences.append(f"That is not proof of balance: a difference of up to {unit} could still hide here.")
    else:
        sentences.append(
            "Any two cities of different tiers differ significantly (5 % level, corrected for all pairs); "
            "inside a tier the order is open."
        )
    return sentences


def _groups(material: Material) -> str:
    games = counted(material.game_count, "game")
    if material.group_count == material.game_count:
        return f"{games}, each with its own luck"
    return (
        f"{games} in {counted(material.group_count, 'rotation group')}; the games of a group share their luck"
    )


def _by_table(material: Material, players: int) -> str:
    judged = city_tiers(material, players)
    groups = [[material.city(city) for city in group] for group in judged.groups()]
    head = f"{players} players (n {material.tables_of[players]:,} games)"
    if len(groups) == 1:
        return f"{head}: the cities are not distinguishable."
    return f"{head}: {' > '.join(', '.join(group) for group in groups)}."


def _ladder(material: Material, judged: Tiers) -> tuple[list[list[Rung]], float]:
    """The cities by tier with their intervals as parts of one common width."""
    estimates = _estimates(material, judged.table)
    low = min([material.fair, *(estimate.low for estimate in estimates.values())])
    high = max([material.fair, *(estimate.high for estimate in estimates.values())])
    span = (high - low) or 1.0

    unlocked = _unlocked(material)

    def at(value: float) -> float:
        return 4 + 92 * (value - low) / span

    def rung(city: str) -> Rung:
        one = estimates[city]
        left, right = at(one.low), at(one.high)
        name, colour, text = material.city(city), material.colours[city], success(material, one)
        return Rung(city, name, colour, text, left, at(one.value), max(right - left, 0.4), unlocked[city])

    return [[rung(city) for city in group] for group in judged.groups()], at(material.fair)


def _unlocked(material: Material) -> dict[str, tuple[str, ...]]:
    """For each city how often its developments 2, 3 and 4 are unlocked."""
    if developments.unlocked(material) is None:
        return dict.fromkeys(material.cities, ())
    rows = rows_of(developments.how_often(material, ["city"]))
    return {
        city: tuple(share(estimate_of(row)) for row in rows if row["city"] == city)
        for city in material.cities
    }


def _ranks_table(material: Material, judged: Tiers) -> Table:
    frame = judged.table.join(judged.ranks, on="item").rename({"item": "city"})
    scaled = frame.with_columns(pl.col("value", "low", "high") * material.scale)
    title = "Win share" if material.scale == 1 else "Wins against fair share"
    ranks = [name for name in frame.columns if name.startswith("rank_")]
    return Table(
        "verdict",
        "Tiers, and the chance of each rank if the study were repeated with other luck",
        scaled,
        [
            words("City", [material.city(city) for city in frame["city"]]),
            ordered("Tier", [str(tier) for tier in frame["tier"]], frame["tier"].to_list()),
            estimated(title, scaled, percent=material.scale == 1),
            *(
                ordered(
                    f"Rank {name.removeprefix('rank_')}",
                    [_rank(x) for x in frame[name]],
                    frame[name].to_list(),
                )
                for name in ranks
            ),
        ],
        note="The chances allow for the luck of this study and for that of the repetition: the true shares "
        "are taken to scatter around their mean by as much as the data says. In simulations they are some "
        "points too high for equal cities, and right or some points too low for others.",
    )


def _rank(value: float) -> str:
    return "" if value < 0.005 else f"{100 * value:.0f} %"


def _pairs_table(material: Material, judged: Tiers) -> Table:
    frame = judged.pairs.with_columns(
        pl.col("value", "low", "high") * material.scale, pl.lit(1000).alias("n")
    )
    title = "Difference in win share" if material.scale == 1 else "Difference in fair shares"
    return Table(
        "city-pairs",
        "Which cities differ, pair by pair",
        frame.drop("n"),
        [
            words("Stronger", [material.city(city) for city in frame["better"]]),
            words("Weaker", [material.city(city) for city in frame["worse"]]),
            estimated(title, frame, percent=material.scale == 1, signed=True),
            ordered("p (Holm)", [p_text(p) for p in frame["p_holm"]], frame["p_holm"].to_list()),
        ],
    )
