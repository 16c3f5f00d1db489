"""CMA-ES: a cloud of candidates that moves and stretches towards those that do best.

The search is a pure function of its start, its seed and the scores it was given. So it is kept as these
scores alone: given again, they lead to the same cloud.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cmaes import CMA
from pydantic import BaseModel, ConfigDict, Field

from khora_sim import __version__
from khora_sim.common.checking import checked
from khora_sim.common.files import explain_write_errors, read_json, write_atomically
from khora_sim.common.progress import Continued, Progress
from khora_sim.common.seed_ranges import CHOOSING, JUDGING, TRAINING, seed_in
from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.simulation.backend import Crew
from khora_sim.strategy.contract import Made, Step, Strategy, Strength, strategy_name
from khora_sim.strategy.value.features import STEPS
from khora_sim.strategy.weight_layers import Layer
from khora_sim.training.trial import FREE, Stage, shares_won, start_of, with_free, with_layer
from khora_sim.training.tuning import SEEDS_EACH, Tuning


class Search:
    """A search over vectors of numbers, from one of them; greater scores are better.

    A number is moved by about half of what it is at the start, and by `steps` at least.
    """

    def __init__(self, start: np.ndarray, steps: np.ndarray, spread: float, population: int, seed: int):
        self.start = start
        self.scale = np.maximum(np.abs(start) / 2, steps)
        self.scores: list[list[float]] = []
        self.means = [start]  # after so many generations
        self._cloud = CMA(np.zeros(len(start)), spread, population_size=population, seed=seed)
        self._asked: list[np.ndarray] = []

    def ask(self) -> list[np.ndarray]:
        """The candidates of the next generation."""
        if not self._asked:
            self._asked = [self._cloud.ask() for _ in range(self._cloud.population_size)]
        return [self.start + self.scale * one for one in self._asked]

    def tell(self, scores: Sequence[float]) -> None:
        """What the candidates asked for are worth; the cloud moves."""
        self.ask()
        self._cloud.tell([(one, -score) for one, score in zip(self._asked, scores, strict=True)])
        self._asked = []
        self.scores.append(list(scores))
        self.means.append(self.start + self.scale * self._cloud.mean)


# The state of a tuning that is not finished: what every generation scored, in a file beside the result.


Score = Annotated[float, Field(ge=-2, le=2)]
Scores = Annotated[tuple[Score, ...], Field(min_length=2)]


class StageState(BaseModel):
    """How far a stage has come."""

    model_config = ConfigDict(extra="forbid")

    scores: Annotated[list[Scores], Field(description="lists of scores, one for each generation")] = []
    start: Annotated[int, Field(ge=0)] | None = None  # which of several starts it has taken
    chosen: Annotated[int, Field(ge=0)] | None = None  # the generation whose mean is taken


class State(BaseModel):
    """What has been done of a tuning."""

    model_config = ConfigDict(extra="forbid")

    asked: str  # a hash of all that decides the result
    generations: Annotated[int, Field(ge=1)] | None = None  # of each stage, once it is known
    seconds: Annotated[float, Field(ge=0)] = 0.0  # that the first stage has taken
    stages: Annotated[dict[str, StageState], Field(description="a table of stages with their scores")] = {}


def state_path(out: Path) -> Path:
    """Where the state of a tuning lies."""
    return out.with_name(f"{out.stem}.tuning.json")


def write_state(path: Path, state: State) -> None:
    """Write the state whole."""
    with explain_write_errors(path, "choose another --out"):
        write_atomically(path, state.model_dump_json().encode())


def read_state(path: Path, asked: str, population: int) -> State:
    """The state of a tuning that goes on, if it is the same tuning and makes sense."""
    state = checked(State, read_json(path, "the state of a tuning"), str(path))
    if state.asked != asked:
        raise UserError(
            f"{path}: belongs to a tuning with other options, rules or players; "
            "ask for the same again, or choose another --out"
        )
    for key, progress in state.stages.items():
        if any(len(scores) != population for scores in progress.scores):
            raise UserError(f"{path}: stages.{key}.scores: expected {population} in each generation")
        if (progress.chosen or 0) > len(progress.scores):
            raise UserError(f"{path}: stages.{key}.chosen: expected at most {len(progress.scores)}")
    return state


# A tuned strategy as a weights file.


HEAD = '''text = """
{text}
"""

[traits]
name = {name}
family = "own"
summary = {summary}
deterministic = true
source = {source}
'''


def write_weights(path: Path, tuned: Strategy, made: Made) -> None:
    """Write a tuned strategy to a file; it is named after the file."""
    with explain_write_errors(path, "choose another --out"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, weights_text(strategy_name(path), tuned, made).encode())


def weights_text(name: str, tuned: Strategy, made: Made) -> str:
    """The file of a tuned strategy."""
    step = made.steps[-1]
    start, *_ = [parent.rpartition(" ")[0] for parent in step.parents]
    against = listed(list(dict.fromkeys(one.against for one in made.strength)))
    text = (
        f"The evaluator with the weights of {start}, tuned against {against}.\n\n"
        "Its numbers were found by search and chosen by the games they won, so they explain nothing by\n"
        "themselves; the table [made] says how to find them again."
    )
    head = HEAD.format(
        text=text,
        name=_value(name),
        summary=_value(f"Weights tuned from {start}"[:100]),
        source=_value("CMA-ES on games against other strategies"),
    )
    return "\n".join([head, *(_table(_place(layer), layer.weights) for layer in tuned.layers), *_made(made)])


def _place(layer: Layer) -> str:
    """The table of a weights file in which a layer stands."""
    where = f"cities.{layer.city}" if layer.city else "weights"
    table = where if layer.players is None else f"players.{layer.players}.{where}"
    return table if layer.part is None else f"{table}.{layer.part}"


def _made(made: Made) -> Iterator[str]:
    for step in made.steps:
        yield _table("made.steps", step.model_dump(), several=True)
    for strength in made.strength:
        yield _table("made.strength", strength.model_dump(), several=True)


def _table(name: str, values: Mapping[str, Any], *, several: bool = False) -> str:
    head = f"[[{name}]]" if several else f"[{name}]"
    return "\n".join([head, *(f"{key} = {_value(value)}" for key, value in values.items()), ""])


def _value(value: Any) -> str:
    """A value as TOML; of texts JSON's spelling is also TOML's."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


# Tuning: weights are searched by CMA-ES, stage by stage, chosen and confirmed on other seeds.
#
# A stage starts from the best of the weights it could start from. Every generation plays on training seeds of
# its own, or imitates a teacher at decisions of such games. Then the start and some means of the cloud are
# compared on choosing seeds, and the best is taken. What is said of the result comes from judging seeds.


MOST_SEED = len(TRAINING) // SEEDS_EACH - 1
SPREAD, SPREAD_IN_CITY = 0.5, 0.3  # of the first cloud, as shares of half a weight
SNAPSHOTS = 4  # means of the cloud that are compared at the end of a stage, beside its start
CONFIRMING_TIMES = 10

Keep = Callable[[State], None]


class Tuner:
    """A tuning at work."""

    def __init__(self, tuning: Tuning, crew: Crew, state: State, keep: Keep, progress: Progress):
        self.tuning, self.crew, self.state, self.keep, self.progress = tuning, crew, state, keep, progress
        self.trial = tuning.trial(crew, Continued(progress))
        state.generations = state.generations or tuning.generations()

    def run(self) -> Strategy:
        """Tune every stage, and return the strategy with what was found and how."""
        tuned = self.tuning.starts[0]
        self._expect(self.state.generations)
        for number, stage in enumerate(self.tuning.stages):
            tuned = self._started(number, stage, tuned)
            search = self._search(number, stage, tuned)
            tuned = self._chosen(number, stage, tuned, search)
        return tuned

    def _expect(self, generations: int | None) -> None:
        """Begin the bar, which ends after so many generations of each stage if that is known."""
        self.progress.begin("", None if generations is None else self.tuning.games_in(generations))

    def _started(self, number: int, stage: Stage, tuned: Strategy) -> Strategy:
        """The strategy with the weights that do best in a stage: those tuned before, or those of a start."""
        progress = self.state.stages.setdefault(stage.key, StageState())
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
        self.progress.note(f"{stage}: choosing")
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
            of = f" of {self.state.generations}" if self.state.generations else ""
            self.progress.note(f"{stage}: generation {len(search.scores) + 1}{of}")
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
                self._expect(generations)
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
            table = self.tuning.table(Stage(players), self.crew)
            self.progress.note(f"{players} players: measuring the result")
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
