"""A budget is so many games or so much time."""

import pytest

from khora_sim.errors import UserError
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
