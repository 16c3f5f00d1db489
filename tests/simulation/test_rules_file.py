"""The manifest knows the file that the rules came from, as it was typed."""

from pathlib import Path

import pytest

from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.manifest import Manifest, difference, manifest_of, plan_of
from tests.simulation.folders import plan_for


def plan_again_of(manifest: Manifest) -> Arm:
    """The plan that goes on with a study."""
    return plan_of(Path("study"), manifest, None, "khora simulate --resume --out study")


VARIANT = 'name = "argos-glory"\n\n[start]\ndrachmas = 9\n'


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("argos.toml").write_text(VARIANT, encoding="utf-8")
    return "argos.toml"


def test_the_file_is_kept_as_it_was_typed(typed: str):
    rules = manifest_of(plan_for(rules=typed)).rules
    assert (rules.name, rules.file) == ("argos-glory", "argos.toml")
    assert manifest_of(plan_for()).rules.file is None


def test_a_plan_made_from_a_manifest_keeps_the_file(typed: str):
    manifest = manifest_of(plan_for(rules=typed))
    assert manifest_of(plan_again_of(manifest)) == manifest


def test_the_same_rules_from_another_file_are_the_same_study(typed: str):
    Path("again.toml").write_text(VARIANT, encoding="utf-8")
    there, here = (manifest_of(plan_for(rules=name)) for name in (typed, "again.toml"))
    assert there.study == here.study
    assert difference(there, here) == ""
