"""`khora power`: what cards, events, developments, actions, tracks and spaces are worth."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import (
    PLAY,
    WORK,
    ChangedRules,
    JudgingSeed,
    RunJson,
    RunWorkers,
    games_option,
    out_option,
    precision_option,
    resume_option,
)
from khora_sim.cli.output import print_answer, print_table
from khora_sim.cli.stopping import stoppable

if TYPE_CHECKING:
    from khora_sim.analyses.power_answer import Power


def power(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="cards, events, developments, actions, tracks or spaces.")
    ],
    strategies: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Who plays: one in every seat; of cards and events also several.",
            show_default="expert",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Players at the table.", show_default="4", rich_help_panel=PLAY)
    ] = None,
    games: Annotated[
        int | None,
        games_option("Games of each side: as they are, and with each thing changed.", 14_000, PLAY),
    ] = None,
    precision: Annotated[
        float | None,
        precision_option(
            "the win share that each thing is worth with each city",
            PLAY,
            " Of cards: dealt before the draft.",
        ),
    ] = None,
    seed: JudgingSeed = None,
    rules: ChangedRules = None,
    workers: RunWorkers = None,
    out: Annotated[
        Path | None,
        out_option("A folder for the page, its tables and the answer, and for what was played.", WORK),
    ] = None,
    resume: Annotated[bool, resume_option("Go on with what --out holds.", WORK)] = False,
    json: RunJson = False,
) -> None:
    """Tell what each thing is worth: the same games are played with it and without it, on the same luck.

    A card is swapped with one of the deck, before and after the draft; an event does nothing; one player
    never uses a development, an action, a track or a space.
    """
    from khora_sim import api

    asked = {name: value for name, value in locals().items() if name not in ("api", "json", "kind")}
    asked["strategies"] = strategies or ()
    with stoppable(_to_go_on(kind, out)):
        answer = api.power(kind, **asked, progress=sys.stderr.isatty() and not json)
    print_answer(answer, _print, out, json)


def _to_go_on(kind: str, out: Path | None) -> str:
    from khora_sim.common.commands import resuming_power

    if out is None:
        return "without --out nothing is kept"
    return f"go on with: {resuming_power(kind, out)}"


def _print(answer: "Power") -> None:
    from khora_sim.pages import power_words as say

    print(f"What {answer.kind} are worth: {', '.join(say.facts(answer))}\n")
    print("\n".join([say.headline(answer), *say.strong_in_few(answer)]))
    columns, rows = say.overall_table(answer)
    print_table(columns, rows, right=[title for title in columns if title not in say.TEXTS])
    for line in (*say.reading(answer), *say.precision(answer)):
        print(f"  {line}")
