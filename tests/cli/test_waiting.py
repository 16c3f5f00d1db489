"""Every wait for the compiler says on stderr what is waited for, once, and only where there is a wait."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from khora_sim.engine import cache, kernels
from khora_sim.engine.cache import cache_folder, keep_quiet, kept
from khora_sim.engine.compiling import UNCOMPILED
from khora_sim.simulation import seating
from khora_sim.simulation.machine_code import other_versions
from khora_sim.strategy import compiled, loading, shared_rating, weights
from khora_sim.strategy.decorators import SOURCES
from tests.strategy.plug_ins import write_plug_in

pytestmark = pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled, so nobody waits")


def machine_code():
    """Stands for a function that is compiled."""


@pytest.fixture(autouse=True)
def talking():
    keep_quiet(False)
    yield
    keep_quiet(False)


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is announced to whoever waits, while nothing is compiled."""
    lines: list[str] = []

    def address(signature, function, folder, allocates=False, what="", wait=""):
        lines.append(f"{what}: {wait}")
        return 0

    for module in (kernels, compiled, shared_rating):
        monkeypatch.setattr(module, "address", address)
    monkeypatch.setattr(compiled, "compile_rules_aside", lambda: None)
    monkeypatch.setattr(shared_rating.llvm, "add_symbol", lambda *_: None)
    return lines


WAITS = {
    "the rules of the game: 15 seconds": lambda: kernels.Kernels().run_address,
    "the evaluator: 10 seconds": weights.evaluator.__wrapped__,
    "the code that players with a price list share: 10 seconds": shared_rating.provide.__wrapped__,
}


@pytest.mark.parametrize("wait", WAITS)
def test_every_long_wait_has_a_name_and_a_length(wait, announced):
    WAITS[wait]()
    assert announced == [wait]


def test_a_wait_for_a_plug_in_names_its_file(announced, tmp_path):
    loading.load(str(write_plug_in(tmp_path, "waited-for", "def score(view, option):\n    return 0.0\n")))
    assert announced == ["waited_for.py: 2 seconds"]


def kept_in(folder: Path) -> str:
    def make(cached: bool) -> str:
        (folder / f"test.{machine_code.__qualname__}-.nbi").write_text("machine code")
        return "machine code"

    return kept(folder, machine_code, make, "a thing", "a day")


def test_a_first_wait_is_reported_on_stderr_and_the_next_is_none(tmp_path, capsys):
    assert kept_in(tmp_path) == "machine code"
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "Compiling a thing, once for this version: about a day …\nCompiled a thing in 0 s.\n"
    assert kept_in(tmp_path) == "machine code"
    assert capsys.readouterr().err == ""


def test_quiet_says_nothing_about_waiting(tmp_path, capsys):
    keep_quiet(True)
    kept_in(tmp_path)
    assert capsys.readouterr().err == ""


def test_a_wait_that_was_broken_off_is_reported_again(tmp_path, capsys):
    def broken_off(cached: bool) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept(tmp_path, machine_code, broken_off, "a thing", "a day")
    capsys.readouterr()
    kept_in(tmp_path)
    assert capsys.readouterr().err.startswith("Compiling a thing, once for this version: about a day …\n")


def test_compiling_again_what_is_damaged_is_reported(tmp_path, capsys):
    kept_in(tmp_path)
    capsys.readouterr()
    tries = iter([ValueError("damaged"), None])

    def make(cached: bool) -> str:
        problem = next(tries)
        if problem:
            raise problem
        return "machine code"

    assert kept(tmp_path, machine_code, make, "a thing", "a day") == "machine code"
    assert capsys.readouterr().err.splitlines()[0] == (
        f"{tmp_path}: compiled code is damaged; compiling it again …"
    )


def test_a_wait_for_another_process_is_reported(tmp_path, capsys):
    fcntl = pytest.importorskip("fcntl")
    other = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys, time; lock = open(sys.argv[1], 'w'); fcntl.flock(lock, fcntl.LOCK_EX);"
            "print('held', flush=True); time.sleep(1)",
            str(tmp_path / cache.LOCK),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert fcntl is not None
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    kept_in(tmp_path)
    other.wait()
    assert capsys.readouterr().err.startswith(
        "Waiting for a thing, which another process is compiling …\nCompiling a thing"
    )


PLAIN = "class Player:\n    def choose(self, view, options):\n        return options[0]\n"


@pytest.mark.slow
def test_with_workers_in_processes_a_wait_is_reported_once(tmp_path):
    fresh = write_plug_in(tmp_path, "fresh-for-workers", "def score(view, option):\n    return 7.0\n")
    write_plug_in(tmp_path, "plainly", PLAIN)
    module, _ = loading._declared("fresh", fresh, {})
    shutil.rmtree(cache_folder(SOURCES) / compiled.code_digest(module), ignore_errors=True)
    asked = "simulate --games 200 --workers 2 --backend processes --out out --strategies"
    done = subprocess.run(
        [sys.executable, "-m", "khora_sim", *asked.split(), "./fresh_for_workers.py,./plainly.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.count("Compiling fresh_for_workers.py") == 1
    assert "Compiling" not in done.stdout


def test_the_doctor_keeps_all_compiled_code_of_this_version():
    seating.compile_now()
    assert cache_folder(seating.SOURCES).is_dir()
    assert cache_folder(seating.SOURCES) not in other_versions()


def test_the_demo_ends_with_the_line_that_puts_khora_on_the_path():
    makefile = Path(__file__).parents[2] / "Makefile"
    recipe = makefile.read_text().split("\ndemo:")[1].split("\n\n")[0]
    last = recipe.splitlines()[-1]
    assert last == """\t@echo 'export PATH="$$PWD/$(BIN):$$PATH"'"""
    assert {"VENV ?= .venv", "BIN := $(VENV)/bin"} <= set(makefile.read_text().splitlines())
