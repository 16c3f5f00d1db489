"""The sides of a question about power: the games as they are, and the same games with one thing changed.

| kind | what is changed |
|---|---|
| cards | a random card of a seat and a random card of the deck change places, before or after the draft |
| events | the event does nothing when its round comes |
| developments | one seat never unlocks this development or later ones |
| actions, tracks | one seat never takes the action, or never climbs the track, where it has another choice |
| spaces | one seat never explores the space |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from khora_sim.analyses.power.worth import (
    ALL,
    ALLOWED,
    DEALT,
    GIVEN,
    HAPPENS,
    Worth,
    event_label,
    label_of,
    overall_label,
    ways_of,
)
from khora_sim.common.files import parse_toml
from khora_sim.engine.setup import Swap
from khora_sim.rules import Rules, read_rules
from khora_sim.rules.describe import toml_text
from khora_sim.rules.terms import Action, Track, word
from khora_sim.simulation.chunk import Chunk, ChunkContents
from khora_sim.simulation.experiment import Arm, ChunkId, Swapped, resolve_study
from khora_sim.simulation.run_dir import ChunkCache
from khora_sim.simulation.sinks import KeptChunks
from khora_sim.simulation.study_file import Study
from khora_sim.stats import Estimate, holm, shrunken
from khora_sim.stats.adjusted import Counted, Effects, effects, fitted_slope, off_an_end
from khora_sim.stats.estimate import Array
from khora_sim.stats.sums import GROUP, MOST_CLUSTERS, PARTS, cluster_of

SWAPS = 2  # of each seat after the draft, each with cards of its own: all share the games without a swap
BARRED_SEAT = 0  # the first player is drawn, so all seats are alike
RESTRICTED = "restricted"
LATER = {"2": "second development", "3": "third development", "4": "fourth development"}
#: An event that never does anything: no dice sum to 0.
NOTHING = {"on": "dice-phase", "if": "low-dice", "number": 0, "gain": {"philosophy": 1}}
POINTS, WINS = "score", "win_share"
SCALE = {POINTS: 1, WINS: PARTS[WINS]}
BASE, SWAPPED = 0, 1  # places of sides; of cards, the swap before the draft comes second
EVENTS = "events"  # set of events that came
COLUMNS = (GROUP, "city", POINTS, WINS)
OF_CARDS = ("dealt", "drafted")
#: Slopes that are not fitted: dealt cards have no twins, and each game with an event is its own control.
SLOPES = {DEALT: 0.0, HAPPENS: 1.0}


class Side(NamedTuple):
    """One side of the question: an arm, and the seats whose rows of it are wanted."""

    arm: Arm
    thing: str | None = None  # that is taken away; None: the games as they are, or with a swap
    seat: int | None = None  # counted from 0; None: all seats


def things_of(kind: str, rules: Rules) -> dict[str, str]:
    """The things of a kind: their names by id."""
    found = {
        "cards": (rules.card_ids, rules.card_names),
        "events": (rules.event_ids, rules.event_names),
        "spaces": (rules.space_ids, rules.space_names),
        "developments": (LATER.keys(), LATER.values()),
        "actions": ([word(one) for one in Action],) * 2,
        "tracks": ([word(one) for one in Track],) * 2,
    }[kind]
    return dict(zip(*found, strict=True))


def sides_of(kind: str, study: Study, rules: Rules, file: str | None, ways: Sequence[str]) -> list[Side]:
    """All sides, the games as they are first; of cards, those of some ways only."""
    base = resolve_study(study, rules, file)
    if kind == "cards":
        return [Side(base), *_swaps(base, ways)]
    if kind == "events":
        struck = {event: without_event(rules, event) for event in rules.event_ids}
        return [Side(base), *(Side(resolve_study(study, one, file), event) for event, one in struck.items())]
    sides, (strategy,), (players,) = [Side(base)], study.strategies, study.players
    for thing in things_of(kind, rules):
        barred = f"{RESTRICTED}:bar_{kind.removesuffix('s')}={thing}:base={strategy}"
        line_up = (barred, *(strategy,) * (players - 1))
        changed = study.model_copy(update={"strategies": line_up, "lineup": "seats", "rotate": "cities"})
        sides.append(Side(resolve_study(changed, rules, file), thing, BARRED_SEAT))
    return sides


def _swaps(base: Arm, ways: Sequence[str]) -> Sequence[Side]:
    """One swap before the draft, of which all seats are wanted, and some of every seat after it."""
    dealt = Side(replace(base, swapped=Swapped(Swap.DEALT, 0)))
    if GIVEN not in ways:
        return [dealt]
    seats = range(base.sections[0].players)
    drafted = [Swapped(Swap.DRAFTED, seat, number) for number in range(SWAPS) for seat in seats]
    return [dealt, *(Side(replace(base, swapped=one), seat=one.seat) for one in drafted)]


def without_event(rules: Rules, event: str) -> Rules:
    """The same rules with an event that comes as before, and does nothing."""
    data = parse_toml(rules.to_toml(), "the rules")
    kept = {key: data["events"][event][key] for key in ("name", "slot")}
    data["events"][event] = {**kept, "scope": "all", "effect": NOTHING}
    return read_rules(toml_text(data), f"the rules without {event}")


@dataclass(frozen=True)
class Rows:
    """Some players of some games, in the same order on every side."""

    city: Array
    cluster: Array
    values: Mapping[str, Array]  # whole numbers
    sets: Mapping[str, Array]  # of cards and events

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "Rows":
        """The rows of a part."""
        wins = (frame[WINS] * SCALE[WINS]).round().cast(pl.Int64).to_numpy()
        sets = [name for name, kind in frame.schema.items() if kind == pl.UInt64]
        return cls(
            frame["city"].to_physical().to_numpy().astype(np.int64),
            frame.select(cluster_of(GROUP)).to_series().to_numpy().astype(np.int64),
            {POINTS: frame[POINTS].cast(pl.Int64).to_numpy(), WINS: wins},
            {name: frame[name].to_numpy() for name in sets},
        )

    def only(self, which: Array | slice) -> "Rows":
        """Some of the rows."""
        return Rows(
            self.city[which],
            self.cluster[which],
            {name: one[which] for name, one in self.values.items()},
            {name: one[which] for name, one in self.sets.items()},
        )


class Tally:
    """Whole numbers of one value by thing, city and cluster; they add up to the same in any order."""

    def __init__(self, things: int, cities: int):
        self.shape = (things, cities, MOST_CLUSTERS)
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
        """Count results of games without the thing, twins or not."""
        cell = self._cell(thing, rows)
        _count(self.control_n, cell, 1)
        _count(self.control, cell, value)

    def _cell(self, thing: Array | int, rows: Rows) -> Array:
        return (thing * self.shape[1] + rows.city) * self.shape[2] + rows.cluster

    def sums(self, slope: float | None) -> Counted:
        """The sums with the slope of results on their twins: a given one, or the one that fits."""
        slopes = np.full(self.shape[0], slope)
        if slope is None:
            n, changed, twin = (one.sum(axis=2) for one in (self.n, self.changed, self.twin))
            slopes = fitted_slope(n, changed, twin, self.product, self.square)
        return Counted(self.n, self.changed, self.twin, self.control_n, self.control, self.moved, slopes)


class Counts:
    """All that is counted of games: results with and without each thing, by city and cluster.

    Cards that are dealt need no pairs. A random card of the deck and a random card of a hand that change
    places before the draft leave a deal that is as random as before. So every deal, with the swap or without
    it, is a draw of that experiment: those to whom a card was dealt are compared with those of games where it
    stayed in the deck. All other ways compare a changed game with its twin.
    """

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
        """The worth of each thing with each city: with it, minus without it."""
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


class Parts(KeptChunks[pl.DataFrame]):
    """Keeps a few columns of each chunk, and counts chunk after chunk once all sides have it.

    They are counted in order, so that a stopping rule sees the same whatever an earlier run has kept.
    """

    def __init__(self, counts: Counts, cache: ChunkCache | None = None):
        super().__init__(cache)
        self.counts = counts
        rounds = counts.sides[0].arm.rules.model.rounds
        self.events = tuple(f"event_{number}" for number in range(1, rounds + 1))
        self.waiting: dict[int, dict[int, pl.DataFrame]] = {}  # by number of the chunk and side
        self.counted = 0  # chunks of each side
        columns = {"players": COLUMNS + (OF_CARDS if counts.kind == "cards" else ())}
        if counts.kind == "events":
            columns["games"] = self.events
        self.wanted = ChunkContents(columns=columns)

    def reduced(self, chunk: Chunk) -> pl.DataFrame:
        """The rows of one seat, or of all; of events, with the set of those that came."""
        part, seat = chunk.frames["players"], self.counts.sides[chunk.place.arm].seat
        if seat is not None:
            return part.gather_every(self.counts.players, seat)
        if self.counts.kind != "events":
            return part
        sets = [2 ** pl.col(name).to_physical().cast(pl.UInt64) for name in self.events]
        came = chunk.frames["games"].select(pl.sum_horizontal(sets).cast(pl.UInt64).alias(EVENTS))
        return part.with_columns(came.to_series().repeat_by(self.counts.players).explode())

    def take(self, place: ChunkId, kept: pl.DataFrame) -> None:
        """Count a chunk once all sides have it and those before it."""
        self.waiting.setdefault(place.number, {})[place.arm] = kept
        while len(self.waiting.get(self.counted, ())) == len(self.counts.sides):
            self.counts.add(self.waiting.pop(self.counted))
            self.counted += 1


class Corrected(NamedTuple):
    """Estimates and corrected p-values of one value, by thing: over all cities first, then each city."""

    estimates: list[list[Estimate]]
    p_holm: Array


def evaluated(counts: Counts, things: Mapping[str, str], cities: Mapping[str, str]) -> list[Worth]:
    """All rows with intervals, p-values and labels: each way and thing, over all cities and with each."""
    found = []
    for way in counts.tallies:
        effects = {value: counts.effects(way, value) for value in SCALE}
        points, wins = (corrected(one) for one in effects.values())
        shrunk = shrunken_cells(effects[WINS])
        moved = sum(tally.moved.sum(axis=(1, 2)) for tally in counts.tallies[way].values())
        for place, thing in enumerate(things):
            labels = _labels(wins, place, cities, way, counts, bool(moved[place]))
            found += [
                Worth(
                    thing=thing,
                    city=city,
                    way=way,
                    points=points.estimates[place][column],
                    wins=wins.estimates[place][column],
                    p_points=float(points.p_holm[place, column]),
                    p_wins=float(wins.p_holm[place, column]),
                    shrunken=float(shrunk[place, column]),
                    label=labels[column],
                )
                for column, city in enumerate((ALL, *cities))
            ]
    return found


def corrected(cells: Effects) -> Corrected:
    """Over all cities and with each of them, corrected for all of these comparisons together."""
    both = (cells.averaged(), cells)
    estimates = [mean + own for mean, own in zip(*(one.estimates() for one in both), strict=True)]
    p = np.hstack([one.p_values() for one in both])
    return Corrected(estimates, holm(p.ravel()).reshape(p.shape))


def _labels(
    found: Corrected, place: int, cities: Mapping[str, str], way: str, counts: Counts, moved: bool
) -> list[str]:
    """The labels of a thing, over all cities first."""
    fair, card = 1 / counts.players, counts.kind == "cards"
    rows = zip(found.estimates[place], found.p_holm[place], strict=True)
    own, *cells = (label_of(wins, p, fair, card=card) for wins, p in rows)
    by_city = list(zip(cities.values(), cells, strict=True))
    return [event_label(by_city, moved=moved) if way == HAPPENS else overall_label(own, by_city), *cells]


def shrunken_cells(cells: Effects) -> Array:
    """The mean of a thing, then its cells moved to it by the part of the distance that chance explains."""
    mean = cells.averaged().values
    apart = shrunken((cells.values - mean).ravel(), cells.variances(seen=True).ravel(), centre=0.0)
    return np.hstack([mean, mean + apart.reshape(cells.values.shape)])
