"""`khora learn`: learn by playing what positions are worth, for players that look ahead."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from khora_sim.cli.flags import (
    WORK,
    json_option,
    resume_option,
    rules_option,
    table_sizes_option,
    workers_option,
)
from khora_sim.cli.output import print_json
from khora_sim.cli.stopping import stoppable

WHAT = "What is learned"


def learn(
    *,
    out: Annotated[Path, typer.Option(metavar="FILE.npz", help="The learned value to write.")],
    players: Annotated[str, table_sizes_option(WHAT)] = "4",
    rules: Annotated[str | None, rules_option(WHAT)] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.npz",
            help="A value to start from, as for a variant; sage stands for the built-in one.",
            show_default="nothing",
            rich_help_panel=WHAT,
        ),
    ] = None,
    city: Annotated[
        str | None,
        typer.Option(
            metavar="CITY",
            help="Learn to play this city only, in every seat in turn: a best response to --against.",
            show_default="all cities",
            rich_help_panel=WHAT,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With --city: who plays all other cities, and learns nothing.",
            show_default="sage",
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
    workers: Annotated[int | None, workers_option(WORK)] = None,
    resume: Annotated[bool, resume_option("Go on with an unfinished learning of --out.", WORK)] = False,
    json: Annotated[bool, json_option(WORK)] = False,
) -> None:
    """Learn the chance to win from a position by self-play, and write it as data that says how it was made.

    First come games of a mixed pool, then games of the player that looks ahead with what has been learned.
    `sage:learned=FILE.npz` plays with the result.
    """
    from khora_sim import api

    asked = {name: value for name, value in locals().items() if name not in ("api", "json")}
    with stoppable(f"--resume goes on with {out} after the last whole lesson"):
        learned = api.learn(**asked, progress=sys.stderr.isatty() and not json)
    if json:
        print_json({"out": str(learned.path), "games": learned.games, "origin": learned.origin})
        return
    from khora_sim.common.commands import replaying

    print(f"wrote {learned.path} after {learned.games:,} games in {learned.lessons} lessons")
    name = f"sage:learned={learned.path}"
    print(f"See it play with: {replaying(1, [name] * 4, [], None, {}, rules)}")
