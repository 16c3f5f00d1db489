"""Where machine code is kept: used by many, never mixed up, and nobody is stuck where it cannot be kept."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from khora_sim.engine import cache
from khora_sim.engine.cache import cache_folder, found_in, holds, kept, made_by, source_digest
from khora_sim.engine.compiling import ENGINE_SOURCES, UNCOMPILED

pytestmark = pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")

SCRIPT = """
from numba import types
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.compiling import entry

def doubled(number):
    return 2 * number

print(entry(types.int64(types.int64), doubled, cache_folder(()), "a thing", "a moment")(21))
"""


def start(home: Path, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *(command or ("-c", SCRIPT))],
        env={**os.environ, "KHORA_CACHE": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def doubled(number):
    return 2 * number


@pytest.fixture
def nothing_announced(monkeypatch):
    monkeypatch.setattr(cache, "_printed", set())
    monkeypatch.setattr(cache, "_quiet", False)  # a command with --quiet may have run before


def test_machine_code_of_other_sources_is_not_found(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "PACKAGE", tmp_path)
    file = tmp_path / "engine" / "tax.py"
    file.parent.mkdir()
    digests = []
    for text in ("tax = 1", "tax = 2", "tax = 1"):
        file.write_text(text)
        digests.append(source_digest(("engine",)))
    assert digests[0] == digests[2] != digests[1]
    file.rename(file.with_name("glory.py"))
    assert source_digest(("engine",)) not in digests


def test_processes_that_compile_at_the_same_moment_do_it_once(tmp_path):
    together = [start(tmp_path) for _ in range(3)]
    outputs = [process.communicate(timeout=120) for process in together]
    assert [out for out, _ in outputs] == ["42\n"] * 3
    assert sum(err.count("Compiled a thing") for _, err in outputs) == 1


def test_a_process_that_dies_while_it_compiles_stops_nobody(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    folder = tmp_path / "khora"
    dying = start(tmp_path)
    dying.kill()
    dying.communicate()
    out, _ = start(tmp_path).communicate(timeout=120)
    assert out == "42\n"
    with open(next(folder.rglob(cache.LOCK))) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_cache_that_cannot_be_written_is_reported_in_one_line_and_the_program_works(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    out, err = start(tmp_path / "file").communicate(timeout=120)
    assert out == "42\n"
    lines = [line for line in err.splitlines() if "cannot be written" in line]
    assert len(lines) == 1
    assert lines[0].endswith("nothing compiled is kept; set KHORA_CACHE to another")


def test_a_full_disk_is_reported_in_one_line_and_the_program_works(tmp_path, capsys, nothing_announced):
    def make(cached: bool) -> str:
        if cached:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return "machine code"

    for _ in range(2):
        assert kept(tmp_path, doubled, make, "", "") == "machine code"
    assert capsys.readouterr().err == (f"{tmp_path}: No space left on device; what is compiled is not kept\n")


def ship(folder: Path, package: Path, by: str) -> Path:
    """Lay machine code of a function into a package, as a wheel does."""
    shipped = package / folder.relative_to(cache.cache_home())
    shipped.mkdir(parents=True)
    (shipped / "test.doubled-.py.nbi").write_text("machine code")
    (package / cache.MADE_BY).write_text(by)
    return shipped


def test_machine_code_of_the_package_is_used_where_it_fits(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KHORA_CACHE", str(tmp_path / "home"))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "package")
    folder = cache_folder(ENGINE_SOURCES)
    shipped = ship(folder, tmp_path / "package", made_by())
    assert found_in(folder, doubled) == shipped
    used = []
    kept(folder, doubled, lambda cached: used.append(cache._here), "a thing", "a day")
    assert used == [shipped]
    assert capsys.readouterr().err == ""
    assert not holds(folder, doubled)


def test_machine_code_of_the_package_that_does_not_fit_is_reported_in_one_line(
    tmp_path, monkeypatch, capsys, nothing_announced
):
    monkeypatch.setenv("KHORA_CACHE", str(tmp_path / "home"))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "package")
    ship(cache.cache_home() / "of another Numba", tmp_path / "package", "Numba 0.1")
    for _ in range(2):
        kept(cache_folder(ENGINE_SOURCES), doubled, lambda cached: "machine code", "", "")
    assert capsys.readouterr().err == (
        f"The machine code that came with khora is not used: it was made by Numba 0.1; here is {made_by()}.\n"
    )


def test_machine_code_of_the_package_that_cannot_be_loaded_is_made_again(
    tmp_path, monkeypatch, capsys, nothing_announced
):
    monkeypatch.setenv("KHORA_CACHE", str(tmp_path / "home"))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "package")
    folder = cache_folder(ENGINE_SOURCES)
    shipped = ship(folder, tmp_path / "package", made_by())

    def make(cached: bool) -> Path:
        if cache._here == shipped:
            raise ValueError("torn")
        return cache._here

    assert kept(folder, doubled, make, "", "") == folder
    assert capsys.readouterr().err == "The machine code that came with khora is not used: torn.\n"
    assert holds(shipped, doubled)
