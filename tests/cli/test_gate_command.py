"""`khora gate`, as it prints and ends."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from khora_sim.cli.main import app, run
from tests.test_readme import CONSOLE, FILE, ROOT, commands_of, first_missing

FEW = ("--strategies", "random", "--games", "280", "--seed", "5", "--workers", "1")
GAIN = "[cities.argos.developments.1]\neffects = [{ on = 'at-once', gain = { troops = 2, vp = 12 } }]\n"


def gate(*typed: str) -> Result:
    return CliRunner().invoke(app, ["gate", *typed, "--workers", "1"], catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a baseline and a variant."""
    folder = tmp_path_factory.mktemp("gate")
    done = gate(str(folder / "b.json"), "--write", *FEW)
    assert done.exit_code == 0
    assert "b.json: written; random (" in done.stdout
    (folder / "gain.toml").write_text(GAIN)
    return folder


def test_an_unchanged_game_passes_and_nothing_differs(folder: Path):
    done = gate(str(folder / "b.json"))
    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert lines[0] == "PASS: 11 PASS"
    assert lines[1].split("random")[1] == lines[2].split("random")[1]
    assert sum("0 exactly" in line for line in lines) == 11
    assert lines[-2] == "  The same rules, players and luck gave the same games: nothing differs at all."
    assert lines[-1].startswith("  With random ")
    assert lines[-1].endswith(" may not hold in stronger hands.")


def test_a_planted_gain_fails_with_exit_code_1_and_a_summary_for_the_job(folder: Path):
    summary = folder / "summary.md"
    summary.write_text("# Before\n")
    rules = str(folder / "gain.toml")
    done = gate(str(folder / "b.json"), "--rules", rules, "--summary", str(summary))
    assert done.exit_code == 1
    assert done.stdout.startswith("FAIL: ")
    text = summary.read_text()
    assert text.startswith("# Before\n## Gate: FAIL: ")
    (argos,) = [line for line in text.splitlines() if "| Argos |" in line]
    assert argos.startswith("| FAIL |")
    assert argos.endswith("more than 2 |")


def test_a_warning_passes_unless_strict(folder: Path):
    limits = ("--city-share", "18..99")  # some city may be below it
    done = gate(str(folder / "b.json"), *limits)
    assert done.stdout.startswith("WARN: ")
    assert done.exit_code == 0
    assert gate(str(folder / "b.json"), *limits, "--strict").exit_code == 1


def test_where_no_change_is_allowed_no_number_of_games_is_promised(folder: Path):
    done = gate(str(folder / "b.json"), "--change", "0", "--seed", "9")
    (line,) = [line for line in done.stdout.splitlines() if "do not exclude" in line]
    assert line.endswith("points, more than --change 0.")


def test_a_script_gets_every_row(folder: Path):
    found = json.loads(gate(str(folder / "b.json"), "--json", "--change", "0").stdout)
    assert (found["verdict"], found["unchanged"], found["same_luck"]) == ("PASS", True, True)
    assert {row["verdict"] for row in found["rows"]} == {"PASS"}
    assert set(found["rows"][0]["now"]) == {"value", "low", "high", "n"}
    assert found["limits"] == {"city_share": None, "seat_share": None, "change": 0.0}


def test_a_baseline_is_written_anew_with_its_own_plan(folder: Path):
    before = (folder / "b.json").read_bytes()
    assert gate(str(folder / "b.json"), "--write").exit_code == 0
    assert (folder / "b.json").read_bytes() == before


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["none.json"], "none.json: no such file; expected the path of a baseline in JSON"),
        (["b.json", "--players", "3"], "the baseline has tables of 4"),
        (["b.json", "--change", "x"], "--change x: expected 0 to 100 percentage points"),
        (["b.json", "--city-share", "20"], "should be a range of percentages such as 20..30"),
        (["b.json", "--games", "9", "--precision", "1"], "--games and --precision: give one of them"),
        (["b.json", "--summary", "no/where.md"], "should be the path of a file in a folder that is there"),
        (["b.json", "--seed", "3000000000"], "expected a whole number from 0 to 999,999,999"),
        (["b.json", "--cards"], "holds no power of cards; write it again: khora gate b.json --write --cards"),
        (["gain.toml", "--write"], "exists and is not a baseline; choose another name"),
        (["b.json", "--strategies", "stewart"], "did you mean steward"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    typed: list[str],
    told: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["khora", "gate", *typed])
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


@pytest.mark.slow
def test_the_page_shows_what_its_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name, content in FILE.findall(text):
        Path(name).write_text(content)
    asked = [one for block in CONSOLE.findall(text) for one in commands_of(block)]
    assert [command.split()[:2] for command, _ in asked] == [["khora", "gate"]] * 3
    for command, shown in asked:
        done = CliRunner(env={"COLUMNS": "100"}).invoke(app, shlex.split(command)[1:])
        assert done.exit_code == int(shown[0].startswith("FAIL"))
        assert first_missing(shown, done.stdout) is None
    assert (tmp_path / "summary.md").read_text().startswith("## Gate: FAIL: Argos")
