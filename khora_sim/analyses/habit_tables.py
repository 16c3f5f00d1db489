"""What a strategy does, as tables of rates with intervals: actions, tracks, developments, cards and spaces.

Every table has `value`, `low`, `high` and `n` beside its keys, and is made from the tables of a study that
the strategy has played against itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from khora_sim.rules.terms import DEVELOPMENTS, Action, Track, word
from khora_sim.stats.groups import Frame
from khora_sim.stats.ratios import means, shares
from khora_sim.stats.sums import Sums, sums_of

ACTIONS = [word(action) for action in Action]
TRACKS = [word(track) for track in Track]
LATER = range(2, DEVELOPMENTS + 1)  # the first development is there from the start


def action_shares(rounds: Frame, by: Sequence[str], most: int) -> pl.DataFrame:
    """Share of each action among the tiles that were paid for; one group has at most so many of them."""
    used = pl.col("tiles_used")
    summed = {name: _holds(used, place) for place, name in enumerate(ACTIONS)}
    sums = sums_of(rounds, by, summed | {"tiles": used.bitwise_count_ones().cast(pl.Int64)})
    parts = {name: shares(sums, by, name, "tiles", rows_per_group=most) for name in ACTIONS}
    return _stacked("action", parts, by)


def unlocked(players: Frame, most: int) -> pl.DataFrame:
    """How often each development is unlocked in a city, of all games."""
    sums = _reached(players, "development", range(1, DEVELOPMENTS + 1))
    parts = {place: shares(sums, ["city"], str(place), rows_per_group=most) for place in LATER}
    return _stacked("development", parts, ["city"])


def unlocked_next(players: Frame, most: int) -> pl.DataFrame:
    """The same of those games in which it could be unlocked: those with the development before it."""
    sums = _reached(players, "development", range(1, DEVELOPMENTS + 1))
    return _stacked("development", _steps(sums, LATER, most), ["city"])


def unlocked_when(rounds: Frame) -> pl.DataFrame:
    """The mean round in which each development is unlocked, of the games in which it is."""
    keys = ["game", "rotation_group", "stratum", "unit", "seat", "city"]
    first = {str(place): pl.col("round").filter(pl.col("development") >= place).min() for place in LATER}
    players = rounds.lazy().group_by(keys).agg(**first)
    summed = {name: pl.col(name).fill_null(0).cast(pl.Int64) for name in first}
    counted = {f"n{name}": pl.col(name).is_not_null().cast(pl.Int64) for name in first}
    sums = sums_of(players, ["city"], summed | counted)
    parts = {place: means(sums, ["city"], str(place), f"n{place}") for place in LATER}
    return _stacked("development", parts, ["city"])


def track_means(players: Frame) -> pl.DataFrame:
    """The mean level at the end, on each track."""
    summed = {track: pl.col(f"level_{track}").cast(pl.Int64) for track in TRACKS}
    sums = sums_of(players, ["city"], summed)
    return _stacked("track", {track: means(sums, ["city"], track) for track in TRACKS}, ["city"])


def levels(players: Frame, top: int, most: int, *, next_only: bool = False) -> pl.DataFrame:
    """How often each level is reached, of all games, or of those with the level before it."""
    found = []
    for track in TRACKS:
        sums = _reached(players, f"level_{track}", range(1, top + 1))
        numbers = range(2, top + 1)
        if next_only:
            parts = _steps(sums, numbers, most)
        else:
            parts = {one: shares(sums, ["city"], str(one), rows_per_group=most) for one in numbers}
        found.append(_stacked("level", parts, ["city"]).with_columns(pl.lit(track).alias("track")))
    return pl.concat(found).select("city", "track", pl.exclude("city", "track"))


def card_sums(players: Frame, cards: Sequence[str]) -> Sums:
    """Of each card, by city: dealt, kept of those, held after the draft, used of those, and played at all."""
    summed: dict[str, pl.Expr] = {}
    for place, card in enumerate(cards):
        dealt, held = (_holds(pl.col(name), place) for name in ("dealt", "drafted"))
        played = _count(pl.col(f"card_round_{card.replace('-', '_')}") > 0)
        summed |= {f"dealt {card}": dealt, f"kept {card}": dealt * held, f"held {card}": held}
        summed |= {f"used {card}": held * played, f"played {card}": played}
    return sums_of(players, ["city"], summed)


def cards_kept(sums: Sums, cards: Sequence[str], by: Sequence[str], most: int) -> pl.DataFrame:
    """How often a card is still there after the draft, of the hands in which it was dealt."""
    parts = {card: shares(sums, by, f"kept {card}", f"dealt {card}", rows_per_group=most) for card in cards}
    return _stacked("card", parts, by)


def cards_used(sums: Sums, cards: Sequence[str], by: Sequence[str], most: int) -> pl.DataFrame:
    """How often a card is played, of the games that were begun with it in hand."""
    parts = {card: shares(sums, by, f"used {card}", f"held {card}", rows_per_group=most) for card in cards}
    return _stacked("card", parts, by)


def cards_played(sums: Sums, cards: Sequence[str], by: Sequence[str], most: int) -> pl.DataFrame:
    """How often a card is played, of all games, however it was come by."""
    parts = {card: shares(sums, by, f"played {card}", rows_per_group=most) for card in cards}
    return _stacked("card", parts, by)


def spaces_explored(games: Frame, spaces: Sequence[str], most: int) -> pl.DataFrame:
    """How often a space is explored, by whomever: the share of games."""
    sums = sums_of(games, [], {name: _holds(pl.col("explored"), place) for place, name in enumerate(spaces)})
    parts = {name: shares(sums, [], name, rows_per_group=most) for name in spaces}
    return _stacked("space", parts, [])


def _holds(column: pl.Expr, place: int) -> pl.Expr:
    """1 where a set holds a member."""
    return _count((column & (1 << place)) != 0)


def _count(condition: pl.Expr) -> pl.Expr:
    return condition.cast(pl.Int64)


def _reached(players: Frame, column: str, numbers: Iterable[int]) -> Sums:
    """How many come to each number, by city."""
    return sums_of(players, ["city"], {str(one): _count(pl.col(column) >= one) for one in numbers})


def _steps(sums: Sums, numbers: Iterable[int], most: int) -> dict[int, pl.DataFrame]:
    """How many go on to each number, of those who have come to the one before."""
    return {one: shares(sums, ["city"], str(one), str(one - 1), rows_per_group=most) for one in numbers}


def _stacked(key: str, parts: Mapping[Any, pl.DataFrame], by: Sequence[str]) -> pl.DataFrame:
    """Tables of single things as one, with a column that names the thing."""
    return pl.concat(
        [part.select(*by, pl.lit(one).alias(key), pl.exclude(by)) for one, part in parts.items()]
    )
