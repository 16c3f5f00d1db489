"""The `khora` command: one line for each of its commands, and errors in one line."""

import sys
from typing import Annotated

import typer

from khora_sim import __version__
from khora_sim.analyses import GAME, MACHINE, STUDY
from khora_sim.cli import data, doctor, rules, strategies
from khora_sim.cli.generate import LazyGroup, list_analyses
from khora_sim.cli.stopping import end_on_interrupt
from khora_sim.errors import UserError, printable

app = typer.Typer(
    name="khora",
    cls=LazyGroup,
    help="Play Khôra by the million, and learn what its cities, cards and rules are worth.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

app.add_typer(data.app, name="data", rich_help_panel=STUDY)
list_analyses(app)
app.add_typer(strategies.app, name="strategies", rich_help_panel=GAME)
app.add_typer(rules.app, name="rules", rich_help_panel=GAME)
app.command(rich_help_panel=MACHINE, epilog="Example: khora doctor")(doctor.doctor)

#: Where a newcomer starts.
START = {
    "khora replay --seed 1 --players 3": "read a whole game, round by round",
    "khora strategies list --quick": "see who can play",
    "khora simulate --cities all --out studies/first": "play 10,000 games",
    "khora report studies/first --out reports/first": "turn a study into a page",
    "khora rules show lighthouse": "look one thing up",
    "khora what-if --set cards.lighthouse.cost=2": "ask what a change of the rules does",
}


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"khora {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def khora(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and stop.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Play Khôra by the million, and learn what its cities, cards and rules are worth."""
    if context.invoked_subcommand is None:
        lines = [f"  {example:<74} {what}" for example, what in START.items()]
        print("Khôra, played by the million. Where to start:", "", *lines, "", sep="\n")
        print("All commands: khora --help")


@app.command("verify", rich_help_panel=GAME, epilog="Example: khora verify game.json")
def verify_record(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A record, as khora replay --record writes it.")
    ],
    rules_file: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="FILE", help="The variant it was played with, if it does not hold it."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing if the record is confirmed.")] = False,
) -> None:
    """Play a record again and confirm it, or name the first step that differs (exit code 1)."""
    from khora_sim.engine.cache import keep_quiet
    from khora_sim.records.record_format import read_record
    from khora_sim.records.verifying import DiffersError, verify

    keep_quiet(quiet)
    record = read_record(file)
    try:
        confirmed = verify(record, rules_file)
    except DiffersError as difference:
        print(printable(f"{file}: {difference}"), file=sys.stderr)
        raise typer.Exit(1) from None
    except UserError as problem:
        raise UserError(f"{file}: {problem}") from None
    if not quiet:
        print(f"{file}: {confirmed.in_words()}")


def run() -> None:
    """Run the command line; what a user can fix is one line without a traceback, with exit code 2."""
    end_on_interrupt()
    try:
        app(prog_name="khora")
    except UserError as error:
        for line in str(error).split("\n"):
            print(f"khora: {printable(line)}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    run()
