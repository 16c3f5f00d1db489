"""The verdict at one size of table, from studies of one player each."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from khora_sim.analyses.cities_answer import (
    BetterPlayer,
    CityShare,
    GameFacts,
    Number,
    SelfPlay,
    TableVerdict,
)
from khora_sim.analyses.city_words import against_fair, corrected, p_beyond, words_for
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.game_facts import Facts, facts_of
from khora_sim.simulation.study import OpenStudy
from khora_sim.stats import Estimate, estimates, shares, sums_of
from khora_sim.stats.ratios import spread

LATER = range(2, DEVELOPMENTS + 1)  # the first development is there from the start


class Measured(NamedTuple):
    """One player at one size of table, before it is judged."""

    arm: Arm
    games: int
    shares: pl.DataFrame  # city, value, variance, units, n
    intervals: dict[str, Estimate]  # of the shares, by city
    unlocked: dict[str, dict[int, Estimate]]
    facts: Facts


def measured(arm: Arm, study: OpenStudy) -> Measured:
    """What a study of one player says of the cities."""
    players = study.players.with_columns(pl.col("city").cast(pl.String))
    counts = {f"unlocked_{place}": (pl.col("development") >= place).cast(pl.UInt32) for place in LATER}
    sums = sums_of(players, ["city"], {"win_share": pl.col("win_share"), **counts})
    rows = study.rows_per_group
    own = shares(sums, ["city"], "win_share", rows_per_group=rows)
    unlocked = {
        place: shares(sums, ["city"], f"unlocked_{place}", rows_per_group=rows).sort("city")
        for place in LATER
    }
    cities = own["city"].to_list()
    rates = {
        place: dict(zip(table["city"], estimates(table), strict=True)) for place, table in unlocked.items()
    }
    return Measured(
        arm,
        study.game_count,
        spread(sums, ["city"], "win_share"),
        dict(zip(cities, estimates(own), strict=True)),
        {city: {place: rates[place][city] for place in LATER} for city in cities},
        facts_of(arm.rules, study.games, study.players, rows),
    )


def table_verdict(
    players: int,
    ladder: Sequence[Measured],
    peers: Sequence[Measured],
    better: BetterPlayer | None = None,
) -> TableVerdict:
    """The verdict at one size of table."""
    fair = 1 / players
    strongest = [ladder[-1], *peers]
    apart = np.ptp([one.shares["value"].to_numpy() for one in strongest], axis=0)
    p_values: dict[tuple[str, str], float] = {}
    for one in ladder:
        value, variance, units, n = (one.shares[c].to_numpy() for c in ("value", "variance", "units", "n"))
        beyond = apart if one is ladder[-1] else np.zeros_like(apart)
        p = p_beyond(value, fair, beyond, variance, units, n)
        p_values |= {(_name(one), city): float(x) for city, x in zip(one.shares["city"], p, strict=True)}
    p_holm = corrected(p_values)
    judged_ladder = tuple(_self_play(one, fair, p_holm) for one in ladder)
    return TableVerdict(
        players=players,
        ladder=judged_ladder,
        peers=tuple(_self_play(one, fair, {}) for one in peers),
        words=words_for(judged_ladder),
        better_player=better,
    )


def _name(one: Measured) -> str:
    return one.arm.study.strategies[0]


def _self_play(one: Measured, fair: float, p_holm: dict[tuple[str, str], float]) -> SelfPlay:
    (strategy,) = one.arm.strategies
    cities = {}
    for city, share in one.intervals.items():
        p = p_holm.get((_name(one), city))
        cities[city] = CityShare(
            share=Number.of(share),
            p_holm=p,
            against_fair=against_fair(share.value, fair, 1.0 if p is None else p),
            unlocked={place: Number.of(rate) for place, rate in one.unlocked[city].items()},
        )
    return SelfPlay(
        strategy=_name(one),
        digest=strategy.digest,
        family=strategy.family,
        games=one.games,
        cities=cities,
        facts=_facts(one.facts),
    )


def _facts(facts: Facts) -> GameFacts:
    military = facts.military_wins
    return GameFacts(
        score=Number.of(facts.score),
        winning_score=Number.of(facts.winning_score),
        experienced_winners=Number.of(facts.experienced_winners),
        margin=Number.of(facts.margin),
        lead_changes=Number.of(facts.lead_changes),
        leader_wins=tuple(Number.of(one) for one in facts.leader_wins),
        military_wins=None if military is None else (Number.of(military[0]), Number.of(military[1])),
    )
