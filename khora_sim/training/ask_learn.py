"""From the options of a learning, as they are typed, to the file that it writes."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from khora_sim.common import commands
from khora_sim.errors import UserError
from khora_sim.lab.crew import Crew
from khora_sim.rules import Rules
from khora_sim.strategy.finding import built_in_folder
from khora_sim.strategy.learned.learned_file import ENDING, read_learned, write_learned
from khora_sim.strategy.learned.learned_value import LearnedValue
from khora_sim.training.ask import players_of
from khora_sim.training.budget import budget_of
from khora_sim.training.learn import Learner, Learning, LearnWatch
from khora_sim.training.lessons import MOST_SEED

BUILT_IN = "sage"


class AskedOfLearning(NamedTuple):
    """The options of a learning."""

    players: str | int | Sequence[int]
    start: str | Path | None
    budget: str
    seed: int


class Learned(NamedTuple):
    """What a learning brought."""

    path: Path
    games: int
    lessons: int
    origin: dict[str, Any]


def learn(
    asked: AskedOfLearning, rules: Rules, out: Path, workers: int, *, resume: bool, watch: LearnWatch
) -> Learned:
    """Learn, and write the value; what is done is kept beside it, lesson by lesson, until it is whole."""
    if out.suffix != ENDING:
        raise UserError(f"--out {out}: expected a file for the value that ends in {ENDING}")
    if out.exists():
        raise UserError(f"--out {out}: is there already; choose another, or remove it")
    if not 0 <= asked.seed <= MOST_SEED:
        raise UserError(f"--seed {asked.seed}: should be from 0 to {MOST_SEED}")
    folder = out.with_name(f"{out.stem}.learning")
    if folder.exists() and not resume:
        raise UserError(f"{folder}: an unfinished learning of {out}; go on with --resume, or remove it")
    players = players_of(asked.players, rules)
    learning = Learning(rules, players, budget_of(asked.budget), asked.seed, _parent(asked.start))
    learner = Learner(learning, folder, Crew("threads", workers), watch)
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
