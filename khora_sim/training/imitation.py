"""Decisions to imitate: games in which a teacher says at every decision what it thinks of the options.

Whoever sits at the table plays; the teacher, which looks ahead, is only asked. So the decisions are those
that the players really meet, and the teacher says what it would have done there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import CHOOSING, TRAINING, seed_in
from khora_sim.engine.agenda import next_up
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import Games, Ledgers, Options, Seats, call_run, i8
from khora_sim.engine.calling import Rules as RulesArray
from khora_sim.engine.compiling import ENGINE_SOURCES, entry, rule
from khora_sim.engine.kernels import SetUps
from khora_sim.engine.machine import MAX_OPTIONS, NO_OPTION, Until
from khora_sim.engine.memory import put_record
from khora_sim.engine.play import ask, seat_of, set_up, start
from khora_sim.engine.record import SEATS, new_records
from khora_sim.engine.seat import ratings_of
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend, share_out
from khora_sim.simulation.seating import dealt_rows, random_set_ups, settle
from khora_sim.strategy.compiled import catching_failures
from khora_sim.strategy.contract import Strategy, StrategyError
from khora_sim.strategy.evaluator import THIRDS
from khora_sim.strategy.games import memory_for
from khora_sim.strategy.table import Table
from khora_sim.strategy.value.features import PARTS
from khora_sim.training.trial import Stage

GENERATIONS = 100  # of each stage
BATCH = 4_000  # decisions that the candidates of a generation are tried at; the next one takes others
AT_ONCE = 20  # games that a worker plays
CHOOSING_SHARE = 4  # one game of choosing for so many of training
PUPILS = 2  # so often the player that is tuned sits among those who play, beside the teacher
SEED = 80_000  # of the seeds that a tuning has: generations have those before it
MOST_DECISIONS = 400  # of a game that are kept; one of the base rules has some 180
MOST_OF_ALL = 24  # options for each of them, on average; a game of the base rules has some 13
TEACHER = 0  # its place among the strategies of a table; those who play follow
Values = types.float32[::1]


@dataclass(frozen=True)
class Decisions:
    """Some decisions: the games as they stood, the options, and what the teacher thinks of each option."""

    games: np.recarray
    counts: np.ndarray  # options of each decision
    options: np.ndarray  # of all decisions, one after another
    values: np.ndarray  # of the options, as chances to win; those that it did not look at count as its worst
    seen: np.ndarray  # of the options: whether it looked at them

    def __len__(self) -> int:
        return len(self.counts)

    def where(self, chosen: np.ndarray) -> "Decisions":
        """Some of the decisions."""
        rows = np.repeat(chosen, self.counts)
        games = self.games[chosen].view(np.recarray)
        return Decisions(games, self.counts[chosen], self.options[rows], self.values[rows], self.seen[rows])

    @property
    def kinds(self) -> np.ndarray:
        """The Task of each decision."""
        return self._asked[:, 0]

    @property
    def cities(self) -> np.ndarray:
        """The city of whoever decides."""
        return np.asarray(self.games["city"][np.arange(len(self)), self._asked[:, 1]])

    @property
    def _asked(self) -> np.ndarray:
        """The top of the agenda of each game: Task, seat and value."""
        return np.asarray(self.games["agenda"][np.arange(len(self)), self.games["agenda_size"] - 1])


def joined(parts: Sequence[Decisions]) -> Decisions:
    """The decisions of several parts together."""
    names = ("counts", "options", "values", "seen")
    arrays = [np.concatenate([getattr(one, name) for one in parts]) for name in names]
    games = np.concatenate([np.asarray(one.games) for one in parts]).view(np.recarray)
    return Decisions(games, *arrays)


@rule
def _collect(games, ledgers, rules, set_ups, out, seats, kept, counts, options, values):
    """Play all games and keep their decisions; returns how many are kept, or less than 0 after a failure."""
    number = np.int64(0)
    first = np.int64(0)
    tables = rules[0]
    for index in range(len(games)):
        set_up(games, ledgers, rules, set_ups, index)
        game, lineup = games[index], set_ups[index].lineup
        start(seats, lineup, game.players)
        run = seats[0].run_at
        count = call_run(run, game, tables, ledgers[index], out, NO_OPTION, Until.DECISION)
        while count > 0 and game.fault == 0:
            me = next_up(game)[1]
            teacher = seats[TEACHER * SEATS + me]
            best = ask(teacher, game, tables, out, count)
            if best < 0:
                return -1 - index
            if number < len(counts) and first + count <= len(options):
                put_record(kept, number, game)
                counts[number] = count
                ratings = ratings_of(teacher)
                for place in range(count):
                    options[first + place] = out[place]
                    values[first + place] = ratings[place]
                number += 1
                first += count
            if lineup[me] != TEACHER:
                best = ask(seat_of(seats, lineup, me), game, tables, out, count)
                if best < 0:
                    return -1 - index
            count = call_run(run, game, tables, ledgers[index], out, np.int64(out[best]), Until.DECISION)
        if game.fault != 0:
            return -1 - index
    return number


@rule
def _choose(kept, rules, counts, options, values, out, seats, losses):
    """Write what a player's choices lose, by what the teacher thinks; returns how many decisions it made."""
    first = np.int64(0)
    for number in range(len(counts)):
        count = counts[number]
        for place in range(count):
            out[place] = options[first + place]
        best = ask(seats[next_up(kept[number])[1]], kept[number], rules[0], out, count)
        if best < 0:
            return number
        highest = values[first]
        for place in range(count):
            highest = max(highest, values[first + place])
        losses[number] = highest - values[first + best]
        first += count
    return len(counts)


@cache
def compile_collecting() -> Callable[..., Any]:
    """The compiled collecting."""
    numbers = types.int64[::1]
    kind = i8(Games, Ledgers, RulesArray, SetUps, Options, Seats, Games, numbers, Options, Values)
    return entry(kind, _collect, cache_folder((*ENGINE_SOURCES, "training/imitation.py")))


@cache
def compile_choosing() -> Callable[..., Any]:
    """The compiled choosing."""
    kind = i8(Games, RulesArray, types.int64[::1], Options, Values, Options, Seats, Values)
    return entry(kind, _choose, cache_folder((*ENGINE_SOURCES, "training/imitation.py")))


def collect(
    rules: Rules, teacher: Strategy, pool: Sequence[Strategy], players: int, seed: int, first: int, games: int
) -> Decisions:
    """The decisions of some games of a pool: those from `first` on, of all with this seed."""
    set_ups = random_set_ups(games, players, rules.settings)
    settle(seed, first, rules, set_ups)
    numbers = np.array([TEACHER if one is teacher else place for place, one in enumerate(pool, 1)])
    set_ups["lineup"][:, :players] = numbers[dealt_rows(seed, first, games, len(pool), players)]
    table = Table(rules, [teacher, *pool])
    records, ledgers = memory_for(games)
    most = games * MOST_DECISIONS
    kept, counts = new_records(most), np.zeros(most, np.int64)
    options = np.zeros(most * MOST_OF_ALL + MAX_OPTIONS, np.int16)
    values = np.zeros(len(options), np.float32)
    given = (records, ledgers, table.tables, set_ups, table.out, table.seats.records)
    with catching_failures():
        done = compile_collecting()(*given, kept, counts, options, values)
    if done < 0:
        game = -1 - done
        table.check_fault(records[game], game)
        raise StrategyError(f"a player gave no answer in the game of seed {set_ups.seed[game]}", game)
    counts = counts[:done].copy()
    rows = int(counts.sum())
    rated, seen = values_of(values[:rows], counts)
    return Decisions(kept[:done].copy().view(np.recarray), counts, options[:rows].copy(), rated, seen)


def values_of(ratings: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of the options of some decisions by a teacher's ratings, and at which of them it looked.

    Options that it did not look at are rated below 0; they count as the worst of those that it did.
    """
    seen = ratings >= 0
    known = np.where(seen, ratings, np.inf)
    worst = np.minimum.reduceat(known, np.cumsum(counts) - counts) if len(counts) else known
    return np.where(seen, ratings, np.repeat(worst, counts)).astype(ratings.dtype), seen


class Pupil:
    """A strategy made of weights at some decisions: what it loses there with its weights or others."""

    def __init__(self, rules: Rules, decisions: Decisions, strategy: Strategy):
        self.decisions = decisions
        self.table = Table(rules, [strategy])
        self.rules = rules

    def loss(self, strategy: Strategy) -> float:
        """The mean chance to win that a decision loses with the weights of a strategy."""
        self.table.seats.weights[0][:] = strategy.parameters(self.rules)
        here, losses = self.decisions, np.zeros(len(self.decisions), np.float32)
        table = (here.games, self.table.tables, here.counts, here.options, here.values)
        with catching_failures():
            done = compile_choosing()(*table, self.table.out, self.table.seats.records, losses)
        if done < len(here):
            raise StrategyError(f"{strategy.name}: {self.table.why_refused(0)}", done)
        return float(losses.mean(dtype=np.float64))


@dataclass
class Imitation:
    """Trials at the decisions of a teacher's lesson, one lesson for each number of players.

    A candidate is worth the less, the more of its chance to win it would lose at these decisions by choosing
    otherwise. That tells candidates apart with far fewer games than winning does, and lets weights be found
    for every part of the game.
    """

    rules: Rules
    teacher: Strategy
    start: Strategy  # who plays the games, beside the teacher
    games: int
    first_number: int  # of the seeds of this tuning
    backend: Backend
    progress: Progress | None = None
    lessons: dict[tuple[int, str], Decisions] = field(default_factory=dict)
    stages: dict[tuple[Stage, str], Decisions] = field(default_factory=dict)

    def play(self, sizes: Sequence[int]) -> None:
        """Play the games of training for tables of some sizes, before anything is fitted."""
        for players in sizes:
            self._lesson(players, "training")

    def training(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """Scores at a batch of the decisions; the next seed takes the next batch."""
        decisions = self._of_stage(stage, "training")
        batches = max(1, len(decisions) // BATCH)
        chosen = np.arange(len(decisions)) % batches == seed % batches
        return self._scores(decisions.where(chosen), candidates)

    def choosing(self, stage: Stage, candidates: Sequence[Strategy], seed: int) -> list[float]:
        """Scores at all decisions of games that nothing was learned from."""
        return self._scores(self._of_stage(stage, "choosing"), candidates)

    def _scores(self, decisions: Decisions, candidates: Sequence[Strategy]) -> list[float]:
        """Minus what each candidate loses a decision; a worker takes every so many-th of them.

        No game is played, and the decisions are here: threads of this process do it, whoever plays games.
        """
        threads = Backend("threads", self.backend.workers)

        def losses(decisions: Decisions, first: int) -> list[float]:
            pupil = Pupil(self.rules, decisions, candidates[first])
            return [pupil.loss(one) for one in candidates[first :: threads.workers]]

        compile_choosing()
        jobs = [(decisions, first) for first in range(min(threads.workers, len(candidates)))]
        found = list(share_out(threads, losses, jobs))
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
        if (players, purpose) not in self.lessons:
            seeds = TRAINING if purpose == "training" else CHOOSING
            seed = seed_in(seeds, self.first_number + SEED + players)
            games = self.games if purpose == "training" else -(-self.games // CHOOSING_SHARE)
            pool = (self.teacher, *[self.start] * PUPILS)
            lesson = LessonGames(self.rules, self.teacher, pool, players, seed, games)
            compile_collecting()
            jobs = [(lesson, first) for first in range(0, games, AT_ONCE)]
            parts = []
            for (_, first), part in zip(jobs, share_out(self.backend, decisions_of, jobs), strict=True):
                parts.append(part)
                if self.progress is not None and purpose == "training":
                    self.progress.advance(min(AT_ONCE, games - first))
            self.lessons[players, purpose] = joined(parts)
        return self.lessons[players, purpose]


class LessonGames(NamedTuple):
    """The games of a teacher's lesson as workers play them."""

    rules: Rules
    teacher: Strategy
    pool: Sequence[Strategy]
    players: int
    seed: int
    games: int


def decisions_of(lesson: LessonGames, first: int) -> Decisions:
    """The decisions of some games of a lesson, from one of them on."""
    count = min(AT_ONCE, lesson.games - first)
    return collect(lesson.rules, lesson.teacher, lesson.pool, lesson.players, lesson.seed, first, count)


def third_of(decisions: Decisions, rules: Rules) -> np.ndarray:
    """The third of the game that each decision belongs to, as the evaluator counts them."""
    played = np.maximum(decisions.games["round_number"].astype(np.int64) - 1, 0)
    rounds = int(rules.tables.rounds)
    return np.asarray((played * THIRDS >= rounds).astype(int) + (played * THIRDS >= 2 * rounds))
