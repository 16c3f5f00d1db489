"""`khora ladder`, as it is typed and as it prints."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app

SHORT = ["ladder", "random", "idle", "--games", "40", "--workers", "1"]


def output_of(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_the_ladder_is_printed_strongest_first_with_shares_and_intervals():
    lines = output_of(*SHORT).splitlines()
    assert lines[0] == (
        "One strategy against 3 of another, 4 players, seats rotated, 40 games a pairing, seed 3000000000."
    )
    assert [line.split()[:2] for line in lines if line[:1].isdigit()] == [["1", "random"], ["2", "idle"]] * 2
    assert "Won by the row against the column, in %, with 95 % intervals; chance alone gives 25 %." in lines


def test_a_script_gets_everything():
    found = json.loads(output_of(*SHORT, "--players", "2", "--seed", "5", "--json"))
    assert (found["players"], found["games"], found["seed"], found["null"]) == (2, 40, 3_000_000_005, 0.5)
    assert [(row["one"], row["other"]) for row in found["pairings"]] == [
        ("random", "idle"),
        ("idle", "random"),
    ]
    assert sum(row["share"]["value"] for row in found["pairings"]) == pytest.approx(1)


def test_a_kept_ladder_continues_by_its_folder_alone(tmp_path: Path):
    out = str(tmp_path / "out")
    first = output_of(*SHORT, "--out", out)
    assert first.splitlines()[-1] == f"The page: {Path(out) / 'index.html'}"
    assert output_of("ladder", "--resume", "--out", out) == first
