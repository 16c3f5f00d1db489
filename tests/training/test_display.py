"""The display of a tuning: one bar for all games of training, with the stage and generation."""

import io

from khora_sim.training.display import TuningDisplay
from rich.console import Console
from rich.progress import Progress

from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.training.budget import Budget
from khora_sim.training.trial import Stage
from khora_sim.training.tuning import Tuning


def shown() -> TuningDisplay:
    return TuningDisplay(Progress(console=Console(file=io.StringIO())))


def tuning() -> Tuning:
    stages = (Stage(4, "sparta"), Stage(2, "argos"))
    return Tuning((load("steward"),), ("steward",), load_rules(), stages, Budget(seconds=9), 8, 5, 0)


def test_the_bar_ends_after_all_games_of_training():
    display = shown()
    display.expect(None, tuning())
    assert display.progress.tasks[0].total is None
    display.expect(3, tuning())
    assert display.progress.tasks[0].total == 3 * 2 * 5 * 8


def test_games_of_choosing_do_not_move_the_bar():
    display = shown()
    display.expect(3, tuning())
    display.at(Stage(4, "sparta"), 2)
    display.played(40)
    display.choosing(Stage(4, "sparta"))
    display.played(100)
    task = display.progress.tasks[0]
    assert (task.completed, task.fields["what"]) == (40, "4 players, sparta: choosing")


def test_the_stage_and_generation_are_named():
    display = shown()
    display.expect(3, tuning())
    display.at(Stage(2), 1)
    assert display.progress.tasks[0].fields["what"] == "2 players, every city: generation 1 of 3"
