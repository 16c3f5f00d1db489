"""`khora report`: a study as one page to send to anyone; with --compare, two studies side by side."""

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from khora_sim.cli.output import print_json
from khora_sim.errors import UserError, printable


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.")] = False,
) -> None:
    """Write a study up as one page: which cities win most with these players, how sure that is, and why."""
    if len(folders) != (2 if compare else 1):
        wanted = "two studies: khora report --compare A B" if compare else "one study: khora report DIR"
        raise UserError(
            f"{len(folders)} folders were named; {'--compare' if compare else 'a report'} takes {wanted}"
        )
    names = [folder.resolve().name for folder in folders]
    out = out or Path("reports") / ("-against-".join(names))
    with _progress(quiet or as_json) as told:
        from khora_sim.report.write import write_comparison, write_report

        if compare:
            written = write_comparison(folders[0], folders[1], out, told)
        else:
            written = write_report(folders[0], out, told)
    if as_json:
        print_json(
            {
                "page": str(written.page),
                "headline": written.headline,
                "detail": written.detail,
                "summary": str(out / "summary.md"),
                "figures": str(out / "figures"),
                "tables": str(out / "tables"),
            }
        )
    elif not quiet:
        print(f"{printable(written.headline)}\n{printable(written.detail)}")
        print(f"Report: {written.page}\nSummary, figures and tables are beside it in {out}")


@contextmanager
def _progress(quiet: bool):
    """A line that says what is going on, on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading the study") as status:
        yield lambda step: status.update(step)
