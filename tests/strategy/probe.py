"""A probe: toolkit functions, compiled, asked about one position; their answers are read as ratings."""

from pathlib import Path

import numpy as np

from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import Match
from khora_sim.engine.play import DESK
from khora_sim.engine.record import new_records
from khora_sim.strategy import asking, load
from tests.strategy.plug_ins import write_plug_in


def ratings(strategy, match: Match, options: list[int]) -> np.ndarray:
    """What a compiled strategy thinks of the options of a decision."""
    room = MAX_OPTIONS
    games, desk, scraps = new_records(1), new_records(DESK), new_records(1, LEDGER)
    games[0] = match.game
    out, scores = np.zeros(room, np.int16), np.zeros(room)
    out[: len(options)] = options
    asking.compile_now()(
        games,
        match.tables,
        out,
        len(options),
        desk,
        scraps,
        scores,
        kernels().run_address,
        strategy.rate,
        strategy.parameters(match.rules),
        True,
    )
    assert not desk.view(np.uint8).reshape(DESK, -1)[1:].any(), "something was left on the desk"
    return scores[: len(options)]


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
