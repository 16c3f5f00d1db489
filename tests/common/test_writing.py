"""Files are written atomically, in one place."""

import ast
from pathlib import Path

import pytest

from khora_sim.common import files
from tests.common.sources import SOURCES, calls


def writes(word: str, call: ast.Call) -> bool:
    """Whether a call writes a file to its place: `text.replace` has two arguments, `path.replace` has one."""
    module = getattr(getattr(call.func, "value", None), "id", "")
    if word in ("replace", "rename") and module == "os":
        return True
    if word == "replace" and isinstance(call.func, ast.Attribute):
        return len(call.args) == 1 and not call.keywords
    return word in ("write_text", "write_bytes", "fsync", "NamedTemporaryFile")


def test_files_are_written_in_one_place():
    found = {name for name, tree in SOURCES.items() for word, call in calls(tree) if writes(word, call)}
    assert found == {"common/files.py"}


def modes(call: ast.Call) -> list[str]:
    """The mode that a file is opened in, where it is given."""
    given = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mode")]
    return [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def test_other_files_are_opened_for_locks_only():
    found = {
        name
        for name, tree in SOURCES.items()
        for word, call in calls(tree)
        if word == "open" and any(set("wax+") & set(mode) for mode in modes(call))
    }
    assert found == {"engine/cache.py", "simulation/dataset.py"}


def half_written(path: Path) -> None:
    path.write_bytes(b"sec")
    raise KeyError


def test_a_file_is_there_completely_or_not_at_all(tmp_path: Path):
    path = tmp_path / "file"
    files.write_atomically(path, b"first")
    with pytest.raises(KeyError), files.atomic_file(path) as aside:
        half_written(aside)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("file", b"first")]
    files.write_atomically(path, b"second", aside=tmp_path / "aside", lasting=True)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("file", b"second")]


def test_a_file_is_not_written_through_a_link(tmp_path: Path):
    (tmp_path / "letters").write_text("keep me")
    (tmp_path / "file").symlink_to(tmp_path / "letters")
    files.write_atomically(tmp_path / "file", b"mine")
    assert (tmp_path / "letters").read_text() == "keep me"
    assert not (tmp_path / "file").is_symlink()
