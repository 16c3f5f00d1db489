"""Functions that are not generated yet."""

from khora_sim.api.players import check_strategy
from khora_sim.api.rule_changes import what_if

__all__ = ["check_strategy", "what_if"]
