"""`khora strategies grade` and `panel`: what a strategy loses at frozen decisions, and making these."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khora_sim.cli.flags import StrategyName, json_option, resume_option, workers_option
from khora_sim.cli.output import print_json, print_table
from khora_sim.cli.stopping import end_when_endless, stoppable
from khora_sim.errors import printable

if TYPE_CHECKING:
    from khora_sim.analyses.grade import Grade, Part
    from khora_sim.analyses.shown_decision import ShownDecision
    from khora_sim.stats import Estimate


def grade(
    strategy: StrategyName,
    panel: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another panel.", show_default="the built-in one")
    ] = None,
    decision: Annotated[
        int | None, typer.Option(metavar="N", help="Show one decision of the panel in full instead.")
    ] = None,
    json: Annotated[bool, json_option(what="everything as JSON")] = False,
) -> None:
    """Ask a strategy at frozen decisions, and tell what its choices lose, in percentage points of win chance.

    What the options are worth was found by deep search when the panel was made.
    """
    from khora_sim import api

    end_when_endless()
    if decision is not None:
        shown = api.show_decision(strategy, decision, panel)
        print_json(shown.data()) if json else _print_decision(shown)
        return
    with stoppable("nothing is kept"):
        found = api.grade(strategy, panel=panel, progress=sys.stderr.isatty() and not json)
    print_json(found.data()) if json else _print_grade(found)


def _print_grade(found: "Grade") -> None:
    whole, searcher = found.whole, found.panel.origin["searcher"]
    cities = dict(zip(found.rules.city_ids, found.rules.city_names, strict=True))
    where = f"{whole.loss.n:,} decisions of {found.panel.name}"
    how = f"valued by {searcher['name']} in {searcher['worlds']} worlds"
    print(printable(f"{found.strategy} at {where}, {how}; with 95 % intervals."))
    print(f"Loss: {_points(whole.loss)} percentage points of win chance a decision.")
    print(f"Best option, or not distinguishable from it: {_share(whole.best)} of the choices.")
    often = found.panel.origin["decisions_a_game"]
    _print_parts("Kind", found.by("kind"), {}, often)
    _print_parts("City", found.by("city"), cities)
    _print_parts("Round", found.by("round"), {0: "draft"})
    _print_parts("Players", found.by("players"), {})
    _print_costliest(found, cities)
    _print_worst(found, cities)


def _print_parts(
    title: str,
    parts: "Mapping[Any, Part]",
    names: Mapping[Any, str],
    often: Mapping[str, float] | None = None,
) -> None:
    """What is lost by one thing; `often` is how many such decisions a player has in a game."""
    print()
    rows = [
        (
            names.get(key, str(key)),
            f"{part.loss.n:,}",
            *([f"{often.get(key, 0):.2f}"] if often is not None else []),
            _points(part.loss),
            f"{100 * part.best.value:.0f} %",
        )
        for key, part in parts.items()
    ]
    columns = (title, "n", *(["A game"] if often is not None else []), "Loss", "Best")
    print_table(columns, rows, right=columns[1:])


def _print_costliest(found: "Grade", cities: Mapping[str, str]) -> None:
    costly = found.costliest()
    print(f"\nCostliest by kind and city{':' if costly else ': none whose loss is surely more than 0.'}")
    for (kind, city), part in costly:
        print(f"  {kind} in {cities[city]}: {_points(part.loss)}, n {part.loss.n}")


def _print_worst(found: "Grade", cities: Mapping[str, str]) -> None:
    from khora_sim.common.commands import grading

    worst = found.worst()
    print(f"\nWorst decisions{':' if worst else ': none that is surely worse than the best.'}")
    for one in worst:
        when = f"round {one.round}" if one.round else "draft"
        print(f"  {one.number}: {when}, {cities[one.city]}, {one.players} players, {one.kind}")
        print(
            f"    {one.chosen}, instead of: {one.best}; loses {one.loss:.1f} (standard error {one.error:.1f})"
        )
    if worst:
        print(f"See one with: {grading(found.strategy, worst[0].number, found.panel.path)}")


def _print_decision(shown: "ShownDecision") -> None:
    answer = shown.answer
    when = f"round {answer.round}" if answer.round else "draft"
    who = f"{shown.city}, seat {answer.seat} of {answer.players}, {when}"
    print(f"Decision {answer.number} of {shown.panel}: {answer.kind}, {who}, seed {shown.seed}.\n")
    print_table(shown.state.columns, shown.state.rows, right=shown.state.right)
    print()
    for line in shown.cards:
        print(line)
    print()
    rows = [
        (
            one.option,
            f"{one.win_chance:.1f}",
            f"{one.behind:.1f}",
            f"{one.error:.1f}",
            shown.strategy if one.option == answer.chosen else "",
        )
        for one in shown.options
    ]
    columns = ("Option", "Win chance, %", "Behind the best", "Standard error", "Chosen by")
    print_table(columns, rows, right=columns[1:4])


def _points(loss: "Estimate") -> str:
    """A loss in percentage points, with its interval where there is one."""
    from khora_sim.stats import format_estimate

    if loss.margin == 0 or loss.n < 2:
        return f"{loss.value:.2g}"
    return format_estimate(loss, with_n=False)


def _share(share: "Estimate") -> str:
    from khora_sim.stats import format_estimate

    return format_estimate(share, percent=True, with_n=False)


def panel(
    out: Annotated[Path, typer.Option(metavar="FILE.npz", help="The panel to write.")],
    decisions: Annotated[int, typer.Option(help="Decisions in it.")] = 1000,
    worlds: Annotated[int, typer.Option(help="Worlds that every option is tried in.")] = 64,
    seed: Annotated[int, typer.Option(help="A number: panels with different ones share no game.")] = 0,
    workers: Annotated[int | None, workers_option()] = None,
    resume: Annotated[bool, resume_option("Go on with an unfinished panel of --out.")] = False,
) -> None:
    """Make a panel: decisions of all kinds from many games, with the value of every option by deep search."""
    from khora_sim import api
    from khora_sim.common.commands import grading

    asked: dict[str, Any] = {"decisions": decisions, "worlds": worlds, "seed": seed, "workers": workers}
    with stoppable(f"--resume goes on with {out} after the last whole block"):
        made = api.panel(out=out, **asked, resume=resume, progress=sys.stderr.isatty())
    print(f"wrote {out}: {len(made.decisions):,} decisions of {made.origin['games']:,} games")
    print(f"Grade a strategy with: {grading('NAME', panel=out)}")
