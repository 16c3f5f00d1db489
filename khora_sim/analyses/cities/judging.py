"""The verdict at one size of table, from studies of one player each, and the rules of its words.

A city is *above* or *below* its fair share with a player where the difference stands at the 5 % level,
corrected by Holm for all cities and players of a size of table; else it is *open*. With the strongest player
the difference has to be larger than the spread between that player and its peers, where there are any.

Levels of play are all players of the ladder but controls: random moves are no way to play. A player that
hardly ever unlocks the second development of a city does not know that city, and is left out of its words;
if that is the strongest player, nothing is settled. Then the strongest player decides, and the others say how
far down it holds:

    strongest   all levels   some other level   words
    above       above                           strong at all levels
    above       not                             strong in strong hands
    below       below                           weak at all levels
    below       not          above              strong for beginners only
    below       not          none above         weak in strong hands
    open                                        order not settled

A single level of play says nothing of others: then a city is above or below its fair share.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from khora_sim.pages.published_answers import (
    ABOVE,
    BELOW,
    FOR_BEGINNERS,
    IN_STRONG_HANDS,
    OPEN,
    STRONG,
    WEAK,
    WEAK_IN_STRONG_HANDS,
    Against,
    BetterPlayer,
    CityShare,
    GameFacts,
    Number,
    SelfPlay,
    TableVerdict,
    hardly_ever,
    levels_of_play,
)
from khora_sim.rules.terms import DEVELOPMENTS
from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.game_facts import Facts, facts_of
from khora_sim.simulation.study import OpenStudy
from khora_sim.stats import Estimate, estimates, holm, shares, sums_of
from khora_sim.stats.intervals import share_p_value
from khora_sim.stats.ratios import spread

ALPHA = 0.05
FIRST_UNLOCKED = 2  # the first development is there from the start
LATER = range(FIRST_UNLOCKED, DEVELOPMENTS + 1)


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


def word_for(levels: Sequence[Against]) -> str:
    """The words for a city from where it stands with each level of play, the strongest last."""
    strongest = levels[-1]
    if strongest == "open":
        return OPEN
    if strongest == "above":
        return STRONG if set(levels) == {"above"} else IN_STRONG_HANDS
    if set(levels) == {"below"}:
        return WEAK
    return FOR_BEGINNERS if "above" in levels else WEAK_IN_STRONG_HANDS


def p_beyond(
    share: np.ndarray, fair: float, spread: np.ndarray, variance: np.ndarray, units: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """P-values of shares against all that lies no farther from the fair share than a spread."""
    above = share > fair
    edge = np.where(above, fair + spread, fair - spread)
    inside = (np.abs(share - fair) <= spread) | (edge <= 0) | (edge >= 1)
    plain = share_p_value(
        share, np.where(spread > 0, np.clip(edge, 1e-9, 1 - 1e-9), fair), variance, units, n
    )
    return np.where(inside & (spread > 0), 1.0, plain)


def against_fair(share: float, fair: float, p_holm: float) -> Against:
    """Where a share stands."""
    if not p_holm < ALPHA:
        return "open"
    return "above" if share > fair else "below"


def corrected(p_values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Holm's correction over all players and cities of one size of table."""
    return dict(zip(p_values, (float(p) for p in holm(list(p_values.values()))), strict=True))


def words_for(ladder: Sequence[SelfPlay]) -> dict[str, str]:
    """The words for every city."""
    levels = levels_of_play(ladder)
    words = {}
    for city in ladder[-1].cities:
        known = [one.cities[city] for one in levels if hardly_ever(one.cities[city]) != FIRST_UNLOCKED]
        sure = bool(known) and known[-1] is levels[-1].cities[city]
        words[city] = word_for([one.against_fair for one in known]) if sure else OPEN
        if len(levels) == 1:
            words[city] = {STRONG: ABOVE, WEAK: BELOW}.get(words[city], OPEN)
    return words
