"""`khora power`, as it prints and writes."""

import json
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app, run

FEW = ("--strategies", "random", "--games", "140", "--seed", "5", "--workers", "1")


def printed(*typed: str) -> str:
    done = CliRunner().invoke(app, ["power", *typed], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> tuple[Path, str]:
    """The folder of an answer about tracks, and what was printed."""
    out = tmp_path_factory.mktemp("power") / "tracks"
    return out, printed("tracks", *FEW, "--out", str(out))


def test_what_was_played_comes_first_then_the_verdict_and_every_thing(folder):
    lines = folder[1].splitlines()
    assert lines[0].startswith(
        "What tracks are worth: 140 games of each of 4 sides with random in every seat"
    )
    assert lines[2].startswith("With random in every seat")
    assert lines[3].split()[:8] == ["Track", "Label", "Win", "share", "p", "(Holm)", "Points", "n"]
    assert {line.split()[0] for line in lines[5:8]} == {"economy", "culture", "military"}
    assert lines[8].startswith("  Win share: win share in percentage points, allowed, against one player")
    assert lines[-1] == f"The page: {folder[0] / 'index.html'}"


def test_a_folder_holds_page_tables_figures_and_answer(folder):
    out = folder[0]
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "What tracks are worth" in page
    assert "What the labels mean" in page
    answer = json.loads((out / "answer.json").read_text(encoding="utf-8"))
    assert len(answer["rows"]) == 3 * 8
    assert len(pl.read_parquet(out / "tables" / "power-allowed-cities.parquet")) == 3 * 7
    assert {path.name for path in (out / "figures").glob("*.svg")} == {
        "power-allowed.svg",
        "power-allowed-cities.svg",
    }


def test_a_finished_answer_is_told_again_without_playing(folder):
    """And without naming anything but the folder."""
    assert printed("--resume", "--workers", "1", "--out", str(folder[0])) == folder[1]
    assert printed("tracks", "--resume", "--workers", "1", "--out", str(folder[0])) == folder[1]


def test_a_script_gets_every_row():
    found = json.loads(printed("tracks", *FEW, "--json"))
    assert (found["kind"], found["games"], found["sides"], len(found["rows"])) == ("tracks", 140, 4, 24)
    row = found["rows"][0]
    assert (row["thing"], row["city"], row["way"]) == ("economy", "all", "allowed")
    assert row["wins"]["low"] < row["wins"]["value"] < row["wins"]["high"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["card"], 'unknown kind "card"; did you mean cards'),
        (["cards", "--games", "7", "--precision", "1"], "--games and --precision: give one of them"),
        (
            ["cards", "--resume"],
            "--resume continues a run in its folder; name it with --out",
        ),
        (["cards", "--strategies", "stewart"], "steward"),
    ],
)
def test_a_mistake_is_one_line(typed, told, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["khora", "power", *typed])
    with pytest.raises(SystemExit) as stop:
        run()
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.count("\n") == 1
    assert told in error
