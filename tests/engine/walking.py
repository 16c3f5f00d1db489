"""Random games walked through one thing at a time, with what must hold after every one of them."""

import random
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from khora_sim.engine.agenda import FIRST_DECISION, Phase, Task
from khora_sim.engine.match import Match
from khora_sim.engine.record import AGENDA
from khora_sim.rules import Rules, load_rules
from tests.engine.scene import BASE
from tests.rules.random_variants import random_variant_toml

#: Sets of Setting bits: draft, reroll, shared dice, progress bonuses that stack, in all combinations.
ALL_SETTINGS = range(16)


class Done(NamedTuple):
    """One thing that was done."""

    task: Task
    seat: int
    options: list[int]  # of a decision
    choice: int | None  # what was decided


@cache
def rules_of(variant: int | None) -> Rules:
    """The base game, or a random variant by its number."""
    if variant is None:
        return BASE
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "variant.toml"
        path.write_text(random_variant_toml(variant), encoding="utf-8")
        return load_rules(path)


def walk(match: Match, luck: random.Random) -> Iterator[Done]:
    """Do one thing after another until the game is over, decisions at random."""
    while match.game.agenda_size > 0:
        task, seat = match.task, match.seat
        if task >= FIRST_DECISION:
            options = match.options()
            choice = luck.choice(options)
            match.apply(choice)
            yield Done(task, seat, options, choice)
        else:
            match.step()
            yield Done(task, seat, [], None)


def members(mask: int) -> list[int]:
    """The cards or spaces of a set."""
    return [bit for bit in range(64) if int(mask) >> bit & 1]


def check_cards(match: Match) -> None:
    """Every card is somewhere, once: in the deck, on offer, in a hand, in a pack or in play."""
    game, count = match.game, int(match.tables[0].card_count)
    places = (int(game.deck_top) + np.arange(int(game.deck_size))) % len(game.deck)
    found, number = 0, 0
    for card in game.deck[places].tolist() + game.drawn[game.drawn >= 0].tolist():
        found |= 1 << card
        number += 1
    for name in ("hand", "pack", "in_play"):
        for cards in game[name][: int(game.players)].tolist():
            cards %= 1 << 64  # bit 63 is the sign
            found |= cards
            number += cards.bit_count()
    assert number == count
    assert found == (1 << count) - 1
    hands = [(cards % (1 << 64)).bit_count() for cards in game.hand.tolist()]
    assert game.hand_size.tolist() == hands


def check_ranges(match: Match) -> None:
    """Every level is in its range; citizens and troops pass their limits only where the rules say so."""
    game, limits, players = match.game, match.tables[0], int(match.game.players)
    for name in ("drachmas", "vp", "citizens", "tax", "glory", "troops", "philosophy", "minor", "major"):
        assert game[name].min() >= 0, name
    assert game.level[:players].min() >= 1
    assert game.level[:players].max() <= limits.max_level
    assert game.tax.max() <= limits.max_tax
    assert game.glory.max() <= limits.max_glory
    assert game.development.max() <= 4
    assert game.dice_count.max() <= 3
    assert game.dice.max() <= 6
    if game.phase not in (Phase.ACTION, Phase.EVENT_RESOLUTION):
        assert game.citizens.max() <= limits.max_citizens
    if game.troops.max() > limits.max_troops:
        inside = {int(row[1]) for row in game.agenda[: game.agenda_size] if row[0] == Task.END_MILITARY}
        assert {seat for seat in range(players) if game.troops[seat] > limits.max_troops} <= inside
    assert 0 <= game.agenda_size <= AGENDA


def same(one: np.record, other: np.record, but: tuple[str, ...] = ()) -> bool:
    """Whether two records agree in every field (bytes between fields mean nothing)."""
    return not differing(one, other) - set(but)


def differing(one: np.record, other: np.record) -> set[str]:
    """The names of the fields in which two records differ."""
    return {name for name in one.dtype.names if not np.array_equal(one[name], other[name])}


class Tokens:
    """A count of the knowledge tokens there should be, kept beside a game."""

    def __init__(self, match: Match):
        self.minor = self.major = 0
        self.spaces = match.tables[0].spaces

    def note(self, done: Done) -> None:
        """Count what one thing brought or took."""
        if done.choice is None or done.choice < 0:
            return
        if done.task == Task.EXPLORE:
            self.minor += int(self.spaces[done.choice].minor.sum())
            self.major += int(self.spaces[done.choice].major.sum())
        elif done.task in (Task.BUY_TOKEN, Task.GAIN_TOKEN):
            self.minor += 1
        elif done.task == Task.LOSE_TOKEN:
            self.minor -= done.choice < 3
            self.major -= done.choice >= 3

    def check(self, match: Match) -> None:
        """The players have exactly these."""
        assert (int(match.game.minor.sum()), int(match.game.major.sum())) == (self.minor, self.major)


def check_end(match: Match) -> None:
    """The game is over after its rounds, and the points written down are the points scored."""
    game, start = match.game, int(match.tables[0].start_vp)
    assert game.phase == Phase.OVER
    assert game.round_number == match.tables[0].rounds
    for seat in range(int(game.players)):
        assert start + int(match.ledger.points[seat].sum()) == game.vp[seat]
