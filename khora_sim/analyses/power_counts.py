"""From the rows of all sides to whole numbers: results with and without each thing, by city and unit.

Cards that are dealt need no pairs. A random card of the deck and a random card of a hand that change places
before the draft leave a deal that is as random as before. So every deal, with the swap or without it, is a
draw of that experiment: those to whom a card was dealt are compared with those of games where it stayed in
the deck. All other ways compare a changed game with its twin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from khora_sim.analyses.power_answer import ALLOWED, DEALT, GIVEN, HAPPENS, ways_of
from khora_sim.analyses.power_sides import Side
from khora_sim.stats.adjusted import Counted, Effects, effects, fitted_slope, off_an_end
from khora_sim.stats.estimate import Array
from khora_sim.stats.groups import GROUP, MOST_UNITS, unit_of
from khora_sim.stats.sums import PARTS

POINTS, WINS = "score", "win_share"
SCALE = {POINTS: 1, WINS: PARTS[WINS]}
BASE, SWAPPED = 0, 1  # places of sides; of cards, the swap before the draft comes second
EVENTS = "events"  # set of events that came


@dataclass(frozen=True)
class Rows:
    """Some players of some games, in the same order on every side."""

    city: Array
    unit: Array
    values: Mapping[str, Array]  # whole numbers
    sets: Mapping[str, Array]  # of cards and events

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "Rows":
        """The rows of a part."""
        wins = (frame[WINS] * SCALE[WINS]).round().cast(pl.Int64).to_numpy()
        sets = [name for name, kind in frame.schema.items() if kind == pl.UInt64]
        return cls(
            frame["city"].to_physical().to_numpy().astype(np.int64),
            frame.select(unit_of(GROUP)).to_series().to_numpy().astype(np.int64),
            {POINTS: frame[POINTS].cast(pl.Int64).to_numpy(), WINS: wins},
            {name: frame[name].to_numpy() for name in sets},
        )

    def only(self, which: Array | slice) -> "Rows":
        """Some of the rows."""
        return Rows(
            self.city[which],
            self.unit[which],
            {name: one[which] for name, one in self.values.items()},
            {name: one[which] for name, one in self.sets.items()},
        )


class Tally:
    """Whole numbers of one value by thing, city and unit; they add up to the same in any order."""

    def __init__(self, things: int, cities: int):
        self.shape = (things, cities, MOST_UNITS)
        self.n, self.changed, self.twin, self.control_n, self.control, self.moved = (
            np.zeros(self.shape, np.int64) for _ in range(6)
        )
        self.product, self.square = (np.zeros((things, cities), np.int64) for _ in range(2))
        self.largest = 0  # change of a result

    def add(self, thing: Array | int, rows: Rows, value: Array, twin: Array | None = None) -> None:
        """Count results of rows with a thing; without twins every result counts as changed."""
        cell = self._cell(thing, rows)
        _count(self.n, cell, 1)
        _count(self.changed, cell, value)
        if twin is None:
            _count(self.moved, cell, 1)
            return
        _count(self.twin, cell, twin)
        _count(self.moved, cell, (value != twin).astype(np.int64))
        _count(self.product, cell // self.shape[2], value * twin)
        _count(self.square, cell // self.shape[2], twin * twin)
        self.largest = max(self.largest, int(np.abs(value - twin).max(initial=0)))

    def add_control(self, thing: Array | int, rows: Rows, value: Array) -> None:
        """Count results of games without the thing, whether they are twins or not."""
        cell = self._cell(thing, rows)
        _count(self.control_n, cell, 1)
        _count(self.control, cell, value)

    def _cell(self, thing: Array | int, rows: Rows) -> Array:
        return (thing * self.shape[1] + rows.city) * self.shape[2] + rows.unit

    def sums(self, slope: float | None) -> Counted:
        """The sums with the slope of results on their twins: a given one, or the one that fits."""
        slopes = np.full(self.shape[0], slope)
        if slope is None:
            n, changed, twin = (one.sum(axis=2) for one in (self.n, self.changed, self.twin))
            slopes = fitted_slope(n, changed, twin, self.product, self.square)
        return Counted(self.n, self.changed, self.twin, self.control_n, self.control, self.moved, slopes)


#: Slopes that are not fitted: dealt cards have no twins, and each game with an event is its own control.
SLOPES = {DEALT: 0.0, HAPPENS: 1.0}


class Counts:
    """All that is counted of the games of a question."""

    def __init__(
        self, kind: str, things: Sequence[str], cities: int, sides: Sequence[Side], ways: Sequence[str]
    ):
        self.kind, self.things, self.sides = kind, list(things), sides
        self.rules, self.players = sides[BASE].arm.rules, sides[BASE].arm.sections[0].players
        self.tallies = {way: {value: Tally(len(self.things), cities) for value in SCALE} for way in ways}
        self.games = 0

    def add(self, parts: Mapping[int, pl.DataFrame]) -> None:
        """Count some games; the same games of every side are there."""
        rows = {place: Rows.of(frame) for place, frame in parts.items()}
        self.games += len(rows[BASE].city) // self.players
        if self.kind == "cards":
            self._add_cards(rows)
            return
        for place, side in enumerate(self.sides):
            if side.thing is not None:
                self._add_side(self.things.index(side.thing), side, rows[BASE], rows[place])

    def _add_side(self, thing: int, side: Side, base: Rows, changed: Rows) -> None:
        """Count a side without a thing: one seat of it, or all players of games in which an event came."""
        way = ways_of(self.kind)[0]
        if side.seat is None:
            came = (base.sets[EVENTS] >> np.uint64(thing) & np.uint64(1)).astype(bool)
            base, changed = base.only(came), changed.only(came)
        twins = base if side.seat is None else base.only(slice(side.seat, None, self.players))
        for value, tally in self.tallies[way].items():
            tally.add(thing, twins, changed.values[value], twins.values[value])
            tally.add_control(thing, base, base.values[value])

    def _add_cards(self, rows: Mapping[int, Rows]) -> None:
        """Count hands that were dealt, cards that stayed in the deck, and cards given after the draft."""
        base = rows[BASE]
        for side in (base, rows[SWAPPED]):
            hands = side.sets["dealt"]
            dealt = np.bitwise_or.reduce(hands.reshape(-1, self.players), axis=1)
            row, card = _members(hands, len(self.things))
            left, card_left = _members(~np.repeat(dealt, self.players), len(self.things))
            for value in SCALE:
                numbers = side.values[value]
                self.tallies[DEALT][value].add(card, side.only(row), numbers[row])
                self.tallies[DEALT][value].add_control(card_left, side.only(left), numbers[left])
                if side is base and GIVEN in self.tallies:
                    self.tallies[GIVEN][value].add_control(card_left, side.only(left), numbers[left])
        for place, one in enumerate(self.sides):
            if one.seat is not None:
                self._add_given(rows[place], base.only(slice(one.seat, None, self.players)))

    def _add_given(self, changed: Rows, twins: Rows) -> None:
        """Count the games of one seat that swaps a card after the draft."""
        row, card = _members(changed.sets["drafted"] & ~twins.sets["drafted"], len(self.things))
        there = twins.only(row)
        for value in SCALE:
            self.tallies[GIVEN][value].add(card, there, changed.values[value][row], there.values[value])

    def effects(self, way: str, value: str) -> Effects:
        """What each thing is worth with each city: with it, minus without it."""
        tally = self.tallies[way][value]
        # Rows of a city in a rotation group; a deal counts with the swap and without it, on the same luck.
        per_group = {HAPPENS: self.players, DEALT: 2}.get(way, 1)
        most = per_group * (tally.largest / SCALE[value] if value == POINTS else 1.0)
        sums = tally.sums(SLOPES.get(way))
        if way == DEALT and value == WINS:
            sums = replace(sums, moved=off_an_end(sums.n, sums.changed, SCALE[value]))
        found = effects(sums, SCALE[value], most)
        return found.negated() if way in (HAPPENS, ALLOWED) else found

    def widest(self) -> float:
        """The widest half interval of all win shares, of every thing with every city, in the main way."""
        return float(self.effects(ways_of(self.kind)[0], WINS).margins().max())


def _count(total: Array, cell: Array, numbers: Array | int) -> None:
    """Add whole numbers to their cells."""
    np.add.at(total.reshape(-1), cell, numbers)


def _members(sets: Array, most: int) -> tuple[Array, Array]:
    """The members of sets: the place of the set, and the member."""
    held = (sets[:, None] >> np.arange(most, dtype=np.uint64)) & np.uint64(1)
    row, member = np.nonzero(held)
    return row, member
