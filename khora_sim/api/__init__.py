"""Functions that are not generated yet."""

from khora_sim.api.making_players import learn, tune
from khora_sim.api.players import check_strategy
from khora_sim.api.rule_changes import what_if
from khora_sim.api.sweeps import balance, sweep

__all__ = ["balance", "check_strategy", "learn", "sweep", "tune", "what_if"]
