"""`khora plot`: one figure of a study, as SVG or PNG."""

from pathlib import Path
from typing import Annotated

import typer

from khora_sim.cli.flags import quiet_option
from khora_sim.errors import UserError


def plot(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A study.")],
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="Which figure; without one, all are listed.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File to write, .svg or .png.", show_default="KIND.svg"),
    ] = None,
    quiet: Annotated[bool, quiet_option()] = False,
) -> None:
    """Draw one figure of a study's report."""
    from khora_sim.api import plot as drawn
    from khora_sim.common.commands import plotting
    from khora_sim.pages.sections import KINDS

    if kind is None:
        if out is not None:
            raise UserError(f"say which figure to draw: {plotting(folder, KINDS[0], out)}")
        print("\n".join(KINDS))
        return
    path = drawn(folder, kind, out=out)
    if not quiet:
        print(path)
