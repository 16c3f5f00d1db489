"""Rules that bring more than a game can count end a command with one line, and no number is printed."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app
from khora_sim.errors import UserError
from khora_sim.rules.describe import toml_text
from tests.rules.hostile_variants import forty_traders

WHY = "forty-traders: the rules give a player more than 32,767 victory points, and no game counts further"


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of the variant."""
    path = tmp_path_factory.mktemp("rules") / "forty-traders.toml"
    path.write_text(toml_text(forty_traders()), encoding="utf-8")
    return str(path)


def khora(*arguments: str) -> str:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).stdout


@pytest.mark.parametrize("strategies", ["merchant", "merchant,plain-example,idle,idle"])
def test_a_study_ends_with_one_line(strategies: str, rules: str, tmp_path: Path):
    asked = ["--games", "40", "--strategies", strategies, "--rules", rules, "--out", str(tmp_path / "study")]
    with pytest.raises(UserError) as error:
        khora("simulate", *asked, "--workers", "1")
    assert str(error.value).startswith("game ")
    assert WHY in str(error.value)
    assert "\n" not in str(error.value)


def test_a_replay_ends_with_one_line(rules: str):
    with pytest.raises(UserError) as error:
        khora("replay", "--strategies", "merchant", "--rules", rules)
    assert str(error.value).startswith(WHY)
    assert "\n" not in str(error.value)


def test_a_game_that_can_be_counted_is_played_to_its_end(rules: str):
    assert "Final scoring" in khora("replay", "--strategies", "idle", "--rules", rules)
