"""A player made for one city against a table of a strategy: the best response that training finds.

Against a player with a learned value that value goes on learning there; against all others weights are tuned.
"""

import re
from pathlib import Path
from typing import NamedTuple

from khora_sim.analyses.challengers import LEARNED, TUNED, Challenger
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Crew
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.learned.value import read_learned
from khora_sim.strategy.loading import LEARNED as LEARNED_FILE
from khora_sim.strategy.parameters import split_spec
from khora_sim.training import tune
from khora_sim.training.learn import Learning, finish
from khora_sim.training.making import budget_of
from khora_sim.training.positions import OneCity
from khora_sim.training.tune import TuneOptions

BUDGET = "20000games"
NO_BUDGET = "none"
NOTHING_LEARNED = "no lesson did better at the positions held out; a larger --budget may"
GAMES, POPULATION = 100, 20  # of a generation
START = "expert"  # where the strategy is not made of weights


class Response(NamedTuple):
    """What is answered: a strategy in all other seats, while somebody trains to play one city."""

    strategy: Strategy
    rules: Rules
    city: str
    players: int
    budget: str | None  # None: the usual one
    seed: int

    @property
    def city_name(self) -> str:
        """The city in words."""
        return self.rules.city_names[self.rules.city_ids.index(self.city)]

    def path(self, folder: Path, file: str) -> Path:
        """The file of the player that is made for the city."""
        return folder / file.format(re.sub(r"[^a-z0-9]", "_", self.city))


def check_budget(budget: str | None) -> None:
    """Refuse a budget that nothing can be tuned with."""
    if budget is None or budget == NO_BUDGET:
        return
    games, least = budget_of(budget).games, GAMES * POPULATION
    if games is not None and games < least:
        raise UserError(f"--budget {budget}: tuning takes {least:,} games or more in each city; or type none")


def why_not_made(strategy: Strategy, budget: str | None) -> str:
    """Why no player is made for the city, if none is."""
    if strategy.rate is None:
        return f"{strategy.name} is plain Python; training needs thousands of its games"
    if budget == NO_BUDGET:
        return "--budget none"
    if budget is None and strategy.policies:
        return (
            f"{strategy.name} searches, so games are slow; --budget 10min spends as much in each city on it"
        )
    return ""


def made(asked: Response, folder: Path, workers: int, progress: Progress) -> Challenger | None:
    """A player made for the city, whose file is kept in a folder; it is made now unless it is there.

    None where nothing was learned: the player would be the strategy itself.
    """
    if asked.strategy.learned is not None:
        return _learned(asked, folder, workers, progress)
    return _tuned(asked, folder, workers, progress)


def _tuned(asked: Response, folder: Path, workers: int, progress: Progress) -> Challenger:
    strategy, city = asked.strategy, asked.city
    start = strategy.name if strategy.kind == "weights" else START
    path = asked.path(folder, "tuned_{}.toml")
    if not path.exists():
        options = TuneOptions(
            start=(start,),
            against=(strategy.name,),
            players=(asked.players,),
            cities=(city,),
            budget=asked.budget or BUDGET,
            games=GAMES,
            population=POPULATION,
            seed=asked.seed,
            out=path,
            resume=True,
        )
        tune.MAKER.make(options, asked.rules, Crew("threads", workers), progress)
    return Challenger(TUNED, f"weights of {start} tuned for {asked.city_name}", str(path))


def _learned(asked: Response, folder: Path, workers: int, progress: Progress) -> Challenger | None:
    strategy, parent = asked.strategy, asked.strategy.learned
    assert parent is not None
    path = asked.path(folder, "learned_{}.npz")
    if not path.exists():
        budget, one_city = budget_of(asked.budget or BUDGET), OneCity(asked.city, strategy)
        learning = Learning(asked.rules, (asked.players,), budget, asked.seed, parent, one_city)
        finish(learning, path, Crew("threads", workers), progress)
    if read_learned(path).says_the_same(parent, asked.players):
        return None
    name, settings = split_spec(strategy.name)
    others = [f"{key}={value}" for key, value in settings.items() if key != LEARNED_FILE]
    spec = ":".join([name, f"{LEARNED_FILE}={path}", *others])
    return Challenger(LEARNED, f"value learned for {asked.city_name}", spec)
