"""`khora gate`: the game as it is now against a stored baseline, for a continuous-integration job."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import PLAY, WORK, ChangedRules, RunJson, RunWorkers, precision_option
from khora_sim.cli.output import print_json, print_table
from khora_sim.cli.stopping import stoppable
from khora_sim.errors import printable

if TYPE_CHECKING:
    from khora_sim.analyses.gate_answer import Gate

ASKED = "What is asked of the game"
FAILED = 1  # the exit code of a gate that stays closed


def gate(
    baseline: Annotated[Path, typer.Argument(metavar="BASELINE", help="The file of the baseline.")],
    write: Annotated[
        bool,
        typer.Option("--write", help="Play, and write the baseline; one that is there is replaced."),
    ] = False,
    city_share: Annotated[
        str | None,
        typer.Option(
            metavar="LOW..HIGH",
            help="What the win share of every city may be, in percent: 20..30.",
            show_default="anything",
            rich_help_panel=ASKED,
        ),
    ] = None,
    seat_share: Annotated[
        str | None,
        typer.Option(
            metavar="LOW..HIGH",
            help="What the win share of every seat may be, in percent.",
            show_default="anything",
            rich_help_panel=ASKED,
        ),
    ] = None,
    change: Annotated[
        float,
        typer.Option(
            metavar="POINTS",
            help="How far a share may move from the baseline, in percentage points.",
            rich_help_panel=ASKED,
        ),
    ] = 2.0,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="WARN, NEW and REMOVED close the gate, too.", rich_help_panel=ASKED),
    ] = False,
    strategies: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Who plays: one in every seat, or several.",
            show_default="those of the baseline; for a new one expert",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(help="Players at the table.", show_default="as the baseline; 4", rich_help_panel=PLAY),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(help="Games.", show_default="as the baseline; 14000", rich_help_panel=PLAY),
    ] = None,
    precision: Annotated[float | None, precision_option("every city's share", PLAY)] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The luck; with that of the baseline games are compared on the same luck.",
            show_default="as the baseline; 3000000000",
            rich_help_panel=PLAY,
        ),
    ] = None,
    rules: ChangedRules = None,
    cards: Annotated[
        bool | None,
        typer.Option(
            "--cards/--no-cards",
            help="Also the power of every card, in twice as many games more.",
            show_default="as the baseline; no",
            rich_help_panel=PLAY,
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Append a short summary in Markdown to this file.", rich_help_panel=WORK
        ),
    ] = None,
    workers: RunWorkers = None,
    json: RunJson = False,
) -> None:
    """Play the game as it is now, and compare every city, seat and card with a stored baseline.

    Exit code 0: passed; 1: something failed (with --strict: anything but PASS); 2: it could not be played.
    """
    from khora_sim import api

    given = {name: value for name, value in locals().items() if name not in ("api", "json", "strict")}
    with stoppable("nothing is kept"):
        found = api.gate(**given, progress=sys.stderr.isatty() and not json)
    if json:
        print_json(found.data())
    else:
        _print(found, baseline if write else None)
    if not write and not found.passed(strict):
        raise typer.Exit(FAILED)


def _print(found: "Gate", written: Path | None) -> None:
    from khora_sim.pages import gate_words as say

    if written is not None:
        print(printable(f"{written}: written; {say.played(found)}"))
        if found.passed(strict=True):  # against itself: only limits can be broken
            return
    print(printable(say.headline(found)))
    for line in say.facts(found):
        print(f"  {printable(line)}")
    print_table(say.COLUMNS, map(say.cells, found.rows), right=say.COLUMNS[2:6])
    for line in say.notes(found):
        print(f"  {line}")
