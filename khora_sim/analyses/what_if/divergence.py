"""Where two games of the same seed diverge: both are played again, step by step, and told in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    strategies: Sequence[str]  # by seat
    cities: Sequence[str]
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


def divergence(before: Replayed, after: Replayed) -> Divergence | None:
    """Where two games diverge; None where they are the same to the last line."""
    one, two = list(_lines(before)), list(_lines(after))
    place = _first_difference(*([(line.text, line.decided) for line in game] for game in (one, two)))
    if place is None:
        return None
    shared = [line.text for line in one[:place] if line.text][-BEFORE:]
    first = (_moment(one, place), _moment(two, place))
    return Divergence(tuple(shared), first, _decided(one, two))


def _decided(one: Sequence[_LineOfGame], two: Sequence[_LineOfGame]) -> tuple[Moment, Moment] | None:
    """The first decision that differs."""
    left, right = ([at for at, line in enumerate(game) if line.decided] for game in (one, two))
    place = _first_difference([one[at].decided for at in left], [two[at].decided for at in right])
    if place is None or place >= min(len(left), len(right)):
        return None
    return _moment(one, left[place]), _moment(two, right[place])


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


def _first_difference(one: Sequence[object], two: Sequence[object]) -> int | None:
    for place, (left, right) in enumerate(zip(one, two, strict=False)):
        if left != right:
            return place
    return None if len(one) == len(two) else min(len(one), len(two))


def _moment(game: Sequence[_LineOfGame], place: int) -> Moment:
    line = game[min(place, len(game) - 1)]
    lines = [one.text for one in game[place:] if one.text][:FROM]
    return Moment(line.round, line.decision, line.scores, tuple(lines))
