"""`khora what-if`: what a change of the rules does."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import PLAY, WORK, JudgingSeed, json_option, workers_option
from khora_sim.cli.output import print_json, print_table
from khora_sim.cli.stopping import end_when_endless, stopped

if TYPE_CHECKING:
    from khora_sim.questions.what_if_answer import Variant, Verdict, WhatIf

CHANGE = "The change"


def what_if(
    variants: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Variants in TOML, each laid over the base game."),
    ] = None,
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
    strategies: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Who plays: one in every seat, or several.", rich_help_panel=PLAY),
    ] = "expert",
    beside: Annotated[
        str,
        typer.Option(
            metavar="NAME|none",
            help="Players of another skill, who give a second verdict.",
            rich_help_panel=PLAY,
        ),
    ] = "steward",
    players: Annotated[int, typer.Option(help="Players at the table.", rich_help_panel=PLAY)] = 4,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games of each side, with each line-up of players.",
            show_default="14000",
            rich_help_panel=PLAY,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS",
            help="Play until the change of every city's win share is known to ± so many percentage points, "
            "in place of --games.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    seed: JudgingSeed = None,
    workers: Annotated[int | None, workers_option(WORK)] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="A folder for the page, its tables and the answer.", rich_help_panel=WORK
        ),
    ] = None,
    json: Annotated[bool, json_option(WORK)] = False,
) -> None:
    """Change a rule, and tell what that does: to the changed thing, to every city, and to fairness.

    The base game and its variants are played on the same luck and compared game by game.
    """
    from khora_sim import api

    end_when_endless()
    asked = {name: value for name, value in locals().items() if name not in ("api", "json", "variants")}
    try:
        answer = api.what_if(*(variants or ()), **asked, progress=sys.stderr.isatty() and not json)
    except KeyboardInterrupt:
        raise stopped("nothing is kept") from None
    if json:
        print_json(answer.data())
        return
    for variant in answer.variants:
        _print(answer, variant)
    if out is not None:
        print(f"\nThe page: {out / 'index.html'}")


def _print(answer: "WhatIf", variant: "Variant") -> None:
    from khora_sim.report import what_if_words as say

    print(f"{variant.label}: {answer.players} players, seed {answer.seed}, rules {variant.rules.short_hash}")
    for change in variant.changes:
        print(f"  {change.in_words()}")
    for verdict in variant.verdicts:
        print(f"\n{say.headline(answer, variant, verdict)}")
        if not verdict.same:
            _print_thing(verdict)
        print(say.detail(answer, variant, verdict))
        if not verdict.same:
            _print_cities(answer, variant, verdict)
    if variant.rules.hash != answer.base.hash:
        print(f"\n{say.ADAPTED}")


def _print_thing(verdict: "Verdict") -> None:
    """How often the change came up, and what it did to the changed thing."""
    from khora_sim.report import what_if_words as say
    from khora_sim.report.phrases import rows_of

    for line in (*say.exposure(verdict), say.elsewhere(verdict)):
        print(f"  {line}")
    for row in rows_of(verdict.tables.effects):
        print(f"  {say.effect(row)}.")


def _print_cities(answer: "WhatIf", variant: "Variant", verdict: "Verdict") -> None:
    from khora_sim.report import what_if_words as say
    from khora_sim.report.phrases import estimate_of, p_text, percent, rows_of

    names = say.city_names(answer.base, variant.rules)
    rows = [
        (
            names[row["city"]],
            percent(row["first"], 1),
            percent(row["second"], 1),
            say.in_points(estimate_of(row)),
            p_text(row["p_holm"]),
            f"{row['n']:,}",
            say.gain(row["pairing_gain"]),
        )
        for row in rows_of(verdict.tables.city_wins.sort("value", descending=True))
    ]
    columns = ("City", "Before", "After", "Change", "p (Holm)", "n", "Pairing gain")
    print_table(columns, rows, right=columns[1:])
    for line in (say.pairing(verdict), say.needed(verdict)):
        if line:
            print(f"  {line}")
