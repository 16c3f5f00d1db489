"""`khora` without a command: where to start, in words that are true."""

from typer.testing import CliRunner

from khora_sim.cli.main import app


def test_the_first_command_reads_a_whole_game():
    shown = CliRunner().invoke(app, []).stdout
    line = next(line for line in shown.splitlines() if "khora replay --seed 1 --players 3" in line)
    assert line.endswith("read a whole game, round by round")


def test_replay_says_who_plays_if_nobody_is_named():
    shown = CliRunner().invoke(app, ["replay", "--help"], env={"COLUMNS": "120"}).stdout
    assert "`adept` plays in every seat, unless `--strategies` names others" in " ".join(shown.split())
