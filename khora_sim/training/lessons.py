"""The lessons of learning: games of a mixed pool first, then games of the player that the value makes.

A lesson is a pure function of what was asked and of the value before it. Its positions and the value that it
ends with are kept in a folder, so that a learning that was stopped goes on after its last whole lesson.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from khora_sim.common.seed_ranges import TRAINING, seed_in
from khora_sim.common.user_files import read_json
from khora_sim.common.writing import atomic_file, write_atomically
from khora_sim.simulation.crew import Crew
from khora_sim.rules import Rules
from khora_sim.strategy.contract import Strategy
from khora_sim.training.positions import POSITION, OneCity, collect

HELD_OUT = 0.1  # of a lesson's games: their positions are never learned from
SEEDS_OF_A_LEARNING = 10_000  # a learning with the next number has seeds of its own
SEEDS_OF_A_COUNT = 1_000  # for each number of players
MOST_SEED = len(TRAINING) // SEEDS_OF_A_LEARNING - 1


class Lesson(NamedTuple):
    """What is played in a lesson."""

    number: int  # 0 is the mixed pool
    players: int
    games: int
    slips: int  # of 1,000 moves, made at random
    seed: int


class Record(NamedTuple):
    """What came out of a lesson; it stands in the origin of the value."""

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


def play_lesson(
    lesson: Lesson,
    rules: Rules,
    pool: Sequence[Strategy],
    crew: Crew,
    chunk: int,
    played: Callable[[int], None],
    one_city: OneCity | None = None,
) -> np.ndarray:
    """The positions of a lesson, game by game; the same on any number of workers."""
    from joblib import Parallel, delayed

    def some(first: int) -> np.ndarray:
        games = min(chunk, lesson.games - first)
        found = collect(rules, pool, lesson.players, lesson.seed, first, games, lesson.slips, one_city)
        played(games)
        return found

    with crew.at_work():
        jobs = (delayed(some)(first) for first in range(0, lesson.games, chunk))
        return np.concatenate(Parallel(n_jobs=crew.workers, batch_size=1)(jobs))


def held_out(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions to learn from, and those of the games that are held out: the last ones."""
    last = int(len(positions) * (1 - HELD_OUT))
    while 0 < last < len(positions) and positions["rounds"][last] < positions["rounds"][last - 1]:
        last += 1  # positions of one game stay together
    return positions[:last], positions[last:]


def record_of(lesson: Lesson, positions: np.ndarray, rules: Rules, before: float, after: float) -> Record:
    """A lesson in numbers; every game has one position with one round left."""
    ends = positions[positions["rounds"] == 1]["places"][:, : lesson.players]
    shares = {
        name: round(float(ends["won"][ends["city"] == city].mean()), 4)
        if (ends["city"] == city).any()
        else 0.0
        for city, name in enumerate(rules.city_ids)
    }
    score = round(float(ends["score"].mean()), 2)
    return Record(
        lesson.number,
        lesson.players,
        lesson.games,
        lesson.seed,
        round(before, 5),
        round(after, 5),
        score,
        shares,
    )


def keep_positions(folder: Path, lesson: Lesson, positions: np.ndarray) -> None:
    """Keep the positions of a lesson."""
    with (
        atomic_file(_positions_path(folder, lesson.players, lesson.number)) as file,
        file.open("wb") as stream,
    ):
        np.save(stream, positions, allow_pickle=False)


def kept_positions(folder: Path, players: int, number: int) -> np.ndarray:
    """The positions of an earlier lesson, read as they are needed."""
    found = np.load(_positions_path(folder, players, number), mmap_mode="r", allow_pickle=False)
    assert found.dtype == POSITION
    return np.asarray(found)


def _positions_path(folder: Path, players: int, number: int) -> Path:
    return folder / f"positions_{players}_{number:03}.npy"


def keep_state(folder: Path, asked: dict[str, Any], records: Sequence[Record], seconds: float) -> None:
    """Keep what has been done so far."""
    from json import dumps

    state = {"asked": asked, "records": [one._asdict() for one in records], "seconds": seconds}
    write_atomically(folder / "state.json", dumps(state, indent=1).encode())


def kept_state(folder: Path) -> tuple[dict[str, Any], list[Record], float] | None:
    """What had been done before a stop; None if there is nothing."""
    path = folder / "state.json"
    if not path.exists():
        return None
    state = read_json(path, "the state of a learning")
    return state["asked"], [Record(**one) for one in state["records"]], float(state["seconds"])
