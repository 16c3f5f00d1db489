"""A fifth player is a change of one number: such a copy of the package plays, reports and prints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package for up to five players."""
    folder = tmp_path_factory.mktemp("five")
    for name in ("khora_sim", "strategies"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    terms = folder / "khora_sim" / "rules" / "terms.py"
    text = terms.read_text(encoding="utf-8")
    assert text.count("MAX_PLAYERS = 4\n") == 1
    terms.write_text(text.replace("MAX_PLAYERS = 4\n", "MAX_PLAYERS = 5\n"), encoding="utf-8")
    return folder


def khora(folder: Path, line: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "khora_sim", *line.split()],
        cwd=folder,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_fifth_player_plays_is_reported_and_described(copy):
    output = khora(copy, "replay --players 5 --seed 3 --strategies random --quiet")
    assert "    5   " in output
    khora(copy, "simulate --games 10 --players 5 --strategies random --seed 1 --workers 1 --out five --quiet")
    shown = khora(copy, "data show five")
    assert "10 with 5 players, 2 rotation groups" in shown
    assert "20 %" in shown
    khora(copy, "report five --out page")
    assert (copy / "page" / "index.html").stat().st_size > 10_000
