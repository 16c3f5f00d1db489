"""The power of cards in a gate: what being dealt a card is worth, before and now."""

import math
from collections.abc import Iterator, Mapping

from khora_sim.analyses.analysis import Run
from khora_sim.analyses.baseline import Card
from khora_sim.analyses.gate_answer import CARD, Row
from khora_sim.analyses.gate_verdict import judged
from khora_sim.analyses.power import PowerOptions, play_and_count
from khora_sim.analyses.power.counts import WINS, Counts, things_of
from khora_sim.analyses.power.worth import DEALT
from khora_sim.common.progress import Progress
from khora_sim.stats import Estimate
from khora_sim.stats.intervals import difference

Cards = Mapping[str, Card]  # by id


def cards_of(plan: PowerOptions, progress: Progress | None = None) -> dict[str, Card]:
    """The power of every card in the present game: by how much being dealt it raises the win share."""
    return cards_in(play_and_count(plan, (DEALT,), Run(plan, None, progress or Progress())))


def cards_in(counts: Counts) -> dict[str, Card]:
    """The power of every card in games that were counted."""
    worth = [over_all_cities for (over_all_cities,) in counts.effects(DEALT, WINS).averaged().estimates()]
    return {
        id: Card.model_validate({"name": name, **one.data()})
        for (id, name), one in zip(things_of(counts.kind, counts.rules).items(), worth, strict=True)
        if math.isfinite(one.value)
    }


def card_rows(before: Cards, now: Cards, most: float, level: float, units: int, same: bool) -> Iterator[Row]:
    """Every card of the present game, then those that were in the baseline only.

    The two powers are compared as if each had luck of its own, which on the same luck is careful. `same` says
    that rules, players and luck are those of the baseline.
    """
    for id, card in now.items():
        old = before.get(id)
        change = None if old is None else _change(old, card, level, units, same)
        finding = judged(change, most, card.estimate, None)
        yield Row(CARD, id, card.name, None if old is None else old.estimate, card.estimate, change, finding)
    for id, old in before.items():
        if id not in now:
            yield Row(CARD, id, old.name, old.estimate, None, None, judged(None, most, None, None))


def _change(old: Card, now: Card, level: float, units: int, same: bool) -> Estimate:
    if same and old == now:
        return Estimate(0.0, 0.0, 0.0, now.n)
    return difference(old.estimate, now.estimate, level, units)
