"""`khora sweep` and `khora balance`, as they print."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from khora_sim.analyses.balance import BalanceOptions
from khora_sim.analyses.sweep import SweepOptions
from khora_sim.cli.generate import command_of
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
    assert lines[-2].startswith("The players did not adapt. ")
    assert lines[-1].endswith(" may not hold in stronger hands.")


def test_several_numbers_are_told_as_a_ranking():
    text = printed("sweep", "--vary", f"{POINTS}=0,5", "--vary", "cards.bank.cost=0,1", *FEW)
    assert "Rank   argos.1.1.vp   bank.cost" in text
    assert "base game" in text


def test_more_variants_than_fit_a_screen_are_printed_with_full():
    asked = ("sweep", "--vary", f"{POINTS}=0..3", "--vary", "cities.argos.developments.4.cost=0..4", *FEW)
    text, whole = printed(*asked), printed(*asked, "--full")
    assert "  5 more variants follow; --full, --out or --json has them all." in text
    assert "more variants follow" not in whole
    assert len(whole.splitlines()) == len(text.splitlines()) + 4  # 5 variants for the line that counts them


def test_a_flat_curve_is_said_to_be_flat():
    text = printed("sweep", "--vary", "cities.argos.developments.4.cost=1..3", *FEW)
    assert "no win share differs at any value of cities.argos.developments.4.cost." in text


def test_a_sweep_goes_on_in_its_folder_with_the_same_bytes(tmp_path: Path):
    out = tmp_path / "sweep"
    asked = ("sweep", "--vary", f"{POINTS}=0,5", *FEW, "--out", str(out))
    first = printed(*asked)
    answer = (out / "answer.json").read_bytes()
    next((out / "parts").iterdir()).unlink()
    assert printed("sweep", "--resume", "--out", str(out)) == first
    assert (out / "answer.json").read_bytes() == answer


def test_a_script_gets_every_variant_and_city():
    found = json.loads(printed("sweep", "--vary", f"{POINTS}=0,5", *FEW, "--json"))
    assert [row["status"] for row in found["variants"]] == ["best", "worse"]
    assert len(found["cities"]) == 14
    assert found["target"]["argos"] == {"share": 0.25, "within": None}


def test_balance_tells_its_proposals_and_writes_them_as_variants(tmp_path: Path):
    out = tmp_path / "balance"
    vary = ("--vary", f"{POINTS}=0,5", "--vary", "cities.sparta.developments.1.effects.1.number=1..2")
    text = printed("balance", *vary, *FEW, "--changes", "1", "--also-with", "none", "--out", str(out))
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
        (
            ["sweep", "--vary", "rounds=8", "--resume"],
            "--resume continues a run in its folder; name it",
        ),
        (
            ["sweep", "--vary", "rounds=8", "--strategies", "stewrd"],
            "no strategy 'stewrd'; did you mean steward",
        ),
        (["balance", "--target", "argo=25"], 'no city is called "argo"; did you mean argos?'),
        (["balance", "--beside", "idle"], "khora: --beside: is now --also-with"),
    ],
)
def test_a_mistake_is_told_in_one_line(typed, told, monkeypatch, capsys):
    assert told in failed(monkeypatch, capsys, *typed)


def test_a_mistake_leaves_no_folder_behind(tmp_path: Path, monkeypatch, capsys):
    out = tmp_path / "new"
    typed = ("balance", "--vary", "rounds=8", "--also-with", "stewrd", "--out", str(out))
    assert "no strategy 'stewrd'; did you mean steward" in failed(monkeypatch, capsys, *typed)
    assert not out.exists()


@pytest.mark.parametrize("more", [[], ["--replace"]])
def test_a_folder_of_something_else_is_never_written_into(tmp_path: Path, monkeypatch, capsys, more):
    (tmp_path / "notes.txt").write_text("mine")
    typed = ("sweep", "--vary", "rounds=8", "--strategies", "random", "--out")
    line = failed(monkeypatch, capsys, *typed, str(tmp_path), *more)
    assert line.endswith("is not empty and holds no run of khora sweep; choose another --out")
    line = failed(monkeypatch, capsys, *typed, str(tmp_path / "notes.txt"), *more)
    assert line.endswith("is a file; --out should name a folder")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_run_that_is_resumed_keeps_its_options(tmp_path: Path, monkeypatch, capsys):
    out = str(tmp_path / "sweep")
    printed("sweep", "--vary", f"{POINTS}=0,5", *FEW, "--out", out)
    line = failed(monkeypatch, capsys, "sweep", "--vary", "rounds=8", "--resume", "--out", out)
    assert f"--vary differs from what it was begun with (sweep --vary {POINTS}=0,5 " in line
    line = failed(monkeypatch, capsys, "sweep", "--vary", "rounds=8", "--strategies", "random", "--out", out)
    assert "holds a finished answer; show it again with --resume, begin anew with --replace" in line
    line = failed(monkeypatch, capsys, "balance", "--resume", "--out", out)
    assert "belongs to khora sweep; choose another --out" in line


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["sweep"], "no number is named; give --vary"),
        (["sweep", "--vary", "rounds=nine"], "'nine' is not a range of whole numbers"),
        (["sweep", "--vary", "rounds=99"], "--vary rounds=99: rounds: 99 given; expected"),
        (["sweep", "--vary", "rounds=8", "--target", "argo=25"], 'no city is called "argo"'),
        (["sweep", "--vary", "rounds=8", "--games", "many"], "--games many: expected a whole number"),
        (["sweep", "--vary", "rounds=8", "--rules", "none.toml"], "none.toml: no such file"),
        (["balance", "--vary", "rounds=9"], "every number keeps its value"),
        (["balance", "--numbers", "none.toml"], "none.toml: no such file"),
        (["balance", "--changes", "9"], "--changes 9: expected 1 to 8"),
        (["balance", "--also-with", "stewrd"], "no strategy 'stewrd'; did you mean steward"),
    ],
)
def test_a_mistake_is_told_before_a_strategy_is_loaded(typed, told, tmp_path: Path, monkeypatch, capsys):
    plug_in, run_marker = tmp_path / "mine.py", tmp_path / "was run"
    plug_in.write_text(f"open({str(run_marker)!r}, 'w')\n")
    assert told in failed(monkeypatch, capsys, *typed, "--strategies", str(plug_in))
    assert not run_marker.exists()


def test_a_wrong_parameter_is_told_before_a_game_is_played(monkeypatch, capsys):
    typed = ("balance", "--vary", "rounds=8", "--strategies", "random", "--also-with", "merchant:patiense=3")
    assert "patience" in failed(monkeypatch, capsys, *typed, "--quiet")


@pytest.mark.parametrize(
    "asked",
    [
        SweepOptions(vary=("rounds=8..9", "start.vp=0,2"), target=("argos=25",), games=20_000, seed=3),
        BalanceOptions(vary=("rounds=8",), also_with="none", changes=2, strategies=("random", "idle")),
        BalanceOptions(target=("33+-2", "argos=30..34"), precision=1.5, players=3),
    ],
    ids=["sweep", "balance", "targets"],
)
def test_the_command_that_repeats_a_run_has_its_options(asked):
    given: dict[str, Any] = {}
    alone = typer.Typer()
    alone.command()(command_of(type(asked), lambda **typed: given.update(typed), ""))
    khora, command, *words = shlex.split(asked.typed())
    assert (khora, command) == ("khora", asked.command)
    assert CliRunner().invoke(alone, words, catch_exceptions=False).exit_code == 0
    assert type(asked).of(given) == asked
