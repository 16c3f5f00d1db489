"""Every wait for the compiler says on stderr what is waited for, once, and only where there is a wait."""

import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from khora_sim.cli.doctor import _other_versions
from khora_sim.engine import compiling, kernels
from khora_sim.engine.compiling import UNCOMPILED, announced, cache_folder, keep_quiet
from khora_sim.lab import seeds
from khora_sim.strategy import asking, compiled, loading, weights
from khora_sim.strategy.compiling import SOURCES
from khora_sim.strategy.toolkit import sharing
from tests.strategy.plug_ins import write_plug_in

pytestmark = pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled, so nobody waits")


@pytest.fixture(autouse=True)
def talking():
    keep_quiet(False)
    yield
    keep_quiet(False)


@pytest.fixture
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a compiler that takes no time."""
    for module in (kernels, seeds, asking, compiled, sharing):
        for name in ("entry", "address"):
            monkeypatch.setattr(module, name, lambda *_: abs, raising=False)
        monkeypatch.setattr(module, "cache_folder", lambda sources: tmp_path, raising=False)
    monkeypatch.setattr(kernels, "CACHE", tmp_path)
    monkeypatch.setattr(sharing.llvm, "add_symbol", lambda *_: None)
    return tmp_path


WAITS = {
    "the game engine": kernels.kernels.__wrapped__,
    "the evaluator": weights.evaluator.__wrapped__,
    "the code that players with a price list share": sharing.provide.__wrapped__,
    "the code that asks players one decision at a time": asking._best_place_entry.__wrapped__,
    "the seeds of studies": seeds._compiled.__wrapped__,
}


@pytest.mark.parametrize("what", WAITS)
def test_a_first_wait_is_told_on_stderr_and_the_next_is_none(what, nothing_kept, capsys):
    WAITS[what]()
    told = capsys.readouterr()
    assert told.out == ""
    before, after = told.err.splitlines()
    assert before.startswith(f"Compiling {what}, once for this version: about ")
    assert after == f"Compiled {what} in 0 s."
    WAITS[what]()
    assert capsys.readouterr().err == ""


def test_a_wait_for_a_plug_in_names_its_file(nothing_kept, tmp_path, capsys):
    loading.load(str(write_plug_in(tmp_path, "waited-for", "def score(view, option):\n    return 0.0\n")))
    assert capsys.readouterr().err.startswith("Compiling waited_for.py, once for this version: about ")


def test_quiet_says_nothing_about_waiting(tmp_path, capsys):
    keep_quiet(True)
    with announced("a thing", "a day", tmp_path):
        pass
    assert capsys.readouterr().err == ""


def test_a_wait_that_was_broken_off_is_told_again(tmp_path, capsys):
    for outcome in (pytest.raises(KeyboardInterrupt), nullcontext()):
        with outcome, announced("a thing", "a day", tmp_path):
            if not isinstance(outcome, nullcontext):
                raise KeyboardInterrupt
        assert capsys.readouterr().err.startswith("Compiling a thing, once for this version: about a day …\n")


def test_compiling_again_what_is_damaged_is_told(tmp_path, capsys):
    (tmp_path / "some.nbc").write_text("damaged")
    tries = iter([ValueError("damaged"), None])

    def compile_it() -> str:
        problem = next(tries)
        if problem:
            raise problem
        return "machine code"

    assert compiling._kept_in(tmp_path, compile_it) == "machine code"
    assert capsys.readouterr().err == f"{tmp_path}: compiled code is damaged; compiling it again …\n"


PLAIN = "class Player:\n    def choose(self, view, options):\n        return options[0]\n"


def test_with_workers_in_processes_a_wait_is_told_once(tmp_path):
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
    seeds._compiled()
    assert cache_folder(seeds.SOURCES).is_dir()
    assert cache_folder(seeds.SOURCES) not in _other_versions()


def test_the_demo_ends_with_the_line_that_puts_khora_on_the_path():
    makefile = Path(__file__).parents[2] / "Makefile"
    recipe = makefile.read_text().split("\ndemo:")[1].split("\n\n")[0]
    last = recipe.splitlines()[-1]
    assert last == """\t@echo 'export PATH="$$PWD/$(BIN):$$PATH"'"""
    assert "BIN := .venv/bin\n" in makefile.read_text()
