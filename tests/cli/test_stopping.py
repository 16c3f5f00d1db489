"""What never comes back can be stopped, and is given up by the conformance suite."""

import signal
import subprocess
import sys
import time

from tests.strategy.plug_ins import write_plug_in

ENDLESS = """
@rule
def rate(view, options, scores):
    while view.game.players > 0:
        scores[0] += 1.0
"""
WAITING = """
import time
from khora_sim.cli.stopping import patience

with patience(0.4, "given up") as still_here:
    for wait in {waits}:
        time.sleep(wait)
        still_here()
print("done")
"""


def test_ctrl_c_ends_a_compiled_strategy_that_never_decides(tmp_path):
    path = write_plug_in(tmp_path, "endless", ENDLESS)
    command = [sys.executable, "-m", "khora_sim.cli.main", "strategies", "check", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "loads" in process.stdout.readline()
        time.sleep(3)  # by then it plays, and nothing tells so
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.splitlines()[-1] == "khora: stopped, in the middle of compiled code that did not come back"


def wait(*seconds: float) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", WAITING.format(waits=seconds)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_patience_lasts_while_there_are_signs_of_life():
    assert wait(0.2, 0.2, 0.2, 0.2) == (0, "done\n", "")


def test_patience_ends_without_them():
    assert wait(0.1, 30.0) == (1, "", "khora: given up\n")
