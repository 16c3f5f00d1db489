"""A swap moves two cards and nothing else, and every card is swapped equally often."""

import numpy as np
import pytest

from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.match import rules_array
from khora_sim.engine.record import new_records
from khora_sim.engine.seat import Player
from khora_sim.engine.setup import Swap
from khora_sim.rules import load_rules
from tests.engine.random_games import set_ups, table

SEAT = 2
RULES = rules_array(load_rules())
CARDS = len(load_rules().card_ids)


def dealt(games: int, swap: Swap, number: int = 0) -> tuple[np.recarray, np.recarray]:
    """Games that are set up and not yet played."""
    given = set_ups(range(games), 4)
    given.swap, given.swapped, given.swap_number = swap, SEAT, number
    records, ledgers = new_records(games), new_records(games + 1, LEDGER)
    for index in range(games):
        kernels().set_up(records, ledgers, RULES, given, index)
    return records, ledgers[:-1]


def played(games: int, swap: Swap) -> tuple[np.recarray, np.recarray]:
    """Games of random players."""
    given = set_ups(range(games), 4)
    given.swap, given.swapped = swap, SEAT
    records, ledgers = new_records(games), new_records(games + 1, LEDGER)
    players = table(Player(kernels().indifferent_address))
    assert kernels().play_games(records, ledgers, RULES, given, *players) == games
    return records, ledgers[:-1]


def moved(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cards that came and went; each is one."""
    came, went = (sets.view(np.uint64) for sets in (after & ~before, before & ~after))
    assert (np.bitwise_count(came) == 1).all()
    assert (np.bitwise_count(went) == 1).all()
    return np.log2(came).astype(int), np.log2(went).astype(int)


@pytest.mark.scenario
def test_before_the_draft_one_card_of_the_seat_and_one_of_the_deck_change_places():
    (before, plain), (after, swapped) = dealt(50, Swap.NONE), dealt(50, Swap.DEALT)
    came, went = moved(before.pack[:, SEAT], after.pack[:, SEAT])
    assert np.array_equal(swapped.dealt, after.pack)
    assert np.array_equal(plain.dealt, before.pack)
    for game in range(50):
        (place,) = np.nonzero(before.deck[game] != after.deck[game])[0]
        assert place >= before.deck_top[game]
        assert (before.deck[game, place], after.deck[game, place]) == (came[game], went[game])
    for name in before.dtype.names:
        others = [seat for seat in range(4) if seat != SEAT]
        if name == "pack":
            assert np.array_equal(before.pack[:, others], after.pack[:, others])
        elif name != "deck":
            assert np.array_equal(before[name], after[name]), name


def test_after_the_draft_the_hand_that_was_kept_has_one_other_card():
    (_, plain), (_, swapped) = played(60, Swap.NONE), played(60, Swap.DRAFTED)
    assert np.array_equal(plain.dealt, swapped.dealt)
    came, _ = moved(plain.drafted[:, SEAT], swapped.drafted[:, SEAT])
    hands = np.bitwise_or.reduce(plain.dealt, axis=1)
    assert not any(hands[game] >> int(card) & 1 for game, card in enumerate(came))
    others = [seat for seat in range(4) if seat != SEAT]
    assert np.array_equal(plain.drafted[:, others], swapped.drafted[:, others])


def test_every_card_is_given_and_taken_equally_often():
    games = 4000
    came, went = moved(dealt(games, Swap.NONE)[0].pack[:, SEAT], dealt(games, Swap.DEALT)[0].pack[:, SEAT])
    for chosen in (came, went):
        counts = np.bincount(chosen, minlength=CARDS)
        squares = ((counts - games / CARDS) ** 2).sum() / (games / CARDS)
        assert squares < 80  # chi-square with 39 degrees of freedom: p < 0.0002 beyond


def test_another_number_swaps_other_cards():
    first, second = (dealt(40, Swap.DEALT, number)[0].pack[:, SEAT] for number in (0, 1))
    assert (first != second).mean() > 0.8
