"""Developments: how often players unlock each one, so that a reader sees what they never do."""

import math
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from khora_sim.common.options import as_arguments, differing, settings_of
from khora_sim.common.wording import RARE, counted, listed
from khora_sim.pages.page_model import Rung, Table, aligned, counts, estimated, filled, ordered, words
from khora_sim.pages.study_data import StudyData, fair_share, success, who_played
from khora_sim.pages.wording import chance, estimate_of, few, largest, p_text, rows_of, share
from khora_sim.rules.terms import DEVELOPMENTS, PLAYER_COUNTS
from khora_sim.stats import Estimate, Tiers, tiers
from khora_sim.stats.intervals import FEW_CLUSTERS
from khora_sim.stats.ratios import measured, shares
from khora_sim.stats.sums import Sums, sums_of

LATER = range(2, DEVELOPMENTS + 1)  # the first one is there from the start
TITLES = {2: "Second", 3: "Third", 4: "Fourth"}


@lru_cache(maxsize=2)
def unlocked(data: StudyData) -> Sums | None:
    """Players who unlocked each development by city, strategy and unit; None where that is not known."""
    if data.lacks("development"):
        return None
    summed = {str(place): (pl.col("development") >= place).cast(pl.UInt32) for place in LATER}
    return sums_of(data.players, ["city", "strategy"], summed)


def how_often(data: StudyData, by: list[str]) -> pl.DataFrame:
    """Share of games in which each development was unlocked: by, place, value, low, high, n, units."""
    sums = unlocked(data)
    assert sums is not None
    parts = [
        shares(sums, by, str(place), rows_per_group=data.rows_per_group).select(
            *by, pl.lit(place).alias("place"), pl.exclude(by)
        )
        for place in LATER
    ]
    return pl.concat(parts)


def tables(data: StudyData, order: list[str]) -> list[Table]:
    """How often each development is unlocked in each city, and by each strategy where there are several."""
    if unlocked(data) is None:
        return []
    made = [_table(data, ["city"], order, "developments", "How often each development is unlocked", True)]
    if len(data.strategies) > 1:
        title = "How often each strategy unlocks each development"
        made.append(_table(data, ["city", "strategy"], order, "developments-by-strategy", title, False))
    return made


def _table(data: StudyData, by: list[str], order: list[str], name: str, title: str, shown: bool) -> Table:
    table = how_often(data, by)
    place_of = {city: place for place, city in enumerate(order)}
    rows = table.select(by).unique(maintain_order=True)
    rows = rows.sort(pl.col("city").cast(pl.String).replace_strict(place_of), *by[1:], maintain_order=True)
    tables = [aligned(rows, by, table.filter(place=place)) for place in LATER]
    who = [words("Strategy", [row["strategy"] for row in rows_of(rows)])] if "strategy" in by else []
    return filled(
        name,
        title,
        table,
        [
            words("City", [data.city(row["city"]) for row in rows_of(rows)]),
            *who,
            counts("Games", tables[0]["n"].to_list()),
            *(estimated(TITLES[place], one, percent=True) for place, one in zip(LATER, tables, strict=True)),
        ],
        note="Share of a city's games in which its player unlocked the development, with 95 % intervals.",
        open=shown,
    )


def never(data: StudyData) -> str:
    """Name what each strategy (almost) never unlocks; later developments follow from the one before."""
    if unlocked(data) is None:
        return ""
    rows = [row for row in rows_of(how_often(data, ["city", "strategy"])) if not few(row["n"], row["units"])]
    clauses = []
    for strategy in data.strategies:
        first: dict[int, list[str]] = {}
        for city in data.cities:
            own = [r for r in rows if r["city"] == city and r["strategy"] == strategy and r["value"] < RARE]
            if own:
                first.setdefault(min(row["place"] for row in own), []).append(data.city(city))
        parts = [
            f"{_from(place)} in {'any city' if len(cities) == len(data.cities) else listed(cities)}"
            for place, cities in sorted(first.items())
        ]
        if parts:
            clauses.append(f"by {strategy}, {listed(parts)}")
    if not clauses:
        return ""
    who = "this player does" if len(data.strategies) == 1 else "these players do"
    return (
        f"Hardly ever unlocked (in less than {100 * RARE:.0f} % of games): {'; '.join(clauses)}. That is "
        f"something {who} not do, so the shares of these cities do not say what they would win with it."
    )


def _from(place: int) -> str:
    """`development 4`, `developments 2, 3 and 4`."""
    places = [str(later) for later in range(place, DEVELOPMENTS + 1)]
    return f"development{'s' * (len(places) > 1)} {listed(places)}"


# What a study does not show: its players, its rules, its tables, and what it cannot keep apart.


UNEVEN = 0.05  # 0: every city has every strategy alike often; 1: each has its own
TANGLED = 0.5  # from here on a city cannot be separated from its player or seat
FEW_GAMES = 2000
WIDE_SECTIONS = "achievements, cards, dice, events, tracks, profiles, ratings and what decides games"


def limits(data: StudyData) -> list[str]:
    """What must not be concluded, line by line, most important first."""
    sentences = [_players(data), *_uneven(data), _tables(data), _rules(data)]
    sentences += [*_cities(data), *_samples(data)]
    if not data.study.complete:
        sentences.append(
            f"The study is unfinished: {data.game_count:,} of {data.manifest.games:,} games are "
            f"there. {data.study.to_resume} plays the rest."
        )
    return [line for line in sentences if line]


def _players(data: StudyData) -> str:
    known = {one.name: one.family for one in data.manifest.strategies}
    families = {known.get(name, "") for name in data.strategies}
    names = listed(data.strategies)
    who = f"Everyone played {names}" if len(data.strategies) == 1 else f"The players were {names}"
    if families == {"control"}:
        return (
            f"Skill: {who[0].lower() + who[1:]}, without a plan to win. Cities may rank quite otherwise "
            "in the hands of players who try."
        )
    if len(data.strategies) == 1:
        return (
            f"Skill: {who[0].lower() + who[1:]}, a program. Other hands, and people's, may get "
            "more out of other cities."
        )
    return (
        f"Skill: {who[0].lower() + who[1:]}: programs, not people. The order holds for these "
        "players; see each strategy on its own below."
    )


def _tables(data: StudyData) -> str:
    played = list(data.tables_of)
    others = [str(n) for n in PLAYER_COUNTS if n not in played]
    if not others:
        return ""
    return (
        f"Tables: all games had {listed([str(n) for n in played], 'or')} players; nothing is said "
        f"about {listed(others, 'or')}."
    )


def _rules(data: StudyData) -> str:
    rules, plan = data.manifest.rules, data.manifest.plan
    which = "the base game" if rules.name == "base" else f"the variant {rules.name}"
    options = [option.unusual for option in differing(settings_of(**as_arguments(plan)))]
    more = f", and {listed(options)}" if options else ""
    return f"Rules: {which} was played (rules {rules.hash[:12]}){more}."


def _cities(data: StudyData) -> list[str]:
    absent = [city for city in data.manifest.enums.cities if city not in data.cities]
    if not absent:
        return []
    return [f"Cities: {listed([data.city(city) for city in absent])} did not play."]


def _samples(data: StudyData) -> list[str]:
    """Say where not every game was read."""
    sentences, games = [], f"{data.game_count:,} games"
    if data.wide_games < data.game_count:
        sentences.append(
            f"Sampling: {WIDE_SECTIONS} rest on {data.wide_games:,} of {games}, in parts spread evenly "
            "over the study; win shares and tiers rest on all."
        )
    if data.rounds is not None and data.round_games < data.game_count:
        sentences.append(f"Sampling: figures by round rest on {data.round_games:,} of {games}.")
    return sentences


def _uneven(data: StudyData) -> list[str]:
    """Say where a city was not played by all strategies, or from all seats, alike."""
    sentences = []
    levels = {"strategies": len(data.strategies), "seats": max(data.tables_of)}
    for what, how_far in spread_unevenly(data).items():
        if how_far > _bound(data, levels[what]):
            sentences.append(
                f"Fairness: the {what} were not spread evenly over the cities, so win shares mix both; "
                "the ratings below take that apart as far as it can be."
            )
    return sentences


def _bound(data: StudyData, levels: int) -> float:
    """How uneven a plan may be: what chance alone does where groups are drawn at random is no flaw of it."""
    if data.game_count < FEW_GAMES:
        return TANGLED
    groups_of_a_city = data.group_count * max(data.tables_of) / len(data.cities)
    return UNEVEN + math.sqrt(levels / groups_of_a_city)


def spread_unevenly(data: StudyData) -> dict[str, float]:
    """How unevenly strategies and seats are spread over the cities."""
    return {
        "strategies": dispersion(data.standing, "strategy"),
        "seats": dispersion(data.seating, "seat"),
    }


def dispersion(sums: Sums, factor: str) -> float:
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


# The verdict: the cities in tiers that the data can tell apart, how sure that is, and its limits.


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


def verdict(data: StudyData) -> Verdict:
    """Judge the cities of a study."""
    judged = city_tiers(data)
    clear = data.group_count >= 2 and len(judged.table) > 1
    several = len(data.tables_of) > 1
    by_table = [_by_table(data, players) for players in data.tables_of] if several and clear else []
    ladder, fair_at = _ladder(data, judged)
    return Verdict(
        headline=_headline(data, judged.groups(), clear),
        detail=_detail(data, judged.table) if clear else _nothing(data),
        ladder=ladder if clear else [],
        fair_at=fair_at,
        sure=_sure(data, judged) if clear else [],
        limits=limits(data),
        by_table=by_table,
        tables=[_ranks_table(data, judged), _pairs_table(data, judged)] if clear else [],
        unlocked=tables(data, judged.table["item"].to_list()),
        habits=[line for line in (never(data),) if line],
    )


def city_tiers(data: StudyData, players: int | None = None) -> Tiers:
    """The tiers of the cities, at all tables or at those of one size."""
    sums, most = data.standing, data.rows_per_group
    if players is None:
        return tiers(measured(sums, "city", "success", rows_per_group=most), share=True)
    own = sums.only(players=players)
    return tiers(measured(own, "city", "win_share", rows_per_group=most), share=True)


def _estimates(data: StudyData, table: pl.DataFrame) -> dict[str, Estimate]:
    rows = table.select("item", *(pl.col(c) * data.scale for c in ("value", "low", "high")), "n").iter_rows()
    return {city: Estimate(*numbers) for city, *numbers in rows}


def _headline(data: StudyData, groups: list[list[str]], clear: bool) -> str:
    if not clear:
        if len(data.cities) == 1:
            return f"Only {data.city(data.cities[0])} was played: there is nothing to compare it with."
        return f"{counted(data.game_count, 'game')} cannot rank the cities."
    if len(groups) == 1:
        return f"With {who_played(data)}, the cities are not distinguishable."
    best, worst = ([data.city(city) for city in groups[i]] for i in (0, -1))
    tangled = [words for words, how_far in spread_unevenly(data).items() if how_far > TANGLED]
    if tangled:
        return (
            f"With {who_played(data)}, {listed(best)} won most and {listed(worst)} least, but the cities "
            f"did not have the same {listed(tangled)}."
        )
    win = "win" if len(best) > 1 else "wins"
    if len(groups) == 2 and len(best) <= len(worst):
        return f"With {who_played(data)}, {listed(best)} {win} more than any other city."
    if len(groups) == 2:
        lose = "win" if len(worst) > 1 else "wins"
        return f"With {who_played(data)}, {listed(worst)} {lose} less than any other city."
    return f"With {who_played(data)}, {listed(best)} {win} most and {listed(worst)} least."


def _nothing(data: StudyData) -> str:
    groups = counted(data.group_count, "rotation group")
    return (
        f"The {counted(data.game_count, 'game')} of this study form {groups}; only groups are "
        "independent of each other, and an interval needs several. Play some thousand games."
    )


def _detail(data: StudyData, table: pl.DataFrame) -> str:
    estimates = _estimates(data, table)
    best, worst = table["item"][0], table["item"][-1]
    of = " of its games" if data.scale == 1 else " times its fair share"
    sentence = (
        f"{data.city(best)} wins {success(data, estimates[best])}{of}, "
        f"{data.city(worst)} {success(data, estimates[worst])}; {fair_share(data)}."
    )
    if not estimates[worst].value > 0 or largest(table["tier"]) == 1:
        return sentence
    ratio = estimates[best].value / estimates[worst].value
    size = "a small" if ratio < 1.1 else "a clear" if ratio < 1.5 else "a large"
    return f"{sentence} That is {size} difference: {ratio:.1f} wins for one."


def _sure(data: StudyData, judged: Tiers) -> list[str]:
    table = judged.table
    sentences = [f"It rests on {_groups(data)}."]
    if data.group_count < FEW_CLUSTERS:
        sentences.append("These are few groups: look at the intervals, not at the order.")
    best = data.city(table["item"][0])
    sentences.append(
        f"If the study were repeated with other luck, {best} would come first again with a chance of "
        f"{chance(table['top'][0])}; that allows for the luck of both studies."
    )
    if largest(table["tier"]) == 1:
        widest = judged.pairs.select((pl.col("high") * data.scale).max()).item()
        unit = f"{100 * widest:.0f} points of win share" if data.scale == 1 else f"{widest:.1f} fair shares"
        sentences.append(f"That is not proof of balance: a difference of up to {unit} could still hide here.")
    else:
        sentences.append(
            "Any two cities of different tiers differ significantly (5 % level, corrected for all pairs); "
            "inside a tier the order is open."
        )
    return sentences


def _groups(data: StudyData) -> str:
    games = counted(data.game_count, "game")
    if data.group_count == data.game_count:
        return f"{games}, each with its own luck"
    return f"{games} in {counted(data.group_count, 'rotation group')}; the games of a group share their luck"


def _by_table(data: StudyData, players: int) -> str:
    judged = city_tiers(data, players)
    groups = [[data.city(city) for city in group] for group in judged.groups()]
    head = f"{players} players (n {data.tables_of[players]:,} games)"
    if len(groups) == 1:
        return f"{head}: the cities are not distinguishable."
    return f"{head}: {' > '.join(', '.join(group) for group in groups)}."


def _ladder(data: StudyData, judged: Tiers) -> tuple[list[list[Rung]], float]:
    """The cities by tier with their intervals as parts of one common width."""
    estimates = _estimates(data, judged.table)
    low = min([data.fair, *(estimate.low for estimate in estimates.values())])
    high = max([data.fair, *(estimate.high for estimate in estimates.values())])
    span = (high - low) or 1.0

    unlocked = _unlocked(data)

    def at(value: float) -> float:
        return 4 + 92 * (value - low) / span

    def rung(city: str) -> Rung:
        one = estimates[city]
        left, right = at(one.low), at(one.high)
        name, colour, text = data.city(city), data.colours[city], success(data, one)
        return Rung(city, name, colour, text, left, at(one.value), max(right - left, 0.4), unlocked[city])

    return [[rung(city) for city in group] for group in judged.groups()], at(data.fair)


def _unlocked(data: StudyData) -> dict[str, tuple[str, ...]]:
    """For each city how often its developments 2, 3 and 4 are unlocked."""
    if unlocked(data) is None:
        return dict.fromkeys(data.cities, ())
    rows = rows_of(how_often(data, ["city"]))
    return {
        city: tuple(share(estimate_of(row)) for row in rows if row["city"] == city) for city in data.cities
    }


def _ranks_table(data: StudyData, judged: Tiers) -> Table:
    frame = judged.table.join(judged.ranks, on="item").rename({"item": "city"})
    scaled = frame.with_columns(pl.col("value", "low", "high") * data.scale)
    title = "Win share" if data.scale == 1 else "Wins against fair share"
    ranks = [name for name in frame.columns if name.startswith("rank_")]
    return filled(
        "verdict",
        "Tiers, and the chance of each rank if the study were repeated with other luck",
        scaled,
        [
            words("City", [data.city(city) for city in frame["city"]]),
            ordered("Tier", [str(tier) for tier in frame["tier"]], frame["tier"].to_list()),
            estimated(title, scaled, percent=data.scale == 1),
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


def _pairs_table(data: StudyData, judged: Tiers) -> Table:
    frame = judged.pairs.with_columns(pl.col("value", "low", "high") * data.scale, pl.lit(1000).alias("n"))
    title = "Difference in win share" if data.scale == 1 else "Difference in fair shares"
    return filled(
        "city-pairs",
        "Which cities differ, pair by pair",
        frame.drop("n"),
        [
            words("Stronger", [data.city(city) for city in frame["better"]]),
            words("Weaker", [data.city(city) for city in frame["worse"]]),
            estimated(title, frame, percent=data.scale == 1, signed=True),
            ordered("p (Holm)", [p_text(p) for p in frame["p_holm"]], frame["p_holm"].to_list()),
        ],
    )
