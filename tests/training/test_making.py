"""What all commands that make a player share: budgets, the file, and the command that makes it again."""

import inspect
from pathlib import Path

import pytest

import khora_sim
from khora_sim.errors import UserError
from khora_sim.training.learn import COMMAND, Learned, LearnOptions
from khora_sim.training.making import Budget, budget_of


@pytest.mark.parametrize(
    ("typed", "budget"),
    [
        ("700000games", Budget(games=700_000)),
        ("90s", Budget(seconds=90)),
        ("1.5min", Budget(seconds=90)),
        ("2 h", Budget(seconds=7200)),
    ],
)
def test_games_and_time_are_read(typed, budget):
    assert budget_of(typed) == budget
    assert budget_of(str(budget)) == budget


@pytest.mark.parametrize("typed", ["", "12", "0games", "0s", "-5min", "1.5games", "5 parsecs", "games"])
def test_anything_else_is_told_in_one_line(typed):
    with pytest.raises(UserError) as error:
        budget_of(typed)
    assert str(error.value) == f"--budget {typed}: expected games or time: 700000games, 90s, 10min or 2h"


@pytest.mark.parametrize("make", [khora_sim.learn, khora_sim.tune])
def test_the_file_has_to_be_named(make):
    assert inspect.signature(make).parameters["out"].default is inspect.Parameter.empty
    with pytest.raises(UserError, match="--out is missing; expected a file to write"):
        make()


def test_the_command_that_makes_the_same_again_names_every_option():
    options = LearnOptions.of(
        {"out": "value.npz", "players": "4,3", "rules": Path("mine.toml"), "workers": 2}
    )
    assert options.repeated() == (
        "khora learn --rules mine.toml --players 4,3 --budget 25min --seed 0 --out value.npz"
    )


def test_what_was_learned_is_printed_with_how_to_see_it_play():
    made = Learned(
        path=Path("mine.npz"), games=1234, lessons=5, origin={"players": [3, 2]}, rules="mine.toml"
    )
    assert COMMAND.brief(made) == [
        "wrote mine.npz after 1,234 games in 5 lessons",
        "See it play with: khora replay --seed 1 --players 3 --strategies "
        f"{','.join(['sage:learned=mine.npz'] * 3)} --rules mine.toml",
    ]
    assert made.data() == {"out": "mine.npz", "games": 1234, "lessons": 5, "origin": {"players": [3, 2]}}
