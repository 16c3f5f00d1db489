"""`khora cities` on the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app
from khora_sim.errors import UserError


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["cities", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_it_prints_words_shares_unlocked_developments_and_how_games_go(tmp_path: Path):
    shown = run("random", "--games", "140", "--workers", "1", "--out", str(tmp_path / "cities"))
    assert "At 4 players, with random in every seat: " in shown
    assert "Win share at 4 players in %, 95 % intervals; a fair share is 25 %." in shown
    assert "Unlocked: developments 2 / 3 / 4" in shown
    assert "leader after round 5 wins" in shown
    assert {path.name for path in (tmp_path / "cities").iterdir()} == {
        *("plan.json", "studies", "answer.json", "index.html", "summary.md", "figures", "tables")
    }


def test_json_is_the_answer_with_its_provenance():
    answer = json.loads(run("random", "--games", "140", "--players", "3", "--workers", "1", "--json"))
    assert (answer["format"], answer["rules"]["name"], answer["seed"]) == (1, "base", 3_000_000_000)
    (table,) = answer["tables"]
    assert table["ladder"][0]["cities"]["sparta"]["share"]["n"] == table["ladder"][0]["games"] * 3 // 7
    assert len(table["ladder"][0]["digest"]) == 16


def test_the_published_verdict_is_printed_without_playing():
    shown = run("--published", "--players", "4")
    assert "At 4 players, from merchant to sage, each among its own kind: " in shown
    assert "At 2 players" not in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--published", "--games", "140"),
            "--published plays nothing; beside it only --players, --claims and --json",
        ),
        (("--published", "--players", "5"), "--players 5: published are tables of 4, 3, 2"),
        (("--players", "many"), "--players many: expected numbers such as 4 or 4,3,2"),
        (("--games", "0"), "--games 0: expected a whole number from 1, such as 20000 or 20k"),
        (("--resume",), "--resume continues a run in its folder; name it with --out"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(words: tuple[str, ...], message: str):
    with pytest.raises(UserError) as problem:
        CliRunner().invoke(app, ["cities", *words], catch_exceptions=False)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)
