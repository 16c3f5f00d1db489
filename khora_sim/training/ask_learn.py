"""From the options of a learning, as they are typed, to the file that it writes."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from khora_sim.common import commands
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError, nearest
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Crew
from khora_sim.strategy.finding import built_in_folder
from khora_sim.strategy.learned.value import ENDING, LearnedValue, read_learned, write_learned
from khora_sim.strategy.loading import load
from khora_sim.training.ask import players_of
from khora_sim.training.budget import budget_of
from khora_sim.training.learn import MOST_SEED, Learner, Learning
from khora_sim.training.positions import OneCity

BUILT_IN = "sage"


class AskedOfLearning(NamedTuple):
    """The options of a learning."""

    players: str | int | Sequence[int]
    start: str | Path | None
    budget: str
    seed: int
    city: str | None = None  # learn to play this city only
    against: str | None = None  # who plays all others then


class Learned(NamedTuple):
    """What a learning brought."""

    path: Path
    games: int
    lessons: int
    origin: dict[str, Any]


def learn(
    asked: AskedOfLearning, rules: Rules, out: Path, workers: int, *, resume: bool, progress: Progress
) -> Learned:
    """Learn what is asked for, and write the value."""
    if not 0 <= asked.seed <= MOST_SEED:
        raise UserError(f"--seed {asked.seed}: should be from 0 to {MOST_SEED}")
    players, budget = players_of(asked.players, rules), budget_of(asked.budget)
    learning = Learning(rules, players, budget, asked.seed, _parent(asked.start), _one_city(asked, rules))
    return finish(learning, out, workers, resume=resume, progress=progress)


def finish(learning: Learning, out: Path, workers: int, *, resume: bool, progress: Progress) -> Learned:
    """Carry a learning out; what is done is kept beside the value, lesson by lesson, until it is whole."""
    if out.suffix != ENDING:
        raise UserError(f"--out {out}: expected a file for the value that ends in {ENDING}")
    if out.exists():
        raise UserError(f"--out {out}: already exists; choose another, or remove it")
    folder = out.with_name(f"{out.stem}.learning")
    if folder.exists() and not resume:
        raise UserError(f"{folder}: an unfinished learning of {out}; go on with --resume, or remove it")
    learner = Learner(learning, folder, Crew("threads", workers), progress)
    value = learner.run()
    write_learned(value, out)
    shutil.rmtree(folder)
    games = sum(one.games for one in learner.records)
    return Learned(out, games, len(learner.records), value.origin)


def command_of_learning(asked: AskedOfLearning, rules_file: str | None, out: Path) -> str:
    """The command that repeats a learning; one within a time goes as far as the machine lets it."""
    return commands.learning(out, {**asked._asdict(), "rules": rules_file})


def _parent(start: str | Path | None) -> LearnedValue | None:
    """The value to start from."""
    if start is None:
        return None
    path = built_in_folder() / f"{BUILT_IN}{ENDING}" if str(start) == BUILT_IN else Path(start)
    return read_learned(path)


def _one_city(asked: AskedOfLearning, rules: Rules) -> OneCity | None:
    """The only city that is learned, if one is named, and who plays all others."""
    if asked.city is None:
        if asked.against is not None:
            raise UserError(f"--against {asked.against}: for learning one city; name it with --city")
        return None
    if asked.city not in rules.city_ids:
        raise UserError(f'--city: no city is called "{asked.city}"; {nearest(asked.city, rules.city_ids)}')
    against = load(asked.against or BUILT_IN)
    if against.rate is None:
        raise UserError(f"--against {asked.against}: is plain Python; learning needs a compiled strategy")
    return OneCity(asked.city, against)
