"""Commands made from options models: a field is a flag, with its help, its panel and its default."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from khora_sim.analyses import Entry
from khora_sim.cli.output import print_brief, print_json
from khora_sim.cli.stopping import stoppable
from khora_sim.common.command_options import SHOW, Flag, Options, bare_type, takes_many
from khora_sim.common.commands import as_typed

METAVARS = {int: "N", float: "NUMBER", Path: "PATH", str: "TEXT"}
JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.", rich_help_panel=SHOW)]
FULL = Annotated[bool, typer.Option("--full", help="Print every table.", rich_help_panel=SHOW)]
QUIET = Annotated[bool, typer.Option("--quiet", help="Print errors only.", rich_help_panel=SHOW)]


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

    switches = {"full": FULL} if analysis.tables else {}
    return command_of(analysis.Options, ask, entry.summary, {**switches, "quiet": QUIET, "json": JSON})


def command_of(
    options: type[Options], call: Callable[..., None], summary: str, more: dict[str, Any] | None = None
) -> Callable[..., None]:
    """A function that Typer makes a command of: its parameters are the fields of a model.

    It hands on only what was typed, by name; `more` are switches that belong to the command line alone.
    """
    parameters = [_parameter(options, name, flag, field) for name, (flag, field) in options.flags().items()]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=hint)
        for name, hint in (more or {}).items()
    ]
    parameters += [_earlier(name) for name in options.renamed if name not in options.model_fields]

    def command(**given: Any) -> None:
        kept = {name: value for name, value in given.items() if value is not None and value != []}
        call(**kept)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = help_text(f"{summary}\n\n{inspect.getdoc(options) or ''}")
    return command


def _earlier(name: str) -> inspect.Parameter:
    """An earlier spelling: a flag that is not listed, whose use is an error that names the new one."""
    hint = typer.Option(f"--{name.replace('_', '-')}", hidden=True)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, hint]
    )


def help_text(text: str) -> str:
    """A help text whose paragraphs are one line each, for a terminal of any width, and free of markup."""
    paragraphs = [" ".join(one.split()) for one in text.split("\n\n")]
    return "\n\n".join(paragraphs).strip().replace("[", r"\[")


def _parameter(options: type[Options], name: str, flag: Flag, field: FieldInfo) -> inspect.Parameter:
    many = flag.repeated or (flag.argument and takes_many(field))
    kind: Any = bool if bare_type(field) is bool else list[str] if many else str
    if flag.argument:  # may be left out for a run that is resumed; the model knows whether it is missing
        hint = typer.Argument(metavar=flag.metavar or name.upper(), help=help_text(flag.help))
    else:
        spelled = options.spelled(name)
        words = [f"{spelled}/--no-{spelled[2:]}" if kind is bool and field.default is None else spelled]
        hint = typer.Option(
            *words,
            metavar=None if kind is bool else flag.metavar or METAVARS.get(bare_type(field), "TEXT"),
            help=help_text(flag.help),
            show_default=flag.default or _default(options, name, field),
            rich_help_panel=flag.panel,
        )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, hint]
    )


def _default(options: type[Options], name: str, field: FieldInfo) -> str | bool:
    value = getattr(options, "usual_games", field.default) if name == "games" else field.default
    return False if value in (None, (), False, PydanticUndefined) else as_typed(value)
