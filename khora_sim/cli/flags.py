"""Options that several commands have, each described once, and options that are kept in a list."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from khora_sim.common.options import OPTIONS, Option

Command = Callable[..., None]
PLAY, WORK = "What is played", "How it is run"  # panels of the help

StrategyName = Annotated[str, typer.Argument(metavar="NAME", help="A name, or the path of a plug-in.")]
PlayersAtTable = Annotated[int, typer.Option(help="Players at the table.")]
JudgingSeed = Annotated[
    int | None,
    typer.Option(
        help="The luck; the default is kept for judging, apart from seeds that players are made with.",
        show_default="3000000000",
        rich_help_panel=PLAY,
    ),
]
RunSeed = Annotated[
    int, typer.Option(help="A number: the same one gives the same result.", rich_help_panel=WORK)
]


def who_plays_option(panel: str) -> Any:
    """`--strategies`, for a line-up."""
    words = "Who plays: one in every seat, or several."
    return typer.Option(metavar="NAMES", help=words, rich_help_panel=panel)


def games_option(words: str, usual: int, panel: str) -> Any:
    """`--games`, with what is counted, where a precision may be asked for instead."""
    return typer.Option(help=words, show_default=str(usual), rich_help_panel=panel)


def precision_option(what: str, panel: str, more: str = "") -> Any:
    """`--precision`, with what is known so well in the end."""
    words = f"Play until {what} is known to ± so many percentage points, in place of --games.{more}"
    return typer.Option(metavar="POINTS", help=words, rich_help_panel=panel)


def out_option(words: str, panel: str) -> Any:
    """`--out`: a folder, with what it keeps."""
    return typer.Option(metavar="DIR", help=words, rich_help_panel=panel)


def workers_option(panel: str | None = None) -> Any:
    """`--workers`, in a panel of the help."""
    return typer.Option(help="How many work at once.", show_default="all processors", rich_help_panel=panel)


def resume_option(words: str, panel: str | None = None) -> Any:
    """`--resume`, with what goes on in which way."""
    return typer.Option("--resume", help=words, rich_help_panel=panel)


def json_option(panel: str | None = None, what: str = "JSON") -> Any:
    """`--json`."""
    return typer.Option("--json", help=f"Print {what}, for a script.", rich_help_panel=panel)


AsJson = Annotated[bool, json_option()]
RunJson = Annotated[bool, json_option(WORK)]
RunWorkers = Annotated[int | None, workers_option(WORK)]


def quiet_option(panel: str | None = None) -> Any:
    """`--quiet`."""
    return typer.Option("--quiet", help="Print errors only.", rich_help_panel=panel)


def rules_option(panel: str | None = None) -> Any:
    """`--rules`: a variant."""
    words = "A variant in TOML, laid over the base game."
    return typer.Option("--rules", metavar="FILE", help=words, rich_help_panel=panel)


LineUp = Annotated[str, who_plays_option(PLAY)]
TableSize = Annotated[int, typer.Option(help="Players at the table.", rich_help_panel=PLAY)]
ChangedRules = Annotated[str | None, rules_option(PLAY)]
ChangePrecision = Annotated[float | None, precision_option("the change of every city's win share", PLAY)]


def table_sizes_option(panel: str, usual: str | None = None) -> Any:
    """`--players`, of one size of table or several; `usual` where the command settles the default."""
    words = "Players at the table: 2, 3, 4, or several: 4,3."
    return typer.Option(help=words, rich_help_panel=panel, show_default=usual or True)


def game_options(panel: str) -> list[inspect.Parameter]:
    """The flags for all options of the game, in a panel of the help."""
    return [_parameter(option.name, Annotated[bool | None, _flags(option, panel)]) for option in OPTIONS]


def _flags(option: Option, panel: str) -> Any:
    return typer.Option(
        option.flags, help=option.help, show_default="as the rules say", rich_help_panel=panel
    )


def options_in(declared: type) -> list[inspect.Parameter]:
    """The options that a class declares, a line each; none of them has to be given."""
    return [_parameter(name, hint) for name, hint in inspect.get_annotations(declared).items()]


def _parameter(name: str, hint: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)


def given_as(name: str, options: Sequence[inspect.Parameter]) -> Callable[[Command], Command]:
    """Give a command these options, which it takes together in one argument of this name."""

    def with_options(command: Command) -> Command:
        @functools.wraps(command)
        def taking(**given: Any) -> None:
            command(**{name: {one.name: given.pop(one.name) for one in options}}, **given)

        own = inspect.signature(command).parameters.values()
        parameters = [two for one in own for two in (options if one.name == name else [one])]
        taking.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        taking.__annotations__ = {one.name: one.annotation for one in parameters}
        return taking

    return with_options
