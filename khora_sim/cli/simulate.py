"""`khora simulate`: play a study into a folder of Parquet files."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import (
    PLAY,
    WORK,
    game_options,
    given_as,
    json_option,
    options_in,
    quiet_option,
    resume_option,
    rules_option,
    workers_option,
)
from khora_sim.cli.output import print_json
from khora_sim.cli.stopping import STOPPED, end_when_endless
from khora_sim.errors import UserError

if TYPE_CHECKING:
    from khora_sim.api import Asked, Prepared
    from khora_sim.simulation.run import Outcome

CHANCE, GAME = "What is compared", "The game"


class StudyOptions:
    """What a study can be asked for, the options of the game aside."""

    games: Annotated[
        int | None,
        typer.Option(
            help="Games to play, rounded up to whole rotation groups.",
            show_default="10000",
            rich_help_panel=PLAY,
        ),
    ]
    players: Annotated[
        str | None,
        typer.Option(
            help="Players at the table: 2, 3, 4, or several: 2,3.", show_default="4", rich_help_panel=PLAY
        ),
    ]
    strategies: Annotated[
        str | None,
        typer.Option(help="Who plays: name,name:parameter=value,./file.py,…", rich_help_panel=PLAY),
    ]
    by_city: Annotated[
        str | None,
        typer.Option(
            metavar="CITY=STRATEGY,…",
            help="Who plays these cities, whoever has them; --strategies play the others.",
            rich_help_panel=PLAY,
        ),
    ]
    seed: Annotated[
        int | None,
        typer.Option(
            help="The luck of the study; the same seed is the same luck.",
            show_default="0",
            rich_help_panel=PLAY,
        ),
    ]
    rounds: Annotated[
        bool | None, typer.Option("--rounds", help="Write the table of rounds too.", rich_help_panel=PLAY)
    ]
    lineup: Annotated[
        str | None,
        typer.Option(
            metavar="same|seats|pool|combinations",
            help="One strategy for all, one per seat, drawn for each group, or every line-up in turn.",
            show_default="by the number of strategies",
            rich_help_panel=CHANCE,
        ),
    ]
    cities: Annotated[
        str | None,
        typer.Option(
            metavar="random|all|seatings|CITY,…",
            help="At random, all sets in turn, all seatings in turn, or these by seat.",
            show_default="random",
            rich_help_panel=CHANCE,
        ),
    ]
    rotate: Annotated[
        str | None,
        typer.Option(
            metavar="strategies|cities|both|none",
            help="What visits every seat with the same luck: seats become fair, games are not saved.",
            show_default="strategies if several play, else cities",
            rich_help_panel=CHANCE,
        ),
    ]
    rules: Annotated[str | None, rules_option(GAME)]
    first_player: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT", help="Seat 1-4, or random.", show_default="random", rich_help_panel=GAME
        ),
    ]


@given_as("asked", [*options_in(StudyOptions), *game_options(GAME)])
def simulate(
    study_file: Annotated[
        str | None, typer.Argument(metavar="[STUDY.toml]", help="A study file; options change what it says.")
    ] = None,
    *,
    asked: "Asked",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the results.", rich_help_panel=PLAY)
    ] = None,
    workers: Annotated[int | None, workers_option(WORK)] = None,
    backend: Annotated[
        str,
        typer.Option(
            metavar="auto|threads|processes|dask",
            help="auto: threads if all strategies are compiled, else processes.",
            rich_help_panel=WORK,
        ),
    ] = "auto",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask scheduler: tcp://host:8786.", rich_help_panel=WORK),
    ] = None,
    resume: Annotated[
        bool,
        resume_option("Go on with the study in --out; name strategies that are not built in again.", WORK),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many games, how long, how big.", rich_help_panel=WORK)
    ] = False,
    as_json: Annotated[bool, json_option(WORK)] = False,
    quiet: Annotated[bool, quiet_option(WORK)] = False,
) -> None:
    """Play thousands to millions of games and keep every result."""
    if out is None and not dry_run:
        raise UserError("say where the results go: --out DIR")
    from khora_sim.api import prepare
    from khora_sim.common.commands import showing_data
    from khora_sim.engine.cache import keep_quiet
    from khora_sim.simulation import study_words

    keep_quiet(quiet)
    prepared = prepare(study_file, asked, out if resume else None, workers, backend, scheduler)
    if not (quiet or as_json):
        print(study_words.plan_in_words(prepared.arm), file=sys.stdout if dry_run else sys.stderr)
    if out is None or dry_run:
        _dry_run(prepared, as_json)
        return
    outcome = play_or_stop(prepared, out, resume=resume, quiet=quiet or as_json)
    if as_json:
        print_json({"out": str(out), **study_words.outcome_data(outcome)})
    elif not quiet:
        print(study_words.outcome_in_words(outcome, out))
        print(f"Look in with: {showing_data(out)}")


def _dry_run(prepared: "Prepared", as_json: bool) -> None:
    from khora_sim.simulation import study_words
    from khora_sim.simulation.run import forecast

    arm, crew = prepared
    expected = forecast(arm, crew)
    if as_json:
        print_json(study_words.plan_data(arm) | {"workers": crew.workers, **expected._asdict()})
    else:
        print(study_words.forecast_in_words(expected, crew.workers))


def play_or_stop(prepared: "Prepared", out: Path, *, resume: bool, quiet: bool) -> "Outcome":
    """Play a study with a live display if a terminal is there; Ctrl-C ends it in an orderly way."""
    from khora_sim.api import play

    end_when_endless()
    try:
        return play(prepared, out, resume=resume, progress=not quiet and sys.stderr.isatty())
    except KeyboardInterrupt:
        from khora_sim.simulation.study_words import stopped_in_words

        print(f"khora: {stopped_in_words(out)}", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
