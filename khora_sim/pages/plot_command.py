"""`khora plot` and `khora_sim.plot`: one figure of a study, as SVG or PNG."""

from pathlib import Path
from typing import Annotated

from khora_sim.common.command_options import Command, Flag, Options
from khora_sim.common.commands import plotting
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.pages.sections import KINDS
from khora_sim.pages.study_report import write_figure


class PlotOptions(Options):
    """Without a kind, all kinds are listed."""

    command = "plot"

    folder: Annotated[Path, Flag("A study.", metavar="DIR", argument=True)]
    kind: Annotated[str | None, Flag("The figure.", argument=True)] = None
    out: Annotated[
        Path | None, Flag("A file to write, .svg or .png.", metavar="FILE", default="KIND.svg")
    ] = None


class Plot(Command):
    """Draws figures."""

    Options = PlotOptions

    def make(self, options: PlotOptions, progress: Progress) -> Path | None:
        """Draw the figure; None where the kinds are to be listed."""
        if options.kind is None:
            if options.out is not None:
                raise UserError(
                    f"say which figure to draw: {plotting(options.folder, KINDS[0], options.out)}"
                )
            return None
        return write_figure(options.folder, options.kind, options.out or f"{options.kind}.svg")

    def brief(self, result: Path | None, *, full: bool = False) -> list[str]:
        """The file that was written, or all kinds."""
        return list(KINDS) if result is None else [str(result)]

    def data(self, result: Path | None) -> dict[str, object]:
        """The same for a script."""
        return {"kinds": list(KINDS)} if result is None else {"file": str(result)}


COMMAND = Plot()
