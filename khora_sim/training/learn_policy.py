"""`khora learn --policy`: a policy from a teacher's decisions. Collect, fit, say what it still loses.

The teacher and a pupil play; at every decision the teacher says what it thinks of the options. The games are
played in parts, and each part is kept in a folder beside the result, so that a stop loses one part at most.
"""

import re
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from khora_sim import __version__
from khora_sim.common.files import atomic_file, explain_write_errors
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING, TRAINING, seed_in
from khora_sim.engine.agenda import FIRST_DECISION, Task
from khora_sim.errors import UserError
from khora_sim.records.decision_words import WORDS
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend, share_out
from khora_sim.stats import Estimate, format_estimate
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.learned.files import Weights
from khora_sim.strategy.learned.policy import LearnedPolicy, write_policy
from khora_sim.strategy.loading import load
from khora_sim.training.imitation import collect, compile_collecting
from khora_sim.training.making import Budget, State, check_same, read_state, write_state
from khora_sim.training.policy_fitting import (
    Batches,
    Fit,
    compile_gradients,
    compile_regrets,
    fit_policy,
    new_weights,
    scales_of,
)
from khora_sim.training.policy_sights import Rows, Sights, compile_describing, joined_sights, sights_of
from khora_sim.training.trial import Stage, shares_won, table_of

ADEPT, JUDGE = "adept", "steward"  # who plays by a policy, and who sits at the table where it is judged
JUDGED = 2_000  # games there, on judging seeds
STATE = "state.json"
PART = 50  # games of a part
HELD_OUT = 20  # of so many parts one is never learned from
EPOCHS = 6.0  # of a fit to all decisions
LEAST_EPOCHS = 2.0  # even if there is no time for more
COLLECTING = 0.7  # of a time budget; the rest is for fitting
SHOWN = 1000  # steps of a fit that progress counts
TEACHERS = 2  # so often the teacher sits among those who play, beside the pupil
SEEDS_OF_A_LEARNING, FIRST_SEED = 10, 500_000_000  # learnings of values have the seeds before


class PolicyLearning(NamedTuple):
    """The learning to carry out."""

    rules: Rules
    players: tuple[int, ...]
    budget: Budget
    seed: int  # a number: learnings with different ones are independent
    teacher: Strategy
    pupil: Strategy  # who plays beside the teacher
    parent: LearnedPolicy | None = None  # to start from

    def identity(self) -> dict[str, Any]:
        """All that must be the same for a stopped learning to go on."""
        return {
            "rules": self.rules.hash,
            "players": list(self.players),
            "budget": str(self.budget),
            "seed": self.seed,
            "teacher": origin_of(self.teacher),
            "pupil": origin_of(self.pupil),
            "parent": self.parent.digest if self.parent is not None else None,
            "khora": __version__,
        }


def origin_of(strategy: Strategy) -> dict[str, str]:
    """The name of a strategy, without the folders of its files, and its digest."""
    return {"name": re.sub(r"[^:=]*/", "", strategy.name), "digest": strategy.digest}


class PolicyState(State):
    """A learning so far."""

    seconds: float


class Part(NamedTuple):
    """Some games of a lesson as workers play them."""

    rules: Rules
    teacher: Strategy
    pool: Sequence[Strategy]
    players: int
    seed: int
    games: int | None  # of the lesson; none: as many as there is time for

    def games_from(self, first: int) -> int:
        """Games of the part that begins with a game."""
        return PART if self.games is None else min(PART, self.games - first)


def sights_in(part: Part, first: int) -> Sights:
    """What a policy sees in the games of the part that begins with a game."""
    games = part.games_from(first)
    found = collect(part.rules, part.teacher, part.pool, part.players, part.seed, first, games)
    return sights_of(part.rules, found)


def write_sights(sights: Sights, path: Path) -> None:
    """Keep a part in a file."""
    arrays = {name: getattr(sights, name) for name in ("tasks", "cities", "counts", "values")}
    for name in ("states", "options"):
        rows = getattr(sights, name)
        arrays |= {f"{name}_{field}": getattr(rows, field) for field in ("ends", "columns", "amounts")}
    with atomic_file(path) as file, file.open("wb") as stream:
        np.savez(stream, **arrays)


def read_sights(path: Path) -> Sights:
    """A part from its file."""
    with np.load(path, allow_pickle=False) as found:
        rows = {
            name: Rows(*(found[f"{name}_{field}"] for field in ("ends", "columns", "amounts")))
            for name in ("states", "options")
        }
        arrays = {name: found[name] for name in ("tasks", "cities", "counts", "values")}
    return Sights(states=rows["states"], options=rows["options"], **arrays)


@dataclass(frozen=True)
class Kept:
    """Parts in files, read one at a time: all of them together need not fit into memory."""

    paths: Sequence[Path]

    def __iter__(self) -> Iterator[Sights]:
        return map(read_sights, self.paths)


class FitJob(NamedTuple):
    """A policy to fit."""

    players: int
    learned: Kept
    held_out: Sights
    seconds: float | None  # that it may take


class Fitted(NamedTuple):
    """A policy for tables of one size, and its loss at decisions that it was not fitted to."""

    weights: Weights
    decisions: int
    held_out: Sights
    regrets: np.ndarray


class PolicyLearner:
    """A learning at work, and the folder that keeps what is done."""

    def __init__(
        self,
        learning: PolicyLearning,
        folder: Path,
        backend: Backend,
        progress: Progress,
        options: dict[str, Any],
    ):
        self.learning, self.folder, self.backend = learning, folder, backend
        self.progress, self.options = progress, options
        self.seconds = 0.0  # used before this run
        self.began = time.monotonic()
        self.games = 0
        self.records: list[dict[str, Any]] = []

    def run(self) -> LearnedPolicy:
        """Learn, for all numbers of players; each has an equal share of the budget."""
        self._go_on()
        learning, count = self.learning, len(self.learning.players)
        for place, players in enumerate(learning.players):
            self._collect(players, COLLECTING * (place + 1) / count, count)
        weights = {
            players: self._measured(players, fitted)
            for players, fitted in zip(learning.players, self._fitted(), strict=True)
        }
        origin = learning.identity() | {"lessons": self.records}
        if learning.parent is None:
            return LearnedPolicy(weights, origin)
        before = {name: one for name, one in learning.parent.origin.items() if name != "earlier"}
        before["digest"] = learning.parent.digest
        origin["earlier"] = [*learning.parent.origin.get("earlier", []), before]
        return LearnedPolicy({**learning.parent.weights, **weights}, origin)

    def _go_on(self) -> None:
        """Continue what an earlier run left."""
        with explain_write_errors(self.folder, "choose another --out"):
            self.folder.mkdir(parents=True, exist_ok=True)
        if (self.folder / STATE).exists():
            state = read_state(PolicyState, self.folder / STATE)
            check_same(self.folder, state.identity, self.learning.identity())
            self.seconds = state.seconds
        self._keep_state()

    def _keep_state(self) -> None:
        used, identity = self._used_seconds(), self.learning.identity()
        write_state(self.folder / STATE, PolicyState(options=self.options, identity=identity, seconds=used))

    def _used_seconds(self) -> float:
        return self.seconds + time.monotonic() - self.began

    def _parts(self, players: int) -> list[Path]:
        return sorted(self.folder.glob(f"part_{players}_*.npz"))

    def _collect(self, players: int, share: float, tables: int) -> None:
        """Play parts until the games, or the share of the time, are used."""
        learning, budget = self.learning, self.learning.budget
        pool = (*[learning.teacher] * TEACHERS, learning.pupil)
        seed = seed_in(TRAINING, FIRST_SEED + learning.seed * SEEDS_OF_A_LEARNING + players)
        games = None if budget.games is None else -(-budget.games // tables)
        part = Part(learning.rules, learning.teacher, pool, players, seed, games)
        compile_collecting()
        compile_describing()
        done = len(self._parts(players)) * PART
        self.progress.begin(f"{players} players, decisions of {learning.teacher.name}", games, done)
        while not self._enough(done, games, share):
            end = done + PART * self.backend.workers
            jobs = [(part, first) for first in range(done, end if games is None else min(end, games), PART)]
            for (_, first), sights in zip(jobs, share_out(self.backend, sights_in, jobs), strict=True):
                write_sights(sights, self.folder / f"part_{players}_{first // PART:06}.npz")
                self.progress.advance(part.games_from(first))
                done += PART
            self._keep_state()

    def _enough(self, done: int, games: int | None, share: float) -> bool:
        if games is not None:
            return done >= games
        assert self.learning.budget.seconds is not None
        return done > PART and self._used_seconds() >= share * self.learning.budget.seconds

    def _fitted(self) -> list[Fitted]:
        """Fit the policies for all numbers of players, side by side in threads of this process."""
        learning = self.learning
        threads = Backend("threads", min(self.backend.workers, len(learning.players)))
        seconds = None
        if learning.budget.seconds is not None:
            turns = -(-len(learning.players) // threads.workers)
            seconds = (learning.budget.seconds - self._used_seconds()) / turns
        jobs = []
        for players in learning.players:
            parts = self._parts(players)
            held_out = joined_sights([read_sights(one) for one in parts[::HELD_OUT]])
            learned = [one for place, one in enumerate(parts) if place % HELD_OUT] or parts
            jobs.append((FitJob(players, Kept(learned), held_out, seconds), 0))
        compile_gradients()
        compile_regrets()
        sizes = " and ".join(map(str, learning.players))
        self.progress.begin(f"{sizes} players, fitting the policy", len(jobs) * SHOWN, unit="steps")
        return list(share_out(threads, self._fit, jobs))

    def _fit(self, job: FitJob, _: int) -> Fitted:
        """Fit the policy for one number of players to all parts but those held out."""
        learning, parent = self.learning, self.learning.parent
        scales = scales_of(job.learned)
        start = (
            new_weights(learning.seed, scales)
            if parent is None
            else parent.weights[parent.nearest(job.players)]
        )
        fit, batches = Fit(learning.rules, start, scales), Batches.of(job.learned, *scales)
        shown = 0

        def after(done: float) -> None:
            nonlocal shown
            if int(SHOWN * done) > shown:
                self.progress.advance(int(SHOWN * done) - shown)
                shown = int(SHOWN * done)

        fit_policy(
            fit,
            batches,
            EPOCHS,
            learning.seed,
            after=after,
            seconds=job.seconds,
            least=LEAST_EPOCHS / EPOCHS,
        )
        regrets = fit.regrets(Batches.of([job.held_out], *scales))
        return Fitted(fit.result(), len(batches), job.held_out, regrets)

    def _measured(self, players: int, fitted: Fitted) -> Weights:
        """Write down what a policy loses at the parts held out, and what it wins."""
        learning, weights, regrets = self.learning, fitted.weights, fitted.regrets
        games = learning.budget.games
        games = PART * len(self._parts(players)) if games is None else -(-games // len(learning.players))
        won = self._won(players, weights)
        record = {
            "games": games,
            **record_of(players, fitted.decisions, fitted.held_out, regrets, learning.rules),
            "against": {"strategy": JUDGE, **{name: round(one, 4) for name, one in asdict(won).items()}},
        }
        self.records.append(record)
        self.games += games
        worst = sorted(record["by_kind"].items(), key=lambda one: -one[1][0] * one[1][1])[:3]
        loses = ", ".join(f"{kind} {loss:.2f}" for kind, (loss, _) in worst)
        self.progress.line(
            f"{players} players: wins {format_estimate(won, percent=True)} against {players - 1} of {JUDGE}; "
            f"loses {record['regret']:.2f} pp a decision that it has not learned from "
            f"(n {record['held_out']:,}), by its teacher's values, most in {loses}"
        )
        return weights

    def _won(self, players: int, weights: Weights) -> Estimate:
        """The share of games on judging seeds that the policy wins against all others of one kind."""
        rules, policy = self.learning.rules, LearnedPolicy({players: weights}, {})
        player = replace(load(ADEPT), learned=policy)
        self.progress.note(f"{players} players: measuring the result")
        table = table_of(Stage(players), rules, (JUDGE,), self.backend, None)
        (won,) = shares_won(table, player, JUDGED, seed_in(JUDGING, self.learning.seed))
        return won


def record_of(
    players: int, learned: int, held_out: Sights, regrets: np.ndarray, rules: Rules
) -> dict[str, Any]:
    """What was learned from, and the regret in percentage points, by kind of decision and by city."""
    loss = 100 * regrets.astype(np.float64)
    kinds = {WORDS[Task(kind + FIRST_DECISION)].kind: held_out.tasks == kind for kind in set(held_out.tasks)}
    cities = {rules.city_ids[city]: held_out.cities == city for city in set(held_out.cities)}

    def mean_by(groups: dict[str, np.ndarray]) -> dict[str, list[float]]:
        return {
            name: [round(float(loss[one].mean()), 3), int(one.sum())] for name, one in sorted(groups.items())
        }

    return {
        "players": players,
        "decisions": learned,
        "held_out": len(loss),
        "regret": round(float(loss.mean()), 3),
        "by_kind": mean_by(kinds),
        "by_city": mean_by(cities),
    }


def finish(
    learning: PolicyLearning,
    out: Path,
    folder: Path,
    backend: Backend,
    progress: Progress,
    options: dict[str, Any],
) -> tuple[LearnedPolicy, int]:
    """Carry a learning out, or what is missing of it; returns the policy and the games behind it."""
    learner = PolicyLearner(learning, folder, backend, progress, options)
    policy = learner.run()
    with explain_write_errors(out, "choose another --out"):
        write_policy(policy, out)
    shutil.rmtree(folder)
    return policy, learner.games


def check_teacher(teacher: Strategy) -> None:
    """Refuse a teacher that does not say what it thinks of options as chances to win."""
    if teacher.rate is None or teacher.learned is None or isinstance(teacher.learned, LearnedPolicy):
        raise UserError(
            f"--teacher {teacher.name}: its ratings are no win chances; name sage, with settings if you like"
        )
