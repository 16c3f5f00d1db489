"""The place where two games of the same seed diverge: both are replayed step by step, and told in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

from khora_sim.records.record_format import GameOptions
from khora_sim.records.set_up import options_of, seeded_match
from khora_sim.records.state import steps
from khora_sim.records.telling import Line, Teller
from khora_sim.rules import Rules
from khora_sim.strategy import load
from khora_sim.strategy.table import ask

BEFORE, FROM = 3, 4  # lines that are shown of what both games share, and of each from where they diverge


@dataclass(frozen=True)
class Moment:
    """A place in one of the games: how it stood, and what happened from there on."""

    round: int  # 0: before the first
    decision: int | None  # its number, if somebody decided
    scores: tuple[int, ...]  # by seat, on the score track
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Divergence:
    """The same place in both games, before and after the change."""

    shared: tuple[str, ...]  # the last lines that both have
    first: tuple[Moment, Moment]  # where anything differs at first
    decided: tuple[Moment, Moment] | None  # the first decision that differs; None where none does


@dataclass(frozen=True)
class Replayed:
    """A game to play again."""

    rules: Rules
    strategies: tuple[str, ...]  # by seat
    cities: tuple[str, ...]
    seed: int
    first_seat: int


@dataclass(frozen=True)
class _LineOfGame:
    """A line of a game; empty where somebody decides without a word."""

    round: int
    decision: int | None
    decided: tuple[object, ...] | None  # who chose what
    scores: tuple[int, ...]
    text: str


class _Told:
    """A game that is told line by line, only as far as somebody reads: telling takes longer than playing."""

    def __init__(self, side: Replayed):
        self.lines: list[_LineOfGame] = []
        self._rest = _lines(side)

    def at(self, place: int) -> _LineOfGame | None:
        """The line at a place; None after the end."""
        while place >= len(self.lines):
            line = next(self._rest, None)
            if line is None:
                return None
            self.lines.append(line)
        return self.lines[place]

    def from_place(self, place: int) -> Iterator[tuple[int, _LineOfGame]]:
        """The lines from a place on, with their places."""
        while (line := self.at(place)) is not None:
            yield place, line
            place += 1

    def decisions(self) -> Iterator[tuple[int, _LineOfGame]]:
        """The lines with a decision."""
        return ((place, line) for place, line in self.from_place(0) if line.decided)

    def moment(self, place: int) -> Moment:
        """The game from a place on."""
        line = self.at(place) or self.lines[-1]
        texts = (one.text for _, one in self.from_place(place) if one.text)
        return Moment(line.round, line.decision, line.scores, tuple(islice(texts, FROM)))


def divergence(before: Replayed, after: Replayed) -> Divergence | None:
    """Find where two games diverge; None where they are the same to the last line."""
    one, two = _Told(before), _Told(after)
    for place in count():
        left, right = one.at(place), two.at(place)
        if left is None and right is None:
            return None
        if left is None or right is None or (left.text, left.decided) != (right.text, right.decided):
            break
    shared = [line.text for line in one.lines[:place] if line.text][-BEFORE:]
    return Divergence(tuple(shared), (one.moment(place), two.moment(place)), _decided(one, two))


def _decided(one: _Told, two: _Told) -> tuple[Moment, Moment] | None:
    """The first decision that differs."""
    for (left, mine), (right, other) in zip(one.decisions(), two.decisions(), strict=False):
        if mine.decided != other.decided:
            return one.moment(left), two.moment(right)
    return None


def _lines(side: Replayed) -> Iterator[_LineOfGame]:
    """A game line by line."""
    fixed = GameOptions(fixed_cities=list(side.cities), fixed_first_seat=side.first_seat)
    match = seeded_match(side.rules, len(side.cities), side.seed, options_of(side.rules, fixed))
    teller = Teller(match, side.strategies)
    for step in steps(match, ask([load(name) for name in side.strategies])):
        decided = None if step.number is None else (step.task, step.seat, step.option)
        lines = [_text(one) for one in teller.tell(step) if isinstance(one, Line) and one.level > 1]
        scores = tuple(int(points) for points in step.before.vp[: len(side.cities)])
        for line in lines or ([""] if decided else []):
            yield _LineOfGame(int(step.before.round_number), step.number, decided, scores, line)
            decided = None  # stands with the first line


def _text(line: Line) -> str:
    return f"{line.who}: {line.text}" if line.who else line.text
