"""`khora sweep` and `khora balance`, as they print."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app, run
from khora_sim.rules import load_rules

POINTS = "cities.argos.developments.1.effects.1.gain.vp"
FEW = ("--strategies", "random", "--games", "280", "--workers", "1")


def printed(*typed: str) -> str:
    done = CliRunner().invoke(app, list(typed), catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def failed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    monkeypatch.setattr(sys, "argv", ["khora", *typed])
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_one_number_is_told_value_by_value_and_city_by_city():
    lines = printed("sweep", "--vary", f"{POINTS}=0,5", *FEW).splitlines()
    assert lines[0] == f"{POINTS}: 4 players, seed 0"
    assert lines[1] == "  1 variant and the base game played, 280 games each, on the same luck."
    assert lines[3].startswith(
        "With random in every seat, nothing comes nearer to every city at the fair share"
    )
    heads = ["Value", "Argos", "Change", "Distance", "Its", "change", "n", "games", "Against", "best"]
    assert lines[5].split() == heads
    assert lines[7].split()[:2] == ["0", "(base)"]
    assert lines[8].split()[0] == "5"
    assert lines[10].split() == ["City", "0", "(base)", "5"]
    assert lines[12].split()[0] == "Argos"
    assert lines[-1].startswith("The players did not adapt. ")


def test_several_numbers_are_told_as_a_ranking():
    text = printed("sweep", "--vary", f"{POINTS}=0,5", "--vary", "cards.bank.cost=0,1", *FEW)
    assert "Rank   argos.1.1.vp   bank.cost" in text
    assert "base game" in text


def test_a_flat_curve_is_said_to_be_flat():
    text = printed("sweep", "--vary", "cities.argos.developments.4.cost=1..3", *FEW)
    assert "no win share differs at any value of cities.argos.developments.4.cost." in text


def test_a_sweep_goes_on_in_its_folder_with_the_same_bytes(tmp_path: Path):
    out = tmp_path / "sweep"
    asked = ("sweep", "--vary", f"{POINTS}=0,5", *FEW, "--out", str(out))
    first = printed(*asked)
    answer = (out / "answer.json").read_bytes()
    next((out / "sums").iterdir()).unlink()
    assert printed(*asked, "--resume") == first
    assert (out / "answer.json").read_bytes() == answer


def test_a_script_gets_every_variant_and_city():
    found = json.loads(printed("sweep", "--vary", f"{POINTS}=0,5", *FEW, "--json"))
    assert [row["status"] for row in found["variants"]] == ["best", "worse"]
    assert len(found["cities"]) == 14
    assert found["target"]["argos"] == {"share": 0.25, "within": None}


def test_balance_tells_its_proposals_and_writes_them_as_variants(tmp_path: Path):
    out = tmp_path / "balance"
    vary = ("--vary", f"{POINTS}=0,5", "--vary", "cities.sparta.developments.1.effects.1.number=1..2")
    text = printed("balance", *vary, *FEW, "--changes", "1", "--beside", "none", "--out", str(out))
    lines = text.splitlines()
    assert lines[0] == "Towards every city at the fair share (25 ± 2 %): 4 players, seed 0"
    assert "2 single changes of 2 numbers played with 280 games each" in lines[1]
    assert "  1: cities.sparta.developments.1.effects.1.number 1 → 2" in lines
    (change,) = load_rules(out / "proposal-1.toml").changes()
    assert change.in_words().startswith("cities.sparta.developments.1.effects: ")
    assert (out / "index.html").exists()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["sweep"], "no number is named; give --vary, such as cards.lighthouse.cost=0..4"),
        (
            ["sweep", "--vary", "cards.lighthose.cost=0..4"],
            'no card is called "lighthose"; did you mean lighthouse?',
        ),
        (["sweep", "--vary", "rounds=8", "--games", "5", "--precision", "1"], "give one of them"),
        (["sweep", "--vary", "rounds=8", "--resume"], "--resume: goes on in a folder; name it with --out"),
        (
            ["sweep", "--vary", "rounds=8", "--strategies", "stewrd"],
            "no strategy 'stewrd'; did you mean steward",
        ),
        (["balance", "--target", "argo=25"], 'no city is called "argo"; did you mean argos?'),
    ],
)
def test_a_mistake_is_told_in_one_line(typed, told, monkeypatch, capsys):
    assert told in failed(monkeypatch, capsys, *typed)


def test_a_mistake_leaves_no_folder_behind(tmp_path: Path, monkeypatch, capsys):
    out = tmp_path / "new"
    typed = ("balance", "--vary", "rounds=8", "--beside", "stewrd", "--out", str(out))
    assert "no strategy 'stewrd'; did you mean steward" in failed(monkeypatch, capsys, *typed)
    assert not out.exists()


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_a_folder_of_something_else_is_never_written_into(tmp_path: Path, monkeypatch, capsys, more):
    (tmp_path / "notes.txt").write_text("mine")
    typed = ("sweep", "--vary", "rounds=8", "--out")
    line = failed(monkeypatch, capsys, *typed, str(tmp_path), *more)
    assert line.endswith("is not empty and holds no answer; choose another --out")
    line = failed(monkeypatch, capsys, *typed, str(tmp_path / "notes.txt"), *more)
    assert line.endswith("is a file; --out should name a folder that is new or empty")


def test_another_sweep_is_not_gone_on_with(tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "plan.json").write_text('{"vary": ["rounds=7"]}')
    line = failed(monkeypatch, capsys, "sweep", "--vary", "rounds=8", "--out", str(tmp_path), "--resume")
    assert "was begun with vary rounds=7; ask for the same again, or choose another --out" in line
    line = failed(monkeypatch, capsys, "sweep", "--vary", "rounds=8", "--out", str(tmp_path))
    assert "already exists; go on with --resume, or choose another --out" in line
