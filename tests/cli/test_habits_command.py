"""`khora strategies habits`, as it prints."""

import json

from typer.testing import CliRunner

from khora_sim.cli.main import app


def output_of(*more: str) -> str:
    arguments = ["strategies", "habits", "random", "--games", "140", "--workers", "1", *more]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_blind_spots_come_first_and_every_city_has_its_row():
    lines = output_of().splitlines()
    assert lines[0].startswith("random against itself: 140 games of 4 players, all sets of cities")
    assert lines[2].startswith("Possible blind spots (upper end of the interval below 2 %")
    assert sum(line.startswith("Sparta ") for line in lines) == 3  # developments, actions and tracks
    assert not any(line.startswith("Cards") for line in lines)


def test_all_that_was_counted_is_printed_when_asked_for():
    text = output_of("--full")
    for title in ("Levels of culture", "Actions by round, Athens", "Cards: ", "Spaces: "):
        assert f"\n{title}" in text
    assert "Persepolis" in text
    assert "Ostracism" in text


def test_a_script_gets_everything():
    assert {"blind_spots", "cards_kept", "spaces"} < json.loads(output_of("--json")).keys()
