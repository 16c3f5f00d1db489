"""`khora balance`: small changes of the rules that balance the cities."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import (
    PLAY,
    WORK,
    ChangedRules,
    ChangePrecision,
    LineUp,
    RunJson,
    RunSeed,
    RunWorkers,
    TableSize,
    games_option,
    out_option,
    resume_option,
)
from khora_sim.cli.output import print_answer, print_table
from khora_sim.cli.stopping import stoppable

if TYPE_CHECKING:
    from khora_sim.analyses.balance_answer import Balance, Proposal

CHANGE = "What may change, and what is wanted"


def balance(
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUES",
            help="A number that may change and its values: cards.lighthouse.cost=0..4; may be given again.",
            show_default="costs and amounts of all developments, ± 2",
            rich_help_panel=CHANGE,
        ),
    ] = None,
    numbers: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help='A TOML file that lists them: [vary] "cards.lighthouse.cost" = "0..4".',
            rich_help_panel=CHANGE,
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="The win share that is wanted of every city, or of one, in per cent, and what is near "
            "enough (without it 2 points): 25+-2, argos=25+-1; may be given again.",
            show_default="the fair share +-2",
            rich_help_panel=CHANGE,
        ),
    ] = None,
    changes: Annotated[
        int, typer.Option(help="Numbers that a proposal changes at most.", rich_help_panel=CHANGE)
    ] = 4,
    strategies: LineUp = "expert",
    beside: Annotated[
        str,
        typer.Option(
            metavar="NAME|none",
            help="Players of another skill, with whom proposals are confirmed too.",
            rich_help_panel=PLAY,
        ),
    ] = "steward",
    players: TableSize = 4,
    games: Annotated[
        int | None,
        games_option(
            "Games that a proposal is confirmed with; the search takes some 60 times as many.", 14_000, PLAY
        ),
    ] = None,
    precision: ChangePrecision = None,
    rules: ChangedRules = None,
    seed: RunSeed = 0,
    workers: RunWorkers = None,
    out: Annotated[
        Path | None, out_option("A folder for the page, the answer and the proposals as variants.", WORK)
    ] = None,
    resume: Annotated[bool, resume_option("Go on in --out: what is played stays.", WORK)] = False,
    json: RunJson = False,
) -> None:
    """Find the fewest and smallest changes of numbers that bring the cities' win shares to a target.

    Single changes are played on the same luck, promising sets of them are raced, and the best of each size is
    confirmed on fresh luck and with players of another skill.
    """
    from khora_sim import api

    asked = {name: value for name, value in locals().items() if name not in ("api", "json")}
    kept = "nothing is kept" if out is None else f"--resume goes on in {out}; finished games stay"
    with stoppable(kept):
        answer = api.balance(**asked, progress=sys.stderr.isatty() and not json)
    print_answer(answer, _print, out, json)


def _print(answer: "Balance") -> None:
    from khora_sim.pages import balance_words as say

    print(f"Towards {say.target(answer)}: {answer.players} players, seed {answer.seed}")
    print(f"  {say.searched(answer)}\n")
    print(say.headline(answer))
    for change in answer.best.changes:
        print(f"  {say.change_in_words(change)}")
    for found in answer.best.confirmed:
        print(f"  {say.confirmed_in_words(found)}")
    print()
    _print_proposals(answer)
    print()
    _print_cities(answer)
    print(f"\n{say.FRESH}\n{say.NOT_ADAPTED}")


def _print_proposals(answer: "Balance") -> None:
    """What more changes bring."""
    from khora_sim.pages import balance_words as say
    from khora_sim.pages.wording import in_points

    rows = [
        (
            str(len(one.changes)),
            str(one.steps),
            ", ".join(found.strategies),
            in_points(found.spread, signed=False),
            in_points(found.spread_change) if one.changes else "",
            in_points(found.distance, signed=False),
            f"{found.within} of {len(found.cities)}",
            f"{found.games:,}",
        )
        for one in answer.proposals
        for found in one.confirmed
    ]
    columns = ("Changes", "Steps", "Players", "Best − worst", "Change", "Distance", "Near enough", "n games")
    print_table(columns, rows, right=[one for one in columns if one != "Players"])
    for one in answer.proposals[1:]:
        print(f"  {len(one.changes)}: {say.changes_in_words(one)}")


def _print_cities(answer: "Balance") -> None:
    """Every city before and after the best proposal."""
    from khora_sim.analyses.sweep_answer import values_of
    from khora_sim.pages.wording import estimate_of, in_points, percent, share

    best: Proposal = answer.best
    before = {row["city"]: row for row in answer.base.main.cities.to_dicts()}
    rows = [
        (
            answer.names[row["city"]],
            share(estimate_of(before[row["city"]])),
            share(estimate_of(row)),
            in_points(values_of(row, "change", row["n"])) if best.changes else "",
            percent(row["wanted"]),
            row["met"],
            f"{row['n']:,}",
        )
        for row in best.main.cities.sort("value", descending=True).to_dicts()
    ]
    columns = ("City", "Before", "After", "Change", "Wanted", "Near enough", "n")
    print_table(columns, rows, right=[one for one in columns if one not in ("City", "Near enough")])
