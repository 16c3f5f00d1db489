"""`khora tune`: find weights of the evaluator that play better, and write them as a strategy."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import (
    WORK,
    RunSeed,
    json_option,
    resume_option,
    rules_option,
    table_sizes_option,
    workers_option,
)
from khora_sim.cli.output import print_json
from khora_sim.cli.stopping import stoppable

if TYPE_CHECKING:
    from khora_sim.training.ask import Tuned

WHAT, WHO = "What is tuned", "Whom it plays against"


def tune(
    *,
    out: Annotated[Path, typer.Option(metavar="FILE.toml", help="The weights file to write.")],
    start: Annotated[
        str,
        typer.Option(
            metavar="NAME,…",
            help="The weights to start from; of several, each stage takes those that do best in it.",
            rich_help_panel=WHAT,
        ),
    ] = "steward",
    cities: Annotated[
        str,
        typer.Option(
            metavar="all|none|CITY,…",
            help="all: general weights, then those of every city from them; none: general ones only; "
            "or those of these cities, from what they are at the start.",
            rich_help_panel=WHAT,
        ),
    ] = "all",
    thirds: Annotated[
        bool,
        typer.Option(
            "--thirds",
            help="Weights for every third of the game by itself, as expert has them; of cities alone, where "
            "any are tuned.",
            rich_help_panel=WHAT,
        ),
    ] = False,
    players: Annotated[str, table_sizes_option(WHAT)] = "4",
    rules: Annotated[str | None, rules_option(WHAT)] = None,
    against: Annotated[
        str,
        typer.Option(
            help="Opponents, dealt to the other seats: name,name,…; one named twice comes twice as often.",
            rich_help_panel=WHO,
        ),
    ] = "steward,expert",
    teacher: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Imitate this player, which looks ahead: sage. Weights are searched by its choices in some "
            "games, for every third of the game, instead of by games won.",
            rich_help_panel=WHO,
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="GAMES|TIME",
            help="What training may take: 700000games, 90s, 10min or 2h; choosing and measuring come on top. "
            "With a teacher: the games in which it is asked.",
            show_default="10min, with a teacher 1000games",
            rich_help_panel=WORK,
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(help="Games of a candidate in each generation.", rich_help_panel=WORK)
    ] = 400,
    population: Annotated[int, typer.Option(help="Candidates of a generation.", rich_help_panel=WORK)] = 20,
    seed: RunSeed = 0,
    workers: Annotated[int | None, workers_option(WORK)] = None,
    resume: Annotated[bool, resume_option("Go on with an unfinished tuning of --out.", WORK)] = False,
    json: Annotated[bool, json_option(WORK)] = False,
) -> None:
    """Tune the weights of the evaluator by playing, and write them as a strategy that says how it was made.

    Candidates of a generation meet the same luck, the next one meets another; the result is chosen and
    measured on seeds that had no part in the search.
    """
    from khora_sim import api

    asked = {name: value for name, value in locals().items() if name not in ("api", "json")}
    with stoppable(f"--resume goes on with {out} after the last whole generation"):
        tuned = api.tune(**asked, progress=sys.stderr.isatty() and not json)
    if json:
        print_json({"out": str(tuned.path), "games": tuned.games, "made": tuned.made.model_dump(mode="json")})
    else:
        _print(tuned)


def _print(tuned: "Tuned") -> None:
    from khora_sim.common.commands import showing_strategy

    for one in tuned.made.strength:
        print(
            f"{one.players} players, all others {one.against}: won {one.won:.1%} "
            f"({one.low:.1%} to {one.high:.1%}) of {one.games:,} games, fair share {1 / one.players:.0%}"
        )
    print(f"wrote {tuned.path} after {tuned.games:,} games of training")
    path = tuned.path if len(tuned.path.parts) > 1 else f"./{tuned.path}"
    print(f"Look at it with: {showing_strategy(str(path))}")
