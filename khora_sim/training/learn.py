"""`khora learn`: a value from self-play. Play, fit, play with what came out, until it no longer pays.

Games of a mixed pool come first, then games of the player that the value makes. A lesson is a pure function
of what was asked and of the value before it. Its positions and the value that it ends with are kept in a
folder beside the result, so that a learning that was stopped is continued after its last whole lesson.
"""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from khora_sim import __version__
from khora_sim.common.command_options import FileName, Flag
from khora_sim.common.commands import replaying
from khora_sim.common.files import ENDING, atomic_file, explain_write_errors, read_json
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import TRAINING, seed_in
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend, share_out
from khora_sim.simulation.run_dir import RulesFile
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.finding import built_in, built_in_folder
from khora_sim.strategy.learned.files import Weights
from khora_sim.strategy.learned.policy import read_policy
from khora_sim.strategy.learned.value import LearnedValue, read_learned, write_learned
from khora_sim.strategy.loading import describe, load
from khora_sim.strategy.value.features import DESCRIBED
from khora_sim.training import learn_policy
from khora_sim.training.fitting import columns_of, fit, loss_of, new_weights, scale_of
from khora_sim.training.learn_policy import ADEPT, PolicyLearning
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
from khora_sim.training.positions import POSITION, OneCity, collect

BUILT_IN = "sage"
PUPIL = "expert"  # who plays beside the teacher while there is no policy
STATE, VALUE = "state.json", "value.npz"  # what has been done and learned so far, in the folder of lessons
HELD_OUT = 0.1  # of a lesson's games: their positions are never learned from
SEEDS_OF_A_LEARNING = 10_000  # a learning with the next number has seeds of its own
SEEDS_OF_A_COUNT = 1_000  # for each number of players
MOST_SEED = len(TRAINING) // SEEDS_OF_A_LEARNING - 1
SPREAD = 0.25  # of the weights of perturbed evaluators: each is multiplied by exp(SPREAD x a normal number)
PERTURBED = 24  # evaluators made of each one
TWICE = 2  # so often an archetype comes in the pool
POOL_GAMES, POOL_SLIPS, POOL_EPOCHS, POOL_RATE = 40_000, 30, 3.0, 2e-3
WARM_GAMES = 10_000  # of the mixed pool, when there is a value to start from
OWN_GAMES, OWN_SLIPS = 3_000, 10  # of each lesson of the player's own games
OWN_EPOCHS, OWN_RATE = 4.0, 1.5e-3
REMEMBERED = 12  # lessons of own games that a fit takes positions from
POOL_SHARE = 0.25  # positions of the mixed pool beside those, as a share of them
POOL_CHUNK, OWN_CHUNK = 256, 16  # games that a worker plays at a time; few where players look ahead
SETTLED_LOSS, SETTLED_SHARES = 0.002, 0.03  # a lesson that changes less than both no longer pays
SETTLED_LESSONS = 4  # so many in a row end the learning
EARLIER = "earlier"  # in the origin of a value that has a parent: the learnings before, each with its digest
#: Three settings of the player, so that games differ; fewer worlds than it has: more games teach more.
SEARCHERS = ("sage:more_worlds=0", "sage:policies=2:more_worlds=0", "sage:rivals=2:more_worlds=2")


class LearnOptions(MakerOptions):
    """What is learned is the chance to win from a position.

    First come games of a mixed pool, then games of the strategy that looks ahead with what has been learned.
    `sage:learned=FILE.npz` plays with the result.
    """

    command = "learn"
    ending: ClassVar[str] = ENDING
    contents: ClassVar[str] = "the value"

    rules: RulesFile = None
    players: TableSizes = (4,)
    start: Annotated[
        FileName | None,
        Flag(
            "A value to start from, as for a variant; sage stands for the built-in one, with --policy adept.",
            metavar="FILE.npz",
            default="nothing",
        ),
    ] = None
    budget: Annotated[str, Flag("What it may take: 60000games, 20min or 2h.", metavar="GAMES|TIME")] = "25min"
    seed: Annotated[MakingSeed, Field(le=MOST_SEED, description=f"a whole number from 0 to {MOST_SEED}")] = 0
    city: Annotated[
        str | None,
        Flag(
            "Learn to play this city only, in every seat in turn: a best response to --against.",
            metavar="CITY",
            default="all cities",
        ),
    ] = None
    against: Annotated[
        str | None,
        Flag(
            "With --city: the strategy that plays all other cities, and learns nothing.",
            metavar="NAME",
            default=BUILT_IN,
            strategies=True,
        ),
    ] = None

    policy: Annotated[
        bool, Flag("Learn a policy instead: how good options are, from the decisions of --teacher.")
    ] = False
    teacher: Annotated[
        str | None,
        Flag(
            "With --policy: the strategy that says what it thinks of every option.",
            metavar="NAME",
            default=BUILT_IN,
            strategies=True,
        ),
    ] = None

    def check(self) -> None:
        """Refuse what can be refused without rules or strategies."""
        budget_of(self.budget)
        if self.teacher is not None and not self.policy:
            raise UserError(f"--teacher {self.teacher}: for learning a policy; add --policy")
        if self.policy and self.city is not None:
            raise UserError(f"--city {self.city}: a policy is learned for all cities; leave --city out")
        if self.city is None and self.against is not None:
            raise UserError(f"--against {self.against}: for learning one city; name it with --city")


class Learned(MadeFile):
    """A learned value that was written."""

    lessons: int
    origin: dict[str, Any]
    rules: Annotated[str | None, Field(exclude=True)] = None  # as they were typed


def mixed_pool(seed: int) -> list[Strategy]:
    """Evaluators with perturbed weights and the archetypes: plans to learn from before there is a value.

    None of them are alike, and none is perfect.
    """
    generator = np.random.default_rng(seed)
    of_family = {name: describe(path).family for name, path in sorted(built_in().items())}
    evaluators = [load(name) for name, path in sorted(built_in().items()) if path.suffix == ".toml"]
    pool = [other for one in evaluators for other in _perturbed(one, generator)]
    return pool + [load(name) for name, family in of_family.items() if family == "archetype"] * TWICE


def _perturbed(strategy: Strategy, generator: np.random.Generator) -> Iterator[Strategy]:
    """The same evaluator with other weights, many times."""
    for _ in range(PERTURBED):
        drawn = np.exp(SPREAD * generator.standard_normal(len(DESCRIBED)))
        factors = dict(zip(DESCRIBED, drawn, strict=True))
        layers = [
            layer._replace(weights={name: one * factors[name] for name, one in layer.weights.items()})
            for layer in strategy.layers
        ]
        yield replace(strategy, layers=tuple(layers))


class Lesson(NamedTuple):
    """The games of a lesson."""

    number: int  # 0 is the mixed pool
    players: int
    games: int
    slips: int  # of 1,000 moves, made at random
    seed: int


@dataclass(frozen=True)
class Record:
    """The outcome of a lesson; it stands in the origin of the value."""

    lesson: int
    players: int
    games: int
    seed: int
    loss_before: float  # of games held out: cross-entropy of who wins, with the value before the lesson
    loss: float  # and after it
    mean_score: float
    shares: dict[str, float]  # win share of each city in these games


def seed_of(learning: int, players: int, lesson: int) -> int:
    """The seed of a lesson, from the range for training."""
    return seed_in(TRAINING, learning * SEEDS_OF_A_LEARNING + players * SEEDS_OF_A_COUNT + lesson)


class LessonGames(NamedTuple):
    """The games of a lesson as workers play them."""

    lesson: Lesson
    rules: Rules
    pool: Sequence[Strategy]
    chunk: int  # games that a worker plays at a time
    one_city: OneCity | None = None

    def games_from(self, first: int) -> int:
        """Games of the chunk that begins with a game."""
        return min(self.chunk, self.lesson.games - first)


def positions_of(games: LessonGames, first: int) -> np.ndarray:
    """The positions of the chunk that begins with a game."""
    lesson, count = games.lesson, games.games_from(first)
    place = (lesson.players, lesson.seed, first, count)
    return collect(games.rules, games.pool, *place, lesson.slips, games.one_city)


def play_lesson(games: LessonGames, backend: Backend, played: Callable[[int], None]) -> np.ndarray:
    """The positions of a lesson, game by game; the same wherever they are played."""
    jobs = [(games, first) for first in range(0, games.lesson.games, games.chunk)]
    found = []
    for (_, first), positions in zip(jobs, share_out(backend, positions_of, jobs), strict=True):
        found.append(positions)
        played(games.games_from(first))
    return np.concatenate(found)


def held_out(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions to learn from, and those of the games that are held out: the last ones."""
    last = int(len(positions) * (1 - HELD_OUT))
    while 0 < last < len(positions) and positions["rounds"][last] < positions["rounds"][last - 1]:
        last += 1  # positions of one game stay together
    return positions[:last], positions[last:]


def record_of(lesson: Lesson, positions: np.ndarray, rules: Rules, before: float, after: float) -> Record:
    """A lesson in numbers; every game has one position with one round left."""
    ends = positions[positions["rounds"] == 1]["places"][:, : lesson.players]
    by_city = {name: ends["won"][ends["city"] == city] for city, name in enumerate(rules.city_ids)}
    return Record(
        lesson=lesson.number,
        players=lesson.players,
        games=lesson.games,
        seed=lesson.seed,
        loss_before=round(before, 5),
        loss=round(after, 5),
        mean_score=round(float(ends["score"].mean()), 2),
        shares={name: round(float(won.mean()), 4) if len(won) else 0.0 for name, won in by_city.items()},
    )


def kept_positions(folder: Path, players: int, number: int) -> np.ndarray:
    """The positions of an earlier lesson, read as they are needed."""
    found = np.load(_positions_path(folder, players, number), mmap_mode="r", allow_pickle=False)
    assert found.dtype == POSITION
    return np.asarray(found)


def _positions_path(folder: Path, players: int, number: int) -> Path:
    return folder / f"positions_{players}_{number:03}.npy"


class LearnState(State):
    """A learning so far."""

    records: list[Record]
    seconds: float


class Learning(NamedTuple):
    """The learning to carry out."""

    rules: Rules
    players: tuple[int, ...]
    budget: Budget
    seed: int  # a number: learnings with different ones are independent
    parent: LearnedValue | None = None
    one_city: OneCity | None = None  # learn to play this city against others, not all against each other

    def identity(self) -> dict[str, Any]:
        """All that must be the same for a stopped learning to go on."""
        parent = self.parent.digest if self.parent is not None else None
        one = self.one_city
        return {
            "rules": self.rules.hash,
            "players": list(self.players),
            "budget": str(self.budget),
            "seed": self.seed,
            "parent": parent,
            "khora": __version__,
            **({} if one is None else {"city": one.city, "against": one.against.digest}),
        }


class Learner:
    """A learning at work: what it has learned so far, and the folder that keeps it."""

    def __init__(
        self,
        learning: Learning,
        folder: Path,
        backend: Backend,
        progress: Progress | None = None,
        options: dict[str, Any] | None = None,
    ):
        self.learning, self.folder, self.backend = learning, folder, backend
        self.progress, self.options = progress or Progress(), options or {}
        self.weights: dict[int, Weights] = {}
        self.records: list[Record] = []
        self.seconds = 0.0  # used before this run
        self.began = time.monotonic()

    def run(self) -> LearnedValue:
        """Learn, for one number of players after another; each gets an equal share of the budget."""
        self._go_on()
        for place, players in enumerate(self.learning.players):
            while not self._enough(players, (place + 1) / len(self.learning.players)):
                self._learn(self._next_lesson(players))
        return self.value()

    def value(self) -> LearnedValue:
        """The value that has been learned so far, with its origin."""
        origin = self.learning.identity() | {"lessons": [asdict(one) for one in self.records]}
        parent = self.learning.parent
        if parent is None:
            return LearnedValue(dict(self.weights), origin)
        before = {name: one for name, one in parent.origin.items() if name != EARLIER}
        origin[EARLIER] = [*parent.origin.get(EARLIER, []), {**before, "digest": parent.digest}]
        return LearnedValue({**parent.weights, **self.weights}, origin)

    def _go_on(self) -> None:
        """Continue what an earlier run left."""
        with explain_write_errors(self.folder, "choose another --out"):
            self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / STATE).exists():
            self._keep_state()
            return
        state = read_state(LearnState, self.folder / STATE)
        check_same(self.folder, state.identity, self.learning.identity())
        self.records, self.seconds = state.records, state.seconds
        if self.records:
            self.weights = read_learned(self.folder / VALUE).weights

    def _keep_state(self) -> None:
        state = LearnState(
            options=self.options,
            identity=self.learning.identity(),
            records=self.records,
            seconds=self.seconds + time.monotonic() - self.began,
        )
        write_state(self.folder / STATE, state)

    def _used(self) -> float:
        """The share of the budget that is used."""
        budget = self.learning.budget
        if budget.games is not None:
            return sum(one.games for one in self.records) / budget.games
        assert budget.seconds is not None
        return (self.seconds + time.monotonic() - self.began) / budget.seconds

    def _enough(self, players: int, share: float) -> bool:
        """Tell if a number of players has had its share, or learns nothing more."""
        own = [one for one in self.records if one.players == players]
        if own and self._used() >= share:
            return True
        last = own[-SETTLED_LESSONS - 1 :]
        return len(own) > 2 * SETTLED_LESSONS and all(
            new.loss_before - new.loss < SETTLED_LOSS and _moved(old, new) < SETTLED_SHARES
            for old, new in pairwise(last)
        )

    def _next_lesson(self, players: int) -> Lesson:
        number = sum(one.players == players for one in self.records)
        seed = seed_of(self.learning.seed, players, number)
        if number > 0:
            return Lesson(number, players, OWN_GAMES, OWN_SLIPS, seed)
        games = POOL_GAMES if self.learning.parent is None else WARM_GAMES
        budget = self.learning.budget.games
        return Lesson(0, players, games if budget is None else min(games, budget), POOL_SLIPS, seed)

    def _learn(self, lesson: Lesson) -> None:
        """Play a lesson and fit the value to it; a fit that does worse at positions held out is dropped.

        A value to start from knows more than the mixed pool: its positions only join those of later lessons.
        """
        whose = "a mixed pool" if lesson.number == 0 else "its own games"
        used = f"{min(self._used(), 1.0):.0%} of the budget used"
        rules, players = self.learning.rules, lesson.players
        name = f"{players} players, lesson {lesson.number}"
        self.progress.begin(name, lesson.games)
        self.progress.note(f"{whose}; {used}")
        if lesson.number == 0:
            pool, chunk, one_city = mixed_pool(lesson.seed), POOL_CHUNK, None
        else:
            value = self.value()  # all look ahead with what is being learned
            pool = [replace(load(name), learned=value) for name in SEARCHERS]
            chunk, one_city = OWN_CHUNK, self.learning.one_city
        games = LessonGames(lesson, rules, tuple(pool), chunk, one_city)
        positions = play_lesson(games, self.backend, self.progress.advance)
        path = _positions_path(self.folder, players, lesson.number)
        with atomic_file(path) as file, file.open("wb") as stream:
            np.save(stream, positions, allow_pickle=False)
        self.progress.note("fitting the value")
        learned, unseen = held_out(positions)
        scale = scale_of(learned, players)
        columns = columns_of(rules, scale)
        parent, start = self.learning.parent, self.weights.get(players)
        if start is None:
            start = (
                new_weights(self.learning.seed, scale)
                if parent is None
                else parent.weights[parent.nearest(players)]
            )
        weights = start
        if lesson.number > 0 or parent is None:
            epochs, rate = (OWN_EPOCHS, OWN_RATE) if lesson.number > 0 else (POOL_EPOCHS, POOL_RATE)
            chosen = [learned, *self._earlier(lesson)]
            weights = fit(start, chosen, columns, players, epochs, lesson.seed, rate)
        before, after = (loss_of(unseen, players, columns, one) for one in (start, weights))
        self.weights[players] = weights if after < before else start
        record = record_of(lesson, positions, rules, before, min(before, after))
        self.records.append(record)
        write_learned(self.value(), self.folder / VALUE)
        self._keep_state()
        first, *_, last = sorted(record.shares, key=lambda city: -record.shares[city])
        self.progress.line(
            f"{name}: loss {record.loss_before:.3f} -> {record.loss:.3f}, "
            f"mean score {record.mean_score:.1f}, "
            f"{first} wins {record.shares[first]:.0%}, {last} {record.shares[last]:.0%}"
        )

    def _earlier(self, lesson: Lesson) -> Sequence[np.ndarray]:
        """Positions of earlier lessons: the last ones of its own games, and some of the mixed pool."""
        if lesson.number == 0:
            return []
        numbers = range(max(1, lesson.number - REMEMBERED), lesson.number)
        found = [held_out(kept_positions(self.folder, lesson.players, number))[0] for number in numbers]
        pool = held_out(kept_positions(self.folder, lesson.players, 0))[0]
        count = min(len(pool), max(int(POOL_SHARE * sum(map(len, found))), OWN_GAMES))
        generator = np.random.default_rng(lesson.seed)
        return [*found, pool[np.sort(generator.choice(len(pool), count, replace=False))]]


def _moved(old: Record, new: Record) -> float:
    """The largest change of a city's win share."""
    return max(abs(new.shares[city] - old.shares.get(city, 0.0)) for city in new.shares)


def finish(
    learning: Learning, out: Path, backend: Backend, progress: Progress, options: dict[str, Any] | None = None
) -> Learned:
    """Carry a learning out, or what is missing of it; each lesson is kept beside the value until then."""
    folder = COMMAND.aside(out)
    learner = Learner(learning, folder, backend, progress, options)
    value = learner.run()
    with explain_write_errors(out, "choose another --out"):
        write_learned(value, out)
    shutil.rmtree(folder)
    games = sum(one.games for one in learner.records)
    return Learned(path=out, games=games, lessons=len(learner.records), origin=value.origin)


def resolved(options: LearnOptions, rules: Rules) -> Learning:
    """The learning that is wanted, checked under its rules."""
    players, city, parent, one_city = table_sizes(options.players, rules), options.city, None, None
    if city is not None and city not in rules.city_ids:
        raise UserError(f'--city: no city is called "{city}"; {nearest(city, rules.city_ids)}')
    if options.start is not None:
        built_in_value = built_in_folder() / f"{BUILT_IN}{ENDING}"
        parent = read_learned(built_in_value if options.start == BUILT_IN else Path(options.start))
    if city is not None:
        against = load(options.against or BUILT_IN)
        if against.rate is None:
            raise UserError(
                f"--against {options.against}: is plain Python; learning needs a compiled strategy"
            )
        one_city = OneCity(city, against)
    return Learning(rules, players, budget_of(options.budget), options.seed, parent, one_city)


def resolved_policy(options: LearnOptions, rules: Rules) -> PolicyLearning:
    """The learning of a policy that is wanted, checked under its rules."""
    players = table_sizes(options.players, rules)
    teacher, pupil, parent = load(options.teacher or BUILT_IN), load(PUPIL), None
    learn_policy.check_teacher(teacher)
    if options.start is not None:
        path = built_in_folder() / f"{ADEPT}{ENDING}" if options.start == ADEPT else Path(options.start)
        parent = read_policy(path)
        pupil = replace(load(ADEPT), learned=parent, digest=parent.digest)
    return PolicyLearning(rules, players, budget_of(options.budget), options.seed, teacher, pupil, parent)


class LearnMaker(Maker[LearnOptions, Learned]):
    """Learns a value, and writes it; after each lesson what is done is kept beside it."""

    Options = LearnOptions
    kept = ".learning"

    def made(self, options: LearnOptions, rules: Rules, backend: Backend, progress: Progress) -> Learned:
        """Learn, and write the value."""
        folder = self.aside(options.out)
        if folder.exists() and not options.resume:
            shutil.rmtree(folder)
        if options.policy:
            return self._policy(options, rules, backend, progress)
        learning = resolved(options, rules)
        made = finish(learning, options.out, backend, progress, options.plan())
        return made.model_copy(update={"rules": options.rules})

    def _policy(self, options: LearnOptions, rules: Rules, backend: Backend, progress: Progress) -> Learned:
        """Learn a policy, and write it."""
        learning = resolved_policy(options, rules)
        policy, games = learn_policy.finish(
            learning, options.out, self.aside(options.out), backend, progress, options.plan()
        )
        lessons = len(policy.origin["lessons"])
        return Learned(
            path=options.out, games=games, lessons=lessons, origin=policy.origin, rules=options.rules
        )

    def brief(self, made: Learned, *, full: bool = False) -> list[str]:
        """The games that were learned from, and how to see it play."""
        player = ADEPT if "teacher" in made.origin else BUILT_IN
        seen = replaying(
            1, [f"{player}:learned={made.path}"] * made.origin["players"][0], [], None, {}, made.rules
        )
        return [
            f"wrote {made.path} after {made.games:,} games in {made.lessons} lessons",
            f"See it play with: {seen}",
        ]

    def begun(self, out: Path) -> Mapping[str, Any]:
        """The options of an unfinished learning."""
        folder = self.aside(out)
        if not (folder / STATE).exists():
            raise UserError(f"{folder}: holds no learning; choose another --out")
        data = read_json(folder / STATE, "the state of unfinished work")
        of_policy = isinstance(data, dict) and "records" not in data
        kind = learn_policy.PolicyState if of_policy else LearnState
        return read_state(kind, folder / STATE).options

    def origin(self, out: Path) -> dict[str, Any]:
        """The lessons that a value or policy was learned in, and what decides it."""
        try:
            return read_learned(out).origin
        except UserError:
            return read_policy(out).origin


COMMAND = LearnMaker()
