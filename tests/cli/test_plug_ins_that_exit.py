"""A plug-in that ends the program is a plug-in that failed: no command ends with exit code 0."""

import os
import shlex
from pathlib import Path

import pytest

from khora_sim.cli.main import run
from khora_sim.strategy import load
from tests.strategy.plug_ins import FIRST, HEAD, problem
from tests.strategy.plug_ins import write_plug_in as write

CHOOSE = """
class Player:
    def choose(self, view, options):
        {line}
"""
#: What a plug-in does when it must decide, and what is reported.
ENDINGS = {
    "exit-0": ("sys.exit(0)", "raised SystemExit: 0"),
    "exit": ("raise SystemExit", "raised SystemExit"),
    "generator": ("raise GeneratorExit", "raised GeneratorExit"),
    "own": ("raise type('Over', (BaseException,), {})('two\\nlines')", "raised Over: two lines"),
    "compares": (
        "return type('Odd', (), {'__eq__': lambda one, other: sys.exit(0)})()",
        "raised SystemExit: 0",
    ),
    "prints": ("return type('Odd', (), {'__repr__': lambda one: sys.exit(0)})()", "raised SystemExit: 0"),
}
STUDY = "simulate --games 4 --quiet --out out --strategies {path} --workers"
COMMANDS = {
    "threads": f"{STUDY} 1 --backend threads",
    "processes": f"{STUDY} 2 --backend processes",
    "gate": "gate baseline.json --write --games 280 --workers 1 --strategies {path}",
    "replay": "replay --quiet --strategies {path}",
}


def write_plug_in(folder: Path, name: str, body: str) -> Path:
    """Write a plug-in that can call sys.exit."""
    return write(folder, name, body, head=HEAD.replace("import numpy", "import sys\n\nimport numpy"))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ended(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> tuple[object, str]:
    """The exit code of a command, and all that it prints."""
    monkeypatch.setattr("sys.argv", ["khora", *shlex.split(line)])
    with pytest.raises(SystemExit) as end:
        run()
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    return end.value.code, printed.out + printed.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("ending", ["exit-0", "generator"])
def test_a_player_that_exits_ends_a_command_with_exit_code_2(monkeypatch, capsys, tmp_path, command, ending):
    line, expected = ENDINGS[ending]
    path = write_plug_in(tmp_path, ending, CHOOSE.format(line=line))
    code, printed = ended(COMMANDS[command].format(path=path), monkeypatch, capsys)
    (message,) = printed.splitlines()
    assert code == 2
    assert message.startswith("khora: ")
    assert f"{path}: {expected}, deciding pick-card in seat " in message
    assert f"see it with: khora replay --seed {'1' if command == 'replay' else ''}" in message


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_replay_names_the_plug_in_and_its_exception(monkeypatch, capsys, tmp_path, ending):
    line, expected = ENDINGS[ending]
    path = write_plug_in(tmp_path, ending, CHOOSE.format(line=line))
    code, printed = ended(COMMANDS["replay"].format(path=path), monkeypatch, capsys)
    assert code == 2
    assert printed.startswith(f"khora: {path}: {expected}, deciding pick-card in seat 1, round 0, seed 1; ")
    assert len(printed.splitlines()) == 1


def test_a_player_that_exits_fails_its_checks(monkeypatch, capsys, tmp_path):
    path = write_plug_in(tmp_path, "leaver", CHOOSE.format(line="sys.exit(0)"))
    code, printed = ended(f"strategies check {path}", monkeypatch, capsys)
    assert code == 1
    assert printed.splitlines()[-1] == f"{path}: 1 of 6 checks passed"
    assert printed.count("raised SystemExit: 0") == 5


@pytest.mark.parametrize("body", [FIRST, CHOOSE.format(line="return options[0]")], ids=["compiled", "plain"])
def test_a_plug_in_that_exits_when_it_is_read_ends_every_command(monkeypatch, capsys, tmp_path, body):
    path = write_plug_in(tmp_path, "leaver", f"{body}\n\nsys.exit(0)")
    line = len(path.read_text().splitlines())
    for command in COMMANDS.values():
        printed = ended(command.format(path=path), monkeypatch, capsys)
        assert printed == (2, f"khora: leaver.py, line {line}: SystemExit: 0\n")
    code, printed = ended(f"strategies check {path}", monkeypatch, capsys)
    assert code == 1
    assert f"leaver.py, line {line}: SystemExit: 0\n" in printed
    assert printed.splitlines()[-1] == f"{path}: 0 of 1 checks passed"


def test_a_plug_in_that_exits_in_a_worker_process_only_ends_a_study(monkeypatch, capsys, tmp_path):
    read = f"import os\nif os.getpid() != {os.getpid()}:\n    sys.exit(0)"
    path = write_plug_in(tmp_path, "leaver", read + CHOOSE.format(line="return options[0]"))
    code, printed = ended(COMMANDS["processes"].format(path=path), monkeypatch, capsys)
    assert code == 2
    assert ": SystemExit: 0" in printed
    assert len(printed.splitlines()) == 1


@pytest.mark.parametrize(
    "body",
    [
        """
        class Player:
            def __init__(self):
                sys.exit(0)

            def choose(self, view, options):
                return options[0]
        """,
        """
        class Choose:
            def __get__(self, player, kind):
                return print if player is None else sys.exit(0)


        class Player:
            choose = Choose()
        """,
    ],
    ids=["made", "asked for choose"],
)
def test_a_player_that_exits_when_it_sits_down_is_reported(monkeypatch, capsys, tmp_path, body):
    path = write_plug_in(tmp_path, "leaver", body)
    code, printed = ended(COMMANDS["threads"].format(path=path), monkeypatch, capsys)
    assert code == 2
    assert f"{path}: raised SystemExit: 0, making a Player for a game" in printed


@pytest.mark.parametrize(
    "line",
    [
        "class Odd:\n    def __getattr__(self, name):\n        sys.exit(0)\n\n\nODD = Odd()",
        "del TRAITS\n\n\ndef __getattr__(name):\n    sys.exit(0)",
        "del score\n\n\ndef __getattr__(name):\n    sys.exit(0)",
        "class Odd:\n    def __repr__(self):\n        sys.exit(0)\n\n\nODD = (Odd(),)",
    ],
    ids=["parameters", "traits", "function", "digest"],
)
def test_a_plug_in_that_exits_when_its_declarations_are_read_is_reported(tmp_path, line):
    path = write_plug_in(tmp_path, "leaver", f"{FIRST}\n\n{line}")
    said = problem(path)
    assert said.startswith("leaver.py, line ")
    assert said.endswith(": SystemExit: 0")


def test_a_plug_in_that_exits_when_it_is_compiled_is_reported(tmp_path):
    body = """
    from numba.extending import overload


    def leave():
        pass


    @overload(leave)
    def _leave():
        sys.exit(0)


    @rule
    def score(view, option):
        leave()
        return 0.0
    """
    path = write_plug_in(tmp_path, "leaver", body)
    assert problem(path) == "leaver.py, line 24: SystemExit: 0"


def test_ctrl_c_is_no_failure_of_a_plug_in(tmp_path):
    path = write_plug_in(tmp_path, "stopped", f"{FIRST}\n\nraise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load(str(path))
