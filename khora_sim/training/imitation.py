"""Candidates tried by what they would do: the decisions of a teacher's lesson instead of games to win.

A teacher that looks ahead is asked at every decision of some games. A candidate is worth the less, the more
of its chance to win it would lose there by choosing otherwise. That tells candidates apart with far fewer
games than winning does, and lets weights be found for every part of the game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from khora_sim.common.seed_ranges import CHOOSING, TRAINING, seed_in
from khora_sim.errors import UserError
from khora_sim.simulation.crew import Crew
from khora_sim.simulation.run import Watch
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.evaluator.player import THIRDS
from khora_sim.strategy.value.features import PARTS
from khora_sim.training.decisions import (
    Decisions,
    Pupil,
    collect,
    compile_choosing,
    compile_collecting,
    joined,
)
from khora_sim.training.stages import Stage

GENERATIONS = 100  # of each stage
BATCH = 4_000  # decisions that the candidates of a generation are tried at; the next one takes others
AT_ONCE = 20  # games that a worker plays
CHOOSING_SHARE = 4  # one game of choosing for so many of training
PUPILS = 2  # so often the player that is tuned sits among those who play, beside the teacher
SEED = 80_000  # of the seeds that a tuning has: generations have those before it


@dataclass
class Imitation:
    """Trials at the decisions of a teacher's lesson, one lesson for each number of players."""

    rules: Rules
    teacher: Strategy
    start: Strategy  # who plays the games, beside the teacher
    games: int
    first_number: int  # of the seeds of this tuning
    crew: Crew
    watch: Watch | None = None
    lessons: dict[tuple[int, str], Decisions] = field(default_factory=dict)
    stages: dict[tuple[Stage, str], Decisions] = field(default_factory=dict)

    def training(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """What candidates are worth at a batch of the decisions; the next seed takes the next batch."""
        decisions = self._of_stage(stage, "training")
        batches = max(1, len(decisions) // BATCH)
        chosen = np.arange(len(decisions)) % batches == seed % batches
        return self._scores(decisions.where(chosen), candidates)

    def choosing(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """What candidates are worth at all decisions of games that nothing was learned from."""
        return self._scores(self._of_stage(stage, "choosing"), candidates)

    def _scores(self, decisions: Decisions, candidates: Sequence[Strategy]) -> list[float]:
        """Minus what each candidate loses a decision; a worker takes every so many-th of them."""
        from joblib import Parallel, delayed

        def losses(first: int) -> list[float]:
            pupil = Pupil(self.rules, decisions, candidates[first])
            return [pupil.loss(one) for one in candidates[first :: self.crew.workers]]

        compile_choosing()
        workers = range(min(self.crew.workers, len(candidates)))
        with self.crew.at_work():
            found = list(Parallel(n_jobs=self.crew.workers, batch_size=1)(map(delayed(losses), workers)))
        return [-found[place % len(found)][place // len(found)] for place in range(len(candidates))]

    def _of_stage(self, stage: Stage, purpose: str) -> Decisions:
        """The decisions that the weights of a stage have a say in."""
        if (stage, purpose) not in self.stages:
            whole = self._lesson(stage.players, purpose)
            chosen = np.ones(len(whole), bool)
            if stage.city is not None:
                chosen &= whole.cities == self.rules.city_ids.index(stage.city)
            if stage.part is not None:
                chosen &= third_of(whole, self.rules) == PARTS.index(stage.part)
            if not chosen.any():
                raise UserError(f"{stage}: the games have no decision there; ask for a larger --budget")
            self.stages[stage, purpose] = whole.where(chosen)
        return self.stages[stage, purpose]

    def _lesson(self, players: int, purpose: str) -> Decisions:
        """The decisions of all games of one purpose at tables of so many."""
        from joblib import Parallel, delayed

        if (players, purpose) not in self.lessons:
            seeds = TRAINING if purpose == "training" else CHOOSING
            seed = seed_in(seeds, self.first_number + SEED + players)
            games = self.games if purpose == "training" else -(-self.games // CHOOSING_SHARE)
            pool = [self.teacher, *[self.start] * PUPILS]

            def lesson(first: int) -> Decisions:
                count = min(AT_ONCE, games - first)
                found = collect(self.rules, self.teacher, pool, players, seed, first, count)
                if self.watch is not None:
                    self.watch.played(count)
                return found

            compile_collecting()
            with self.crew.at_work():
                parts = Parallel(n_jobs=self.crew.workers, batch_size=1)(
                    delayed(lesson)(first) for first in range(0, games, AT_ONCE)
                )
            self.lessons[players, purpose] = joined(list(parts))
        return self.lessons[players, purpose]


def third_of(decisions: Decisions, rules: Rules) -> np.ndarray:
    """Which third of the game each decision belongs to, as the evaluator counts them."""
    played = np.maximum(decisions.games["round_number"].astype(np.int64) - 1, 0)
    rounds = int(rules.tables.rounds)
    return np.asarray((played * THIRDS >= rounds).astype(int) + (played * THIRDS >= 2 * rounds))
