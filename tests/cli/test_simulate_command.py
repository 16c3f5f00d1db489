"""`khora simulate` and `khora data` from the command line."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from khora_sim.cli.main import app
from khora_sim.errors import UserError

ASKED = ["--games", "40", "--strategies", "random,first-legal,idle,random", "--seed", "7"]


def khora(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "first"
    result = khora("simulate", *ASKED, "--out", str(folder))
    assert result.exit_code == 0
    return folder


def test_simulate_says_what_came_of_it(tmp_path: Path):
    result = khora("simulate", *ASKED, "--out", str(tmp_path / "study"))
    assert result.stdout.startswith("40 games in ")
    assert result.stdout.endswith(f"Look in with: khora data show {tmp_path / 'study'}\n")
    assert "40 games, 10 rotation groups: 40 with 4 players" in result.stderr
    assert (
        "Rotation: the strategies move around the table; cities, deals and dice stay at their seats."
        in result.stderr
    )


def test_quiet_prints_nothing(tmp_path: Path):
    result = khora("simulate", *ASKED, "--out", str(tmp_path / "study"), "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_json_is_for_scripts(tmp_path: Path):
    result = khora("simulate", *ASKED, "--out", str(tmp_path / "study"), "--json", "--workers", "1")
    data = json.loads(result.stdout)
    assert (data["games"], data["played"], data["workers"], data["backend"]) == (40, 40, 1, "threads")


def test_a_study_file_and_flags_together(tmp_path: Path):
    (tmp_path / "study.toml").write_text('games = 4000\nstrategies = ["random"]\nplayers = 2\n')
    result = khora(
        "simulate", str(tmp_path / "study.toml"), "--games", "8", "--out", str(tmp_path / "out"), "--json"
    )
    assert json.loads(result.stdout)["games"] == 8


def test_a_dry_run_writes_nothing_and_says_how_many_how_long_how_big():
    result = khora(
        "simulate", "--games", "1000", "--strategies", "random", "--cities", "all", "--dry-run", "--json"
    )
    data = json.loads(result.stdout)
    assert data["games"] == 1120  # whole turns of 35 sets x 4 games
    assert data["seconds"] > 0
    assert 100_000 < data["bytes"] < 1_000_000
    result = khora("simulate", "--games", "1000", "--strategies", "random", "--dry-run")
    assert "everyone plays random; random cities; rules base; seed 0" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("About ")


def test_resume_needs_no_more_than_the_folder(study: Path):
    result = khora("simulate", "--resume", "--out", str(study))
    assert result.stdout.startswith(f"{study} is complete: 40 games, nothing was left to play.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--strategies", "random"], "say where the results go: --out DIR"),
        (["--strategies", ",", "--out", "nowhere"], "no strategies; say who plays, for example"),
        (["--strategies", "randm", "--out", "nowhere"], "did you mean random?"),
        (
            ["--strategies", "random", "--out", "nowhere", "--workers", "0"],
            "--workers 0: expected 1 or more",
        ),
        (["--strategies", "random", "--out", "nowhere", "--backend", "thread"], "did you mean threads?"),
        (
            [
                "--strategies",
                "random",
                "--out",
                "nowhere",
                "--backend",
                "dask",
                "--scheduler",
                "tcp://127.0.0.1:1",
            ],
            "no Dask scheduler answers there",
        ),
    ],
)
def test_what_is_wrong_is_reported(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("khora_sim.simulation.backend.CONNECT_SECONDS", 1)
    with pytest.raises(UserError) as error:
        khora("simulate", *arguments)
    assert said in str(error.value)


def test_show_tells_what_a_study_is_and_its_first_shares(study: Path):
    shown = khora("data", "show", str(study)).stdout
    assert "40 with 4 players, 10 rotation groups" in shown
    assert "one strategy per seat: random, first-legal, idle, random; random cities" in shown
    assert "Win share" in shown
    answer = json.loads(khora("data", "show", str(study), "--json").stdout)
    assert answer["finished_games"] == 40
    assert {row["strategy"] for row in answer["win_shares"]["strategy"]} == {"random", "first-legal", "idle"}
    assert sum(row["value"] * row["n"] for row in answer["win_shares"]["city"]) == pytest.approx(40)


def test_show_warns_where_a_city_wins_otherwise_with_the_strongest_player(tmp_path: Path):
    folder = str(tmp_path / "study")
    khora("simulate", "--games", "140", "--strategies", "steward", "--cities", "all", "--out", folder)
    shown = khora("data", "show", folder).stdout
    assert re.search(r"With steward Athens wins \d+ % of its base games; with sage, the strongest", shown)
    assert shown.rstrip().endswith("may not hold in stronger hands.")


def test_check_finds_damage_and_repair_plays_it_again(tmp_path: Path):
    folder = tmp_path / "study"
    khora("simulate", *ASKED, "--out", str(folder))
    assert khora("data", "check", str(folder)).stdout == f"{folder}: 1 of 1 parts are finished, all sound\n"
    part = folder / "games" / "part-00000.parquet"
    data = part.read_bytes()
    part.write_bytes(data[:-1])
    result = khora("data", "check", str(folder))
    assert result.exit_code == 1
    assert f"{folder}: part 0 of games is damaged" in result.stdout
    assert khora("data", "check", str(folder), "--repair").exit_code == 0
    assert part.read_bytes() == data


def test_export_names_the_files(study: Path, tmp_path: Path):
    result = khora("data", "export", str(study), "--csv", "--out", str(tmp_path), "--table", "games")
    assert result.stdout == f"{tmp_path / 'games.csv'}\n"
    with pytest.raises(UserError, match="say which format: --csv"):
        khora("data", "export", str(study))
