"""Installation hints that work: nothing is published under the name khora."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from khora_sim.errors import UserError
from khora_sim.simulation.backend import Backend

ROOT = Path(__file__).parents[1]
TEXTS = [
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "notebooks/*.ipynb",
        "khora_sim/**/*.py",
        "strategies/*.py",
        "Makefile",
    )
    for path in sorted(ROOT.glob(pattern))
]
#: The published name, with or without extras; a path such as ./khora or a wheel is something else.
BY_NAME = re.compile(r"khora\[|(pip|uv|pipx) (install|add)( -\S+)* [\"']?khora\b(?!/|-\d)")


def test_no_text_installs_khora_by_a_name_that_is_not_published():
    assert len(TEXTS) > 100
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in TEXTS
        for line in path.read_text(encoding="utf-8").splitlines()
        if BY_NAME.search(line)
    ]
    assert found == []


def test_a_job_of_another_project_installs_khora_and_not_itself():
    installs = re.findall(r"pip install (\S+)", (ROOT / "docs" / "gate.md").read_text(encoding="utf-8"))
    assert installs == ["./khora"]


def test_a_study_on_dask_without_dask_names_the_packages_of_the_extra(monkeypatch: pytest.MonkeyPatch):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [one.partition(">")[0] for one in project["optional-dependencies"]["dask"]]
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError) as refused, Backend("dask", 1, "tcp://host:8786").at_work():
        pass
    assert str(refused.value) == f"--backend dask needs Dask: pip install {' '.join(packages)}"
