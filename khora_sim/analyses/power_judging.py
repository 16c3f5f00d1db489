"""From what was counted to rows with intervals, corrected p-values, shrunken cells and labels."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from khora_sim.analyses.power_answer import ALL, HAPPENS, Worth
from khora_sim.analyses.power_counts import POINTS, WINS, Counts
from khora_sim.analyses.power_labels import event_label, label_of, overall_label
from khora_sim.stats import Estimate, holm, shrunken
from khora_sim.stats.adjusted import Effects
from khora_sim.stats.estimate import Array


class Judged(NamedTuple):
    """Estimates and corrected p-values of one value, by thing: over all cities first, then each city."""

    estimates: list[list[Estimate]]
    p_holm: Array


def judged(counts: Counts, things: Mapping[str, str], cities: Mapping[str, str]) -> list[Worth]:
    """All rows: for each way and thing, over all cities and with each of them."""
    found = []
    for way in counts.tallies:
        points, cells = (counts.effects(way, value) for value in (POINTS, WINS))
        shrunk = shrunken_cells(cells)
        values = {POINTS: corrected(points), WINS: corrected(cells)}
        moved = sum(tally.moved.sum(axis=(1, 2)) for tally in counts.tallies[way].values())
        for place, thing in enumerate(things):
            rows = {value: (one.estimates[place], one.p_holm[place]) for value, one in values.items()}
            labels = _labels(rows[WINS], cities, way, counts, bool(moved[place]))
            for column, city in enumerate((ALL, *cities)):
                (worth, p_points), (wins, p_wins) = (
                    (estimates[column], float(p[column])) for estimates, p in rows.values()
                )
                near = wins.value if city == ALL else float(shrunk[place, column - 1])
                found.append(Worth(thing, city, way, worth, wins, p_points, p_wins, near, labels[column]))
    return found


def corrected(cells: Effects) -> Judged:
    """Over all cities and with each of them, corrected for all of these comparisons together."""
    both = (cells.averaged(), cells)
    estimates = [mean + own for mean, own in zip(*(one.estimates() for one in both), strict=True)]
    p = np.hstack([one.p_values() for one in both])
    return Judged(estimates, holm(p.ravel()).reshape(p.shape))


def _labels(
    rows: tuple[list[Estimate], Array], cities: Mapping[str, str], way: str, counts: Counts, moved: bool
) -> list[str]:
    """The labels of a thing, over all cities first."""
    fair, card = 1 / counts.players, counts.kind == "cards"
    own, *cells = (label_of(wins, p, fair, card=card) for wins, p in zip(*rows, strict=True))
    by_city = list(zip(cities.values(), cells, strict=True))
    return [event_label(by_city, moved=moved) if way == HAPPENS else overall_label(own, by_city), *cells]


def shrunken_cells(cells: Effects) -> Array:
    """Cells moved to the mean of their thing, by the part of the distance that chance explains."""
    mean = cells.averaged().values
    apart = shrunken((cells.values - mean).ravel(), cells.variances(seen=True).ravel(), centre=0.0)
    return mean + apart.reshape(cells.values.shape)
