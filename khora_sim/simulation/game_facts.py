"""The course of games: leaders and winners, endings, and events that favour the military player."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from khora_sim.rules import Rules
from khora_sim.stats import Estimate, estimates, mean_table, share_table, shares
from khora_sim.stats.sums import PARTS, Frame, sums_of

EXPERIENCED = 90  # points: what players call the mark of experience
TROOPS = "troops"  # the scope of events that favour whoever has most of them


class Facts(NamedTuple):
    """The course of the games of one study."""

    score: Estimate
    winning_score: Estimate
    experienced_winners: Estimate
    margin: Estimate
    lead_changes: Estimate
    leader_wins: tuple[Estimate, ...]
    military_wins: tuple[Estimate, Estimate] | None


def facts_of(rules: Rules, games: pl.LazyFrame, players: pl.LazyFrame, rows_per_group: int) -> Facts:
    """Return the course of the games of a study with one size of table."""
    games = games.with_columns((pl.col("winning_score") >= EXPERIENCED).cast(pl.Float64).alias("experienced"))
    leading = leaders(players, [], rules.model.rounds, rows_per_group)
    return Facts(
        score=_mean(players, "score"),
        winning_score=_mean(games, "winning_score"),
        experienced_winners=estimates(
            share_table(games, [], value="experienced", rows_per_group=rows_per_group)
        )[0],
        margin=_mean(games, "margin"),
        lead_changes=_mean(games, "lead_changes"),
        leader_wins=tuple(estimates(leading.sort("round"))),
        military_wins=military_wins(rules, games, players, rows_per_group),
    )


def _mean(frame: pl.LazyFrame, column: str) -> Estimate:
    return estimates(mean_table(frame, [], value=column))[0]


def leaders(players: Frame, by: Sequence[str], rounds: int, rows_per_group: int) -> pl.DataFrame:
    """Share of those who lead after each round that go on to win: by, round, value, low, high, n, units."""
    summed: dict[str, pl.Expr] = {}
    for number in range(1, rounds + 1):
        leads = (pl.col("leading") & (1 << (number - 1))) != 0
        summed[f"leads_{number}"] = leads.cast(pl.UInt32)
        summed[f"wins_{number}"] = pl.when(leads).then(pl.col("win_share")).otherwise(0.0)
    parts = {name: PARTS["win_share"] for name in summed if name.startswith("wins")}
    sums = sums_of(players, by, summed, parts=parts)
    tables = []
    for number in range(1, rounds + 1):
        top, bottom = f"wins_{number}", f"leads_{number}"
        one = shares(sums, by, top, bottom, rows_per_group=rows_per_group)
        tables.append(one.select(*by, pl.lit(number).alias("round"), pl.exclude(by)))
    return pl.concat(tables).sort(*by, "round")


def military_wins(
    rules: Rules, games: pl.LazyFrame, players: pl.LazyFrame, rows_per_group: int
) -> tuple[Estimate, Estimate] | None:
    """Win rates of those with the highest military level, with few and with many events that compare troops.

    Which events come is chance, so the difference between the two is what such events do. Many are at least
    as many as are drawn on average.
    """
    comparing = [one for one, event in rules.model.events.items() if event.scope == TROOPS]
    if not comparing:
        return None
    drawn = [pl.col(f"event_{number + 1}").cast(pl.String) for number in range(rules.model.rounds)]
    expected = rules.model.rounds * len(comparing) / len(rules.event_ids)
    many = (pl.sum_horizontal(event.is_in(comparing) for event in drawn) >= expected).alias("many")
    level = pl.col("level_military")
    military = players.filter(level == level.max().over("game")).join(games.select("game", many), on="game")
    table = share_table(military, "many", rows_per_group=rows_per_group).sort("many")
    return (estimates(table)[0], estimates(table)[1]) if len(table) == 2 else None
