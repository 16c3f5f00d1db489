"""A chunk: some rotation groups of an arm, played and turned into Parquet, sums or some columns.

A pure function of its arm and its number there.
"""

import hashlib
import io
from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import NamedTuple

import numpy as np
import polars as pl

from khora_sim.engine.ledger import Column
from khora_sim.engine.record import SEATS
from khora_sim.engine.scoring import places
from khora_sim.errors import UserError
from khora_sim.simulation import column_buffers
from khora_sim.simulation.column_buffers import NUMPY, ColumnBuffers, check_kept
from khora_sim.simulation.experiment import Arm, ChunkId, Section, slots
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.summing import Summing, players_summed
from khora_sim.stats.sums import Sums
from khora_sim.strategy.contract import StrategyError
from khora_sim.strategy.games import memory_for, play_set_ups

BLOCK = 1024  # games played between two looks at the clock; their records fit a processor's cache
NOBODY = -1
SEAT_BITS = np.arange(SEATS, dtype=np.uint8)
#: For each set of seats: the only one, or NOBODY.
ALONE = np.array([one.bit_length() - 1 if one.bit_count() == 1 else NOBODY for one in range(1 << SEATS)])


Arrays = dict[str, np.ndarray]  # by column


class Standings:
    """Places and leads, worked out of points and drachmas."""

    def __init__(self, score: np.ndarray, drachmas: np.ndarray, vp_by_round: np.ndarray):
        self.place = places(score, drachmas)
        self.won = self.place == 1
        self.winners = over_seats(np.add, self.won.astype(np.uint8))
        self.win_share = self.won / self.winners[:, None]
        self.leads = vp_by_round == over_seats(np.maximum, vp_by_round)[..., None]  # by game, round and seat

    def leading(self) -> np.ndarray:
        """The set of rounds after which each player led."""
        rounds = np.zeros(self.won.shape, np.uint16)
        for number in range(self.leads.shape[1]):
            rounds |= self.leads[:, number].astype(np.uint16) << np.uint16(number)
        return rounds

    def lead_changes(self) -> np.ndarray:
        """Times that the sole lead passed to someone else, the end of the game included."""
        changes = np.zeros(len(self.won), np.uint8)
        last = np.full(len(self.won), NOBODY)  # who led alone last
        for leads in (*self.leads.transpose(1, 0, 2), self.won):
            alone = ALONE[over_seats(np.bitwise_or, leads.astype(np.uint8) << SEAT_BITS[: leads.shape[1]])]
            leader = np.where(alone == NOBODY, last, alone)
            changes += (leader != last) & (last != NOBODY)
            last = leader
        return changes


def over_seats(combine: np.ufunc, numbers: np.ndarray) -> np.ndarray:
    """Combine the numbers of all seats (last axis); NumPy is slow where an axis is short."""
    return reduce(combine, np.moveaxis(numbers, -1, 0))


def frames(
    buffers: ColumnBuffers, wanted: Collection[str], only: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, pl.DataFrame]:
    """Some tables of a chunk whose games have all been played, whole or with some columns only.

    Columns that the rules of the arm lack, such as those of a card that it removes, are left out.
    """
    if not wanted:
        return {}
    arm, section = buffers.arm, buffers.section
    by_name = buffers.by_name()
    standings = Standings(by_name["score"], by_name["drachmas"], buffers.by_round[Column.VP])
    games = len(buffers.set_ups)
    numbers = np.arange(buffers.first_game, buffers.first_game + games, dtype=np.uint32)
    groups = (numbers - np.uint32(section.first_game)) // section.group_size + section.first_group
    identity = {"game": numbers, "rotation_group": groups.astype(np.uint32)}
    tables = {
        "games": lambda: _games(buffers, identity, by_name, standings),
        "players": lambda: _players(buffers, identity, by_name, standings),
        "rounds": lambda: _rounds(buffers, identity, standings),
    }
    names = [strategy.name for strategy in arm.strategies]
    made = {}
    for table in wanted:
        columns = column_buffers.columns(table, arm.rules, names)
        if only is not None:
            columns = {name: columns[name] for name in only[table] if name in columns}
        made[table] = _frame(columns, tables[table](), buffers.first_game, games)
    return made


def _seats(places: np.ndarray) -> np.ndarray:
    """Seats as people count them, from 1; records count from 0."""
    return (places + 1).astype(np.uint8)


def _games(buffers: ColumnBuffers, identity: Arrays, by_name: Arrays, standings: Standings) -> Arrays:
    best = np.sort(by_name["score"], axis=1)[:, ::-1]
    top = over_seats(np.add, (by_name["score"] == best[:, :1]).astype(np.uint8))
    return {
        **identity,
        "seed": buffers.set_ups["seed"],
        "players": np.full(len(best), buffers.section.players, np.uint8),
        "first_seat": _seats(buffers.set_ups["first_player"]),
        "winner": _seats(standings.won.argmax(axis=1)),
        "winners": standings.winners,
        "winning_score": best[:, 0],
        "margin": best[:, 0] - best[:, 1],
        "by_drachmas": top > standings.winners,
        "lead_changes": standings.lead_changes(),
        "decisions": buffers.decisions,
        "explored": buffers.explored,
        **{f"event_{number + 1}": events for number, events in enumerate(buffers.events)},
    }


def _players(buffers: ColumnBuffers, identity: Arrays, by_name: Arrays, standings: Standings) -> Arrays:
    arm, section = buffers.arm, buffers.section
    shape = standings.place.shape
    here = np.arange(section.players)
    slot = np.tile(_seats(slots(arm.study, section.players)), (shape[0] // section.group_size, 1))
    cards = np.stack([by_name[column] for column in column_buffers.card_columns("card_points", arm.rules)])
    developments = np.stack([by_name[name] for name in column_buffers.SOURCES[: column_buffers.DEVELOPMENTS]])
    end_game = np.array(column_buffers.is_end_game(arm.rules))
    achieved = {name: rounds for name, rounds in by_name.items() if name.startswith("achieved_")}
    alone = {
        f"alone_{name.removeprefix('achieved_')}": (rounds > 0)
        & (over_seats(np.add, (rounds > 0).astype(np.uint8)) == 1)[:, None]
        for name, rounds in achieved.items()
    }
    return {
        **by_name,
        **alone,
        **{name: np.repeat(column, section.players) for name, column in identity.items()},
        "players": np.full(shape, section.players, np.uint8),
        "seat": np.broadcast_to(_seats(here), shape),
        "is_first": here == buffers.set_ups["first_player"][:, None],
        "slot": slot,
        "city": buffers.set_ups["cities"][:, : section.players],
        "strategy": strategy_codes(arm)[buffers.set_ups["lineup"][:, : section.players]],
        "place": standings.place,
        "win_share": standings.win_share,
        "leading": standings.leading(),
        "points_start": np.full(shape, arm.rules.model.start.vp, np.int16),
        "points_cards": cards[~end_game].sum(axis=0, dtype=np.int32),
        "points_end_game_cards": cards[end_game].sum(axis=0, dtype=np.int32),
        "points_developments": developments.sum(axis=0, dtype=np.int32),
        "cards_in_play": np.bitwise_count(by_name["in_play"]),
        "dice_luck": by_name["pips"] - np.float32(3.5) * by_name["dice_rolled"],
    }


def _rounds(buffers: ColumnBuffers, identity: Arrays, standings: Standings) -> Arrays:
    arm, section = buffers.arm, buffers.section
    by_round = buffers.by_round
    shape = by_round.shape[1:]  # game, round, seat

    def spread(by_seat: np.ndarray) -> np.ndarray:
        return np.broadcast_to(by_seat[:, None, :], shape)

    return {
        **{name: np.repeat(column, shape[1] * shape[2]) for name, column in identity.items()},
        "round": np.broadcast_to(np.arange(1, shape[1] + 1, dtype=np.uint8)[:, None], shape),
        "seat": np.broadcast_to(_seats(np.arange(shape[2])), shape),
        "city": spread(buffers.set_ups["cities"][:, : section.players]),
        "strategy": spread(strategy_codes(arm)[buffers.set_ups["lineup"][:, : section.players]]),
        "win_share": spread(standings.win_share),
        "place": places(by_round[Column.VP], by_round[Column.DRACHMAS]),
        **{name: by_round[place] for place, name in enumerate(column_buffers.ROUND_COLUMNS)},
    }


def strategy_codes(arm: Arm) -> np.ndarray:
    """For each place in the list of strategies: its number among the different names."""
    names = [strategy.name for strategy in arm.strategies]
    different = column_buffers.strategy_names(names)
    return np.array([different.index(name) for name in names], np.uint8)


def _frame(columns: column_buffers.Columns, made: Arrays, first_game: int, games: int) -> pl.DataFrame:
    """A frame with exactly these columns; names are given as their numbers."""
    series = []
    for name, kind in columns.items():
        values = made[name].reshape(-1)
        if isinstance(kind, pl.Enum):
            names = pl.Series(name, kind.categories, dtype=kind)
            series.append(names.gather(values.astype(np.uint32)).alias(name))
            continue
        if kind in NUMPY and values.dtype != NUMPY[kind]:
            if kind != column_buffers.SET:
                check_kept((name,), values.reshape(1, games, -1), np.dtype(NUMPY[kind]), first_game)
            values = values.astype(NUMPY[kind])
        series.append(pl.Series(name, values, dtype=kind))
    return pl.DataFrame(series)


def parquet(frame: pl.DataFrame) -> bytes:
    """A frame as the bytes of a Parquet file; the same frame gives the same bytes."""
    written = io.BytesIO()
    frame.write_parquet(
        written, compression="zstd", compression_level=1, statistics=False, row_group_size=max(len(frame), 1)
    )
    return written.getvalue()


class ChunkContents(NamedTuple):
    """The contents that a chunk is to bring."""

    tables: bool = False  # as Parquet
    summing: Summing | None = None
    columns: Mapping[str, tuple[str, ...]] | None = None  # of some tables, as frames


class Part(NamedTuple):
    """One table of a chunk."""

    rows: int
    sha256: str
    data: bytes


class Chunk(NamedTuple):
    """A chunk that was played."""

    place: ChunkId
    first_game: int
    games: int
    parts: dict[str, Part]  # by table
    sums: Sums | None
    frames: dict[str, pl.DataFrame]  # by table, with the columns that are wanted


def place_of(arm: Arm, number: int) -> tuple[Section, int, int]:
    """The place of a chunk: its section, its first group there, and how many groups it has."""
    section = next(one for one in reversed(arm.sections) if number >= one.first_chunk)
    first = (number - section.first_chunk) * section.chunk_groups
    return section, first, min(section.chunk_groups, section.groups - first)


def play_chunk(
    arm: Arm, place: ChunkId, wanted: ChunkContents, played: Callable[[int], None] | None = None
) -> Chunk:
    """Play a chunk; `played` gets how many games of a block are done, and may raise to stop."""
    section, first_group, groups = place_of(arm, place.number)
    first_game = section.first_game + first_group * section.group_size
    buffers = ColumnBuffers(arm, section, set_ups(arm, section, first_group, groups), first_game)
    _play_into(buffers, played)
    tables = frames(buffers, arm.tables if wanted.tables else ("players",) if wanted.summing else ())
    parts = {}
    for table, frame in tables.items() if wanted.tables else ():
        data = parquet(frame)
        parts[table] = Part(len(frame), hashlib.sha256(data).hexdigest(), data)
    sums = players_summed(arm, tables["players"], wanted.summing) if wanted.summing else None
    some = frames(buffers, tuple(wanted.columns), wanted.columns) if wanted.columns else {}
    return Chunk(place, first_game, len(buffers.set_ups), parts, sums, some)


def _play_into(buffers: ColumnBuffers, played: Callable[[int], None] | None = None) -> None:
    """Play all games of some buffers, block by block."""
    arm = buffers.arm
    memory = memory_for(min(BLOCK, len(buffers.set_ups)))
    for first in range(0, len(buffers.set_ups), BLOCK):
        block = buffers.set_ups[first : first + BLOCK].view(np.recarray)
        if len(block) < len(memory[0]):
            memory = memory_for(len(block))
        try:
            games, ledgers = play_set_ups(arm.rules, block, arm.strategies, memory)
        except StrategyError as failure:
            where = buffers.first_game + first + max(failure.index, 0)
            raise UserError(f"game {where}: {failure}") from None
        buffers.put(first, games, ledgers)
        if played is not None:
            played(len(block))
