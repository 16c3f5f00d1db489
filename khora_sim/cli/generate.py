"""Commands made from options models: a field is a flag, with its help, its panel and its default.

The list of commands comes from the registry; a command is loaded and made when it is called.
"""

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from khora_sim.analyses import REGISTRY, Entry
from khora_sim.cli.output import print_brief, print_json
from khora_sim.cli.stopping import stoppable
from khora_sim.common.commands import as_typed

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from khora_sim.common.command_options import Flag, Options

METAVARS = {int: "N", float: "NUMBER", Path: "PATH"}
SWITCHES = {"full": "Print every table.", "quiet": "Print errors only.", "json": "Print JSON, for a script."}


class LazyGroup(TyperGroup):
    """A group of commands in which one of the registry is loaded only when it is called."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of the group itself."""
        return _without_types(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that was typed."""
        name, command, rest = super().resolve_command(ctx, args)
        typed = name if ctx.parent is None else f"{self.name} {name}"
        entry = next((one for one in REGISTRY.values() if one.command == typed), None)
        command = command if entry is None else made(entry)
        if command is not None:
            _without_types(command.get_params(ctx))
        return name, command, rest


def _without_types(parameters: list[Any]) -> list[Any]:
    """Parameters whose help shows no `<bool>` beside a flag, and no `<str>` beside an argument."""
    for one in parameters:
        if one.param_type_name == "argument" or one.is_flag:
            one.display_type_rich = lambda ctx: None
    return parameters


def made(entry: Entry) -> Any:
    """The command of an entry, made from its options."""
    own = getattr(import_module(entry.module), "cli_command", None)
    function = analysis_command(entry) if own is None else own(entry.summary)
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False, pretty_exceptions_enable=False)
    alone.command(entry.command.rpartition(" ")[2], epilog=f"Example: {entry.example}")(function)
    return typer.main.get_command(alone)


def list_analyses(app: typer.Typer, group: str = "") -> None:
    """List the commands of the registry that belong to a group; each is made when it is called."""
    for one in REGISTRY.values():
        if one.group == group:
            name = one.command.rpartition(" ")[2]
            app.command(name, help=one.summary, rich_help_panel=None if group else one.panel)(lambda: None)


def analysis_command(entry: Entry) -> Callable[..., None]:
    """The command of an analysis."""
    from khora_sim.analyses.analysis import loaded

    analysis = loaded(entry)

    def ask(*, json: bool, quiet: bool, full: bool = False, **given: Any) -> None:
        from khora_sim.pages.progress import progress_shown

        with stoppable(lambda: analysis.stopped(given)), progress_shown(not quiet and not json) as shown:
            options = analysis.resolve(given)
            result = analysis.make(options, shown)
        if json:
            print_json(analysis.data(result))
        elif not quiet:
            print_brief([*analysis.printed(result, options, full=full), *analysis.closing(given)])
        if analysis.exit_code(result):
            raise typer.Exit(analysis.exit_code(result))

    switches = {name: text for name, text in SWITCHES.items() if name != "full" or analysis.tables}
    return command_of(analysis.Options, ask, entry.summary, switches)


def command_of(
    options: "type[Options]", call: Callable[..., None], summary: str, switches: dict[str, str] | None = None
) -> Callable[..., None]:
    """A function that Typer makes a command of: its parameters are the fields of a model.

    It hands on only what was typed, by name; `switches` belong to the command line alone.
    """
    from khora_sim.common.command_options import SHOW

    hints = {name: _hint(options, name, flag, field) for name, (flag, field) in options.flags().items()}
    for name, text in (switches or {}).items():
        hints[name] = Annotated[bool, typer.Option(f"--{name}", help=text, rich_help_panel=SHOW)]
    for name in options.renamed.keys() - options.model_fields:  # typed, it is an error that names the new one
        hints[name] = Annotated[str | None, typer.Option(f"--{name.replace('_', '-')}", hidden=True)]

    def command(**given: Any) -> None:
        call(**{name: value for name, value in given.items() if value is not None and value != []})

    kind, unset = inspect.Parameter, dict.fromkeys(switches or {}, False)
    parameters = [
        kind(name, kind.KEYWORD_ONLY, default=unset.get(name), annotation=one) for name, one in hints.items()
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = hints
    command.__doc__ = help_text(f"{summary}\n\n{inspect.getdoc(options) or ''}")
    return command


def help_text(text: str) -> str:
    """A help text whose paragraphs are one line each, for a terminal of any width, and free of markup."""
    paragraphs = [" ".join(one.split()) for one in text.split("\n\n")]
    return "\n\n".join(paragraphs).strip().replace("[", r"\[")


def _hint(options: "type[Options]", name: str, flag: "Flag", field: "FieldInfo") -> Any:
    """The type of a parameter, with what Typer is to know of it."""
    from khora_sim.common.command_options import bare_type, takes_many

    many = flag.repeated or (flag.argument and takes_many(field))
    kind: Any = bool if bare_type(field) is bool else list[str] if many else str
    if flag.argument:  # may be left out for a run that is resumed; the model knows whether it is missing
        hint = typer.Argument(metavar=flag.metavar or name.upper(), help=help_text(flag.help))
        return Annotated[kind | None, hint]
    spelled = options.spelled(name)
    usual = field.get_default(call_default_factory=True)
    if name == "games":
        usual = getattr(options, "usual_games", usual)
    default = flag.default or (
        "" if field.is_required() or usual in (None, (), {}, False) else as_typed(usual)
    )
    option = typer.Option(
        f"{spelled}/--no-{spelled[2:]}" if kind is bool and field.default is None else spelled,
        metavar=None if kind is bool else flag.metavar or METAVARS.get(bare_type(field), "TEXT"),
        help=help_text(f"{flag.help} [default: {default}]" if default else flag.help),
        show_default=False,
        rich_help_panel=flag.panel,
    )
    return Annotated[kind | None, option]
