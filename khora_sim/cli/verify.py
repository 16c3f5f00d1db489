"""`khora verify`: play a record again."""

import sys
from typing import Annotated

import typer

from khora_sim.errors import UserError, printable


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
