"""Strategies: the plug-in contract, loading and checking of plug-ins, the toolkit they use."""

from khora_sim.strategy.contract import Strategy, StrategyError, Traits
from khora_sim.strategy.finding import available
from khora_sim.strategy.loading import load

__all__ = ["Strategy", "StrategyError", "Traits", "available", "load"]
