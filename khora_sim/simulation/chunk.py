"""A chunk: some rotation groups of an arm, played and turned into Parquet, sums or some columns.

A pure function of its arm and its number there.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from khora_sim.errors import UserError
from khora_sim.simulation.column_buffers import ColumnBuffers
from khora_sim.simulation.experiment import Arm, ChunkId, Section
from khora_sim.simulation.frames import frames, parquet
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.summing import Summing, players_summed
from khora_sim.stats.sums import Sums
from khora_sim.strategy.contract import StrategyError
from khora_sim.strategy.games import memory_for, play_set_ups

BLOCK = 1024  # games played between two looks at the clock; their records fit a processor's cache


class ChunkContents(NamedTuple):
    """What a chunk is to bring."""

    tables: bool = False  # as Parquet
    summing: Summing | None = None
    columns: Mapping[str, tuple[str, ...]] | None = None  # of some tables, as frames


class Part(NamedTuple):
    """One table of a chunk."""

    rows: int
    sha256: str
    data: bytes


class Chunk(NamedTuple):
    """What a chunk brought."""

    place: ChunkId
    first_game: int
    games: int
    parts: dict[str, Part]  # by table
    sums: Sums | None
    frames: dict[str, pl.DataFrame]  # by table, with the columns that are wanted


def place_of(arm: Arm, number: int) -> tuple[Section, int, int]:
    """Where a chunk lies: its section, its first group there, and how many groups it has."""
    section = next(one for one in reversed(arm.sections) if number >= one.first_chunk)
    first = (number - section.first_chunk) * section.chunk_groups
    return section, first, min(section.chunk_groups, section.groups - first)


def play_chunk(
    arm: Arm, place: ChunkId, wanted: ChunkContents, played: Callable[[int], None] | None = None
) -> Chunk:
    """Play a chunk; `played` gets how many games of a block are done, and may raise to stop."""
    section, first_group, groups = place_of(arm, place.number)
    first_game = section.first_game + first_group * section.group_size
    sheets = ColumnBuffers(arm, section, set_ups(arm, section, first_group, groups), first_game)
    _play_into(sheets, played)
    tables = frames(sheets, arm.tables if wanted.tables else ("players",) if wanted.summing else ())
    parts = {table: _part(frame) for table, frame in tables.items()} if wanted.tables else {}
    sums = players_summed(arm, tables["players"], wanted.summing) if wanted.summing else None
    some = frames(sheets, tuple(wanted.columns), wanted.columns) if wanted.columns else {}
    return Chunk(place, first_game, len(sheets.set_ups), parts, sums, some)


def _part(frame: pl.DataFrame) -> Part:
    data = parquet(frame)
    return Part(len(frame), hashlib.sha256(data).hexdigest(), data)


def _play_into(sheets: ColumnBuffers, played: Callable[[int], None] | None = None) -> None:
    """Play all games of some sheets, block by block."""
    arm = sheets.arm
    memory = memory_for(min(BLOCK, len(sheets.set_ups)))
    for first in range(0, len(sheets.set_ups), BLOCK):
        block = sheets.set_ups[first : first + BLOCK].view(np.recarray)
        if len(block) < len(memory[0]):
            memory = memory_for(len(block))
        try:
            games, ledgers = play_set_ups(arm.rules, block, arm.strategies, memory)
        except StrategyError as failure:
            where = sheets.first_game + first + max(failure.index, 0)
            raise UserError(f"game {where}: {failure}") from None
        sheets.put(first, games, ledgers)
        if played is not None:
            played(len(block))
