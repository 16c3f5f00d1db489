"""What never comes back can be stopped, and is ended after a while wherever strategies play."""

import os
import signal
import subprocess
import sys

import pytest

from tests.strategy.plug_ins import write_plug_in

ENDLESS = """
@rule
def rate(view, options, scores):
    while view.game.players > 0:
        scores[0] += 1.0
"""
ENDLESS_AND_SAYS_SO = """
@rule
def rate(view, options, scores):
    print("deciding")
    while view.game.players > 0:
        scores[0] += 1.0
"""
ENDLESS_IN_SEAT_2 = """
@rule
def rate(view, options, scores):
    scores[:] = 0.0
    while view.me == 1:
        scores[0] += 1.0
"""
PLAINLY_ENDLESS = """
class Player:
    def choose(self, view, options):
        while True:
            pass
"""


def khora(line, folder, seconds="2"):
    """Run a command in a folder, with so many seconds for a decision."""
    return subprocess.run(
        [sys.executable, "-m", "khora_sim", *line.split()],
        cwd=folder,
        env={**os.environ, "KHORA_DECISION_SECONDS": seconds},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_ctrl_c_ends_a_compiled_strategy_that_never_decides(tmp_path):
    path = write_plug_in(tmp_path, "endless", ENDLESS_AND_SAYS_SO)
    command = [sys.executable, "-u", "-m", "khora_sim.cli.main", "strategies", "check", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "deciding\n" in iter(process.stdout.readline, "")
        process.send_signal(signal.SIGINT)
        _, output = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output.splitlines()[-1] == "khora: stopped, in the middle of compiled code that did not come back"


@pytest.mark.parametrize(
    "command",
    [
        "simulate --games 4 --quiet --out out --strategies",
        "replay --seed 1 --quiet --strategies",
        "strategies check",
    ],
)
@pytest.mark.parametrize("body", [ENDLESS, PLAINLY_ENDLESS], ids=["compiled", "plain"])
def test_a_strategy_that_never_decides_is_ended_in_every_command(tmp_path, command, body):
    write_plug_in(tmp_path, "endless", body)
    done = khora(f"{command} ./endless.py", tmp_path)
    assert done.returncode in (1, 2)  # 1: a line of the suite that does not hold
    output = done.stdout + done.stderr
    assert (
        "endless.py: gave no answer within 2 s (set KHORA_DECISION_SECONDS to let it think longer)" in output
    )
    assert "see it with: khora replay --seed" in output
    assert "Traceback" not in output


def test_the_player_that_is_named_is_the_one_that_never_decides(tmp_path):
    """In the second game of the group, which has the seed of the first, another sits in the seat."""
    write_plug_in(tmp_path, "endless", ENDLESS_IN_SEAT_2)
    line = "simulate --games 4 --quiet --workers 1 --out out --strategies ./endless.py,random,random,random"
    done = khora(line, tmp_path)
    assert done.returncode == 2
    assert "endless.py: gave no answer within 2 s" in done.stderr
    assert "in seat 2, " in done.stderr
    assert "--strategies random,./endless.py,random,random " in done.stderr


PLAIN = """
class Player:
    def choose(self, view, options):
        return options[0]
"""


@pytest.mark.parametrize(
    "command", ["simulate --games 4 --quiet --out out", "replay --seed 1 --players 2 --quiet"]
)
def test_a_compiled_player_that_never_decides_is_ended_beside_a_plain_one(tmp_path, command):
    """In a study they play in other processes."""
    write_plug_in(tmp_path, "endless", ENDLESS)
    write_plug_in(tmp_path, "plain", PLAIN)
    players = "--players 2 --lineup seats" if command.startswith("simulate") else ""
    line = f"{command} {players} --strategies ./plain.py,./endless.py"
    done = khora(line, tmp_path)
    assert done.returncode == 2
    output = done.stderr.splitlines()[-1]
    assert output.startswith("khora: ")
    assert "endless.py: gave no answer within 2 s" in output
    assert "see it with: khora replay --seed" in output
    assert "Traceback" not in done.stderr


def test_a_time_that_is_none_is_reported(tmp_path):
    write_plug_in(tmp_path, "quick", PLAINLY_ENDLESS)
    done = khora("replay --quiet --strategies ./quick.py", tmp_path, seconds="long")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(
        "KHORA_DECISION_SECONDS=long: should be a number of seconds above 0, such as 60"
    )
