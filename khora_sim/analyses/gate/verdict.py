"""The verdict words of a gate, and by which rules they are given.

Every city, seat and card has an interval of its change from the baseline, and where limits are given one of
its share. They are joint intervals: in at least 95 of 100 gates all of them together hold the truth
(Bonferroni). So of 100 gates on a game that has not changed at most 5 warn of a change or fail, as long as
the game is inside its limits. A share that lies close to a limit is warned of more often, and rightly so.

    FAIL      the interval lies outside the limits; or the whole interval of the change is beyond --change
    WARN      the interval reaches over a limit; or the change is certain (its interval leaves out zero) and
              may be larger than --change
    REMOVED   it is in the baseline and not in the game
    NEW       it is in the game and not in the baseline; limits are for it, too, and come first
    PASS      everything else: no change, none that is certain, or a certain one of less than --change

The worst word of all is the verdict of the gate.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, PlainSerializer, computed_field

from khora_sim import __version__
from khora_sim.analyses.gate.baseline import (
    WIN,
    Baseline,
    Card,
    KeptShare,
    Played,
    Player,
    strategies_of,
    tallies,
)
from khora_sim.errors import UserError
from khora_sim.simulation.result import EstimateJson, Result, RulesPlayed
from khora_sim.stats import LEVEL, Estimate
from khora_sim.stats.intervals import difference
from khora_sim.stats.paired import share_change, share_difference

ALPHA = 1 - LEVEL  # the chance of any false alarm, at most
CHANGE = 2.0  # percentage points
CARD = "card"
ORIGIN = {"khora", "rules", "players", "strategies", "seed", "games"}  # of a baseline, without its numbers

Item = tuple[str, str]  # kind (city, seat or card) and id


class Word(StrEnum):
    """The words, the worst first."""

    FAIL = "FAIL"
    WARN = "WARN"
    REMOVED = "REMOVED"
    NEW = "NEW"
    PASS = "PASS"


class Range(NamedTuple):
    """Limits of a share, from 0 to 1."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.low:g}..{100 * self.high:g} %"


class Limits(Result):
    """Limits that a game should keep."""

    city_share: Range | None = None
    seat_share: Range | None = None
    change: float = CHANGE  # percentage points that a share may move from the baseline

    def of(self, kind: str) -> Range | None:
        """Limits of the shares of cities or of seats."""
        return {"city": self.city_share, "seat": self.seat_share}.get(kind)


class Finding(NamedTuple):
    """A word, and why."""

    word: Word
    why: str = ""


def range_of(typed: str | None, option: str) -> Range | None:
    """A range of percentages as it is typed, `20..30`."""
    if typed is None:
        return None
    low, dots, high = typed.partition("..")
    try:
        found = Range(float(low) / 100, float(high) / 100)
    except ValueError:
        dots = ""
    if not dots or not 0 <= found.low < found.high <= 1:
        raise UserError(f"{option} {typed}: should be a range of percentages such as 20..30")
    return found


def limits_of(city_share: str | None, seat_share: str | None, change: float) -> Limits:
    """The limits as they are typed."""
    shares = range_of(city_share, "--city-share"), range_of(seat_share, "--seat-share")
    return Limits(city_share=shares[0], seat_share=shares[1], change=change)


def joint_level(intervals: int) -> float:
    """The level of each of so many intervals that all hold together in 95 of 100."""
    return 1 - ALPHA / max(intervals, 1)


def worst(words: Iterable[Word]) -> Word:
    """The worst of some words."""
    return min(words, key=list(Word).index, default=Word.PASS)


def evaluated(change: Estimate | None, most: float, share: Estimate | None, limits: Range | None) -> Finding:
    """The word for one city, seat or card, and why; `most` is in percentage points.

    Without a share it is not in the game any more, without a change it was not in the baseline.
    """
    if share is None:
        return Finding(Word.REMOVED, "not in the game any more")
    findings = [] if limits is None else [_against_limits(share, limits)]
    findings.append(Finding(Word.NEW, "not in the baseline") if change is None else _moved(change, most))
    word = worst(one.word for one in findings)
    return Finding(word, "; ".join(one.why for one in findings if one.why))


def _against_limits(share: Estimate, limits: Range) -> Finding:
    ends = f"{100 * share.low:.1f} to {100 * share.high:.1f} %"
    if share.high < limits.low or share.low > limits.high:
        return Finding(Word.FAIL, f"{ends}, outside {limits}")
    if share.low < limits.low or share.high > limits.high:
        return Finding(Word.WARN, f"{ends}, not for certain inside {limits}")
    return Finding(Word.PASS)


def _moved(change: Estimate, most: float) -> Finding:
    low, high = 100 * change.low, 100 * change.high
    ends = f"{low:+.1f} to {high:+.1f} points".replace("-", "\N{MINUS SIGN}")
    if low > most or high < -most:
        return Finding(Word.FAIL, f"changed by {ends}, more than {most:g}")
    if low <= 0 <= high:
        return Finding(Word.PASS)
    if max(abs(low), abs(high)) > most:
        return Finding(Word.WARN, f"changed by {ends}, perhaps more than {most:g}")
    return Finding(Word.PASS, f"changed, by less than {most:g} points")


class Row(Result):
    """One city, seat or card before and now: its win rate, or what a card adds to it, with 95% intervals."""

    kind: str  # city, seat or card
    id: str
    name: str
    verdict: Word
    why: str
    before: EstimateJson | None  # None where it was not in the baseline
    now: EstimateJson | None  # None where it is not in the game
    change: EstimateJson | None  # with its joint interval


class Gate(Result):
    """The answer."""

    format: Literal[1] = 1
    khora: str = __version__
    rules: RulesPlayed  # of the present game
    strategies: tuple[Player, ...]
    players: int
    seed: int
    games: int
    limits: Limits
    same_luck: bool  # baseline and present game have the same dice and deals, and were paired
    joint_level: float  # of each joint interval
    baseline: Annotated[Baseline, PlainSerializer(lambda one: one.model_dump(mode="json", include=ORIGIN))]
    rows: tuple[Row, ...]
    same_plan: bool = Field(exclude=True)  # rules, players, seed and games are those of the baseline
    intervals: int = Field(exclude=True)  # that are joint
    strict: bool = Field(default=False, exclude=True)  # only PASS opens the gate
    written: str | None = Field(default=None, exclude=True)  # the file, where the baseline is this very game

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdict(self) -> Word:
        """The worst word of all."""
        return worst(row.verdict for row in self.rows)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unchanged(self) -> bool:
        """The same games were played as for the baseline, to the last win."""
        changes = [row.change for row in self.rows]
        return self.same_plan and all(one is not None and one.value == one.margin == 0 for one in changes)

    def passed(self, strict: bool = False) -> bool:
        """Tell if the gate opens: nothing failed, or strictly that everything passed."""
        return self.verdict == Word.PASS if strict else self.verdict != Word.FAIL

    def of(self, kind: str) -> Sequence[Row]:
        """The rows of cities, seats or cards."""
        return [row for row in self.rows if row.kind == kind]

    @property
    def not_excluded(self) -> float:
        """The largest change, in percentage points, that the rows without a certain change do not exclude."""
        open_rows = [row.change for row in self.rows if row.change is not None and row.change.holds(0)]
        return 100 * max((max(-one.low, one.high) for one in open_rows), default=0.0)


def compared(baseline: Baseline, now: Played, limits: Limits) -> Gate:
    """The present game against a baseline."""
    check_same_table(baseline, now.players)
    rules, strategies = RulesPlayed.of(now.arm.rules), strategies_of(now.arm)
    paired = has_same_luck(baseline, now)
    same_rules = (baseline.rules.hash, baseline.rules.version) == (rules.hash, rules.version)
    same_plan = paired and same_rules and baseline.strategies == strategies
    cards = now.cards or {}
    before = {} if now.cards is None else baseline.cards or {}
    changes = len(baseline.items.keys() & now.items.keys()) + len(before.keys() & cards.keys())
    intervals = changes + sum(limits.of(kind) is not None for kind, _ in now.items)
    level = joint_level(intervals)

    def change(item: Item) -> Estimate:
        """The change of the share of a city or a seat from the baseline."""
        first, second = baseline.sums(*item), now.of(*item)
        old, new = tallies(first), tallies(second)
        if same_plan and old == new:
            return Estimate(0.0, 0.0, 0.0, first.rows)  # the same games: there is nothing that was not seen
        pairs = paired and all(old[name] == new[name] for name in ("unit", "games"))
        rows = now.arm.sections[0].group_size
        return (share_change if pairs else share_difference)(first, second, WIN, rows, level)

    known, joint = now.shares(), now.shares(level)
    present = {item: Present(name, known[item], joint[item]) for item, name in now.items.items()}
    clusters = min(len(baseline.units.unit), len(now.sums.clusters))
    return Gate(
        baseline=baseline,
        rules=rules,
        strategies=strategies,
        players=now.players,
        seed=now.arm.study.seed,
        games=now.games,
        limits=limits,
        same_luck=paired,
        same_plan=same_plan,
        joint_level=level,
        intervals=intervals,
        rows=(
            *_rows(baseline.items, present, change, limits),
            *card_rows(before, cards, limits, level, clusters, same_plan),
        ),
    )


def has_same_luck(baseline: Baseline, now: Played) -> bool:
    """Tell if every rotation group has the dice and deals that it had for the baseline."""
    study = now.arm.study
    return (
        baseline.rules.version == now.arm.rules.version  # else the same seed gives another game
        and baseline.seed == study.seed
        and list(baseline.cities) == now.arm.rules.city_ids
        and len(baseline.names) == len(study.strategies)
        and (len(set(baseline.names)) > 1) == (len(set(study.strategies)) > 1)  # what moves around the table
        and baseline.clusters.equals(now.sums.clusters)
    )


class Present(NamedTuple):
    """A city, seat or card of the present game, with its 95% interval and its joint one."""

    name: str
    estimate: Estimate
    joint: Estimate


def _rows(
    before: Mapping[Item, KeptShare | Card],
    now: Mapping[Item, Present],
    change_of: Callable[[Item], Estimate],
    limits: Limits,
) -> Iterator[Row]:
    """Everything that is in the game, then what was in the baseline only."""
    for item in dict.fromkeys([*now, *before]):
        old, new = before.get(item), now.get(item)
        change = None if old is None or new is None else change_of(item)
        finding = evaluated(change, limits.change, None if new is None else new.joint, limits.of(item[0]))
        yield Row(
            kind=item[0],
            id=item[1],
            name=(new or before[item]).name,
            verdict=finding.word,
            why=finding.why,
            before=None if old is None else old.estimate,
            now=None if new is None else new.estimate,
            change=change,
        )


def card_rows(
    before: Mapping[str, Card],
    now: Mapping[str, Card],
    limits: Limits,
    level: float,
    clusters: int,
    same: bool,
) -> Iterator[Row]:
    """Every card of the present game by its id, then those that were in the baseline only.

    The two powers are compared as if each had dice and deals of its own, which on the same ones is careful.
    `same` says that rules, players and seeds are those of the baseline.
    """

    def change(item: Item) -> Estimate:
        old, new = before[item[1]], now[item[1]]
        if same and old == new:
            return Estimate(0.0, 0.0, 0.0, new.n)
        return difference(old.estimate, new.estimate, level, clusters)

    present = {(CARD, id): Present(one.name, one.estimate, one.estimate) for id, one in now.items()}
    return _rows({(CARD, id): one for id, one in before.items()}, present, change, limits)


def check_same_table(baseline: Baseline, players: int) -> None:
    """Refuse tables of different sizes, whose shares cannot be compared."""
    if baseline.players != players:
        raise UserError(
            f"--players {players}: the baseline has tables of {baseline.players}; leave --players out, or "
            "write a baseline for the other size"
        )
