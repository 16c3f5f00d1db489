"""The layout of the dataset: its columns, their types and order, and the fields of records they come from.

`docs/dataset.md` says what each means; a test holds the two together.
"""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from khora_sim.engine.ledger import Source, Spending
from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS as DEVELOPMENTS
from khora_sim.rules.terms import Achievement, Action, Colour, Kind, Track, word

SMALL, NUMBER, SET, SIGNED = pl.UInt8, pl.UInt32, pl.UInt64, pl.Int16
Columns = dict[str, type[pl.DataType] | pl.DataType]


class Field(NamedTuple):
    """Numbers that a record holds by seat, and the columns they become."""

    record: str  # game or ledger
    field: str
    type: type[pl.DataType]
    columns: tuple[str, ...]
    first: int = 0  # place of the first of them, where the field holds many


def _each(prefix: str, members: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{prefix}_{member.replace('-', '_')}" for member in members)


def _words(members: type) -> list[str]:
    return [word(member) for member in members]  # type: ignore[attr-defined]


def card_columns(prefix: str, rules: Rules) -> tuple[str, ...]:
    """`card_points_bank` and so on, in the order of the rules."""
    return _each(prefix, rules.card_ids)


#: Sources that become columns as they stand, in their order.
SOURCES = (
    *(f"points_development_{number + 1}" for number in range(DEVELOPMENTS)),
    "points_events",
    "points_events_lowest",
    "points_track_levels",
    "points_culture_actions",
    "points_explorations",
    "points_glory",
)
#: The columns that sum to the score.
PARTS = (
    "points_start",
    "points_culture_actions",
    "points_cards",
    "points_end_game_cards",
    "points_developments",
    "points_track_levels",
    "points_events",
    "points_events_lowest",
    "points_explorations",
    "points_glory",
)
assert len(SOURCES) == Source.GLORY + 1 - Source.DEVELOPMENT


def player_fields(rules: Rules) -> tuple[Field, ...]:
    """What `players` takes from the records as it stands."""
    return (
        Field("game", "vp", SIGNED, ("score",)),
        Field("ledger", "points", SIGNED, SOURCES, Source.DEVELOPMENT),
        Field("ledger", "points", SIGNED, card_columns("card_points", rules)),
        Field("game", "level", SMALL, _each("level", _words(Track))),
        Field("game", "development", SMALL, ("development",)),
        Field("game", "minor", SMALL, _each("minor", _words(Colour))),
        Field("game", "major", SMALL, _each("major", _words(Colour))),
        Field("game", "drachmas", SIGNED, ("drachmas",)),
        *(
            Field("game", field, SMALL, (field,))
            for field in ("citizens", "troops", "tax", "glory", "philosophy")
        ),
        Field("game", "hand_size", SMALL, ("hand",)),
        Field("game", "in_play", SET, ("in_play",)),
        Field("ledger", "dealt", SET, ("dealt",)),
        Field("ledger", "drafted", SET, ("drafted",)),
        Field("ledger", "card_round", SMALL, card_columns("card_round", rules)),
        Field("ledger", "actions", SMALL, _each("actions", _words(Action))),
        Field("ledger", "returns", SIGNED, _each("returns", _words(Action))),
        Field("ledger", "set_aside", SMALL, _each("set_aside", _words(Action))),
        Field("ledger", "citizens_spent", SMALL, ("citizens_spent",)),
        Field("ledger", "philosophy_spent", SMALL, _each("philosophy_spent", _words(Spending))),
        Field("ledger", "achieved_round", SMALL, _each("achieved", _words(Achievement))),
        Field("ledger", "dice_rolled", SMALL, ("dice_rolled",)),
        Field("ledger", "pips", SIGNED, ("pips",)),
    )


#: What `rounds` takes from the ledger, in the order of the ledger's own columns.
ROUND_COLUMNS: dict[str, type[pl.DataType]] = {
    "vp": SIGNED,
    "drachmas": SIGNED,
    "citizens": SMALL,
    "troops": SMALL,
    "tax": SMALL,
    "glory": SMALL,
    "philosophy": SMALL,
    "level_economy": SMALL,
    "level_culture": SMALL,
    "level_military": SMALL,
    "minor_tokens": SMALL,
    "major_tokens": SMALL,
    "cards_in_play": SMALL,
    "hand": SMALL,
    "development": SMALL,
    "tiles_used": SMALL,
    "tiles_set_aside": SMALL,
    "dice_sum": SMALL,
}


def is_end_game(rules: Rules) -> list[bool]:
    """For each card whether it scores at the end only."""
    return [card.kind == word(Kind.END_GAME) for card in rules.model.cards.values()]


def games_columns(rules: Rules) -> Columns:
    """The columns of `games`."""
    events = pl.Enum(rules.event_ids)
    return {
        "game": NUMBER,
        "rotation_group": NUMBER,
        "seed": pl.UInt64,
        "players": SMALL,
        "first_seat": SMALL,
        "winner": SMALL,
        "winners": SMALL,
        "winning_score": SIGNED,
        "margin": SIGNED,
        "by_drachmas": pl.Boolean,
        "lead_changes": SMALL,
        "decisions": pl.UInt16,
        "explored": SET,
        **{f"event_{number + 1}": events for number in range(rules.model.rounds)},
    }


def players_columns(rules: Rules, strategies: Sequence[str]) -> Columns:
    """The columns of `players`."""
    taken = {column: field.type for field in player_fields(rules) for column in field.columns}
    identity: Columns = {
        "game": NUMBER,
        "rotation_group": NUMBER,
        "players": SMALL,
        "seat": SMALL,
        "is_first": pl.Boolean,
        "slot": SMALL,
        "city": pl.Enum(rules.city_ids),
        "strategy": pl.Enum(strategy_names(strategies)),
        "score": SIGNED,
        "place": SMALL,
        "win_share": pl.Float64,
        "leading": pl.UInt16,
    }
    points = dict.fromkeys((*PARTS, *SOURCES[:DEVELOPMENTS]), SIGNED)
    board: Columns = {
        "cards_in_play" if column == "in_play" else column: kind for column, kind in taken.items()
    }
    board["cards_in_play"] = SMALL
    dice = {column: board.pop(column) for column in ("dice_rolled", "pips")}
    alone = {
        f"alone_{name.removeprefix('achieved_')}": pl.Boolean for name in board if name.startswith("achieved")
    }
    return identity | points | board | alone | dice | {"dice_luck": pl.Float32}


def rounds_columns(rules: Rules, strategies: Sequence[str]) -> Columns:
    """The columns of `rounds`."""
    return {
        "game": NUMBER,
        "rotation_group": NUMBER,
        "round": SMALL,
        "seat": SMALL,
        "city": pl.Enum(rules.city_ids),
        "strategy": pl.Enum(strategy_names(strategies)),
        "win_share": pl.Float64,
        "place": SMALL,
        **ROUND_COLUMNS,
    }


def strategy_names(strategies: Sequence[str]) -> list[str]:
    """The names of the strategies, each once."""
    return list(dict.fromkeys(strategies))


def columns(table: str, rules: Rules, strategies: Sequence[str]) -> Columns:
    """The columns of a table."""
    if table == "games":
        return games_columns(rules)
    return (players_columns if table == "players" else rounds_columns)(rules, strategies)
