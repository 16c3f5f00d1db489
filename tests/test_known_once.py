"""What is known in one place is known nowhere else: options of the game, commands, wording, files."""

import ast
import inspect
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from khora_sim.api import Asked
from khora_sim.cli.main import app
from khora_sim.common import commands, options, user_files, writing
from khora_sim.common.options import OPTIONS, ChosenOptions, NamedOptions, Setting
from khora_sim.errors import UserError
from khora_sim.lab.study_file import Study
from khora_sim.records.schema import GameOptions
from khora_sim.rules import load_rules
from khora_sim.rules.schema import Options

PACKAGE = Path(options.__file__).parents[1]
SOURCES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
    if "builtin_strategies" not in path.parts
}
NAMES = [option.name for option in OPTIONS]
KHORA: Any = typer.main.get_group(app)


# Options of the game


def test_every_bit_but_that_of_open_dice_is_an_option():
    assert {option.setting for option in OPTIONS} == set(Setting) - {Setting.OPEN_DICE}


def test_options_are_fields_and_arguments_everywhere():
    assert list(ChosenOptions.__annotations__) == list(NamedOptions.__annotations__) == NAMES
    for model in (Study, GameOptions, Options):
        assert set(NAMES) <= set(model.model_fields)
    assert set(NAMES) <= set(Asked.__annotations__)


def test_the_base_game_has_the_options_as_in_the_rulebook():
    usual = {option.name: option.usual for option in OPTIONS}
    assert load_rules().model.options.model_dump() == usual


@pytest.mark.parametrize("command", ["simulate", "replay"])
@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_a_command_has_the_flags_of_an_option_with_its_help(command, option):
    flags = {one.name: one for one in KHORA.commands[command].params}
    found = flags[option.name]
    assert "/".join([*found.opts, *found.secondary_opts]) == option.flags
    assert found.help == option.help


# Commands as they are typed

SAMPLES: dict[Callable[..., str], tuple[Any, ...]] = {
    commands.simulating: ({"games": 40, "strategies": ("random", "./a b.py"), "reroll": True}, "a folder"),
    commands.resuming: ("a folder",),
    commands.repairing: ("a folder",),
    commands.with_players: (commands.resuming("there"), {"by_city": {"athens": "idle"}, "strategies": ()}),
    commands.checking_data: ("a folder",),
    commands.showing_data: ("a folder",),
    commands.reporting: ("a folder", "there"),
    commands.comparing: ("one", "another", "there"),
    commands.plotting: ("a folder", "city-win-share"),
    commands.replaying: (3, ("random", "idle"), ("athens", "argos"), 2, {"draft": False}, "FILE"),
    commands.recording: ("game.json",),
    commands.replaying_one: (),
    commands.verifying: ("game.json",),
    commands.listing_strategies: (),
    commands.showing_strategy: ("random",),
    commands.starting_strategy: ("my-idea",),
    commands.checking_strategy: ("my_idea.py",),
    commands.listing_rules: ("cards",),
    commands.exporting_cache: ("FILE",),
}


def parsed(line: str) -> dict[str, Any]:
    """What the command line makes of a command; a command or an option that it does not know is an error."""
    word, *words = shlex.split(line)
    assert word == "khora"
    command: Any = KHORA
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    return command.make_context("khora", words).params


def test_every_command_that_is_spelled_is_tried():
    public = [one for name, one in vars(commands).items() if inspect.isfunction(one) and name[0] != "_"]
    assert {one.__name__ for one in public} - {"as_typed"} == {one.__name__ for one in SAMPLES}


@pytest.mark.parametrize("spelled", SAMPLES, ids=lambda one: one.__name__)
def test_a_command_that_is_spelled_is_one(spelled):
    assert parsed(spelled(*SAMPLES[spelled]))


def test_values_of_a_command_are_read_as_they_were_given():
    found = parsed(commands.simulating({"strategies": ("random", "./a b.py"), "draft": False}, "a folder"))
    assert (found["strategies"], found["draft"], found["out"]) == ("random,./a b.py", False, Path("a folder"))


def texts(tree: ast.AST) -> Iterator[str]:
    """All texts of a source but docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


@pytest.mark.parametrize("name", [name for name in SOURCES if not name.startswith("cli/")])
def test_no_other_source_spells_a_command(name):
    spelled = re.compile(rf"\bkhora ({'|'.join(KHORA.commands)})\b")
    assert [text for text in texts(SOURCES[name]) if spelled.search(text)] == []


# Wording


def test_lists_and_counts_are_worded_in_one_place():
    words = {"listed", "counted", "plural"}
    found = {
        name
        for name, tree in SOURCES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.lstrip("_") in words
    }
    assert found == {"common/wording.py"}


# Files


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """All calls of a source by the last word of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


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
    assert found == {"common/writing.py"}


def test_toml_of_users_is_parsed_in_one_place():
    found = {
        name
        for name, tree in SOURCES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import) and "tomllib" in {one.name for one in node.names}
    }
    assert found == {"common/user_files.py", "rules/variant.py"}  # the base game is no user's


def half_written(path: Path) -> None:
    path.write_bytes(b"sec")
    raise KeyError


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path):
    path = tmp_path / "file"
    writing.write_whole(path, b"first")
    with pytest.raises(KeyError), writing.whole(path) as aside:
        half_written(aside)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("file", b"first")]
    writing.write_whole(path, b"second", aside=tmp_path / "aside", lasting=True)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("file", b"second")]


def test_a_file_is_not_written_through_a_link(tmp_path: Path):
    (tmp_path / "letters").write_text("keep me")
    (tmp_path / "file").symlink_to(tmp_path / "letters")
    writing.write_whole(tmp_path / "file", b"mine")
    assert (tmp_path / "letters").read_text() == "keep me"
    assert not (tmp_path / "file").is_symlink()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "no such file; expected the path of a list"),
        (b"\xff", "not UTF-8 text; expected a list, saved as UTF-8"),
        (b"x" * 2_000_001, "more than 2 MB; expected a list"),
    ],
    ids=("none", "noise", "large"),
)
def test_what_cannot_be_read_is_told_in_one_line(data: bytes | None, said: str, tmp_path: Path):
    path = tmp_path / "file"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UserError) as told:
        user_files.read_text(path, "a list", where="file", most=2_000_000)
    assert str(told.value) == f"file: {said}"


def test_a_folder_and_a_path_that_is_none_are_told(tmp_path: Path):
    with pytest.raises(UserError, match="a folder; expected the path of a list"):
        user_files.read_text(tmp_path, "a list")
    with pytest.raises(UserError, match=r"cannot be read \(embedded null byte\); expected a list"):
        user_files.read_text("a\0b", "a list")


def test_an_endless_file_is_not_read_to_its_end():
    with pytest.raises(UserError, match="/dev/zero: more than 1 MB; expected a list"):
        user_files.read_text("/dev/zero", "a list", most=1_000_000)


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfrounds = 8\n")
    assert user_files.read_toml(tmp_path / "file", "a list") == {"rounds": 8}
