"""What a tuning is asked for, settled before a game is played."""

import hashlib
import json
from dataclasses import dataclass

from khora_sim import __version__
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Crew
from khora_sim.strategy import load
from khora_sim.strategy.contract import Strategy
from khora_sim.training.budget import Budget
from khora_sim.training.imitation import GENERATIONS, Imitation
from khora_sim.training.trial import Games, Stage, Table, Trial, games_each, table_of

SEEDS_EACH = 100_000  # for every number that a tuning's seed can be; generations take one after another


@dataclass(frozen=True)
class Tuning:
    """One tuning: it decides every digit of the result, a budget in time aside."""

    starts: tuple[Strategy, ...]  # the first is the one that is changed
    opponents: tuple[str, ...]  # as they are typed
    rules: Rules
    stages: tuple[Stage, ...]
    budget: Budget
    games: int  # of a candidate in a generation
    population: int
    seed: int  # a number, of which the seeds of training, choosing and judging follow
    teacher: Strategy | None = None  # whom candidates imitate; None: they win games

    @property
    def digest(self) -> str:
        """A hash of all that decides the result."""
        decides = {
            "khora": __version__,
            "starts": [start.digest for start in self.starts],
            "opponents": self.opponents_named(),
            "rules": [self.rules.version, self.rules.to_toml()],
            "stages": self.stages,
            "numbers": [str(self.budget), self.games, self.population, self.seed],
        }
        if self.teacher is not None:
            decides["teacher"] = self.teacher.digest
        return hashlib.sha256(json.dumps(decides).encode()).hexdigest()

    def parents(self) -> tuple[str, ...]:
        """What it starts from, its teacher, then the opponents, each with its digest."""
        known = [*self.starts, *([self.teacher] if self.teacher is not None else [])]
        return (*(f"{one.name} {one.digest}" for one in known), *self.opponents_named())

    def opponents_named(self) -> list[str]:
        """The opponents, each with its digest."""
        return [f"{name} {load(name).digest}" for name in self.opponents]

    def table(self, stage: Stage, crew: Crew, progress: Progress | None = None) -> Table:
        """Where the strength of the result is measured, or candidates are tried."""
        return table_of(stage, self.rules, self.opponents, crew, progress)

    def trial(self, crew: Crew, progress: Progress | None = None) -> Trial:
        """How candidates are compared."""
        if self.teacher is None:
            return Games(self.rules, self.opponents, self.games, crew, progress)
        games, first = self.budget.games or 0, self.seed * SEEDS_EACH
        return Imitation(self.rules, self.teacher, self.starts[0], games, first, crew, progress)

    def games_of(self, stage: Stage) -> int:
        """Games of one generation of a stage."""
        return self.population * games_each(self.table(stage, Crew("threads", 1)), self.games)

    @property
    def games_of_all(self) -> int:
        """Games of one generation of every stage."""
        return sum(self.games_of(stage) for stage in self.stages)

    def games_in(self, generations: int | None) -> int:
        """Games of training, in so many generations of every stage; a teacher's lesson is played once."""
        if self.teacher is not None:
            return (self.budget.games or 0) * len({stage.players for stage in self.stages})
        return (generations or 0) * self.games_of_all

    def generations(self) -> int | None:
        """Generations of each stage by the budget; None where time decides."""
        if self.teacher is not None:
            return GENERATIONS
        if self.budget.games is None:
            return None
        if self.budget.games < self.games_of_all:
            raise UserError(
                f"--budget {self.budget}: one generation of every stage takes {self.games_of_all:,} games; "
                "allow more, or tune fewer cities, with fewer --games or a smaller --population"
            )
        return self.budget.games // self.games_of_all
