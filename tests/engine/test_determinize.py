"""A view filled in at random is a game that could be: nothing seen is changed, every card is somewhere."""

import random
from collections import Counter

import pytest

from khora_sim.engine.kernels import kernels
from khora_sim.engine.match import Match
from khora_sim.engine.record import UNKNOWN
from khora_sim.rules.terms import Slot
from tests.engine.scene import BASE, Scene
from tests.engine.walking import check_cards, check_end, check_ranges, differing, members, rules_of, walk


def determinized(match, viewer, seed):
    """A game that a player believes possible."""
    other = match.copy()
    other._games[0] = match.view(viewer)
    kernels().determinize(other._games, 0, other.tables, viewer, seed)
    return other


def moments(rules, players, seed, settings, share):
    luck = random.Random(seed)
    match = Match(rules, players, seed, settings)
    options = match.advance()
    while options:
        if luck.random() < share:
            yield match, luck.randrange(players), luck.getrandbits(60)
        options = match.choose(luck.choice(options))


CASES = [(None, players, options) for players in (2, 3, 4) for options in (0, 1, 3, 5, 11)]
CASES += [(variant, 2 + variant % 3, variant % 16) for variant in range(15)]


@pytest.mark.parametrize(("variant", "players", "options"), CASES)
def test_what_was_seen_stays_and_every_card_is_somewhere(variant, players, options):
    for match, viewer, seed in moments(rules_of(variant), players, options, options, share=0.25):
        filled = determinized(match, viewer, seed)
        check_cards(filled)
        check_ranges(filled)
        # The deck's place in its ring means nothing.
        assert differing(filled.view(viewer), match.view(viewer)) <= {"deck_top"}
        assert filled.game.deck_size == match.game.deck_size
        assert filled.game.hand_size.tolist() == match.game.hand_size.tolist()
        check_events(filled)


def check_events(match):
    """Every round has an event that fits there, and none comes twice."""
    tables, rounds = match.tables[0], int(match.tables[0].rounds)
    events = match.game.events.tolist()
    assert len(set(events[:rounds])) == rounds
    assert set(events[rounds:]) <= {UNKNOWN}
    slots = [tables.events[event].slot for event in events[:rounds]]
    assert slots == [Slot.FIRST, *[Slot.MIDDLE] * (rounds - 2), Slot.LAST]


@pytest.mark.parametrize(("variant", "players", "options"), CASES)
def test_a_game_filled_in_can_be_played_to_its_end(variant, players, options):
    for match, viewer, seed in moments(rules_of(variant), players, options, options, share=0.05):
        filled = determinized(match, viewer, seed)
        for _ in walk(filled, random.Random(seed)):
            pass
        check_cards(filled)
        check_end(filled)


def test_unseen_cards_are_dealt_evenly():
    scene = Scene(players=2).give(0, hand="bank").give(1, hand="quarry power oracle", in_play="council")
    scene.action("politics", seat=0)
    met = Counter()
    for seed in range(2000):
        hand = members(determinized(scene.match, 0, seed).game.hand[1])
        assert len(hand) == 3
        met.update(hand)
    seen = {BASE.card_ids.index("bank"), BASE.card_ids.index("council")}
    assert set(met) == set(range(40)) - seen
    assert max(abs(count - 6000 / 38) for count in met.values()) < 60  # some 5 standard deviations


@pytest.mark.scenario
def test_others_tiles_are_filled_in_where_they_have_been_placed():
    scene = Scene(players=3).event("drought")
    for seat, dice in enumerate([(1, 1), (2, 2), (3, 3)]):
        scene.give(seat, dice=dice)
    scene.after_the_roll().choose((0, 1))
    assert scene.asked == (1, "place-tiles")
    tiles = {tuple(determinized(scene.match, 1, seed).game.tile[0].tolist()) for seed in range(300)}
    assert len(tiles) > 30
    assert all(first != second and third == UNKNOWN for first, second, third in tiles)
    assert determinized(scene.match, 1, 5).game.tile[2].tolist() == [UNKNOWN] * 3  # not placed yet


@pytest.mark.scenario
def test_drawn_cards_of_another_are_filled_in():
    scene = Scene(players=2).action("legislation", seat=1)
    filled = determinized(scene.match, 0, 3)
    check_cards(filled)
    assert (filled.game.drawn >= 0).tolist() == [True, True, False, False]


@pytest.mark.scenario
def test_the_same_seed_fills_in_the_same_and_another_another():
    match = Match(BASE, 3, seed=4)
    options = match.advance()
    match.choose(options[0])  # in the middle of a draft
    one, same, other = (determinized(match, 1, seed) for seed in (7, 7, 8))
    check_cards(one)
    assert not differing(one.game, same.game)
    assert {"deck", "pack", "events", "seed"} <= differing(one.game, other.game)
