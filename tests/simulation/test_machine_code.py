"""Machine code in a file: exported whole, imported only where it fits and nothing in it is damaged."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from khora_sim.engine.codegen import WAYS
from khora_sim.engine.compiling import UNCOMPILED
from khora_sim.errors import UserError
from khora_sim.simulation.machine_code import MANIFEST, export_cache, folders, import_cache, other_versions
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import load
from tests.strategy.plug_ins import write_plug_in

pytestmark = pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("export") / "code.zip"
    export_cache(file)
    return file


def changed(exported: Path, copy: Path, change) -> Path:
    """A copy of the file whose manifest and parts are changed."""
    with zipfile.ZipFile(exported) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop(MANIFEST))
    change(manifest, parts)
    with zipfile.ZipFile(copy, "w") as archive:
        for name, data in {MANIFEST: json.dumps(manifest).encode(), **parts}.items():
            archive.writestr(name, data)
    return copy


def doctor(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "khora_sim", "doctor", *options],
        env={**os.environ, "KHORA_CACHE": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_was_exported_is_imported_and_used(exported, tmp_path):
    done = doctor(tmp_path, "--import-cache", str(exported))
    assert done.returncode == 0
    first, second = done.stderr.splitlines()  # and nothing is compiled
    assert first == f"{exported} is code that khora will run: it should come from someone you trust."
    assert second.endswith(f"parts imported from {exported}")
    assert "compiled         yes\n" in done.stdout


def test_everything_built_in_is_exported_and_no_plug_in_of_the_user(exported, tmp_path):
    load(str(write_plug_in(tmp_path, "own", "def score(view, option):\n    return 0.0\n")))
    export_cache(tmp_path / "code.zip")
    with zipfile.ZipFile(exported) as before, zipfile.ZipFile(tmp_path / "code.zip") as after:
        assert before.namelist() == after.namelist()
        names = [name.split("/") for name in after.namelist()]
    functions = {name[-1].split("-")[0] for name in names}
    assert {name[0] for name in names} == {MANIFEST, *(folder.name for folder in folders())}
    assert functions >= {"machine.run", "play.play_games", "shared_rating._shared", "kernels.ask_at"}
    players = {tuple(name[:-1]) for name in names if "view.ask_" in name[-1]}
    texts = [path.read_text() for path in built_in().values()]
    compiled = [text for text in texts if "def score" in text or "def rate" in text]
    assert len(players) == len(compiled) + 1  # and the evaluator


@pytest.mark.slow
def test_all_code_of_this_version_is_kept_and_only_that_of_others_is_removed(exported, tmp_path):
    assert doctor(tmp_path, "--import-cache", str(exported)).returncode == 0
    home = tmp_path / "khora"
    names = {folder.name for folder in folders()}
    assert {path.name for path in home.iterdir()} == names
    stale, strange = "0123456789abcdef", ("import-a1b2", "khora_sim", "docs")
    for name in (stale, *strange):
        (home / name).mkdir()
    output = doctor(tmp_path)
    assert "other versions   1 in the cache\n" in output.stdout
    doctor(tmp_path, "--clean")
    assert {path.name for path in home.iterdir()} == {*names, *strange}


@pytest.mark.parametrize("way", WAYS)
def test_code_that_was_generated_in_another_way_is_of_this_version(way, tmp_path, monkeypatch):
    monkeypatch.setenv("KHORA_CACHE", str(tmp_path))
    code = (
        "from khora_sim.simulation.machine_code import folders\nfor one in folders(): one.mkdir(parents=True)"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "KHORA_CODEGEN": way}, check=True)
    assert len(list((tmp_path / "khora").iterdir())) == len(folders())
    assert other_versions() == []


def made_by_others(manifest, parts):
    manifest["made_by"] = "Python 2.7"


def other_format(manifest, parts):
    manifest["format"] = 2


def other_sources(manifest, parts):
    manifest["parts"] = {"0123456789abcdef/a.nbc": ""}


def outside(manifest, parts):
    manifest["parts"]["../../evil.nbc"] = ""


def damaged(manifest, parts):
    name = next(iter(parts))
    parts[name] = parts[name][:-1] + b"?"


def missing(manifest, parts):
    parts.pop(next(iter(parts)))


REFUSED = {
    made_by_others: "was made by Python 2.7; here is Python 3",
    other_format: "holds no machine code of format 1",
    other_sources: "was made from other sources than khora",
    outside: "is not part of a cache; nothing was imported",
    damaged: "is damaged; nothing was imported",
    missing: "is damaged or holds no machine code",
}


@pytest.mark.parametrize("change", REFUSED)
def test_a_file_that_does_not_fit_is_refused_and_nothing_is_written(change, exported, tmp_path, monkeypatch):
    file = changed(exported, tmp_path / "copy.zip", change)
    monkeypatch.setenv("KHORA_CACHE", str(tmp_path / "home"))
    with pytest.raises(UserError, match=REFUSED[change]):
        import_cache(file)
    assert not (tmp_path / "home").exists()


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(
        UserError,
        match="no such file; expected the path of machine code, as khora doctor --export-cache FILE",
    ):
        import_cache(tmp_path / "code.zip")
    (tmp_path / "code.zip").write_text("not machine code")
    with pytest.raises(UserError, match="is damaged or holds no machine code"):
        import_cache(tmp_path / "code.zip")
