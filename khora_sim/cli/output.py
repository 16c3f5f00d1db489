"""How commands print: tables and plain lines for people, JSON for scripts."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from khora_sim.errors import printable

WIDE = 200  # columns where no terminal sets the width: a file or pipe is not wrapped at 80


def print_json(data: Any) -> None:
    """Print data for a script."""
    print(json.dumps(data, ensure_ascii=False, indent=2))


class ForScripts(Protocol):
    """An answer that a script can have, too."""

    def data(self) -> dict[str, Any]:
        """All of it."""


Answer = TypeVar("Answer", bound=ForScripts)


def print_answer(answer: Answer, in_words: Callable[[Answer], None], out: Path | None, as_json: bool) -> None:
    """Print an answer in words, and where its page is if a folder keeps it; or as JSON."""
    if as_json:
        print_json(answer.data())
        return
    in_words(answer)
    if out is not None:
        print(f"\nThe page: {out / 'index.html'}")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print a table; the columns named in `right` hold numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(printable(cell) for cell in row))
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else WIDE)
    console.print(table)
