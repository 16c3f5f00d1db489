"""`khora cities`: which cities are strong, along a ladder of players."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import (
    PLAY,
    WORK,
    AsJson,
    JudgingSeed,
    RunWorkers,
    games_option,
    out_option,
    precision_option,
    resume_option,
    table_sizes_option,
)
from khora_sim.cli.output import print_json
from khora_sim.cli.stopping import stoppable
from khora_sim.errors import UserError

if TYPE_CHECKING:
    from khora_sim.analyses.cities_answer import CitiesAnswer


def cities(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="The ladder, weakest first: names, name:parameter=value, ./file.py.",
            show_default="random merchant steward expert sage",
        ),
    ] = None,
    peers: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Other players of the strongest kind, trained independently: how far they differ is how far "
            "to trust the verdict. Such as sage:learned=a.npz,sage:learned=b.npz.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: Annotated[str | None, table_sizes_option(PLAY, "4")] = None,
    games: Annotated[
        int | None,
        games_option(
            "Games of each player at each size of table, rounded up to whole turns of all sets of cities. "
            "2,800 tell shares to some ± 2.5 points.",
            2800,
            PLAY,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        precision_option("every share", PLAY, " 1 takes some 17,000 games of 4 players."),
    ] = None,
    seed: JudgingSeed = None,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A variant of the rules.",
            show_default="the base game",
            rich_help_panel=PLAY,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        out_option(
            "Folder for a study of each player, the answer and pictures; without one nothing is kept.", WORK
        ),
    ] = None,
    resume: Annotated[
        bool,
        resume_option(
            "Go on with what --out holds; players and sizes of table that are named come in addition.", WORK
        ),
    ] = False,
    workers: RunWorkers = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Play nothing: print the verdict that comes with khora; --players takes some of it.",
        ),
    ] = False,
    claims: Annotated[
        bool, typer.Option("--claims", help="Print what people say of the game beside the numbers, instead.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Measure how strong each city is in the hands of each player of a ladder, among its own kind.

    Which cities are strong depends on who plays. All sets of cities are played equally often, every city from
    every seat with the same luck.
    """
    asked = (strategies, peers, games, precision, seed, rules, out, workers)
    if published:
        if resume or any(one is not None for one in asked):
            raise UserError("--published plays nothing; beside it only --players, --claims and --json count")
        answer = _published(players)
    else:
        answer = _played(asked, players, resume)
    if json:
        print_json(answer.data())
        return
    from khora_sim.cli.cities_output import print_answer, print_claims

    print_claims(answer) if claims else print_answer(answer, out, published=published)


def _published(players: str | None) -> "CitiesAnswer":
    from khora_sim.api import published_cities

    return published_cities(players)


def _played(asked: tuple[object, ...], players: str | None, resume: bool) -> "CitiesAnswer":
    from khora_sim.api import play_cities

    named, peers, games, precision, seed, rules, out, workers = asked
    shown = sys.stderr.isatty()
    plan = {
        "strategies": tuple(named or ()),  # type: ignore[arg-type]
        "peers": peers,
        "players": players,
        "games": games,
        "precision": precision,
        "seed": seed,
        "rules": rules,
    }
    with stoppable(_to_go_on(out)):  # type: ignore[arg-type]
        return play_cities(plan, workers, out, resume=resume, progress=shown)  # type: ignore[arg-type]


def _to_go_on(out: Path | None) -> str:
    from khora_sim.common.commands import resuming_cities

    if out is None:
        return "without --out nothing is kept"
    return f"go on with: {resuming_cities(out)}"
