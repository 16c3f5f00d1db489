"""Weights tuned for one city against a table of a strategy: the best response that the evaluator finds."""

import re
from pathlib import Path
from typing import NamedTuple

from khora_sim.errors import UserError
from khora_sim.questions.challengers import TUNED, Challenger
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy
from khora_sim.training.ask import Asked, tune
from khora_sim.training.budget import budget_of
from khora_sim.training.display import TuningWatch

BUDGET = "20000games"
NO_BUDGET = "none"
GAMES, POPULATION = 100, 20  # of a generation
START = "expert"  # where the strategy is not made of weights


class Response(NamedTuple):
    """What is answered: a strategy in all other seats, while one city is tuned."""

    strategy: Strategy
    rules: Rules
    city: str
    players: int
    budget: str | None  # None: the usual one
    seed: int


def check_budget(budget: str | None) -> None:
    """Refuse a budget that nothing can be tuned with."""
    if budget is None or budget == NO_BUDGET:
        return
    games, least = budget_of(budget).games, GAMES * POPULATION
    if games is not None and games < least:
        raise UserError(f"--budget {budget}: tuning takes {least:,} games or more in each city; or type none")


def why_not_tuned(strategy: Strategy, budget: str | None) -> str:
    """Why no weights are tuned against a strategy, if none are."""
    if strategy.rate is None:
        return f"{strategy.name} is plain Python; tuning needs thousands of its games"
    if budget == NO_BUDGET:
        return "--budget none"
    if budget is None and strategy.policies:
        return (
            f"{strategy.name} searches, so games are slow; --budget 10min spends as much in each city on it"
        )
    return ""


def tuned(asked: Response, folder: Path, workers: int, watch: TuningWatch) -> Challenger:
    """Weights in a folder that were tuned for the city; they are tuned now unless they are there."""
    strategy, city = asked.strategy, asked.city
    start = strategy.name if strategy.kind == "weights" else START
    path = folder / f"tuned_{re.sub(r'[^a-z0-9]', '_', city)}.toml"
    if not path.exists():
        numbers = (asked.budget or BUDGET, GAMES, POPULATION, asked.seed)
        options = Asked(start, strategy.name, asked.players, (city,), *numbers)
        tune(options, asked.rules, None, path, workers, resume=True, watch=watch)
    name = asked.rules.city_names[asked.rules.city_ids.index(city)]
    return Challenger(TUNED, f"weights of {start} tuned for {name}", str(path))
