"""Playing games between strategies, compiled or not."""

from collections.abc import Sequence

import numpy as np

from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.match import rules_array
from khora_sim.engine.play import DESK
from khora_sim.engine.record import new_records
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy, StrategyError


def play_set_ups(
    rules: Rules, set_ups: np.recarray, strategies: Sequence[Strategy]
) -> tuple[np.recarray, np.recarray]:
    """Play all games of an array of set-ups, whose `lineup` counts in the list of strategies."""
    engine = kernels()
    games = new_records(len(set_ups))
    ledgers = new_records(len(set_ups) + 1, LEDGER)
    done = engine.play_games(
        games,
        ledgers,
        rules_array(rules),
        set_ups,
        new_records(DESK),
        new_records(1, LEDGER),
        np.zeros(MAX_OPTIONS, np.int16),
        np.zeros(MAX_OPTIONS),
        engine.run_address,
        np.array([strategy.rate for strategy in strategies]),
        np.array([strategy.parameters(rules) for strategy in strategies]),
        np.array([strategy.deterministic for strategy in strategies], np.int8),
    )
    if done < len(set_ups):
        raise StrategyError("a strategy gave no number", done)
    return games, ledgers[:-1]
