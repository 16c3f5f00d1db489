"""`khora sweep`: numbers of the rules over ranges."""

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
    from khora_sim.analyses.sweep_answer import Row, Sweep

CHANGE = "What is varied, and what is wanted"
MOST_VALUES = 8  # whose changes of every city are printed side by side
MOST_ROWS = 15


def sweep(
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUES",
            help="A number of the rules and its values: cards.lighthouse.cost=0..4, 0..6:2 or 0,2,4; may be "
            "given again, for all combinations.",
            rich_help_panel=CHANGE,
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CITY=SHARE",
            help="The win share that is wanted, in per cent, such as argos=25; may be given again.",
            show_default="the fair share for every city",
            rich_help_panel=CHANGE,
        ),
    ] = None,
    strategies: LineUp = "expert",
    players: TableSize = 4,
    games: Annotated[
        int | None,
        games_option(
            "Games of each variant that is judged; more than 30 variants are ranked by stages before.",
            14_000,
            PLAY,
        ),
    ] = None,
    precision: ChangePrecision = None,
    rules: ChangedRules = None,
    seed: RunSeed = 0,
    workers: RunWorkers = None,
    out: Annotated[Path | None, out_option("A folder for the page, its tables and the answer.", WORK)] = None,
    resume: Annotated[bool, resume_option("Go on in --out: variants that are played stay.", WORK)] = False,
    json: RunJson = False,
) -> None:
    """Play numbers of the rules over ranges, and tell what every value does and which is nearest to a target.

    Every combination of values is a variant on the same luck. Many of them are ranked by stages: those that
    are surely worse are dropped early, the leaders are judged on fresh luck.
    """
    from khora_sim import api

    asked = {name: value for name, value in locals().items() if name not in ("api", "json")}
    kept = "nothing is kept" if out is None else f"--resume goes on in {out}; finished variants stay"
    with stoppable(kept):
        answer = api.sweep(**asked, progress=sys.stderr.isatty() and not json)
    print_answer(answer, _print, out, json)


def _print(answer: "Sweep") -> None:
    from khora_sim.pages import sweep_words as say

    print(f"{say.numbers_in_words(answer)}: {answer.players} players, seed {answer.seed}")
    for stage in answer.stages:
        print(f"  {say.stage_in_words(stage)}")
    print(f"  {say.judged_in_words(answer)}")
    print(f"\n{say.headline(answer)}\n{say.detail(answer)}")
    if len(answer.numbers) == 1:
        _print_values(answer)
    else:
        _print_ranking(answer)
    print(f"\n{say.NOT_ADAPTED}")


def _print_values(answer: "Sweep") -> None:
    """A row for every value; of few values also every city's change."""
    from khora_sim.analyses.sweep_answer import values_of
    from khora_sim.pages import sweep_words as say
    from khora_sim.pages.wording import estimate_of, in_points, percent, share

    (number,) = answer.numbers
    first = answer.concerned[0]
    rows = answer.variants.sort(number.path).to_dicts()
    shares = [answer.share(row, first) for row in rows]
    cells = [
        (
            _value(answer, row),
            share(estimate_of(of)),
            "" if answer.is_base(row) else in_points(values_of(of, "change", of["n"])),
            *_distance(answer, row),
        )
        for row, of in zip(rows, shares, strict=True)
    ]
    columns = ("Value", answer.names[first], "Change", "Distance", "Its change", "n games", "Against best")
    print_table(columns, cells, right=columns[:-1])
    others = [row for row in rows if not answer.is_base(row)]
    if len(others) > MOST_VALUES:
        return
    print()
    table = [
        (
            answer.names[city],
            percent(answer.share(answer.base, city)["value"], 1),
            *(
                in_points(values_of(of, "change", of["n"]))
                for of in (answer.share(row, city) for row in others)
            ),
        )
        for city in answer.concerned
    ]
    heads = ("City", f"{number.base} (base)", *(str(row[number.path]) for row in others))
    print_table(heads, table, right=heads[1:])
    print(f"  Changes from the base game in {say.POINTS}, paired, with 95 % intervals.")


def _value(answer: "Sweep", row: "Row") -> str:
    return f"{row[answer.numbers[0].path]}{' (base)' if answer.is_base(row) else ''}"


def _distance(answer: "Sweep", row: "Row") -> tuple[str, ...]:
    """The distance from the target, its change, games and how sure the place is."""
    from khora_sim.pages import sweep_words as say
    from khora_sim.pages.wording import in_points

    change = "" if answer.is_base(row) else in_points(say.change(row))
    return in_points(say.distance(row), signed=False), change, f"{row['games']:,}", say.status(row)


def _print_ranking(answer: "Sweep") -> None:
    """The variants nearest to the target, and the base game."""
    from khora_sim.pages import sweep_words as say

    rows = answer.variants.to_dicts()
    shown = rows[:MOST_ROWS]
    shown += [row for row in rows[MOST_ROWS:] if answer.is_base(row)]
    names = [say.short(number) for number in answer.numbers]
    cells = [
        (
            str(row["rank"]),
            *(str(value) for value in answer.values(row)),
            *_distance(answer, row),
            "base game" if answer.is_base(row) else "",
        )
        for row in shown
    ]
    columns = ("Rank", *names, "Distance", "Its change", "n games", "Against best", "")
    print_table(columns, cells, right=columns[:-2])
    if len(rows) > len(shown):
        print(f"  {len(rows) - len(shown):,} more variants follow; --out or --json has them all.")
