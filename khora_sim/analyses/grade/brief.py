"""Grades and decisions as the terminal prints them."""

from collections.abc import Iterator, Mapping
from typing import Any

from khora_sim.analyses.grade import Grade, Part, ShownDecision, showing
from khora_sim.errors import printable
from khora_sim.pages.page_model import Table, grid
from khora_sim.stats import Estimate, format_estimate


def of_grade(found: Grade) -> Iterator[str | Table]:
    """The loss, then its parts and the worst decisions."""
    whole, searcher = found.whole, found.panel.origin["searcher"]
    cities = dict(zip(found.rules.city_ids, found.rules.city_names, strict=True))
    where = f"{whole.loss.n:,} decisions of {found.panel.name}"
    how = f"valued by {searcher['name']} in {searcher['worlds']} worlds"
    yield printable(f"{found.strategy} at {where}, {how}; with 95 % intervals.")
    yield f"Loss: {_points(whole.loss)} percentage points of win chance a decision."
    share = format_estimate(whole.best, percent=True, with_n=False)
    yield f"Best option, or not distinguishable from it: {share} of the choices."
    often = found.panel.origin["decisions_a_game"]
    for title, names in (("Kind", {}), ("City", cities), ("Round", {0: "draft"}), ("Players", {})):
        yield ""
        yield _parts(title, found.by(title.lower()), names, often if title == "Kind" else None)
    yield from _costliest(found, cities)
    yield from _worst(found, cities)


def _parts(
    title: str, parts: Mapping[Any, Part], names: Mapping[Any, str], often: Mapping[str, float] | None
) -> Table:
    """What is lost by one thing; `often` is how many such decisions a player has in a game."""
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
    return grid(columns, rows, right=columns[1:])


def _costliest(found: Grade, cities: Mapping[str, str]) -> Iterator[str]:
    costly = found.costliest()
    yield f"\nCostliest by kind and city{':' if costly else ': none whose loss is surely more than 0.'}"
    for (kind, city), part in costly:
        yield f"  {kind} in {cities[city]}: {_points(part.loss)}, n {part.loss.n}"


def _worst(found: Grade, cities: Mapping[str, str]) -> Iterator[str]:
    worst = found.worst()
    yield f"\nWorst decisions{':' if worst else ': none that is surely worse than the best.'}"
    for one in worst:
        when = f"round {one.round}" if one.round else "draft"
        yield f"  {one.number}: {when}, {cities[one.city]}, {one.players} players, {one.kind}"
        loses = f"loses {one.loss:.1f} (standard error {one.error:.1f})"
        yield f"    {one.chosen}, instead of: {one.best}; {loses}"
    if worst:
        yield f"See one with: {showing(found.strategy, found.panel, worst[0].number)}"


def of_decision(shown: ShownDecision) -> Iterator[str | Table]:
    """The state of the game, the cards, and every option."""
    answer = shown.answer
    when = f"round {answer.round}" if answer.round else "draft"
    who = f"{shown.city}, seat {answer.seat} of {answer.players}, {when}"
    yield f"Decision {answer.number} of {shown.panel}: {answer.kind}, {who}, seed {shown.seed}.\n"
    yield grid(shown.state.columns, shown.state.rows, right=shown.state.right)
    yield ""
    yield from shown.cards
    yield ""
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
    yield grid(columns, rows, right=columns[1:4])


def _points(loss: Estimate) -> str:
    """A loss in percentage points, with its interval where there is one."""
    if loss.margin == 0 or loss.n < 2:
        return f"{loss.value:.2g}"
    return format_estimate(loss, with_n=False)
