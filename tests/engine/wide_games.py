"""Random games of hostile variants, and the same games where no number can wrap.

    NUMBA_DISABLE_JIT=1 python -m tests.engine.wide_games 0 3     prints how variants 0 and 3 end, a line each

The reference is the same source, uncompiled, with records of 64 bits and limits that only take note.
"""

import json
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from khora_sim.engine import record

PASSED: list[int] = []  # limits passed in the game at hand, where they only take note


class Ended(NamedTuple):
    """How a game ended."""

    faults: list[int]  # what stopped it, if anything did
    digest: str  # of all its numbers; empty for a game that had to stop


def wide(dtype: np.dtype) -> np.dtype:
    """The same record with 64 bits for every number but the seed."""
    fields = []
    for name in dtype.names or ():
        field = dtype[name]
        fields.append((name, "u8" if name == "seed" else "i8", field.shape))
    return np.dtype(fields, align=True)


def without_limits() -> None:
    """Make all numbers wide and every limit take note only; before the rest of the engine is imported."""
    from khora_sim.engine import ledger

    def held(game, before, change, most, fault):
        after = max(int(before) + int(change), 0)
        if after > most:
            game.fault = fault
            PASSED.append(int(fault))
        return after

    record.held = held
    record.GAME = wide(record.GAME)
    record.new_records.__defaults__ = (record.GAME,)
    ledger.LEDGER = wide(ledger.LEDGER)


@cache
def rules_of(variant: int) -> Any:
    """The rules of a hostile variant by its number."""
    from khora_sim.rules import load_rules
    from tests.rules.hostile_variants import hostile_variant_toml

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.toml"
        path.write_text(hostile_variant_toml(variant), encoding="utf-8")
        return load_rules(path)


def play(variant: int) -> Ended:
    """One random game of a variant, for two players and with options of the game by its number."""
    from khora_sim.engine.kernels import kernels
    from khora_sim.engine.ledger import LEDGER
    from khora_sim.engine.match import rules_array
    from khora_sim.engine.record import new_records
    from khora_sim.engine.seat import Player
    from tests.engine.random_games import digest, set_ups, table

    PASSED.clear()
    games, ledgers = new_records(1), new_records(2, LEDGER)
    given = set_ups(range(variant, variant + 1), 2, variant % 16)
    tables = rules_array(rules_of(variant))
    kernels().play_games(games, ledgers, tables, given, *table(Player(kernels().indifferent_address)))
    fault = int(games[0].fault)
    if fault:
        return Ended(sorted({fault, *PASSED}), "")
    return Ended([], digest(games, ledgers[:-1]))


if __name__ == "__main__":
    without_limits()
    for number in sys.argv[1:]:
        print(json.dumps(play(int(number))))
