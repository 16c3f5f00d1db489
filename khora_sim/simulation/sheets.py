"""From the records of played games to columns of numbers: a block of games at a time, compiled."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numba import types

from khora_sim.common.commands import replaying_one
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.compiling import ENGINE_SOURCES, entry, inlined
from khora_sim.engine.ledger import LEDGER, Column
from khora_sim.engine.record import GAME
from khora_sim.errors import UserError
from khora_sim.simulation import layout

if TYPE_CHECKING:
    from khora_sim.simulation.arm import Arm, Section

SOURCES = (*ENGINE_SOURCES, "simulation/sheets.py")
GAMES_AT_A_TIME = 64
ANY_LEAST, ANY_MOST = -(2**63), 2**63 - 1
RECORDS = {"game": GAME, "ledger": LEDGER}
NUMPY: dict[Any, Any] = {
    pl.UInt8: np.uint8,
    pl.UInt16: np.uint16,
    pl.UInt32: np.uint32,
    pl.UInt64: np.uint64,
    pl.Int16: np.int16,
}


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
    return entry(signature, _copy_columns, cache_folder(SOURCES))


class Sheets:
    """The numbers of a chunk, filled in block by block while its games are played.

    Every column is an array by game and seat; a table's column is that array laid flat.
    """

    def __init__(self, arm: "Arm", section: "Section", set_ups: np.recarray, first_game: int):
        self.arm, self.section, self.set_ups = arm, section, set_ups
        self.first_game = first_game
        games, seats, rounds = len(set_ups), section.players, arm.rules.model.rounds
        self.fields = layout.player_fields(arm.rules)
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

    def _columns(self) -> list[tuple[layout.Field, str, int, int]]:
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
        """What is copied from a kind of record, in the order in which it lies there."""
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
            if field.type != layout.SET:  # the highest bit of a set is the sign of a record's number
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
