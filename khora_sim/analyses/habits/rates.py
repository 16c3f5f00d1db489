"""Tables of rates with intervals: the actions, tracks, developments, cards and spaces of a strategy."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import polars as pl
from pydantic import PlainSerializer

from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS, DICE, Action, Track, word
from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.result import Result
from khora_sim.simulation.sinks import Columns
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import CLUSTER, COUNT, GROUP, Frame, Sums, sums_of

ACTIONS = [word(action) for action in Action]
TRACKS = [word(track) for track in Track]
LATER = range(2, DEVELOPMENTS + 1)  # the first development is there from the start

Pairs = Mapping[Any, tuple[str, str]]  # by thing: how often it is done, and how often it could be


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    """A table for a script; JSON has no infinity."""
    return [
        {key: None if isinstance(one, float) and not math.isfinite(one) else one for key, one in row.items()}
        for row in table.drop("units").to_dicts()
    ]


RateTable = Annotated[pl.DataFrame, PlainSerializer(_rows, return_type=list[dict[str, Any]])]


class Rates(Result):
    """Tables of rates and means: their keys, and `value`, `low`, `high` and `n`."""

    actions: RateTable  # by city and action: share of the tiles paid for
    actions_by_round: RateTable  # the same by city, round and action
    developments: RateTable  # by city and development: share of games in which it is unlocked
    next_developments: RateTable  # the same, of the games with the development before it
    development_rounds: RateTable  # by city and development: mean round in which it is unlocked
    tracks: RateTable  # by city and track: mean level at the end
    levels: RateTable  # by city, track and level: share of games in which it is reached
    next_levels: RateTable  # the same, of the games with the level before it
    cards_kept: RateTable  # by card: share of the hands it was dealt to that hold it after the draft
    cards_used: RateTable  # by card: share of games begun with it in hand in which it is played
    cards_used_by_city: RateTable  # the same by city and card
    cards_played: RateTable  # by card: share of all games of a player in which it is played
    spaces: RateTable  # by space: share of games in which anyone explores it


def columns_for(rules: Rules) -> dict[str, tuple[str, ...]]:
    """The columns that rates are counted from, by table."""
    tracks, cards = (f"level_{one}" for one in TRACKS), (_played_in(one) for one in rules.card_ids)
    return {
        "players": (GROUP, "city", "development", "dealt", "drafted", *tracks, *cards),
        "rounds": ("game", GROUP, "seat", "city", "round", "development", "tiles_used"),
        "games": (GROUP, "explored"),
    }


def rates_of(arm: Arm, played: Columns) -> Rates:
    """All tables of rates. A city is at a table once, so it has a row in every game of a group."""
    rules, group = arm.rules, arm.sections[0].group_size
    everybody = group * arm.sections[0].players  # rows of all cities in a group
    rounds = played.table("rounds").collect()
    ends = _ends(played.table("players"), rules)
    turns = _turns(rounds)
    tiles = group * DICE
    levels = range(2, rules.model.limits.level + 1)
    taken = {action: (action, "tiles") for action in ACTIONS}
    kept, used, played_of_all = (
        {card: (f"{done} {card}", f"{could} {card}" if could else COUNT) for card in rules.card_ids}
        for done, could in (("kept", "dealt"), ("used", "held"), ("played", ""))
    )
    spaces = _spaces(played.table("games"), rules.space_ids)

    def share(sums: Sums, by: Sequence[str], key: str, pairs: Pairs, most: int) -> pl.DataFrame:
        return _stacked(shares, sums, by, key, pairs, rows_per_group=most)

    def by_track(*, next_only: bool) -> pl.DataFrame:
        return pl.concat(
            share(
                ends, ["city"], "level", _steps(f"level_{track}", levels, next_only=next_only), group
            ).select("city", pl.lit(track).alias("track"), pl.exclude("city"))
            for track in TRACKS
        )

    return Rates(
        actions=share(turns, ["city"], "action", taken, tiles * rules.model.rounds),
        actions_by_round=share(turns, ["city", "round"], "action", taken, tiles),
        developments=share(ends, ["city"], "development", _steps("development", LATER), group),
        next_developments=share(
            ends, ["city"], "development", _steps("development", LATER, next_only=True), group
        ),
        development_rounds=_unlocked_when(rounds),
        tracks=_stacked(means, ends, ["city"], "track", {one: (f"level_{one}", COUNT) for one in TRACKS}),
        levels=by_track(next_only=False),
        next_levels=by_track(next_only=True),
        cards_kept=share(ends, [], "card", kept, everybody),
        cards_used=share(ends, [], "card", used, everybody),
        cards_used_by_city=share(ends, ["city"], "card", used, group),
        cards_played=share(ends, [], "card", played_of_all, everybody),
        spaces=share(spaces, [], "space", {one: (one, COUNT) for one in rules.space_ids}, group),
    )


def _ends(players: Frame, rules: Rules) -> Sums:
    """By city, how games end for a player: developments, levels and cards.

    Of each card: dealt, kept of those, held after the draft, used of those, and played at all.
    """
    summed = {f"level_{one}": pl.col(f"level_{one}").cast(pl.Int64) for one in TRACKS}
    counted = {"development": DEVELOPMENTS} | dict.fromkeys(summed, rules.model.limits.level)
    for name, top in counted.items():
        summed |= {_reached(name, one): _count(pl.col(name) >= one) for one in range(1, top + 1)}
    for place, card in enumerate(rules.card_ids):
        dealt, held = (_holds(pl.col(name), place) for name in ("dealt", "drafted"))
        played = _count(pl.col(_played_in(card)) > 0)
        summed |= {f"dealt {card}": dealt, f"kept {card}": dealt * held, f"held {card}": held}
        summed |= {f"used {card}": held * played, f"played {card}": played}
    return sums_of(players, ["city"], summed)


def _turns(rounds: Frame) -> Sums:
    """By city and round, the tiles that were paid for and the actions on them."""
    used = pl.col("tiles_used")
    summed = {name: _holds(used, place) for place, name in enumerate(ACTIONS)}
    return sums_of(rounds, ["city", "round"], summed | {"tiles": used.bitwise_count_ones().cast(pl.Int64)})


def _spaces(games: Frame, spaces: Sequence[str]) -> Sums:
    """How often a space is explored, by anyone."""
    return sums_of(games, [], {name: _holds(pl.col("explored"), place) for place, name in enumerate(spaces)})


def _unlocked_when(rounds: Frame) -> pl.DataFrame:
    """The mean round in which each development is unlocked, of the games in which it is."""
    keys = ["game", GROUP, "stratum", "unit", "seat", "city"]
    first = {str(place): pl.col("round").filter(pl.col("development") >= place).min() for place in LATER}
    players = rounds.lazy().group_by(keys).agg(**first)
    summed = {name: pl.col(name).fill_null(0).cast(pl.Int64) for name in first}
    counted = {f"n{name}": pl.col(name).is_not_null().cast(pl.Int64) for name in first}
    sums = sums_of(players, ["city"], summed | counted)
    return _stacked(
        means, sums, ["city"], "development", {place: (str(place), f"n{place}") for place in LATER}
    )


def _steps(column: str, numbers: Sequence[int], *, next_only: bool = False) -> Pairs:
    """How many come to each number, of all games, or of those who have come to the one before."""
    return {
        one: (_reached(column, one), _reached(column, one - 1) if next_only else COUNT) for one in numbers
    }


def _reached(column: str, number: int) -> str:
    return f"{column} {number}"


def _played_in(card: str) -> str:
    """The column with the round in which a card was played, or 0."""
    return f"card_round_{card.replace('-', '_')}"


def _holds(column: pl.Expr, place: int) -> pl.Expr:
    """1 where a set holds a member."""
    return _count((column & (1 << place)) != 0)


def _count(condition: pl.Expr) -> pl.Expr:
    return condition.cast(pl.Int64)


def _stacked(
    estimated: Callable[..., pl.DataFrame],
    sums: Sums,
    by: Sequence[str],
    key: str,
    pairs: Pairs,
    **options: Any,
) -> pl.DataFrame:
    """Means or shares of many things in one table with a column that names the thing, estimated together."""
    cells = pl.concat(
        sums.cells.select(
            *by, CLUSTER, pl.lit(number).alias(key), pl.col(top).alias("top"), pl.col(of).alias("of")
        )
        for number, (top, of) in enumerate(pairs.values())
    )
    many = Sums((*by, key), cells, sums.clusters, {})
    table = estimated(many, [*by, key], "top", "of", **options).sort(key, maintain_order=True)
    return table.with_columns(pl.Series(list(pairs)).gather(table[key]).alias(key))
