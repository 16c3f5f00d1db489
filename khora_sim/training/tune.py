"""`khora tune`: weights of the evaluator are searched by CMA-ES, stage by stage, and written as a strategy.

A stage starts from the best of the weights it could start from. Every generation plays on training seeds of
its own, or imitates a teacher at decisions of such games. Then the start and some means of the cloud are
compared on choosing seeds, and the best is taken. The strength of the result is measured on judging seeds.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from cmaes import CMA
from pydantic import BaseModel, ConfigDict, Field

from khora_sim import __version__
from khora_sim.common.command_options import Count, Flag, Names
from khora_sim.common.commands import showing_strategy
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.common.progress import Continued, Progress
from khora_sim.common.seed_ranges import CHOOSING, JUDGING, TRAINING, seed_in
from khora_sim.common.wording import listed
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend
from khora_sim.simulation.run_dir import RulesFile
from khora_sim.simulation.study_file import MOST_STRATEGIES
from khora_sim.strategy import load
from khora_sim.strategy.contract import Made, Step, Strategy, Strength, strategy_name
from khora_sim.strategy.loading import describe
from khora_sim.strategy.value.features import STEPS
from khora_sim.strategy.weight_layers import Layer
from khora_sim.training.imitation import GENERATIONS, Imitation
from khora_sim.training.making import (
    Budget,
    MadeFile,
    Maker,
    MakerOptions,
    MakingSeed,
    State,
    TableSizes,
    budget_of,
    check_same,
    read_state,
    table_sizes,
    write_state,
)
from khora_sim.training.trial import (
    FREE,
    Games,
    Stage,
    Table,
    Trial,
    games_each,
    in_parts,
    shares_won,
    stages_of,
    start_of,
    table_of,
    with_free,
    with_layer,
)

SEEDS_EACH = 100_000  # for every number that a tuning's seed can be; generations take one after another
MOST_SEED = len(TRAINING) // SEEDS_EACH - 1
SPREAD, SPREAD_IN_CITY = 0.5, 0.3  # of the first cloud, as shares of half a weight
SNAPSHOTS = 4  # means of the cloud that are compared at the end of a stage, beside its start
CONFIRMING_TIMES = 10
BUDGET, TEACHER_BUDGET = "10min", "1000games"  # the usual ones, without and with a teacher
LEAST_POPULATION = 4  # with fewer, CMA-ES has nobody to prefer to whom


class TuneOptions(MakerOptions):
    """Candidates of a generation meet the same dice and deals, and the next generation meets others.

    The result is chosen and measured on seeds that had no part in the search.
    """

    command = "tune"
    ending: ClassVar[str] = ".toml"
    contents: ClassVar[str] = "the weights"

    rules: RulesFile = None
    start: Annotated[
        Names,
        Flag(
            "Weights to start from; of several, each stage takes those that do best in it.",
            metavar="NAMES",
            strategies=True,
        ),
    ] = ("steward",)
    against: Annotated[
        Names,
        Flag(
            "Opponents, dealt to the other seats. One named twice comes twice as often.",
            metavar="NAMES",
            strategies=True,
        ),
    ] = ("steward", "expert")
    players: TableSizes = (4,)
    cities: Annotated[
        Names,
        Flag(
            "all: general weights, then those of every city from them; none: general ones only; or those of "
            "these cities, from what they are at the start.",
            metavar="all|none|CITIES",
        ),
    ] = ("all",)
    budget: Annotated[
        str | None,
        Flag(
            "What training may take: 700000games, 90s, 10min or 2h; choosing and measuring come on top. With "
            "a teacher: the games in which it is asked.",
            metavar="GAMES|TIME",
            default=f"{BUDGET}, with a teacher {TEACHER_BUDGET}",
        ),
    ] = None
    games: Annotated[Count, Flag("Games of a candidate in each generation.", metavar="N")] = 400
    population: Annotated[
        int,
        Flag("Candidates of a generation.", metavar="N"),
        Field(ge=LEAST_POPULATION, description=f"a whole number from {LEAST_POPULATION}"),
    ] = 20
    seed: Annotated[MakingSeed, Field(le=MOST_SEED, description=f"a whole number from 0 to {MOST_SEED}")] = 0
    teacher: Annotated[
        str | None,
        Flag(
            "Imitate this strategy, which looks ahead: sage. Weights are searched by its choices in some "
            "games, for every third of the game, instead of by games won.",
            metavar="NAME",
            strategies=True,
        ),
    ] = None
    thirds: Annotated[
        bool,
        Flag(
            "Weights for every third of the game by itself, as expert has them; of cities alone, where any "
            "are tuned."
        ),
    ] = False

    def check(self) -> None:
        """Refuse what can be refused without rules or strategies."""
        if not strategy_name(self.out):
            raise UserError(f"--out {self.out}: expected a name before {self.ending}")
        if not self.start:
            raise UserError("--start: none is named; name a strategy made of weights, such as steward")
        if not 0 < len(self.against) < MOST_STRATEGIES:
            raise UserError(
                f"--against: {len(self.against)} are named; expected 1 to {MOST_STRATEGIES - 1} strategies"
            )
        if not self.cities:
            raise UserError("--cities: none is named; expected all, none or the ids of cities")
        _ = self.allowed

    @property
    def allowed(self) -> Budget:
        """The budget that is given, or the usual one; a teacher's lesson is counted in games."""
        budget = budget_of(self.budget or (BUDGET if self.teacher is None else TEACHER_BUDGET))
        if self.teacher is not None and budget.games is None:
            raise UserError(
                f"--budget {budget}: with --teacher, expected a number of games: {TEACHER_BUDGET}"
            )
        return budget


class Tuned(MadeFile):
    """A tuned strategy that was written."""

    made: Made  # its last step is this tuning


class Search:
    """CMA-ES: a cloud of candidates that moves and stretches towards those that do best.

    It is a pure function of its start, its seed and the scores it was given. So it is kept as these scores
    alone: given again, they lead to the same cloud. Greater scores are better. A number is moved by about
    half of what it is at the start, and by `steps` at least.
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
        """Move the cloud by the scores of the candidates."""
        self.ask()
        self._cloud.tell([(one, -score) for one, score in zip(self._asked, scores, strict=True)])
        self._asked = []
        self.scores.append(list(scores))
        self.means.append(self.start + self.scale * self._cloud.mean)


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

    def identity(self) -> dict[str, Any]:
        """All that decides the result, for a stopped tuning to be continued by the same one only."""
        parents = [parent.rpartition(" ") for parent in self.parents()]
        return {
            "khora": __version__,
            "version of the rules": f"{self.rules.hash} {self.rules.version}",
            **{f"version of {name}": digest for name, _, digest in parents},
            "stages": [stage.key for stage in self.stages],
            "budget": str(self.budget),
            **{name: getattr(self, name) for name in ("games", "population", "seed")},
        }

    def parents(self) -> tuple[str, ...]:
        """The strategies it starts from, its teacher, then the opponents, each with its digest."""
        known = [*self.starts, *([self.teacher] if self.teacher is not None else [])]
        named = [(one.name, one) for one in known] + [(name, load(name)) for name in self.opponents]
        return tuple(f"{name} {strategy.digest}" for name, strategy in named)

    def table(self, stage: Stage, backend: Backend, progress: Progress | None = None) -> Table:
        """The table where the strength of the result is measured, or candidates are tried."""
        return table_of(stage, self.rules, self.opponents, backend, progress)

    def trial(self, backend: Backend, progress: Progress | None = None) -> Trial:
        """The comparison of candidates: by games won, or by the choices of a teacher."""
        if self.teacher is None:
            return Games(self.rules, self.opponents, self.games, backend, progress)
        games, first = self.budget.games or 0, self.seed * SEEDS_EACH
        return Imitation(self.rules, self.teacher, self.starts[0], games, first, backend, progress)

    @property
    def games_of_all(self) -> int:
        """Games of one generation of every stage."""
        tables = [self.table(stage, Backend("threads", 1)) for stage in self.stages]
        return self.population * sum(games_each(table, self.games) for table in tables)

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


Score = Annotated[float, Field(ge=-2, le=2)]
Scores = Annotated[tuple[Score, ...], Field(min_length=2)]


class StageState(BaseModel):
    """The progress of a stage."""

    model_config = ConfigDict(extra="forbid")

    scores: Annotated[list[Scores], Field(description="lists of scores, one for each generation")] = []
    start: Annotated[int, Field(ge=0)] | None = None  # which of several starts it has taken
    chosen: Annotated[int, Field(ge=0)] | None = None  # the generation whose mean is taken


class TuneState(State):
    """A tuning so far: the scores of every generation, in a file beside the result."""

    generations: Annotated[int, Field(ge=1)] | None = None  # of each stage, once it is known
    seconds: Annotated[float, Field(ge=0)] = 0.0  # that the first stage has taken
    stages: dict[str, StageState] = Field(
        default_factory=dict, description="a table of stages with their scores"
    )


def state_of(path: Path, tuning: Tuning) -> TuneState:
    """The state of a tuning that is continued, if it is the same tuning and makes sense."""
    state, population = read_state(TuneState, path), tuning.population
    check_same(path, state.identity, tuning.identity())
    for key, progress in state.stages.items():
        if any(len(scores) != population for scores in progress.scores):
            raise UserError(f"{path}: stages.{key}.scores: expected {population} in each generation")
        if (progress.chosen or 0) > len(progress.scores):
            raise UserError(f"{path}: stages.{key}.chosen: expected at most {len(progress.scores)}")
    return state


class Tuner:
    """A tuning at work; what it has done is kept in a file."""

    def __init__(self, tuning: Tuning, backend: Backend, state: TuneState, file: Path, progress: Progress):
        self.tuning, self.backend, self.progress = tuning, backend, progress
        self.state, self.file = state, file
        self.trial = tuning.trial(backend, Continued(progress))
        state.generations = state.generations or tuning.generations()

    def run(self) -> Strategy:
        """Tune every stage, and return the strategy with what was found and how."""
        tuned = self.tuning.starts[0]
        self._expect(self.state.generations)
        if isinstance(self.trial, Imitation):
            self.trial.play(sorted({stage.players for stage in self.tuning.stages}))
        for number, stage in enumerate(self.tuning.stages):
            tuned = self._started(number, stage, tuned)
            tuned = self._chosen(number, stage, tuned, self._search(number, stage, tuned))
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
            write_state(self.file, self.state)
        return starts[progress.start % len(starts)]

    def _best(self, number: int, stage: Stage, candidates: list[Strategy]) -> int:
        """The place of the strategy that does best in a stage, on choosing seeds."""
        self.progress.note(f"{stage}: choosing")
        return int(np.argmax(self.trial.choosing(stage, candidates, self._seed(CHOOSING, number))))

    def _search(self, number: int, stage: Stage, tuned: Strategy) -> Search:
        """Search the weights of a stage, after what was searched of it before."""
        start, progress = start_of(tuned, stage), self.state.stages[stage.key]
        spread = SPREAD_IN_CITY if stage.city else SPREAD
        search = Search(
            start[FREE], STEPS[FREE], spread, self.tuning.population, self._seed(TRAINING, number)
        )
        for generation in progress.scores:
            search.tell(generation)
        imitating = isinstance(self.trial, Imitation)  # plays no more games: generations are counted
        if imitating:
            self.progress.begin(str(stage), self.state.generations, len(search.scores), "generations")
        while not self._ends(len(search.scores)):
            began = time.perf_counter()
            of = f" of {self.state.generations}" if self.state.generations else ""
            self.progress.note(f"{stage}: generation {len(search.scores) + 1}{of}")
            seed = self._generation_seed(number, len(search.scores))
            candidates = [_with(tuned, stage, start, free) for free in search.ask()]
            search.tell(self.trial.training(stage, candidates, seed))
            progress.scores.append(tuple(search.scores[-1]))
            if imitating:
                self.progress.advance(1)
            if self.state.generations is None:
                self.state.seconds += time.perf_counter() - began
            write_state(self.file, self.state)
        return search

    def _ends(self, generations: int) -> bool:
        """Tell if a stage has had its share: time ends the first, and the others get as many generations."""
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
            write_state(self.file, self.state)
        return _with(tuned, stage, start, search.means[progress.chosen])

    def made(self, tuned: Strategy, command: str) -> Made:
        """The making of the result, and its strength on seeds that had no part in that."""
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
            table = self.tuning.table(Stage(players), self.backend)
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


def weights_text(name: str, tuned: Strategy, made: Made) -> str:
    """The weights file of a tuned strategy."""
    step = made.steps[-1]
    start, *_ = [parent.rpartition(" ")[0] for parent in step.parents]
    against = listed(list(dict.fromkeys(one.against for one in made.strength)))
    head = f'''text = """
The evaluator with the weights of {start}, tuned against {against}.

Its numbers were found by search and chosen by the games they won, so they explain nothing by
themselves; the table [made] says how to find them again.
"""

[traits]
name = {_value(name)}
family = "own"
summary = {_value(f"Weights tuned from {start}"[:100])}
deterministic = true
source = "CMA-ES on games against other strategies"
'''
    tables = [
        *(_table(f"[{_place(layer)}]", layer.weights) for layer in tuned.layers),
        *(_table("[[made.steps]]", step.model_dump()) for step in made.steps),
        *(_table("[[made.strength]]", strength.model_dump()) for strength in made.strength),
    ]
    return "\n".join([head, *tables])


def _place(layer: Layer) -> str:
    """The table of a weights file in which a layer stands."""
    where = f"cities.{layer.city}" if layer.city else "weights"
    table = where if layer.players is None else f"players.{layer.players}.{where}"
    return table if layer.part is None else f"{table}.{layer.part}"


def _table(head: str, values: Mapping[str, Any]) -> str:
    return "\n".join([head, *(f"{key} = {_value(value)}" for key, value in values.items()), ""])


def _value(value: Any) -> str:
    """A value as TOML; of texts JSON's spelling is also TOML's."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def resolved(options: TuneOptions, rules: Rules) -> Tuning:
    """The tuning that is wanted, checked under its rules."""
    named = options.cities
    cities = named[0] if named in (("all",), ("none",)) else named
    stages = stages_of(table_sizes(options.players, rules), cities, rules)
    starts = tuple(load(name) for name in options.start)
    for start in starts:
        if start.kind != "weights":
            raise UserError(f"--start {start.name}: not made of weights; name one that is, such as steward")
    for name in options.against:
        if load(name).rate is None:
            raise UserError(f"--against {name}: plain Python; name one that is compiled or made of weights")
    teacher = None if options.teacher is None else load(options.teacher)
    if teacher is not None and teacher.learned is None:
        raise UserError(
            f"--teacher {options.teacher}: has no learned value to rate options by; name one that has: sage"
        )
    return Tuning(
        starts=starts,
        opponents=options.against,
        rules=rules,
        stages=tuple(in_parts(stages) if options.thirds or teacher is not None else stages),
        budget=options.allowed,
        games=options.games,
        population=options.population,
        seed=options.seed,
        teacher=teacher,
    )


def command_for(options: TuneOptions, games: int, out: Path | None = None) -> str:
    """The command that repeats a tuning: its budget is what was played, however it was given."""
    return options.repeated(budget=f"{games}games", out=out or options.out)


class TuneMaker(Maker[TuneOptions, Tuned]):
    """Tunes weights, and writes them as a strategy; after each generation the state is kept beside it."""

    Options = TuneOptions
    kept = ".tuning.json"

    def made(self, options: TuneOptions, rules: Rules, backend: Backend, progress: Progress) -> Tuned:
        """Tune, and write the weights file."""
        tuning, aside = resolved(options, rules), self.aside(options.out)
        state = TuneState(options=options.plan(), identity=tuning.identity())
        if options.resume and aside.exists():
            state = state_of(aside, tuning)
        tuner = Tuner(tuning, backend, state, aside, progress)
        found = tuner.run()
        games = tuning.games_in(state.generations)
        made = tuner.made(found, command_for(options, games))
        with explain_write_errors(options.out, "choose another --out"):
            options.out.parent.mkdir(parents=True, exist_ok=True)
            text = weights_text(strategy_name(options.out), found, made)  # it is named after the file
            write_atomically(options.out, text.encode())
        aside.unlink(missing_ok=True)
        return Tuned(path=options.out, games=games, made=made)

    def brief(self, made: Tuned, *, full: bool = False) -> list[str]:
        """The strength of the result, and how to look at it."""
        won = [
            f"{one.players} players, all others {one.against}: won {one.won:.1%} "
            f"({one.low:.1%} to {one.high:.1%}) of {one.games:,} games, fair share {1 / one.players:.0%}"
            for one in made.made.strength
        ]
        path = made.path if len(made.path.parts) > 1 else f"./{made.path}"
        return [
            *won,
            f"wrote {made.path} after {made.games:,} games of training",
            f"Look at it with: {showing_strategy(str(path))}",
        ]

    def begun(self, out: Path) -> Mapping[str, Any]:
        """The options of an unfinished tuning."""
        return read_state(TuneState, self.aside(out)).options

    def origin(self, out: Path) -> tuple[Step, ...]:
        """The steps in which weights were tuned."""
        return describe(out).made.steps


COMMAND = TuneMaker()
