"""Output of commands: tables and plain lines for people, JSON for scripts."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khora_sim.errors import printable

if TYPE_CHECKING:
    from khora_sim.pages.table import Table

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]
WIDE = 200  # columns where no terminal sets the width: a file or pipe is not wrapped at 80


def print_json(data: Any) -> None:
    """Print data for a script."""
    print(json.dumps(data, ensure_ascii=False, indent=2))


def print_brief(parts: "Iterable[str | Table]") -> None:
    """Print lines and tables one after another."""
    for part in parts:
        if isinstance(part, str):
            print("\n".join(map(printable, part.split("\n"))))
        else:
            print_table(part.titles, part.texts, [one.title for one in part.columns if one.numeric])


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print a table; the columns named in `right` hold numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(printable(cell) for cell in row))
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else WIDE)
    console.print(table)
