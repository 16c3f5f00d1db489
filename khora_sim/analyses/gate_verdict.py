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

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from khora_sim.errors import UserError
from khora_sim.stats import LEVEL, Estimate

ALPHA = 1 - LEVEL  # the chance of any false alarm, at most
CHANGE = 2.0  # percentage points


class Word(StrEnum):
    """The words, the worst first."""

    FAIL = "FAIL"
    WARN = "WARN"
    REMOVED = "REMOVED"
    NEW = "NEW"
    PASS = "PASS"


class Range(NamedTuple):
    """What a share may be, from 0 to 1."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.low:g}..{100 * self.high:g} %"


class Limits(NamedTuple):
    """What is asked of a game."""

    city_share: Range | None = None
    seat_share: Range | None = None
    change: float = CHANGE  # percentage points that a share may move from the baseline

    def of(self, kind: str) -> Range | None:
        """What the shares of cities or of seats may be."""
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
    if not 0 <= change <= 100:
        raise UserError(f"--change {change:g}: should be 0 to 100 percentage points")
    return Limits(range_of(city_share, "--city-share"), range_of(seat_share, "--seat-share"), change)


def joint_level(intervals: int) -> float:
    """The level of each of so many intervals that all hold together in 95 of 100."""
    return 1 - ALPHA / max(intervals, 1)


def worst(words: Iterable[Word]) -> Word:
    """The worst of some words."""
    return min(words, key=list(Word).index, default=Word.PASS)


def judged(change: Estimate | None, most: float, share: Estimate | None, limits: Range | None) -> Finding:
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
