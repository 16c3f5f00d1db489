"""`khora what-if`: what a change does, of the rules or of who plays."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from khora_sim.cli.flags import (
    PLAY,
    WORK,
    ChangePrecision,
    JudgingSeed,
    LineUp,
    RunJson,
    RunWorkers,
    game_options,
    games_option,
    given_as,
    out_option,
    resume_option,
    table_sizes_option,
)
from khora_sim.cli.output import print_answer
from khora_sim.cli.stopping import stoppable
from khora_sim.cli.what_if_output import print_in_words
from khora_sim.common.options import NamedOptions

CHANGE = "The change"
NOT_ASKED = ("api", "json", "variants", "options")


@given_as("options", game_options(CHANGE))
def what_if(
    variants: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Variants in TOML, each laid over the base game."),
    ] = None,
    *,
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="A value of the rules, such as cards.lighthouse.cost=2; may be given again, all for one "
            "variant.",
            rich_help_panel=CHANGE,
        ),
    ] = None,
    options: NamedOptions,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Others who play the changed side: alone, or with a change of the rules.",
            rich_help_panel=CHANGE,
        ),
    ] = None,
    strategies: LineUp = "expert",
    beside: Annotated[
        str,
        typer.Option(
            metavar="NAME|none",
            help="Players of another skill, who give a second verdict; not with --against.",
            rich_help_panel=PLAY,
        ),
    ] = "steward",
    adapt: Annotated[
        str | None,
        typer.Option(
            metavar="GAMES|TIME",
            help="A further verdict with players who know the rule: those of --strategies, trained for the "
            "rules of each side within 50000games or 10min.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: Annotated[str, table_sizes_option(PLAY)] = "4",
    games: Annotated[
        int | None,
        games_option("Games of each side, with each line-up of players, at each size of table.", 14000, PLAY),
    ] = None,
    precision: ChangePrecision = None,
    seed: JudgingSeed = None,
    workers: RunWorkers = None,
    out: Annotated[
        Path | None,
        out_option("A folder for what is finished, the page, its tables and the answer.", WORK),
    ] = None,
    resume: Annotated[bool, resume_option("Go on in --out with the same question.", WORK)] = False,
    json: RunJson = False,
) -> None:
    """Change a rule, an option of the game or the players, and tell what that does.

    The base game and its changes are played on the same luck and compared game by game: what happens to the
    changed thing, to every city, and to fairness.
    """
    from khora_sim import api

    given = {name: value for name, value in locals().items() if name not in NOT_ASKED}
    kept = "without --out nothing is kept" if out is None else f"--resume goes on in {out}"
    with stoppable(kept):
        answer = api.what_if(*(variants or ()), **given, **options, progress=sys.stderr.isatty() and not json)
    print_answer(answer, print_in_words, out, json)
