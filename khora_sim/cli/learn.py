"""`khora learn`: learn by playing what positions are worth, for players that look ahead."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from khora_sim.cli.output import print_json
from khora_sim.cli.stopping import STOPPED, end_when_endless

WHAT, WORK = "What is learned", "How it is run"


def learn(
    *,
    out: Annotated[Path, typer.Option(metavar="FILE.npz", help="The learned value to write.")],
    players: Annotated[
        str, typer.Option(help="Players at the table: 2, 3, 4, or several: 4,3.", rich_help_panel=WHAT)
    ] = "4",
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A variant in TOML, laid over the base game.", rich_help_panel=WHAT
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.npz",
            help="A value to start from, as for a variant; sage stands for the built-in one.",
            show_default="nothing",
            rich_help_panel=WHAT,
        ),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            metavar="GAMES|TIME", help="What it may take: 60000games, 20min or 2h.", rich_help_panel=WORK
        ),
    ] = "25min",
    seed: Annotated[
        int,
        typer.Option(help="A number: learnings with different ones are independent.", rich_help_panel=WORK),
    ] = 0,
    workers: Annotated[
        int | None,
        typer.Option(help="How many work at once.", show_default="all processors", rich_help_panel=WORK),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with an unfinished learning of --out.", rich_help_panel=WORK),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for a script.", rich_help_panel=WORK)
    ] = False,
) -> None:
    """Learn the chance to win from a position by self-play, and write it as data that says how it was made.

    First come games of a mixed pool, then games of the player that looks ahead with what has been learned.
    `sage:learned=FILE.npz` plays with the result.
    """
    from khora_sim import api

    end_when_endless()
    try:
        learned = api.learn(
            **{name: value for name, value in locals().items() if name not in ("api", "json")},
            progress=sys.stderr.isatty() and not json,
        )
    except KeyboardInterrupt:
        print(f"khora: stopped; --resume goes on with {out} after the last whole lesson", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    if json:
        print_json({"out": str(learned.path), "games": learned.games, "origin": learned.origin})
        return
    from khora_sim.common.commands import replaying

    print(f"wrote {learned.path} after {learned.games:,} games in {learned.lessons} lessons")
    name = f"sage:learned={learned.path}"
    print(f"See it play with: {replaying(1, [name] * 4, [], None, {}, rules)}")
