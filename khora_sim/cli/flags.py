"""Options that several commands have, or that are kept in a list, as parameters of a command."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from khora_sim.common.options import OPTIONS, Option

Command = Callable[..., None]


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
