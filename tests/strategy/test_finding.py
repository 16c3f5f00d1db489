"""Finding strategies by name, by path and among what is installed."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from khora_sim.strategy import available, finding, load
from tests.strategy.plug_ins import FIRST, ROOT, problem, write_plug_in


def test_built_in_strategies_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert {"random", "idle", "first-legal", "weights-example", "plain-example"} <= set(available())
    assert load("first-legal").deterministic is True
    assert load("first_legal").kind == "compiled"


def test_a_built_in_name_means_the_built_in_whatever_lies_in_the_folder(tmp_path, monkeypatch):
    (tmp_path / "strategies").mkdir()
    own = write_plug_in(tmp_path / "strategies", "random", FIRST)
    (tmp_path / "strategies" / "steward.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    for name, file in (
        ("random", "random.py"),
        ("steward", "steward.toml"),
        ("first_legal", "first_legal.py"),
    ):
        assert finding.find(name) == ROOT / "strategies" / file
    assert finding.find("./strategies/random.py") == own


@pytest.mark.parametrize("name", ["my-idea", "my_idea"])
def test_a_file_in_the_folder_of_strategies_is_asked_for_by_path(tmp_path, monkeypatch, name):
    (tmp_path / "strategies").mkdir()
    write_plug_in(tmp_path / "strategies", "my-idea", FIRST)
    monkeypatch.chdir(tmp_path)
    assert problem(name) == (
        f"there is no strategy {name!r}; for the file in ./strategies, type its path: ./strategies/my_idea.py"
    )
    assert finding.find("./strategies/my_idea.py") == tmp_path / "strategies" / "my_idea.py"


def test_in_a_checkout_the_folder_of_strategies_is_that_of_the_built_in_ones(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert finding.local() == {}
    assert finding.find("steward") == finding.find("./strategies/steward.toml")


def test_a_strategy_is_found_by_path(tmp_path):
    path = write_plug_in(tmp_path, "by-path", FIRST)
    assert load(str(path)).path == path


def test_a_strategy_of_an_installed_package_is_found_by_its_entry_point(tmp_path, monkeypatch):
    (tmp_path / "khora_extras").mkdir()
    (tmp_path / "khora_extras" / "__init__.py").write_text("")
    plug_in = write_plug_in(tmp_path / "khora_extras", "visitor", FIRST)
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("visitor", "khora_extras.visitor", finding.ENTRY_POINTS)
    monkeypatch.setattr(finding, "entry_points", lambda group: [point] if group == "khora.strategies" else [])
    assert finding.find("visitor") == plug_in


def test_an_installed_package_replaces_no_built_in_and_does_not_run_when_names_are_looked_up(
    tmp_path, monkeypatch
):
    (tmp_path / "khora_trap").mkdir()
    (tmp_path / "khora_trap" / "__init__.py").write_text("raise SystemExit('was run')")
    (tmp_path / "khora_trap" / "inner").mkdir()
    (tmp_path / "khora_trap" / "inner" / "__init__.py").write_text("raise SystemExit('was run')")
    plug_in = write_plug_in(tmp_path / "khora_trap" / "inner", "visitor", FIRST)
    monkeypatch.syspath_prepend(str(tmp_path))
    values = {
        "visitor": "khora_trap.inner.visitor",
        "steward": "khora_trap.inner.visitor",
        "nowhere": "khora_trap.no.such",
    }
    points = [EntryPoint(name, value, finding.ENTRY_POINTS) for name, value in values.items()]
    monkeypatch.setattr(finding, "entry_points", lambda group: points)
    assert finding.available()["visitor"] == plug_in
    assert finding.find("steward") == ROOT / "strategies" / "steward.toml"
    assert "nowhere" not in finding.available()
    assert not any(name.startswith("khora_trap") for name in sys.modules)


def test_the_layout_of_a_wheel_finds_the_built_in_strategies(tmp_path):
    shutil.copytree(ROOT / "khora_sim", tmp_path / "khora_sim", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "strategies", tmp_path / "khora_sim" / "builtin_strategies")
    code = "from khora_sim.strategy.finding import find; print(find('first-legal'))"
    (tmp_path / "elsewhere").mkdir()
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "elsewhere",
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(found.stdout.strip()) == tmp_path / "khora_sim" / "builtin_strategies" / "first_legal.py"


def test_an_unknown_name_offers_the_nearest():
    assert problem("first-leagal") == "there is no strategy 'first-leagal'; did you mean first-legal?"


def test_a_path_that_is_not_there_is_reported():
    assert (
        problem("./nowhere.py")
        == "./nowhere.py: no such file; expected the path of a strategy, a .py or .toml file"
    )
