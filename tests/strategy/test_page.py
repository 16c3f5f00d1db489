"""The page on strategies is true: its examples load, pass the suite, and its commands print what it says."""

import re
from pathlib import Path

import pytest

from khora_sim.analyses.check import check_strategy
from khora_sim.cli.main import run
from khora_sim.rules import load_rules
from khora_sim.strategy import load, toolkit
from khora_sim.strategy.games import play_set_ups
from khora_sim.strategy.value.features import DESCRIBED
from tests.strategy.plug_ins import one_against_three, win_share

PAGE = (Path(__file__).parents[2] / "docs" / "strategies.md").read_text(encoding="utf-8")


def fenced(language: str, containing: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return next(block for block in blocks if containing in block)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "strategies").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "strategies"


def command(line, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", line.removeprefix("$ ").split())
    with pytest.raises(SystemExit) as stop:
        run()
    return stop.value.code, capsys.readouterr().out.splitlines()


def test_the_template_is_written_with_exactly_that_output(folder, monkeypatch, capsys):
    line, *expected = fenced("console", "strategies new").splitlines()
    assert command(line, monkeypatch, capsys) == (0, expected)


def test_the_worked_example_is_checked_with_exactly_that_output(folder, monkeypatch, capsys):
    (folder / "muse.py").write_text(fenced("python", "Lives for culture"), encoding="utf-8")
    line, *expected = fenced("console", "$ khora strategies check").splitlines()
    assert command(line, monkeypatch, capsys) == (0, expected)


def test_the_worked_example_wins_about_four_games_in_five_against_random(folder):
    (folder / "muse.py").write_text(fenced("python", "Lives for culture"), encoding="utf-8")
    games, _ = play_set_ups(
        load_rules(), one_against_three(2000), [load("random"), load("./strategies/muse.py")]
    )
    assert 0.74 < win_share(games) < 0.86


@pytest.mark.slow
def test_the_player_that_plays_on_passes_the_suite_and_beats_its_own_policy(folder):
    (folder / "rollout.py").write_text(fenced("python", "End.GAME"), encoding="utf-8")
    assert [one.problem for one in check_strategy("./strategies/rollout.py")] == [None] * 6
    players = [load("merchant"), load("./strategies/rollout.py")]
    games, _ = play_set_ups(load_rules(), one_against_three(200), players)
    assert win_share(games) > 0.35


def test_the_game_of_the_worked_example_is_reported(folder, monkeypatch, capsys):
    (folder / "muse.py").write_text(fenced("python", "Lives for culture"), encoding="utf-8")
    code, output = command(fenced("console", "khora replay").strip(), monkeypatch, capsys)
    assert code == 0
    assert len(output) > 20


def test_the_weights_and_the_plain_example_pass_the_suite(folder):
    (folder / "dice_lover.toml").write_text(fenced("toml", "dice-lover"), encoding="utf-8")
    (folder / "decliner.py").write_text(fenced("python", "decliner"), encoding="utf-8")
    for file in ("dice_lover.toml", "decliner.py"):
        assert [verdict.problem for verdict in check_strategy(f"./strategies/{file}")] == [None] * 6
    assert load("./strategies/dice_lover.toml:third_die=4").values["third_die"] == 4.0


def test_every_function_named_on_the_page_is_in_the_toolkit():
    table = PAGE[PAGE.index("## The toolkit") : PAGE.index("## Players that play on")]
    names = set(re.findall(r"`([a-z_]+)(?:\(|`)", table)) - {"from"}
    assert len(names) > 35
    assert {name for name in names if not hasattr(toolkit, name)} == set()


def test_the_page_names_real_features():
    weights = re.findall(r"^(\w+) = [0-9.]+$", fenced("toml", "dice-lover"), flags=re.MULTILINE)
    assert weights == ["third_die", "culture"]
    assert set(weights) <= set(DESCRIBED)
