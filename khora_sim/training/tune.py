"""Tuning: weights are searched by CMA-ES, stage by stage, chosen and confirmed on other seeds.

A stage starts from the best of the weights it could start from. Every generation plays on training seeds of
its own, or imitates a teacher at decisions of such games. Then the start and some means of the cloud are
compared on choosing seeds, and the best is taken. What is said of the result comes from judging seeds.
"""

import time
from collections.abc import Callable

import numpy as np

from khora_sim import __version__
from khora_sim.common.seed_ranges import CHOOSING, JUDGING, TRAINING, seed_in
from khora_sim.simulation.crew import Crew
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.made import Made, Step, Strength
from khora_sim.strategy.value.features import STEPS
from khora_sim.training.display import TuningWatch
from khora_sim.training.search import Search
from khora_sim.training.stages import FREE, Stage, start_of, with_free, with_layer
from khora_sim.training.state import Progress, State
from khora_sim.training.trial import shares_won
from khora_sim.training.tuning import SEEDS_EACH, Tuning

MOST_SEED = len(TRAINING) // SEEDS_EACH - 1
SPREAD, SPREAD_IN_CITY = 0.5, 0.3  # of the first cloud, as shares of half a weight
SNAPSHOTS = 4  # means of the cloud that are compared at the end of a stage, beside its start
CONFIRMING_TIMES = 10

Keep = Callable[[State], None]


class Tuner:
    """A tuning at work."""

    def __init__(self, tuning: Tuning, crew: Crew, state: State, keep: Keep, watch: TuningWatch):
        self.tuning, self.crew, self.state, self.keep, self.watch = tuning, crew, state, keep, watch
        self.trial = tuning.trial(crew, watch)
        state.generations = state.generations or tuning.generations()

    def run(self) -> Strategy:
        """Tune every stage, and return the strategy with what was found and how."""
        tuned = self.tuning.starts[0]
        self.watch.expect(self.state.generations, self.tuning)
        for number, stage in enumerate(self.tuning.stages):
            tuned = self._started(number, stage, tuned)
            search = self._search(number, stage, tuned)
            tuned = self._chosen(number, stage, tuned, search)
        return tuned

    def _started(self, number: int, stage: Stage, tuned: Strategy) -> Strategy:
        """The strategy with the weights that do best in a stage: those tuned before, or those of a start."""
        progress = self.state.stages.setdefault(stage.key, Progress())
        rows = [start_of(one, stage) for one in (tuned, *self.tuning.starts)]
        different = list({tuple(row): row for row in rows}.values())
        if len(different) == 1:
            return tuned
        starts = [with_layer(tuned, stage.layer(row)) for row in different]
        if progress.start is None:
            progress.start = self._best(number, stage, starts)
            self.keep(self.state)
        return starts[progress.start % len(starts)]

    def _best(self, number: int, stage: Stage, candidates: list[Strategy]) -> int:
        """Which of some strategies does best in a stage, on choosing seeds."""
        self.watch.choosing(stage)
        return int(np.argmax(self.trial.choosing(stage, candidates, self._seed(CHOOSING, number))))

    def _search(self, number: int, stage: Stage, tuned: Strategy) -> Search:
        """Search the weights of a stage, after what was searched of it before."""
        start, progress = start_of(tuned, stage), self.state.stages[stage.key]
        spread = SPREAD_IN_CITY if stage.city else SPREAD
        luck = self._seed(TRAINING, number)
        search = Search(start[FREE], STEPS[FREE], spread, self.tuning.population, luck)
        for generation in progress.scores:
            search.tell(generation)
        while not self._ends(len(search.scores)):
            began = time.perf_counter()
            self.watch.at(stage, len(search.scores) + 1)
            seed = self._generation_seed(number, len(search.scores))
            candidates = [_with(tuned, stage, start, free) for free in search.ask()]
            search.tell(self.trial.training(stage, candidates, seed))
            progress.scores.append(tuple(search.scores[-1]))
            if self.state.generations is None:
                self.state.seconds += time.perf_counter() - began
            self.keep(self.state)
        return search

    def _ends(self, generations: int) -> bool:
        """Whether a stage has had its share: time ends the first, and the others get as many generations."""
        seconds = self.tuning.budget.seconds
        if self.state.generations is None and seconds is not None and generations > 0:
            if self.state.seconds >= seconds / len(self.tuning.stages):
                self.state.generations = generations
                self.watch.expect(generations, self.tuning)
        return self.state.generations is not None and generations >= self.state.generations

    def _chosen(self, number: int, stage: Stage, tuned: Strategy, search: Search) -> Strategy:
        """The strategy with the best of the start and some means of the cloud."""
        start, progress = start_of(tuned, stage), self.state.stages[stage.key]
        taken = sorted({round(len(search.scores) * part / SNAPSHOTS) for part in range(SNAPSHOTS + 1)})
        if progress.chosen is None:
            candidates = [_with(tuned, stage, start, search.means[one]) for one in taken]
            progress.chosen = taken[self._best(number, stage, candidates)]
            self.keep(self.state)
        return _with(tuned, stage, start, search.means[progress.chosen])

    def made(self, tuned: Strategy, command: str) -> Made:
        """How the result was made, and how strong it is on seeds that had no part in that."""
        tuning, generations = self.tuning, self.state.generations or 0
        step = Step(
            command=command,
            khora=__version__,
            rules=tuning.rules.hash,
            parents=tuning.parents(),
            first_seed=self._generation_seed(0, 0),
            last_seed=self._generation_seed(len(tuning.stages) - 1, generations - 1),
            games=tuning.games_in(generations),
            generations=generations,
            chosen={key: progress.chosen or 0 for key, progress in self.state.stages.items()},
        )
        before = {one.command: one for start in tuning.starts for one in start.made.steps}
        return Made(steps=(*before.values(), step), strength=self._strength(tuned))

    def _strength(self, tuned: Strategy) -> tuple[Strength, ...]:
        found = []
        games, seed = CONFIRMING_TIMES * self.tuning.games, seed_in(JUDGING, self.tuning.seed)
        for players in dict.fromkeys(stage.players for stage in self.tuning.stages):
            table = self.tuning.table(Stage(players), self.crew, self.watch)
            self.watch.confirming(players)
            won = shares_won(table, tuned, games, seed)
            for name, share in zip(dict.fromkeys(table.opponents), won, strict=True):
                ends = {"won": share.value, "low": share.low, "high": share.high}
                rounded = {key: round(value, 4) for key, value in ends.items()}
                found.append(Strength(players=players, against=name, games=share.n, seed=seed, **rounded))
        return tuple(found)

    def _seed(self, seeds: range, number: int) -> int:
        """The seed of a stage in a range."""
        return seed_in(seeds, self.tuning.seed * SEEDS_EACH + number)

    def _generation_seed(self, number: int, generation: int) -> int:
        """The seed of a generation of a stage: one after another through all stages."""
        return self._seed(TRAINING, number * (self.state.generations or 0) + generation)


def _with(strategy: Strategy, stage: Stage, start: np.ndarray, free: np.ndarray) -> Strategy:
    """A strategy with other weights where a stage tunes them."""
    return with_layer(strategy, stage.layer(with_free(start, free)))
