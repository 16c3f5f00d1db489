"""Every analysis has the one shape, and a new one needs a file and a line of the registry."""

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import khora_sim
from khora_sim.analyses import REGISTRY, Entry
from khora_sim.analyses.analysis import Analysis, function_of, loaded
from khora_sim.cli.generate import LazyGroup, list_analyses, made
from khora_sim.common.command_options import PANELS, Command, Flag, flag_of
from khora_sim.errors import UserError
from khora_sim.simulation.run_dir import RunOptions
from tests.analyses.toy_analysis import FirstPlayer, FirstPlayerOptions

TOY = Entry(
    "first_player",
    "tests.analyses.toy_analysis",
    "Measure how often the first player wins.",
    "khora first-player --strategies random --games 2800",
)
FEW = ("--strategies", "random", "--games", "280", "--workers", "1")
#: Commands that are no analyses; `replay` alone has a module that makes its command itself.
OTHERS = {"simulate", "report", "plot", "replay", "grade", "panel", "learn", "tune", "bench"}
COMMAND_LINE_ONLY = {"replay", "bench"}


def each(*left_out: str) -> pytest.MarkDecorator:
    """A test for every entry but these."""
    entries = [one for one in REGISTRY.values() if one.name not in left_out]
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry.name)


@each("replay")
def test_a_command_is_what_its_entry_says(entry: Entry):
    command = loaded(entry)
    assert isinstance(command, Command)
    assert isinstance(command, Analysis) == (entry.name not in OTHERS)
    assert command.Options.command == entry.command


@each(*OTHERS)
def test_an_analysis_has_the_options_of_a_run(entry: Entry):
    assert issubclass(loaded(entry).Options, RunOptions)


@each()
def test_a_summary_is_one_sentence(entry: Entry):
    assert re.fullmatch(r"[A-Z][^.]*\.", entry.summary)


@each("replay")
def test_every_option_has_a_flag_with_help_in_whole_sentences(entry: Entry):
    for name, field in loaded(entry).Options.model_fields.items():
        flag = flag_of(field)
        assert isinstance(flag, Flag), name
        assert flag.panel in PANELS, name
        assert re.fullmatch(r"\S.*\.", flag.help), name
        assert "  " not in flag.help, name
        assert "\n" not in flag.help, name


@each()
def test_the_help_is_free_of_hard_line_breaks(entry: Entry):
    paragraphs = made(entry).help.split("\n\n")
    assert paragraphs[0] == entry.summary
    assert all(one and "\n" not in one for one in paragraphs)


@each()
def test_the_example_is_a_command(entry: Entry):
    words = entry.example.split()
    assert words[: 1 + len(entry.command.split())] == ["khora", *entry.command.split()]
    given = made(entry).make_context("khora", words[1 + len(entry.command.split()) :]).params
    assert any(value is not None for value in given.values())


@each("replay")
def test_the_python_function_has_the_options_as_keywords(entry: Entry):
    options, function = loaded(entry).Options, function_of(entry)
    parameters = inspect.signature(function).parameters
    assert list(parameters) == [*options.flags(), "progress"]
    assert (function.__name__, function.__doc__.splitlines()[0]) == (entry.name, entry.summary)
    for name, (flag, field) in options.flags().items():
        if flag.argument:
            assert parameters[name].kind in (
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                inspect.Parameter.VAR_POSITIONAL,
            )
        else:
            assert parameters[name].kind == inspect.Parameter.KEYWORD_ONLY
            needed = field.is_required()
            usual = inspect.Parameter.empty if needed else field.get_default(call_default_factory=True)
            assert parameters[name].default == usual


@each(*COMMAND_LINE_ONLY)
def test_the_python_function_is_offered_by_the_package(entry: Entry):
    assert getattr(khora_sim, entry.name).__name__ == entry.name


@each("replay")
def test_a_misspelled_option_is_refused_in_python_with_the_nearest(entry: Entry):
    name = max(loaded(entry).Options.model_fields, key=len)
    wrong = name[:-1]
    told = rf"--{wrong.replace('_', '-')}: unknown option; did you mean .*{name}"
    with pytest.raises(UserError, match=told):
        function_of(entry)(**{wrong: 1})


@each(*OTHERS)
def test_an_option_that_is_not_there_is_refused_in_python_with_the_nearest(entry: Entry):
    with pytest.raises(UserError, match=r"--worker: unknown option; did you mean .*workers"):
        function_of(entry)(worker=1)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """The command line with one analysis more: its line in the registry is all it takes."""
    monkeypatch.setitem(REGISTRY, TOY.name, TOY)
    app = typer.Typer(cls=LazyGroup, add_completion=False)
    app.callback(invoke_without_command=True)(lambda: None)
    list_analyses(app)
    return app


def printed(app: typer.Typer, *typed: str) -> str:
    done = CliRunner().invoke(app, ["first-player", *typed], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_a_new_analysis_is_listed_before_it_is_loaded(toy: typer.Typer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, TOY.module, raising=False)
    assert TOY.summary in " ".join(CliRunner().invoke(toy, ["--help"]).stdout.replace("│", " ").split())
    assert TOY.module not in sys.modules


def test_a_new_analysis_is_a_command_with_help(toy: typer.Typer):
    help_text = " ".join(printed(toy, "--help").replace("│", " ").split())
    assert "The first player is drawn in every game." in help_text
    assert "Count only games in which the first player has this city." in help_text
    assert "[default: 1400]" in help_text


def test_a_new_analysis_prints_and_writes_its_answer(toy: typer.Typer, tmp_path: Path):
    lines = printed(toy, *FEW, "--out", str(tmp_path / "a")).splitlines()
    assert re.fullmatch(r"The first player wins .* % ± .*; fair is 25%\.", lines[0])
    assert lines[1].split() == ["Games", "Win", "rate"]
    assert lines[-1] == f"The page: {tmp_path / 'a' / 'index.html'}"
    answer = json.loads((tmp_path / "a" / "answer.json").read_text())
    assert answer == json.loads(printed(toy, *FEW, "--json"))
    assert set(answer) == set(FirstPlayer.model_fields)
    assert (answer["games"], answer["wins"]["n"]) == (280, 280)
    plan = json.loads((tmp_path / "a" / "plan.json").read_text())
    assert (plan["command"], plan["options"]["games"], plan["options"]["city"]) == ("first-player", 280, None)
    assert lines[0] in printed(toy, "--resume", "--out", str(tmp_path / "a"))
    assert printed(toy, *FEW, "--quiet") == ""


def test_a_new_analysis_is_a_function(toy: typer.Typer):
    first_player = function_of(TOY)
    found: Any = first_player(strategies="random", games=280, workers=1)
    assert found.data() == json.loads(printed(toy, *FEW, "--json"))
    assert first_player(strategies="random", games=280, city="athens", workers=1).wins.n < 280


def test_a_new_analysis_refuses_what_it_does_not_know():
    with pytest.raises(UserError, match="--city athen: unknown city; did you mean athens"):
        FirstPlayerOptions.of({"city": "athen"})
