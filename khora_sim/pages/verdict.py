"""The verdict of a study: the cities in tiers, how sure that is, and what it does not show."""

import math
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from khora_sim.common.options import as_arguments, differing, settings_of
from khora_sim.common.wording import RARE, counted, listed
from khora_sim.pages.page_model import Rung
from khora_sim.pages.published_answers import study_in_stronger_hands
from khora_sim.pages.study_data import (
    StudyData,
    fair_share,
    level_column,
    success,
    success_column,
    who_played,
)
from khora_sim.pages.table import Table, amount, count, nested, number, p_value, share, text
from khora_sim.pages.wording import Row, chance, few, in_percent, largest, percent, rows_of
from khora_sim.rules.terms import DEVELOPMENTS, PLAYER_COUNTS
from khora_sim.stats import Estimate, Tiers, tiers
from khora_sim.stats.intervals import FEW_CLUSTERS
from khora_sim.stats.ratios import measured, shares
from khora_sim.stats.sums import Sums, sums_of

LATER = range(2, DEVELOPMENTS + 1)  # the first one is there from the start
TITLES = {2: "Second", 3: "Third", 4: "Fourth"}
UNEVEN = 0.05  # 0: every city has every strategy alike often; 1: each has its own
TANGLED = 0.5  # from here on a city cannot be separated from its player or seat
FEW_GAMES = 2000
WIDE_SECTIONS = "achievements, cards, dice, events, tracks, profiles, ratings and what decides games"


@dataclass(frozen=True)
class Verdict:
    """The first things that a reader sees."""

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
    """Evaluate the cities of a study."""
    found = city_tiers(data)
    clear = data.group_count >= 2 and len(found.table) > 1
    several = len(data.tables_of) > 1
    by_table = [_by_table(data, players) for players in data.tables_of] if several and clear else []
    ladder, fair_at = _ladder(data, found)
    return Verdict(
        headline=_headline(data, found.groups(), clear),
        detail=_detail(data, found.table) if clear else _nothing(data),
        ladder=ladder if clear else [],
        fair_at=fair_at,
        sure=_sure(data, found) if clear else [],
        limits=limits(data),
        by_table=by_table,
        tables=[_ranks_table(data, found), _pairs_table(data, found)] if clear else [],
        unlocked=unlocked_tables(data, found.table["item"].to_list()),
        habits=[line for line in (never(data),) if line],
    )


@lru_cache(maxsize=8)
def city_tiers(data: StudyData, players: int | None = None) -> Tiers:
    """The tiers of the cities, at all tables or at those of one size."""
    sums, most = data.standing, data.rows_per_group
    own, wins = (sums, "success") if players is None else (sums.only(players=players), "win_share")
    return tiers(measured(own, "city", wins, rows_per_group=most), share=True)


def ranked_cities(data: StudyData) -> dict[str, str]:
    """The cities from the strongest to the weakest, with their names."""
    return {city: data.city(city) for city in city_tiers(data).table["item"]}


def _estimates(data: StudyData, table: pl.DataFrame) -> dict[str, Estimate]:
    rows = table.select("item", pl.col("value", "low", "high") * data.scale, "n").iter_rows()
    return {city: Estimate(*numbers) for city, *numbers in rows}


def _headline(data: StudyData, groups: list[list[str]], clear: bool) -> str:
    if not clear:
        if len(data.cities) == 1:
            return f"Only {data.city(data.cities[0])} was played: there is nothing to compare it with."
        return f"{counted(data.game_count, 'game')} cannot rank the cities."
    who = f"With {who_played(data)}"
    if len(groups) == 1:
        return f"{who}, the cities are not distinguishable."
    best, worst = ([data.city(city) for city in groups[i]] for i in (0, -1))
    tangled = [what for what, far in dispersions(data).items() if far > TANGLED]
    if tangled:
        rest = f"but the cities did not have the same {listed(tangled)}"
        return f"{who}, {listed(best)} won most and {listed(worst)} least, {rest}."
    win, lose = ("win" if len(names) > 1 else "wins" for names in (best, worst))
    if len(groups) > 2:
        return f"{who}, {listed(best)} {win} most and {listed(worst)} least."
    if len(best) <= len(worst):
        return f"{who}, {listed(best)} {win} more than any other city."
    return f"{who}, {listed(worst)} {lose} less than any other city."


def _nothing(data: StudyData) -> str:
    games, groups = counted(data.game_count, "game"), counted(data.group_count, "rotation group")
    return (
        f"The {games} of this study form {groups}; only groups are independent of each other, and an "
        "interval needs several. Play some thousand games."
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


def _sure(data: StudyData, found: Tiers) -> list[str]:
    table = found.table
    games, groups = counted(data.game_count, "game"), counted(data.group_count, "rotation group")
    shared = f"{games} in {groups}; the games of a group share their luck"
    alone = f"{games}, each with its own luck"
    sentences = [f"It rests on {alone if data.group_count == data.game_count else shared}."]
    if data.group_count < FEW_CLUSTERS:
        sentences.append("These are few groups: look at the intervals, not at the order.")
    best = data.city(table["item"][0])
    sentences.append(
        f"If the study were repeated with other luck, {best} would come first again with a chance of "
        f"{chance(table['top'][0])}; that allows for the luck of both studies."
    )
    if largest(table["tier"]) == 1:
        widest = found.pairs.select((pl.col("high") * data.scale).max()).item()
        unit = f"{100 * widest:.0f} points of win share" if data.scale == 1 else f"{widest:.1f} fair shares"
        sentences.append(f"That is not proof of balance: a difference of up to {unit} could still hide here.")
    else:
        sentences.append(
            "Any two cities of different tiers differ significantly (5 % level, corrected for all pairs); "
            "inside a tier the order is open."
        )
    return sentences


def _by_table(data: StudyData, players: int) -> str:
    found = city_tiers(data, players)
    groups = [[data.city(city) for city in group] for group in found.groups()]
    head = f"{players} players (n {data.tables_of[players]:,} games)"
    if len(groups) == 1:
        return f"{head}: the cities are not distinguishable."
    return f"{head}: {' > '.join(', '.join(group) for group in groups)}."


def _ladder(data: StudyData, found: Tiers) -> tuple[list[list[Rung]], float]:
    """The cities by tier with their intervals as parts of one common width."""
    estimates = _estimates(data, found.table)
    low = min([data.fair, *(estimate.low for estimate in estimates.values())])
    high = max([data.fair, *(estimate.high for estimate in estimates.values())])
    span = (high - low) or 1.0
    rows = [] if unlocked(data) is None else rows_of(unlock_rates(data, ["city"]))

    def at(value: float) -> float:
        return 4 + 92 * (value - low) / span

    def rung(city: str) -> Rung:
        one = estimates[city]
        left, right = at(one.low), at(one.high)
        name, colour, shown = data.city(city), data.colours[city], success(data, one)
        rates = tuple(in_percent(row) for row in rows if row["city"] == city)
        return Rung(city, name, colour, shown, left, at(one.value), max(right - left, 0.4), rates)

    return [[rung(city) for city in group] for group in found.groups()], at(data.fair)


def _ranks_table(data: StudyData, found: Tiers) -> Table:
    frame = found.table.join(found.ranks, on="item").rename({"item": "city"})
    ranks = [name for name in frame.columns if name.startswith("rank_")]

    def chance_of(value: float) -> str:
        return "" if value < 0.005 else percent(value, 0)

    columns = [
        level_column(data, "city"),
        number("Tier", "tier"),
        success_column(data),
        *(number(f"Rank {name.removeprefix('rank_')}", name, chance_of) for name in ranks),
    ]
    note = (
        "The chances allow for the luck of this study and for that of the repetition: the true shares are "
        "taken to scatter around their mean by as much as the data says. In simulations they are some points "
        "too high for equal cities, and right or some points too low for others."
    )
    title = "Tiers, and the chance of each rank if the study were repeated with other luck"
    scaled = frame.with_columns(pl.col("value", "low", "high") * data.scale)
    return Table.of("verdict", title, scaled, columns, note=note)


def _pairs_table(data: StudyData, found: Tiers) -> Table:
    frame = found.pairs.with_columns(pl.col("value", "low", "high") * data.scale)
    title = "Difference in win share" if data.scale == 1 else "Difference in fair shares"
    kind = share if data.scale == 1 else amount

    def difference(row: Row) -> Estimate:
        return Estimate(row["value"], row["low"], row["high"], 0)

    columns = [
        text("Stronger", "better", data.names["cities"]),
        text("Weaker", "worse", data.names["cities"]),
        kind(title, difference, signed=True),
        p_value(),
    ]
    return Table.of("city-pairs", "Which cities differ, pair by pair", frame, columns)


@lru_cache(maxsize=2)
def unlocked(data: StudyData) -> Sums | None:
    """Players who unlocked each development by city, strategy and cluster; None where that is not known."""
    if data.lacks("development"):
        return None
    summed = {str(place): (pl.col("development") >= place).cast(pl.UInt32) for place in LATER}
    return sums_of(data.players, ["city", "strategy"], summed)


def unlock_rates(data: StudyData, by: list[str]) -> pl.DataFrame:
    """Share of games in which each development was unlocked: by, place, value, low, high, n, units."""
    sums, most = unlocked(data), data.rows_per_group
    assert sums is not None
    rates = {place: shares(sums, by, str(place), rows_per_group=most) for place in LATER}
    return pl.concat(
        [rate.select(*by, pl.lit(place).alias("place"), pl.exclude(by)) for place, rate in rates.items()]
    )


def unlocked_tables(data: StudyData, order: list[str]) -> list[Table]:
    """Developments unlocked in each city, and by each strategy where there are several."""
    if unlocked(data) is None:
        return []
    title = "How often each development is unlocked"
    made = [_unlocked_table(data, ["city"], order, "developments", title, open=True)]
    if len(data.strategies) > 1:
        title = "How often each strategy unlocks each development"
        made.append(_unlocked_table(data, ["city", "strategy"], order, "developments-by-strategy", title))
    return made


def _unlocked_table(
    data: StudyData, by: list[str], order: list[str], name: str, title: str, open: bool = False
) -> Table:
    frame = unlock_rates(data, by)
    # Cities come as in the verdict, strategies as in the plan.
    rank = pl.col("city").cast(pl.String).replace_strict({city: place for place, city in enumerate(order)})
    columns = [
        *(level_column(data, key) for key in by),
        count("Games", lambda row: row["2"]["n"]),
        *(share(TITLES[place], str(place)) for place in LATER),
    ]
    note = "Share of a city's games in which its player unlocked the development, with 95 % intervals."
    ordered = frame.sort(rank, *by[1:], maintain_order=True).with_columns(pl.col("place").cast(pl.String))
    rows = nested(ordered, by, by="place")
    return Table.of(name, title, rows, columns, note=note, open=open, frame=frame)


def never(data: StudyData) -> str:
    """Name what each strategy (almost) never unlocks; later developments follow from the one before."""
    if unlocked(data) is None:
        return ""
    rates = rows_of(unlock_rates(data, ["city", "strategy"]))
    rare = [row for row in rates if row["value"] < RARE and not few(row["n"], row["units"])]
    clauses = []
    for strategy in data.strategies:
        first: dict[int, list[str]] = {}
        for city in data.cities:
            own = [row["place"] for row in rare if (row["city"], row["strategy"]) == (city, strategy)]
            if own:
                first.setdefault(min(own), []).append(data.city(city))
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
        f"Hardly ever unlocked (in less than {percent(RARE, 0)} of games): {'; '.join(clauses)}. That is "
        f"something {who} not do, so the shares of these cities do not say what they would win with it."
    )


def _from(place: int) -> str:
    """`development 4`, `developments 2, 3 and 4`."""
    places = [str(later) for later in range(place, DEVELOPMENTS + 1)]
    return f"development{'s' * (len(places) > 1)} {listed(places)}"


def limits(data: StudyData) -> list[str]:
    """Conclusions that the study does not allow, line by line, most important first."""
    first = [*stronger(data), _players(data)]
    sentences = [*first, *_uneven(data), _tables(data), _rules(data), _cities(data), *_samples(data)]
    if not data.study.complete:
        there = f"{data.game_count:,} of {data.manifest.games:,} games are there"
        sentences.append(f"The study is unfinished: {there}. {data.study.to_resume} plays the rest.")
    return [line for line in sentences if line]


def stronger(data: StudyData) -> list[str]:
    """Caveats on cities that win otherwise with the strongest published player, by size of table."""
    found = []
    for players in data.tables_of:
        own = data.standing.only(players=players)
        table = shares(own, ["city"], "win_share", rows_per_group=data.rows_per_group)
        rates = dict(table.select(pl.col("city").cast(pl.String), "value").iter_rows())
        found += study_in_stronger_hands(data.manifest, players, data.strategies, rates)
    return found


def _players(data: StudyData) -> str:
    known = {one.name: one.family for one in data.manifest.strategies}
    families = {known.get(name, "") for name in data.strategies}
    alone, names = len(data.strategies) == 1, listed(data.strategies)
    who = f"Skill: everyone played {names}" if alone else f"Skill: the players were {names}"
    if families == {"control"}:
        rest = "Cities may rank quite otherwise in the hands of players who try."
        return f"{who}, without a plan to win. {rest}"
    if alone:
        return f"{who}, a program. Other hands, and people's, may get more out of other cities."
    rest = "The order holds for these players; see each strategy on its own below."
    return f"{who}: programs, not people. {rest}"


def _tables(data: StudyData) -> str:
    others = [str(n) for n in PLAYER_COUNTS if n not in data.tables_of]
    if not others:
        return ""
    played = listed([str(n) for n in data.tables_of], "or")
    return f"Tables: all games had {played} players; nothing is said about {listed(others, 'or')}."


def _rules(data: StudyData) -> str:
    rules, plan = data.manifest.rules, data.manifest.plan
    which = "the base game" if rules.name == "base" else f"the variant {rules.name}"
    options = [option.unusual for option in differing(settings_of(**as_arguments(plan)))]
    more = f", and {listed(options)}" if options else ""
    return f"Rules: {which} was played (rules {rules.hash[:12]}){more}."


def _cities(data: StudyData) -> str:
    absent = [data.city(city) for city in data.manifest.enums.cities if city not in data.cities]
    return f"Cities: {listed(absent)} did not play." if absent else ""


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
    levels = {"strategies": len(data.strategies), "seats": max(data.tables_of)}
    return [
        f"Fairness: the {what} were not spread evenly over the cities, so win shares mix both; the ratings "
        "below take that apart as far as it can be."
        for what, far in dispersions(data).items()
        if far > _bound(data, levels[what])
    ]


def _bound(data: StudyData, levels: int) -> float:
    """The dispersion that a plan may have: what chance alone does to groups drawn at random is no flaw."""
    if data.game_count < FEW_GAMES:
        return TANGLED
    groups_of_a_city = data.group_count * max(data.tables_of) / len(data.cities)
    return UNEVEN + math.sqrt(levels / groups_of_a_city)


def dispersions(data: StudyData) -> dict[str, float]:
    """The dispersion of strategies and of seats over the cities."""
    return {"strategies": dispersion(data.standing, "strategy"), "seats": dispersion(data.seating, "seat")}


def dispersion(sums: Sums, factor: str) -> float:
    """Distance of the cities from an even spread over a factor: 0 is even, 1 is each on its own."""
    by_table = sums.totals(["players", "city", factor]).with_columns(pl.col("c").cast(pl.Float64))
    c = pl.col("c")
    of_city, of_level = c.sum().over("players", "city"), c.sum().over("players", factor)
    expected = of_city * of_level / c.sum().over("players")
    # What a city lacks of one level it has too much of others; with k levels at most 1 - 1/k of its games.
    levels = by_table[factor].n_unique()
    if levels < 2:
        return 0.0
    rows = by_table.with_columns(excess=(c - expected).clip(lower_bound=0))
    per_city = rows.group_by("city").agg(pl.col("excess").sum() / c.sum())
    return min(largest(per_city["excess"]) / (1 - 1 / levels), 1.0)
