"""A probe: toolkit functions, compiled, asked about one position; their answers are read as ratings."""

from pathlib import Path

import numpy as np

from khora_sim.engine.kernels import kernels
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import Match
from khora_sim.engine.record import new_records
from khora_sim.engine.seat import Seats
from khora_sim.strategy import load
from tests.strategy.plug_ins import write_plug_in


def ratings(strategy, match: Match, options: list[int]) -> np.ndarray:
    """What a compiled strategy thinks of the options of a decision."""
    return ratings_in(strategy, match.rules, match.tables, match.game, options)


def ratings_in(strategy, rules, tables, game, options: list[int]) -> np.ndarray:
    """What a compiled strategy thinks of options of the decision that waits in a record."""
    games, out = new_records(1), np.zeros(MAX_OPTIONS, np.int16)
    games[0] = game
    out[: len(options)] = options
    seats = Seats([strategy.player(rules)], kernels().run_address)
    me = int(games[0].agenda[games[0].agenda_size - 1][1])
    kernels().ask(games, 0, tables, out, len(options), seats.records, me)
    assert not seats.spares.view(np.uint8).any(), "something was left in the spare games"
    return seats.ratings[: len(options)]


def write_probe(folder: Path, name: str, *questions: str):
    """A strategy that answers questions (in Python, compiled) instead of rating options."""
    lines = "\n".join(f"        scores[{number}] = {question}" for number, question in enumerate(questions))
    body = f"""
    @rule
    def rate(view, options, scores):
        scores[:] = 0.0
{lines}
    """
    return load(str(write_plug_in(folder, name, body)))
