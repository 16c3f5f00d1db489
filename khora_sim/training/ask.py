"""From the options of a tuning, as they are typed, to the file that it writes."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khora_sim.common import commands
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.simulation.backend import Crew
from khora_sim.simulation.study_file import MOST_STRATEGIES, split_list
from khora_sim.strategy import load
from khora_sim.strategy.contract import Made, Strategy, strategy_name
from khora_sim.training.budget import Budget, budget_of
from khora_sim.training.trial import in_parts, stages_of
from khora_sim.training.tune import (
    MOST_SEED,
    State,
    Tuner,
    read_state,
    state_path,
    write_state,
    write_weights,
)
from khora_sim.training.tuning import Tuning

BUDGET, TEACHER_BUDGET = "10min", "1000games"  # the usual ones, without and with a teacher
LEAST_POPULATION = 4  # with fewer, CMA-ES has nobody to prefer to whom


class Asked(NamedTuple):
    """The options of a tuning."""

    start: str | Sequence[str]
    against: str | Sequence[str]
    players: str | int | Sequence[int]
    cities: str | Sequence[str]
    budget: str | None
    games: int
    population: int
    seed: int
    teacher: str | None = None
    thirds: bool = False  # weights for every third of the game, as with a teacher


class Tuned(NamedTuple):
    """What a tuning brought."""

    path: Path  # of the weights file
    games: int  # of training
    made: Made  # its last step is this tuning


def settled(asked: Asked, rules: Rules) -> Tuning:
    """What is asked for, checked."""
    for name, given, least in (
        ("games", asked.games, 1),
        ("population", asked.population, LEAST_POPULATION),
        ("seed", asked.seed, 0),
    ):
        if given < least:
            raise UserError(f"--{name} {given}: should be {least} or more")
    if asked.seed > MOST_SEED:
        raise UserError(f"--seed {asked.seed}: should be at most {MOST_SEED}")
    stages = stages_of(players_of(asked.players, rules), _cities(asked.cities), rules)
    return Tuning(
        starts=_starts(asked.start),
        opponents=_opponents(asked.against),
        rules=rules,
        stages=tuple(in_parts(stages) if asked.thirds or asked.teacher is not None else stages),
        budget=_budget(asked),
        games=asked.games,
        population=asked.population,
        seed=asked.seed,
        teacher=_teacher(asked.teacher),
    )


def _budget(asked: Asked) -> Budget:
    """What is given, or the usual; a teacher's lesson is counted in games."""
    budget = budget_of(asked.budget or (BUDGET if asked.teacher is None else TEACHER_BUDGET))
    if asked.teacher is not None and budget.games is None:
        raise UserError(f"--budget {budget}: with --teacher, expected a number of games: {TEACHER_BUDGET}")
    return budget


def _teacher(name: str | None) -> Strategy | None:
    if name is None:
        return None
    teacher = load(name)
    if teacher.learned is None:
        raise UserError(f"--teacher {name}: has no learned value to rate options by; name one that has: sage")
    return teacher


def _starts(names: str | Sequence[str]) -> tuple[Strategy, ...]:
    starts = tuple(load(name) for name in split_list(names))
    if not starts:
        raise UserError("--start: none is named; name a strategy made of weights, such as steward")
    for start in starts:
        if start.kind != "weights":
            raise UserError(f"--start {start.name}: not made of weights; name one that is, such as steward")
    return starts


def _opponents(against: str | Sequence[str]) -> tuple[str, ...]:
    names = tuple(split_list(against))
    if not 0 < len(names) < MOST_STRATEGIES:
        raise UserError(f"--against: {len(names)} are named; expected 1 to {MOST_STRATEGIES - 1} strategies")
    for name in names:
        if load(name).rate is None:
            raise UserError(f"--against {name}: plain Python; name one that is compiled or made of weights")
    return names


def players_of(players: str | int | Sequence[int], rules: Rules) -> tuple[int, ...]:
    given = split_list(players)
    known = [count for count in PLAYER_COUNTS if count <= len(rules.city_ids)]
    wrong = [one for one in given if str(one) not in map(str, known)]
    if wrong or not given:
        what = ", ".join(map(str, known))
        raise UserError(f"--players {commands.as_typed(players)}: expected one or several of {what}")
    return tuple(dict.fromkeys(int(one) for one in given))


def _cities(cities: str | Sequence[str]) -> str | tuple[str, ...]:
    return cities if cities in ("all", "none") else tuple(split_list(cities))


def command_for(asked: Asked, games: int, rules_file: str | None, out: Path) -> str:
    """The command that repeats a tuning: its budget is what was played, however it was given."""
    options = asked._asdict() | {"budget": f"{games}games", "rules": rules_file, "out": out}
    return commands.tuning({**options, "thirds": asked.thirds or None})


def tune(
    asked: Asked,
    rules: Rules,
    rules_file: str | None,
    out: Path,
    workers: int,
    *,
    resume: bool,
    progress: Progress,
) -> Tuned:
    """Tune, and write the weights file; after each generation the state is kept beside it."""
    path = _out(out)
    tuning = settled(asked, rules)
    state = _state(state_path(path), tuning, path, resume)
    tuner = Tuner(
        tuning, Crew("threads", workers), state, lambda now: write_state(state_path(path), now), progress
    )
    found = tuner.run()
    games = tuning.games_in(state.generations)
    made = tuner.made(found, command_for(asked, games, rules_file, out))
    write_weights(path, found, made)
    state_path(path).unlink(missing_ok=True)
    return Tuned(path, games, made)


def _out(out: Path) -> Path:
    """The file to write, if it can be the name of a strategy and is not there yet."""
    if out.suffix != ".toml" or not strategy_name(out):
        raise UserError(f"--out {out}: expected a file for the weights that ends in .toml")
    if out.exists():
        raise UserError(f"--out {out}: already exists; choose another, or remove it")
    return out


def _state(path: Path, tuning: Tuning, out: Path, resume: bool) -> State:
    if resume and path.exists():
        return read_state(path, tuning.digest, tuning.population)
    if path.exists():
        raise UserError(f"{path}: an unfinished tuning of {out}; go on with --resume, or remove it")
    return State(asked=tuning.digest)
