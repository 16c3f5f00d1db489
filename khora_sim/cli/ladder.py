"""`khora ladder`: strategies against each other, and how strong each is."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import PLAY, WORK, AsJson, JudgingSeed, resume_option, workers_option
from khora_sim.cli.output import print_json, print_table
from khora_sim.cli.stopping import stoppable

if TYPE_CHECKING:
    from khora_sim.analyses.ladder import Ladder

#: An interval whose shorter side is less than this part of the longer one is printed as a bound on one side.
ONE_WAY = 0.2


def ladder(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Who climbs: names, name:parameter=value, ./file.py.",
            show_default="all built-in ones but examples",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games of each pairing, rounded up to rotation groups. 400 tell shares to ± 5 points.",
            show_default="400",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(
            help="Players at the table: one of a strategy, the others of another.",
            show_default="4",
            rich_help_panel=PLAY,
        ),
    ] = None,
    seed: JudgingSeed = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for all games, the answer and its figure; without one nothing is kept.",
            rich_help_panel=WORK,
        ),
    ] = None,
    resume: Annotated[
        bool,
        resume_option("Go on with the ladder in --out; strategies that are named come in addition.", WORK),
    ] = False,
    workers: Annotated[int | None, workers_option(WORK)] = None,
    json: AsJson = False,
) -> None:
    """Play strategies against each other, one against all others of another, and rate them.

    Every pairing meets the same luck, with the one in every seat.
    """
    from khora_sim.api import play_ladder

    named = tuple(strategies or ())
    shown = sys.stderr.isatty()
    with stoppable(_to_go_on(named, out)):
        climbed = play_ladder(named, players, games, seed, workers, out, resume=resume, progress=shown)
    print_json(climbed.data()) if json else _print(climbed, out)


def _to_go_on(named: tuple[str, ...], out: Path | None) -> str:
    from khora_sim.common.commands import resuming_ladder
    from khora_sim.strategy.finding import is_built_in

    if out is None:
        return "a ladder without --out keeps nothing"
    return f"go on with: {resuming_ladder(out, [name for name in named if not is_built_in(name)])}"


def _print(climbed: "Ladder", out: Path | None) -> None:
    plan = climbed.plan
    print(
        f"One strategy against {plan.players - 1} of another, {plan.players} players, seats rotated, "
        f"{climbed.pairings[0].share.n:,} games a pairing, seed {plan.seed}."
    )
    print()
    _print_ratings(climbed)
    print()
    print(
        f"Won by the row against the column, in %, with 95 % intervals; chance alone gives {_null(climbed)}."
    )
    _print_shares(climbed)
    if climbed.sentences:
        print()
    for sentence in climbed.sentences:
        print(sentence)
    if out is not None:
        print(f"Kept in {out}: ladder.svg, ladder.png, ladder.json, and every pairing as a study.")


def _null(climbed: "Ladder") -> str:
    return f"{100 * climbed.null:.3g} %"


def _print_ratings(climbed: "Ladder") -> None:
    from khora_sim.stats import format_estimate

    rows = [
        (
            str(place),
            rung.strategy,
            format_estimate(rung.rating, with_n=False),
            f"{rung.rating.n:,}",
            "" if rung.tier is None else str(rung.tier),
        )
        for place, rung in enumerate(climbed.rungs, 1)
    ]
    print_table(("", "Strategy", "Rating", "Seats", "Tier"), rows, right=("", "Seats", "Tier"))
    print("The mean is 1,500; 400 points more are odds of 10 to 1 to finish ahead.")


def _print_shares(climbed: "Ladder") -> None:
    """Columns have the numbers of the rows, so that many strategies fit a line."""
    numbers = [str(place) for place in range(1, len(climbed.rungs) + 1)]
    rows = [
        (number, one, *(_cell(climbed, one, other) for other in climbed.names))
        for number, one in zip(numbers, climbed.names, strict=True)
    ]
    print_table(("", "One", *numbers), rows, right=("", *numbers))


def _cell(climbed: "Ladder", one: str, other: str) -> str:
    """`68 ±4`; where nothing lies beyond the value, `0 +4` and `100 −4`."""
    from khora_sim.stats import decimals_of

    share = climbed.shares.get((one, other))
    if share is None:
        return "·"
    value, low, high = (100 * number for number in (share.value, share.low, share.high))
    if value - low < ONE_WAY * (high - value):
        return f"{value:.0f} +{high - value:.0f}"
    if high - value < ONE_WAY * (value - low):
        return f"{value:.0f} −{value - low:.0f}"
    places = max(decimals_of(100 * share.margin), 0) if share.margin < 0.005 else 0
    return f"{value:.{places}f} ±{100 * share.margin:.{places}f}"
