"""Commands are made from options models: a field is a flag with its help, its panel and its default."""

import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

from khora_sim.analyses import REGISTRY, Entry
from khora_sim.analyses.analysis import Analysis, Run
from khora_sim.cli.generate import analysis_command, command_of, help_text
from khora_sim.cli.main import app, run
from khora_sim.cli.output import print_brief
from khora_sim.common.command_options import CHANGE, WORK, Count, Flag, Names, Texts
from khora_sim.errors import UserError
from khora_sim.pages.table import Table, grid
from khora_sim.simulation.result import Result
from khora_sim.simulation.run_dir import RunOptions

#: Flags of every command that keeps a run, and which of them the other commands lack.
RUN = ["--out", "--resume", "--replace", "--workers", "--backend", "--scheduler"]
LACKING = {
    "simulate": ["--replace"],
    "report": RUN[1:],
    "plot": RUN[1:],
    "replay": [*RUN, "--json"],
    "strategies grade": RUN,
    "bench": RUN,
}
ENTRY = Entry("dine", "nowhere", "Dine with friends.", "khora dine soup")


class DineOptions(RunOptions):
    """One [dish] for all, in a sentence that is so long that it takes
    two lines.

    Another paragraph.
    """

    command = "dine"
    renamed: ClassVar = {"eaters": "--guests"}
    usual_games: ClassVar[int] = 20_000

    dish: Annotated[str, Flag("Soup or stew.", argument=True)]
    sides: Annotated[Texts, Flag("More dishes.", CHANGE, "DISH", repeated=True)] = ()
    guests: Annotated[Names, Flag("Who dines.", metavar="NAMES")] = ("ada", "bo")
    games: Annotated[Count | None, Flag("Games after it.")] = None
    salt: Annotated[float, Flag("Grains [of salt].", WORK), Field(ge=0)] = 0.5
    hot: Annotated[bool | None, Flag("Hot.", default="as it comes")] = None
    spicy: Annotated[bool, Flag("Spicy.")] = False


class Dinner(Result):
    """What was eaten."""

    dish: str
    guests: tuple[str, ...]


class DineAnalysis(Analysis[DineOptions, Dinner]):
    """Dine."""

    Options = DineOptions
    code = 0

    def run(self, options: DineOptions, run: Run) -> Dinner:
        """Eat."""
        run.progress.line("eating")
        return Dinner(dish=options.dish, guests=options.guests)

    def brief(self, result: Dinner, *, full: bool = False) -> Sequence[str | Table]:
        """What was eaten, and in full by whom."""
        return [
            f"{result.dish} \x1b[31m",
            *([grid(("Who",), [(one,) for one in result.guests])] if full else []),
        ]

    def page(self, result: Dinner, options: DineOptions) -> None:
        """None."""

    def exit_code(self, result: Dinner) -> int:
        """As a test sets it."""
        return self.code


@pytest.fixture
def analysis(monkeypatch: pytest.MonkeyPatch) -> DineAnalysis:
    found = DineAnalysis()
    monkeypatch.setattr("khora_sim.analyses.analysis.loaded", lambda _: found)
    return found


def typed(*words: str) -> Any:
    """Run the command of the analysis."""
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    alone.command()(analysis_command(ENTRY))
    return CliRunner(env={"COLUMNS": "200"}).invoke(alone, words)


def given_by(*words: str) -> dict[str, Any]:
    """What a command hands on."""
    found: dict[str, Any] = {}
    alone = typer.Typer(add_completion=False)
    alone.command()(command_of(DineOptions, lambda **named: found.update(named), "Dine."))
    typer.main.get_command(alone)(list(words), standalone_mode=False)
    return found


def test_only_what_is_typed_is_handed_on():
    assert given_by("soup") == {"dish": "soup"}
    assert given_by() == {}
    words = (
        "soup",
        "--sides",
        "a,b",
        "--sides",
        "c",
        "--no-hot",
        "--spicy",
        "--games",
        "1e3",
        "--guests",
        "x,y",
    )
    assert given_by(*words) == {
        "dish": "soup",
        "sides": ["a,b", "c"],
        "hot": False,
        "spicy": True,
        "games": "1e3",
        "guests": "x,y",
    }


def test_the_help_has_every_option_in_its_panel_with_its_default(analysis: DineAnalysis):
    lines = typed("--help").stdout.splitlines()
    shown = {}
    for line in lines:
        if line.startswith("╭"):
            panel = line.strip("╭─╮ ")
        elif match := re.search(r"(--[a-z-]+|DISH) .*", line):
            shown.setdefault(match[1], f"{panel}: {' '.join(match[0].strip(' │').split()[1:])}")
    assert shown["DISH"].endswith("Soup or stew.")
    assert shown["--sides"] == "What is changed: DISH More dishes."
    assert shown["--guests"] == "What is played: NAMES Who dines. [default: ada,bo]"
    assert shown["--games"].endswith("N Games after it. [default: 20000]")
    assert shown["--salt"].endswith("Grains [of salt]. [default: 0.5]")
    assert shown["--hot"].endswith("Hot. [default: as it comes]")
    assert shown["--spicy"].endswith("Spicy.")
    assert shown["--json"].startswith("What is printed: ")
    assert "--eaters" not in shown


def test_the_help_is_free_of_markup_and_of_hard_line_breaks(analysis: DineAnalysis):
    shown = [line.strip() for line in typed("--help").stdout.splitlines()]
    assert "One [dish] for all, in a sentence that is so long that it takes two lines." in shown
    assert "Another paragraph." in shown
    assert help_text("a\n b\n\nc [d]") == "a b\n\nc \\[d]"


def test_an_answer_is_printed_as_lines_or_as_json(analysis: DineAnalysis):
    assert typed("soup").stdout == "soup \\x1b[31m\n"
    assert typed("soup", "--full").stdout.split() == ["soup", "\\x1b[31m", "Who", "─" * 3, "ada", "bo"]
    assert typed("soup", "--json").stdout.split() == [
        *("{", '"dish":', '"soup",', '"guests":', "[", '"ada",', '"bo"', "]", "}")
    ]


@pytest.mark.parametrize(("words", "shown"), [((), True), (("--quiet",), False), (("--json",), False)])
def test_progress_is_for_people_only(words: tuple[str, ...], shown: bool, analysis: DineAnalysis):
    assert ("eating" in typed("soup", *words).stderr) == shown


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_the_exit_code_is_that_of_the_answer(words: tuple[str, ...], analysis: DineAnalysis):
    assert typed("soup", *words).exit_code == 0
    analysis.code = 1
    done = typed("soup", *words)
    assert done.exit_code == 1
    assert "soup" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "DISH is missing; expected soup or stew"),
        (("soup", "--eaters", "3"), "--eaters: is now --guests"),
        (("soup", "--salt", "x"), "--salt x: expected a number, 0 or more"),
        (("soup", "--workers", "0"), "--workers 0: expected 1 or more"),
        (("--resume",), "--resume continues a run in its folder; name it with --out"),
    ],
)
def test_a_mistake_is_an_error_of_the_user(words: tuple[str, ...], told: str, analysis: DineAnalysis):
    done = typed(*words)
    assert isinstance(done.exception, UserError)
    assert str(done.exception) == told


def test_ctrl_c_says_how_to_continue(analysis: DineAnalysis, monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    def stop(*_: Any) -> Dinner:
        raise KeyboardInterrupt

    monkeypatch.setattr(analysis, "run", stop)
    assert typed("soup").stderr == "khora: stopped; without --out nothing is kept\n"
    done = typed("soup", "--out", str(tmp_path / "a"))
    assert done.stderr == f"khora: stopped; continue with: khora dine --resume --out {tmp_path / 'a'}\n"
    assert done.exit_code == 130


def test_lines_of_a_stranger_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]):
    print_brief(["one\n\x1b[2Jtwo", grid(("A",), [("\x1b[2J",)])])
    assert "\x1b[2J" not in capsys.readouterr().out


@pytest.mark.parametrize("command", sorted(one.command for one in REGISTRY.values()))
@pytest.mark.parametrize("width", ["80", "200"])
def test_every_generated_command_has_help(command: str, width: str):
    done = CliRunner(env={"COLUMNS": width}).invoke(app, [*command.split(), "--help"])
    assert done.exit_code == 0
    assert "Example: khora " in done.stdout
    lacking = [flag for flag in (*RUN, "--quiet", "--json") if f" {flag} " not in done.stdout]
    assert lacking == LACKING.get(command, [])
    assert "Undefined" not in done.stdout


def test_an_unknown_flag_is_told_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["khora", "power", "cards", "--game", "3"])
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 2
    assert "--games" in capsys.readouterr().err
