"""`khora report`: a study as one page to send to anyone; with --compare, two studies side by side."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from khora_sim.cli.flags import AsJson, quiet_option
from khora_sim.cli.output import print_json
from khora_sim.errors import printable


def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="A study; with --compare, two of them.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for the report.", show_default="reports/ and the study's name"
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare two studies: what changes from the first to the second."),
    ] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, quiet_option()] = False,
) -> None:
    """Write a study up as one page: which cities win most with these players, how sure that is, and why."""
    from khora_sim import api

    shown = not (quiet or as_json) and sys.stderr.isatty()
    written = api.report(*folders, out=out, compare=compare, progress=shown)
    if as_json:
        print_json(
            {
                "page": str(written.page),
                "headline": written.headline,
                "detail": written.detail,
                "summary": str(written.summary),
                "figures": str(written.figures),
                "tables": str(written.tables),
            }
        )
    elif not quiet:
        print(f"{printable(written.headline)}\n{printable(written.detail)}")
        print(f"Report: {written.page}\nSummary, figures and tables are beside it in {written.page.parent}")
