"""`khora what-if`, as it prints."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app, run

FEW = ("--strategies", "random", "--also-with", "none", "--games", "280", "--seed", "5", "--workers", "1")


def printed(*typed: str) -> str:
    done = CliRunner().invoke(app, ["what-if", *typed], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_the_change_comes_first_then_exposure_the_thing_fairness_and_every_city():
    change = "cities.argos.developments.1.effects.1.gain.vp=10"
    lines = printed("--set", change, *FEW).splitlines()
    assert lines[0].startswith(
        "cities.argos.developments.1.effects.1.gain.vp=10: 4 players, seed 3000000005, rules "
    )
    assert lines[1] == "  cities.argos.developments.1.effects: 2 troops. -> 2 troops and 10 VP."
    assert lines[3].startswith("With random in every seat, Argos wins more")
    assert lines[4] == "  Argos, development 1: its city at the table in 57.14 % exactly of 280 games."
    assert lines[5] == "  In the 120 games where it came up on neither side, nothing differs at all."
    assert lines[6].startswith("A city's typical distance from the fair share goes from ")
    assert lines[7].split() == ["City", "Before", "After", "Change", "p", "(Holm)", "n", "Pairing", "gain"]
    assert lines[9].startswith("Argos ")
    parted = lines.index("Games that somebody else wins:")
    assert "; the first other decision comes in round 2, decision 31 (" in lines[parted + 1]
    assert lines[-1].startswith("The players did not adapt. ")


def test_other_players_are_a_change_and_other_tables_stand_beside_it():
    text = printed("--changed-strategies", "idle", "--players", "4,3", *FEW)
    lines = text.splitlines()
    assert lines[0].startswith("idle in place of random: 4, 3 players, seed 3000000005, rules ")
    assert lines[1] == "  players: random -> idle"
    assert lines[3].startswith("At tables of 4, with idle in every seat in place of random in every seat, ")
    (beside,) = [at for at, line in enumerate(lines) if line.startswith("Changes side by side")]
    assert lines[beside + 1].split("  ")[0] == "City"
    assert [part.strip() for part in lines[-1].split("   ") if part] == ["Games", "280", "315"]
    assert "did not adapt" not in text


def test_an_option_of_the_game_is_a_change():
    lines = printed("--no-draft", *FEW).splitlines()
    assert lines[0].startswith("options.draft=false: 4 players, ")
    assert lines[1] == "  options.draft: on -> off"


def test_a_change_of_nothing_is_said_to_be_exactly_zero():
    text = printed("--set", "cards.lighthouse.cost=1", *FEW)
    assert "Both sides are the same: every number is exactly zero." in text
    assert "All 280 games were played on both sides" in text


def test_a_change_that_no_game_shows_is_bounded_and_not_called_nothing():
    text = printed("--set", "limits.tax=11", *FEW)
    assert "With random in every seat, no game came out differently." in text
    assert "a rarer one is not." in text


def test_a_script_gets_every_table():
    found = json.loads(printed("--set", "cards.lighthouse.cost=2", *FEW, "--json"))
    (variant,) = found["variants"]
    assert variant["set"] == ["cards.lighthouse.cost=2"]
    (verdict,) = variant["verdicts"]
    assert {row["city"] for row in verdict["tables"]["city_wins"]} >= {"argos", "athens"}
    assert set(verdict["fairness"]) == {"before", "after", "change"}


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["--set", "cards.lighthose.cost=2"], 'no card is called "lighthose"; did you mean lighthouse?'),
        ([], "no change is named; give a variant file, --set such as cards.lighthouse.cost=2, an option of"),
        (["there.toml"], "there.toml: no such file; expected the path of a variant in TOML"),
        (
            ["--set", "rounds=8", "--games", "5", "--precision", "1"],
            "--games and --precision: give one of them",
        ),
        (["--set", "rounds=8", "--players", "4,x"], "--players 4,x: expected numbers such as 4 or 4,3,2"),
        (["--set", "rounds=8", "--resume"], "--resume continues a run in its folder; name it with --out"),
        (["--set", "rounds=8", "--adapt", "lots"], "--adapt lots: expected games or time: 700000games, 90s"),
        (
            ["--changed-strategies", "idle", "--adapt", "9s"],
            "--adapt and --changed-strategies: both say who plays the changed side; give one of them",
        ),
        (["--against", "idle"], "--against: is now --changed-strategies"),
        (["--set", "rounds=8", "--beside", "idle"], "--beside: is now --also-with"),
        (["--set", "rounds=8", "--also-with", "stewrd"], "no strategy 'stewrd'; did you mean steward"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    typed: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["khora", "what-if", *typed])
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    monkeypatch.setattr(sys, "argv", ["khora", "what-if", "--set", "rounds=8", "--out", str(tmp_path)])
    with pytest.raises(SystemExit):
        run()
    assert "is not empty and holds no run of khora what-if; choose another --out" in capsys.readouterr().err
