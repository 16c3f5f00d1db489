"""`khora strategies grade`, as it prints."""

import json

import pytest
from typer.testing import CliRunner

from khora_sim.analyses.grade import making
from khora_sim.cli.main import app
from khora_sim.errors import UserError


def output_of(*more: str) -> str:
    done = CliRunner().invoke(app, ["strategies", "grade", "merchant", *more], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_the_loss_comes_first_then_its_parts_and_the_worst_decisions():
    text = output_of()
    lines = text.splitlines()
    assert lines[0].startswith("merchant at ")
    assert lines[1].startswith("Loss: ")
    assert lines[1].endswith(" percentage points of win chance a decision.")
    for title in ("Kind ", "City ", "Round ", "Players ", "Costliest by kind and city", "Worst decisions:"):
        assert f"\n{title}" in text
    assert sum(line.startswith("Sparta ") for line in lines) == 1
    assert "See one with: khora strategies grade merchant --decision " in lines[-1]


def test_one_decision_is_shown_with_all_its_options():
    text = output_of("--decision", "1")
    assert text.startswith("Decision 1 of panel.npz: ")
    assert "Win chance, %" in text
    assert text.count("merchant") == 1


def test_a_script_gets_every_answer():
    data = json.loads(output_of("--json"))
    assert {"loss", "low", "high", "n", "by_kind", "by_kind_and_city", "answers", "panel"} < data.keys()
    assert len(data["answers"]) == data["n"]
    assert json.loads(output_of("--decision", "2", "--json"))["number"] == 2


def test_a_panel_is_made_and_the_next_command_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(making, "BLOCK", 2)
    out = tmp_path / "few.npz"
    asked = ["strategies", "panel", "--out", str(out), "--decisions", "3", "--worlds", "2"]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.stdout.splitlines() == [
        f"wrote {out}: 3 decisions of 6 games",
        f"Grade a strategy with: khora strategies grade NAME --panel {out}",
    ]
    see = output_of("--panel", str(out)).splitlines()[-1]
    assert see.startswith(f"See one with: khora strategies grade merchant --panel {out} --decision ")


def test_a_decision_that_is_not_there_is_reported():
    with pytest.raises(UserError, match=r"panel\.npz: has no decision 0; they count from 1 to "):
        output_of("--decision", "0")
