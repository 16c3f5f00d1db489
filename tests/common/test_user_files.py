"""What cannot be read is reported in one line, whatever it is."""

import ast
from pathlib import Path

import pytest

from khora_sim.common import files
from khora_sim.errors import UserError
from tests.common.sources import SOURCES


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "no such file; expected the path of a list"),
        (b"\xff", "not UTF-8 text; expected a list, saved as UTF-8"),
        (b"x" * 2_000_001, "more than 2 MB; expected a list"),
    ],
    ids=("none", "noise", "large"),
)
def test_what_cannot_be_read_is_reported_in_one_line(data: bytes | None, said: str, tmp_path: Path):
    path = tmp_path / "file"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UserError) as error:
        files.read_text(path, "a list", where="file", most=2_000_000)
    assert str(error.value) == f"file: {said}"


def test_a_folder_and_a_path_that_is_none_are_reported(tmp_path: Path):
    with pytest.raises(UserError, match="a folder; expected the path of a list"):
        files.read_text(tmp_path, "a list")
    with pytest.raises(UserError, match=r"cannot be read \(embedded null byte\); expected a list"):
        files.read_text("a\0b", "a list")


def test_an_endless_file_is_not_read_to_its_end():
    with pytest.raises(UserError, match="/dev/zero: more than 1 MB; expected a list"):
        files.read_text("/dev/zero", "a list", most=1_000_000)


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfrounds = 8\n")
    assert files.read_toml(tmp_path / "file", "a list") == {"rounds": 8}


def test_toml_of_users_is_parsed_in_one_place():
    found = {
        name
        for name, tree in SOURCES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import) and "tomllib" in {one.name for one in node.names}
    }
    assert found == {"common/files.py", "rules/variant.py"}  # the base game is no user's
