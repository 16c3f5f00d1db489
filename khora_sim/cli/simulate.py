"""`khora simulate`: play a study into a folder of Parquet files."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.output import print_json
from khora_sim.cli.stopping import STOPPED, end_when_endless
from khora_sim.errors import UserError

if TYPE_CHECKING:
    from khora_sim.api import Asked, Prepared
    from khora_sim.lab.run import Outcome

PLAY, CHANCE, GAME, WORK = "What is played", "What is compared", "The game", "How it is run"


def simulate(
    study_file: Annotated[
        str | None, typer.Argument(metavar="[STUDY.toml]", help="A study file; options change what it says.")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games to play, rounded up to whole rotation groups.",
            show_default="10000",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            help="Players at the table: 2, 3, 4, or several: 2,3.", show_default="4", rich_help_panel=PLAY
        ),
    ] = None,
    strategies: Annotated[
        str | None,
        typer.Option(help="Who plays: name,name:parameter=value,./file.py,…", rich_help_panel=PLAY),
    ] = None,
    by_city: Annotated[
        str | None,
        typer.Option(
            metavar="CITY=STRATEGY,…",
            help="Who plays these cities, whoever has them; --strategies play the others.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The luck of the study; the same seed is the same luck.",
            show_default="0",
            rich_help_panel=PLAY,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the results.", rich_help_panel=PLAY)
    ] = None,
    rounds: Annotated[
        bool | None, typer.Option("--rounds", help="Write the table of rounds too.", rich_help_panel=PLAY)
    ] = None,
    lineup: Annotated[
        str | None,
        typer.Option(
            metavar="same|seats|pool|combinations",
            help="One strategy for all, one per seat, drawn for each group, or every company in turn.",
            show_default="by the number of strategies",
            rich_help_panel=CHANCE,
        ),
    ] = None,
    cities: Annotated[
        str | None,
        typer.Option(
            metavar="random|all|seatings|CITY,…",
            help="At random, all sets in turn, all seatings in turn, or these by seat.",
            show_default="random",
            rich_help_panel=CHANCE,
        ),
    ] = None,
    rotate: Annotated[
        str | None,
        typer.Option(
            metavar="strategies|cities|both|none",
            help="What visits every seat with the same luck: seats become fair, games are not saved.",
            show_default="strategies if several play, else cities",
            rich_help_panel=CHANCE,
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A variant in TOML, laid over the base game.", rich_help_panel=GAME
        ),
    ] = None,
    first_player: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT", help="Seat 1-4, or random.", show_default="random", rich_help_panel=GAME
        ),
    ] = None,
    reroll: Annotated[
        bool | None,
        typer.Option(
            "--reroll/--no-reroll",
            help="Dice may be rerolled once.",
            show_default="as the rules say",
            rich_help_panel=GAME,
        ),
    ] = None,
    shared_dice: Annotated[
        bool | None,
        typer.Option(
            "--shared-dice/--no-shared-dice",
            help="All use the same two dice.",
            show_default="as the rules say",
            rich_help_panel=GAME,
        ),
    ] = None,
    progress_bonuses_stack: Annotated[
        bool | None,
        typer.Option(
            "--progress-bonuses-stack/--no-progress-bonuses-stack",
            help="Extra levels add up.",
            show_default="as the rules say",
            rich_help_panel=GAME,
        ),
    ] = None,
    draft: Annotated[
        bool | None,
        typer.Option(
            "--draft/--no-draft",
            help="Draft the first hand.",
            show_default="as the rules say",
            rich_help_panel=GAME,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="How many work at once.", show_default="all processors", rich_help_panel=WORK),
    ] = None,
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
        typer.Option(
            "--resume",
            help="Go on with the study in --out; name strategies that are not built in again.",
            rich_help_panel=WORK,
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many games, how long, how big.", rich_help_panel=WORK)
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for a script.", rich_help_panel=WORK)
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.", rich_help_panel=WORK)] = False,
) -> None:
    """Play thousands to millions of games and keep every result."""
    asked: Asked = {
        "games": games,
        "players": players,
        "strategies": strategies,
        "by_city": by_city,
        "lineup": lineup,
        "cities": cities,
        "rotate": rotate,
        "seed": seed,
        "rules": rules,
        "first_player": first_player,
        "reroll": reroll,
        "shared_dice": shared_dice,
        "progress_bonuses_stack": progress_bonuses_stack,
        "draft": draft,
        "rounds": rounds,
    }
    if out is None and not dry_run:
        raise UserError("say where the results go: --out DIR")
    from khora_sim.api import prepare
    from khora_sim.engine.cache import keep_quiet
    from khora_sim.lab import words

    keep_quiet(quiet)
    prepared = prepare(study_file, asked, out if resume else None, workers, backend, scheduler)
    if not (quiet or as_json):
        print(words.plan_in_words(prepared.arm), file=sys.stdout if dry_run else sys.stderr)
    if out is None or dry_run:
        _dry_run(prepared, as_json)
        return
    outcome = play_or_stop(prepared, out, resume=resume, quiet=quiet or as_json)
    if as_json:
        print_json({"out": str(out), **words.outcome_data(outcome)})
    elif not quiet:
        print(words.outcome_in_words(outcome, out))
        print(f"Look in with: khora data show {out}")


def _dry_run(prepared: "Prepared", as_json: bool) -> None:
    from khora_sim.lab import words
    from khora_sim.lab.forecast import forecast

    arm, crew = prepared
    expected = forecast(arm, crew)
    if as_json:
        print_json(words.plan_data(arm) | {"workers": crew.workers, **expected._asdict()})
    else:
        print(words.forecast_in_words(expected, crew.workers))


def play_or_stop(prepared: "Prepared", out: Path, *, resume: bool, quiet: bool) -> "Outcome":
    """Play a study with a live display if a terminal is there; Ctrl-C ends it in an orderly way."""
    from khora_sim.api import play

    end_when_endless()
    try:
        return play(prepared, out, resume=resume, progress=not quiet and sys.stderr.isatty())
    except KeyboardInterrupt:
        from khora_sim.lab.words import stopped_in_words

        print(f"khora: {stopped_in_words(out)}", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
