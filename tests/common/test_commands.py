"""Every command that is spelled in a message is one, and is spelled in one place."""

import inspect
import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
import typer

from khora_sim.analyses import REGISTRY
from khora_sim.cli.main import app
from khora_sim.common import commands
from tests.common.sources import SOURCES, texts

KHORA: Any = typer.main.get_group(app)
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
    commands.writing_baseline: ("a baseline.json",),
    commands.recording: ("game.json",),
    commands.replaying_one: (),
    commands.verifying: ("game.json",),
    commands.measuring_cities: ("a variant.toml",),
    commands.showing_strategy: ("random",),
    commands.starting_strategy: ("my-idea",),
    commands.checking_strategy: ("my_idea.py",),
    commands.learning: ("a b.npz",),
    commands.making_panel: (),
    commands.listing_rules: ("cards",),
    commands.exporting_cache: ("FILE",),
}


def parsed(line: str) -> dict[str, Any]:
    """What the command line makes of a command; a command or an option that it does not know is an error."""
    word, *words = shlex.split(line)
    assert word == "khora"
    command, context = KHORA, None
    while hasattr(command, "commands"):
        context = command.context_class(command, parent=context)
        _, command, words = command.resolve_command(context, words)
    return command.make_context("khora", words).params


def test_every_command_that_is_spelled_is_tried():
    public = [one for name, one in vars(commands).items() if inspect.isfunction(one) and name[0] != "_"]
    assert {one.__name__ for one in public} - {"as_typed"} == {one.__name__ for one in SAMPLES}


@pytest.mark.parametrize("spelled", SAMPLES, ids=lambda one: one.__name__)
def test_a_command_that_is_spelled_is_one(spelled):
    assert parsed(spelled(*SAMPLES[spelled]))


def test_values_of_a_command_are_read_as_they_were_given():
    found = parsed(commands.simulating({"strategies": ("random", "./a b.py"), "draft": False}, "a folder"))
    assert (found["strategies"], found["draft"], found["out"]) == ("random,./a b.py", False, "a folder")


@pytest.mark.parametrize(
    "name", [name for name in SOURCES if not name.startswith("cli/") and name != "analyses/__init__.py"]
)
def test_no_other_source_spells_a_command(name):
    spelled = re.compile(rf"\bkhora ({'|'.join(KHORA.commands)})\b")
    assert [text for text in texts(SOURCES[name]) if spelled.search(text)] == []


CLI = [text for name, tree in SOURCES.items() if name.startswith("cli/") for text in texts(tree)]
EXAMPLES = [text.removeprefix("Example: ") for text in CLI if re.match(r"(Example: )?khora [a-z]+ ", text)]


@pytest.mark.parametrize("example", [*EXAMPLES, *(entry.example for entry in REGISTRY.values())])
def test_an_example_of_the_help_is_a_command(example):
    assert parsed(example)
