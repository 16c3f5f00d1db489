"""What a study keeps is what was played: a number that does not fit its column is an error, never cut off."""

import numpy as np
import polars as pl
import pytest

from khora_sim.engine.ledger import Column, Source, Spending
from khora_sim.errors import UserError
from khora_sim.rules.terms import Action
from khora_sim.simulation.chunk import frames
from khora_sim.simulation.column_buffers import ColumnBuffers, is_end_game
from khora_sim.simulation.seating import set_ups
from khora_sim.strategy.games import play_set_ups
from tests.simulation.folders import plan_for

FIRST_GAME = 100  # of the sheets below; they hold eight


@pytest.fixture(scope="module")
def played():
    """Eight games of two players as they were played, with their rounds."""
    plan = plan_for(games=8, players=2, strategies="random", rounds=True)
    given = set_ups(plan, plan.sections[0], 0, 8)
    games, ledgers = play_set_ups(plan.rules, given.view(np.recarray), plan.strategies)
    return plan, given, games, ledgers


@pytest.fixture
def sheets(played):
    """Empty sheets for the eight games, and copies of the records to be changed."""
    plan, given, games, ledgers = played
    return ColumnBuffers(plan, plan.sections[0], given, FIRST_GAME), games.copy(), ledgers.copy()


#: Record (game 5, seat 1), place in it, a number too large, and the message.
TOO_LARGE = [
    ("game", ("philosophy", 5, 1), 256, "philosophy is 256, and a study keeps 0 to 255"),
    ("game", ("minor", 5, 1, 2), 9_999, "minor_green is 9,999, and a study keeps 0 to 255"),
    ("game", ("step", 5), 65_536, "decisions is 65,536, and a study keeps 0 to 65,535"),
    ("ledger", ("actions", 5, 1, Action.TRADE), 300, "actions_trade is 300, and a study keeps 0 to 255"),
    (
        "ledger",
        ("returns", 5, 1, Action.TRADE),
        40_000,
        "returns_trade is 40,000, and a study keeps -32,768 to 32,767",
    ),
    (
        "ledger",
        ("philosophy_spent", 5, 1, Spending.LEVELS),
        256,
        "philosophy_spent_levels is 256, and a study keeps 0 to 255",
    ),
    (
        "ledger",
        ("points", 5, 1, Source.EVENT),
        -40_000,
        "points_events is -40,000, and a study keeps -32,768 to 32,767",
    ),
    ("ledger", ("points", 5, 1, 0), 32_768, "is 32,768, and a study keeps -32,768 to 32,767"),
    (
        "ledger",
        ("after_round", 5, 3, 1, Column.PHILOSOPHY),
        256,
        "philosophy is 256, and a study keeps 0 to 255",
    ),
]


@pytest.mark.parametrize(("record", "place", "number", "message"), TOO_LARGE)
def test_a_number_too_large_is_reported_with_its_game(record, place, number, message, sheets):
    sheet, games, ledgers = sheets
    (games if record == "game" else ledgers)[place[0]][place[1:]] = number
    with pytest.raises(UserError) as raised:
        keep(sheet, games, ledgers)
    assert str(raised.value).startswith("game 105: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("column", ["points_cards", "points_end_game_cards", "points_developments"])
def test_parts_that_fit_and_a_sum_that_does_not_are_reported(column, sheets):
    sheet, games, ledgers = sheets
    at_end = is_end_game(sheet.arm.rules)
    sources = {
        "points_cards": [card for card, late in enumerate(at_end) if not late],
        "points_end_game_cards": [card for card, late in enumerate(at_end) if late],
        "points_developments": [Source.DEVELOPMENT, Source.DEVELOPMENT + 1],
    }
    ledgers["points"][5, 1] = 0
    ledgers["points"][5, 1, sources[column][:2]] = 20_000
    with pytest.raises(
        UserError, match=f"^game 105: {column} is 40,000, and a study keeps -32,768 to 32,767;"
    ):
        keep(sheet, games, ledgers)


def test_the_largest_numbers_are_kept_as_they_are(sheets):
    sheet, games, ledgers = sheets
    games["philosophy"][5, 1], games["minor"][5, 1], games["drachmas"][5, 1] = 255, 255, 32_767
    ledgers["returns"][5, 1, Action.TRADE], ledgers["actions"][5, 1] = 32_767, 255
    row = keep(sheet, games, ledgers)["players"].filter(pl.col("game") == 105, pl.col("seat") == 2)
    kept = row.select("philosophy", "minor_red", "drachmas", "returns_trade", "actions_politics").row(0)
    assert kept == (255, 255, 32_767, 32_767, 255)


def keep(sheet, games, ledgers):
    """The tables of the games."""
    sheet.put(0, games, ledgers)
    return frames(sheet, sheet.arm.tables)
