"""The help of generated commands: every word of the source, wrapped only where a line is full."""

import inspect
import re
from itertools import pairwise

import pytest
import typer
from typer.testing import CliRunner

from khora_sim.analyses import REGISTRY, Entry
from khora_sim.analyses.analysis import loaded
from khora_sim.cli.generate import command_of
from khora_sim.cli.main import app
from khora_sim.cli.replay import ReplayOptions
from khora_sim.common.command_options import Options

WIDTH = 80
LINE = re.compile(r"\s*│(.*)│\s*")


def shown(command: str, width: int = WIDTH) -> list[str]:
    """The lines of a help text."""
    done = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": str(width)})
    assert done.exit_code == 0
    return done.stdout.splitlines()


def options_of(entry: Entry) -> type[Options]:
    """The options of a command; `replay` is made by its own module."""
    return ReplayOptions if entry.name == "replay" else loaded(entry).Options


def texts_of(options: type[Options]) -> list[str]:
    """The help of every option, as its source has it."""
    return [flag.help for flag, _ in options.flags().values()]


def in_panels(lines: list[str]) -> str:
    """The words of the right column of all panels; what wraps is joined again."""
    rows = [match[1].strip() for line in lines if (match := LINE.fullmatch(line))]
    return " ".join(re.split(r" {2,}", row)[-1] for row in rows)


def paragraphs(lines: list[str]) -> list[list[str]]:
    """The paragraphs above the panels."""
    above = lines[: next(at for at, line in enumerate(lines) if line.startswith("╭"))]
    found: list[list[str]] = [[]]
    for line in (line.strip() for line in above):
        if line:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [one for one in found if one and not one[0].startswith("Usage:")]


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=lambda one: one.name)
def test_no_word_of_an_option_is_lost(entry):
    words = in_panels(shown(entry.command))
    assert [text for text in texts_of(options_of(entry)) if squeezed(text) not in words] == []


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=lambda one: one.name)
def test_types_of_python_and_brackets_around_defaults_are_not_shown(entry):
    words = " ".join(shown(entry.command))
    assert re.findall(r"<\w+[^>]*>|default: \(|default:\s+None", words) == []


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=lambda one: one.name)
def test_paragraphs_are_those_of_the_source(entry):
    source = [entry.summary, *(inspect.getdoc(options_of(entry)) or "").split("\n\n")]
    assert [" ".join(one) for one in paragraphs(shown(entry.command))] == list(map(squeezed, source))


@pytest.mark.parametrize("width", [WIDTH, 60])
@pytest.mark.parametrize("entry", REGISTRY.values(), ids=lambda one: one.name)
def test_a_line_of_a_paragraph_ends_only_where_the_next_word_does_not_fit(entry, width):
    for lines in paragraphs(shown(entry.command, width)):
        for line, following in pairwise(lines):
            assert len(line) + 1 + len(following.split()[0]) > width - 2, line


def test_brackets_and_line_breaks_of_a_source_do_not_reach_the_terminal():
    class Made(Options):
        """Words [in brackets] that are
        broken in the source.
        """

        command = "made"

    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    alone.command()(command_of(Made, lambda **_: None, "Make [vary] known."))
    lines = CliRunner().invoke(alone, ["--help"], env={"COLUMNS": "80"}).stdout.splitlines()
    assert paragraphs(lines) == [
        ["Make [vary] known."],
        ["Words [in brackets] that are broken in the source."],
    ]
