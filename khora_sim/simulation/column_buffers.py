"""The layout of the dataset, and the way from records of played games to its columns.

A table has columns with types, in an order, which come from fields of records, a block of games at a time.

`docs/dataset.md` says what each means; a test holds the two together.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numba import types

from khora_sim.common.commands import replaying_one
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.compiling import ENGINE_SOURCES, entry, inlined
from khora_sim.engine.ledger import LEDGER, Column, Source, Spending
from khora_sim.engine.record import GAME
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS as DEVELOPMENTS
from khora_sim.rules.terms import Achievement, Action, Colour, Kind, Track, word

if TYPE_CHECKING:
    from khora_sim.simulation.experiment import Arm, Section

CODE_SOURCES = (*ENGINE_SOURCES, "simulation/column_buffers.py")
GAMES_AT_A_TIME = 64
ANY_LEAST, ANY_MOST = -(2**63), 2**63 - 1
RECORDS = {"game": GAME, "ledger": LEDGER}
SMALL, NUMBER, SET, SIGNED = pl.UInt8, pl.UInt32, pl.UInt64, pl.Int16
NUMPY: dict[Any, Any] = {
    SMALL: np.uint8,
    pl.UInt16: np.uint16,
    NUMBER: np.uint32,
    SET: np.uint64,
    SIGNED: np.int16,
}
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
    """The fields of the records that `players` takes as they stand."""
    return (
        Field("game", "vp", SIGNED, ("score",)),
        Field("ledger", "points", SIGNED, SOURCES, Source.DEVELOPMENT),
        Field("ledger", "points", SIGNED, card_columns("card_points", rules)),
        Field("game", "level", SMALL, _each("level", _words(Track))),
        Field("game", "development", SMALL, ("development",)),
        Field("game", "minor", SMALL, _each("minor", _words(Colour))),
        Field("game", "major", SMALL, _each("major", _words(Colour))),
        Field("game", "drachmas", SIGNED, ("drachmas",)),
        *(Field("game", one, SMALL, (one,)) for one in ("citizens", "troops", "tax", "glory", "philosophy")),
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
    **dict.fromkeys(("vp", "drachmas"), SIGNED),
    **dict.fromkeys(("citizens", "troops", "tax", "glory", "philosophy"), SMALL),
    **dict.fromkeys(("level_economy", "level_culture", "level_military"), SMALL),
    **dict.fromkeys(("minor_tokens", "major_tokens", "cards_in_play", "hand", "development"), SMALL),
    **dict.fromkeys(("tiles_used", "tiles_set_aside", "dice_sum"), SMALL),
}


def is_end_game(rules: Rules) -> list[bool]:
    """For each card: True if it scores at the end only."""
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


class Copied(NamedTuple):
    """A number by seat in a record, and the column that it becomes."""

    size: int  # bytes of the number
    start: int  # of the first seat's number in the record, counted in numbers of that size
    stride: int  # to the next seat's
    kept: int  # bytes of a number in the column
    column: int  # place among the columns of that size


@inlined
def _copy(numbers, games, start, stride, column, first, least, most):
    """Copy one number of each seat and of some games; returns how many the column could not hold."""
    lost = 0
    for game in games:
        for seat in range(column.shape[1]):
            value = np.int64(numbers[game, start + stride * seat])
            column[first + game, seat] = value
            lost += value < least or value > most
    return lost


@inlined
def _copy_kept(numbers, games, copied, first, small, signed):
    """Copy a number into a column of small or of signed numbers."""
    start, stride, column = copied[1], copied[2], copied[4]
    if copied[3] == 1:
        return _copy(numbers, games, start, stride, small[column], first, 0, 255)
    return _copy(numbers, games, start, stride, signed[column], first, -32_768, 32_767)


@inlined
def _copy_columns(ones, twos, fours, eights, copied, first, small, signed, sets):
    """Copy the numbers of all games; returns how many a column could not hold.

    Column by column, but only as many games at a time as a processor's cache holds.
    """
    lost = 0
    for start in range(0, len(ones), GAMES_AT_A_TIME):
        games = range(start, min(start + GAMES_AT_A_TIME, len(ones)))
        for number in range(len(copied)):
            one = copied[number]
            if one[0] == 1:
                lost += _copy_kept(ones, games, one, first, small, signed)
            elif one[0] == 2:
                lost += _copy_kept(twos, games, one, first, small, signed)
            elif one[0] == 4:
                lost += _copy_kept(fours, games, one, first, small, signed)
            else:
                lost += _copy(eights, games, one[1], one[2], sets[one[4]], first, ANY_LEAST, ANY_MOST)
    return lost


@cache
def compile_now() -> Callable:
    """The compiled way from records to columns."""
    sources = [kind[:, ::1] for kind in (types.int8, types.int16, types.int32, types.int64)]
    columns = [kind[:, :, ::1] for kind in (types.uint8, types.int16, types.uint64)]
    signature = types.int64(*sources, types.int64[:, ::1], types.int64, *columns)
    return entry(signature, _copy_columns, cache_folder(CODE_SOURCES))


class ColumnBuffers:
    """The numbers of a chunk, filled in block by block while its games are played.

    Every column is an array by game and seat; a table's column is that array laid flat.
    """

    def __init__(self, arm: "Arm", section: "Section", set_ups: np.recarray, first_game: int):
        self.arm, self.section, self.set_ups = arm, section, set_ups
        self.first_game = first_game
        games, seats, rounds = len(set_ups), section.players, arm.rules.model.rounds
        self.fields = player_fields(arm.rules)
        self.by_size = {
            kind().itemsize: np.empty(
                (sum(len(field.columns) for field in self.fields if NUMPY[field.type] is kind), games, seats),
                kind,
            )
            for kind in (np.uint8, np.int16, np.uint64)
        }
        self.copied = {record: self._copied_from(record) for record in RECORDS}
        self.decisions = np.empty(games, np.uint16)
        self.explored = np.empty(games, np.uint64)
        self.events = np.empty((rounds, games), np.uint8)
        kept = len(Column) if arm.study.rounds else 1  # points by round are always needed, to know who led
        self.by_round = np.empty((kept, games, rounds, seats), np.int16)

    def _columns(self) -> list[tuple[Field, str, int, int]]:
        """Every column: its field, its name, the bytes of its numbers, its place among those of that size."""
        filled = dict.fromkeys(self.by_size, 0)
        columns = []
        for field in self.fields:
            kept = NUMPY[field.type]().itemsize
            for name in field.columns:
                columns.append((field, name, kept, filled[kept]))
                filled[kept] += 1
        return columns

    def _copied_from(self, record: str) -> np.ndarray:
        """The numbers to copy from a kind of record, in the order in which they lie there."""
        copied = []
        for field, name, kept, column in self._columns():
            if field.record == record:
                numbers, offset = RECORDS[record].fields[field.field][:2]  # type: ignore[index]
                size, each = numbers.base.itemsize, numbers.itemsize // numbers.shape[0]
                start = offset // size + field.first + field.columns.index(name)
                copied.append(Copied(size, start, each // size, kept, column))
        return np.array(sorted(copied, key=lambda one: (one.kept, one.size, one.start)), np.int64)

    def by_name(self) -> dict[str, np.ndarray]:
        """Every column by its name."""
        return {name: self.by_size[kept][column] for _, name, kept, column in self._columns()}

    def put(self, first: int, games: np.ndarray, ledgers: np.ndarray) -> None:
        """Take over a block of games that were just played."""
        block = slice(first, first + len(games))
        rounds = self.arm.rules.model.rounds
        records = {"game": np.asarray(games), "ledger": np.asarray(ledgers)[: len(games)]}
        for record, copied in self.copied.items():
            sources = [
                records[record].view(kind).reshape(len(games), -1)
                for kind in (np.int8, np.int16, np.int32, np.int64)
            ]
            if compile_now()(*sources, copied, first, *self.by_size.values()) > 0:
                self._tell_what_is_lost(first, records)
        check_kept(("decisions",), games["step"][None], self.decisions.dtype, self.first_game + first)
        self.decisions[block] = games["step"]
        self.explored[block] = games["explored"]
        self.events[:, block] = games["events"][:, :rounds].T
        after_round = records["ledger"]["after_round"][
            :, :rounds, : self.section.players, : len(self.by_round)
        ]
        self.by_round[:, block] = after_round.transpose(3, 0, 1, 2)

    def _tell_what_is_lost(self, first: int, records: dict[str, np.ndarray]) -> None:
        """Name the first number of a block that its column cannot hold."""
        for field in self.fields:
            if field.type != SET:  # the highest bit of a set is the sign of a record's number
                numbers = records[field.record][field.field][:, : self.section.players]
                if numbers.ndim == 2:
                    numbers = numbers[..., None]
                by_column = numbers[..., field.first : field.first + len(field.columns)].transpose(2, 0, 1)
                check_kept(field.columns, by_column, np.dtype(NUMPY[field.type]), self.first_game + first)


def check_kept(columns: Sequence[str], numbers: np.ndarray, kind: np.dtype, first_game: int) -> None:
    """A number (by column and game) that a study cannot keep is an error, never cut off."""
    held = np.iinfo(kind)
    if held.min <= numbers.min() and numbers.max() <= held.max:
        return
    column, game, *rest = np.argwhere((numbers < held.min) | (numbers > held.max))[0]
    raise UserError(
        f"game {first_game + game}: {columns[column]} is {numbers[column, game, *rest]:,}, and a study keeps "
        f"{held.min:,} to {held.max:,}; let the rules give less, or play single games with {replaying_one()}"
    )
