"""Players made by play: tuned weights and learned values."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder, Several, load_rules
from khora_sim.progress_display import announcing_waits, learning_display, tuning_display

if TYPE_CHECKING:
    from khora_sim.rules import Rules
    from khora_sim.training.ask import Tuned
    from khora_sim.training.ask_learn import Learned


def learn(
    *,
    out: Folder,
    players: int | str | Sequence[int] = "4",
    rules: "str | Path | Rules | None" = None,
    start: Folder | None = None,
    city: str | None = None,
    against: str | None = None,
    budget: str = "25min",
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Learned":
    """Learn the value of positions by self-play and write it, as `khora learn` does: see docs/players.md.

    With `city` only that city learns, against a table of the strategy `against` (`sage`).
    """
    from khora_sim.rules import Rules
    from khora_sim.simulation.backend import worker_count
    from khora_sim.training.ask_learn import AskedOfLearning
    from khora_sim.training.ask_learn import learn as learned

    at_once = worker_count(workers)
    asked = AskedOfLearning(players, start, budget, seed, city, against)
    laid = rules if isinstance(rules, Rules) else load_rules(rules)
    with announcing_waits(progress), learning_display(progress) as shown:
        return learned(asked, laid, Path(out), at_once, resume=resume, progress=shown)


def tune(
    *,
    out: Folder,
    start: Several = "steward",
    against: Several = "steward,expert",
    players: int | str | Sequence[int] = "4",
    cities: Several = "all",
    thirds: bool = False,
    rules: "str | Path | Rules | None" = None,
    teacher: str | None = None,
    budget: str | None = None,
    games: int = 400,
    population: int = 20,
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Tuned":
    """Tune weights of the evaluator and write them to a file, as `khora tune` does: see docs/players.md."""
    from khora_sim.rules import Rules
    from khora_sim.simulation.backend import worker_count
    from khora_sim.training.ask import Asked as AskedOfTuning
    from khora_sim.training.ask import tune as tuned

    at_once = worker_count(workers)
    asked = AskedOfTuning(start, against, players, cities, budget, games, population, seed, teacher, thirds)
    of_file = None if rules is None or isinstance(rules, Rules) else str(rules)
    laid = rules if isinstance(rules, Rules) else load_rules(rules)
    with announcing_waits(progress), tuning_display(progress) as shown:
        return tuned(asked, laid, of_file, Path(out), at_once, resume=resume, progress=shown)
