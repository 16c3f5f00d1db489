"""The set-up: cities, what everyone starts with, the draft, the events, the first player."""

from collections import Counter

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Phase, Task
from khora_sim.engine.match import Match
from tests.engine.covering import covers
from tests.engine.scene import BASE

SEEDS = range(300)


def cards(members):
    return {card for card in range(40) if int(members) >> card & 1}


@pytest.mark.parametrize("players", [2, 3, 4])
@covers("set-up", "start")
def test_everyone_starts_alike(players):
    match = Match(BASE, players, seed=5)
    game, seats = match.game, slice(0, players)
    assert game.drachmas[seats].tolist() == [4] * players
    assert game.citizens[seats].tolist() == [3] * players
    assert game.level[seats].tolist() == [[1, 1, 1]] * players
    assert game.dice_count[seats].tolist() == [2] * players
    for name in ("tax", "glory", "troops", "vp", "philosophy", "minor", "major", "in_play"):
        assert not game[name].any(), name


@pytest.mark.parametrize("players", [2, 3, 4])
@covers("set-up", "cities")
def test_cities_are_random_and_distinct(players):
    met = Counter()
    for seed in SEEDS:
        cities = Match(BASE, players, seed).game.city[:players].tolist()
        assert len(set(cities)) == players
        met.update(cities)
    assert sorted(met) == list(range(7))
    assert min(met.values()) > 0.6 * max(met.values())


@covers("set-up", "cities")
def test_a_study_may_fix_some_of_the_cities():
    for seed in range(40):
        cities = Match(BASE, 4, seed, cities=[-1, 3, -1, 0]).game.city.tolist()
        assert (cities[1], cities[3]) == (3, 0)
        assert len(set(cities)) == 4


@covers("set-up", "first player")
def test_the_first_player_is_random_unless_fixed():
    met = Counter(int(Match(BASE, 3, seed).game.first_player) for seed in SEEDS)
    assert sorted(met) == [0, 1, 2]
    assert min(met.values()) > 70
    assert {int(Match(BASE, 3, seed, first_player=2).game.first_player) for seed in range(40)} == {2}


@covers("set-up", "events")
def test_growing_population_comes_first_and_conquest_of_the_persians_last():
    first, last = (BASE.event_ids.index(name) for name in ("growing-population", "conquest-of-the-persians"))
    met = Counter()
    for seed in SEEDS:
        events = Match(BASE, 2, seed).game.events[:9].tolist()
        assert (events[0], events[8]) == (first, last)
        assert len(set(events)) == 9
        met.update(events[1:8])
    assert sorted(met) == sorted(set(range(16)) - {first, last})
    assert min(met.values()) > 0.6 * max(met.values())


@pytest.mark.parametrize("players", [2, 3, 4])
@covers("set-up", "deal")
def test_five_cards_are_dealt_to_each_and_the_rest_is_the_deck(players):
    game = Match(BASE, players, seed=3).game
    packs = [cards(game.pack[seat]) for seat in range(players)]
    deck = game.deck[game.deck_top : game.deck_top + game.deck_size].tolist()
    assert [len(pack) for pack in packs] == [5] * players
    assert sorted([*deck, *(card for pack in packs for card in pack)]) == list(range(40))


@pytest.mark.parametrize("players", [2, 3, 4])
@covers("set-up", "draft")
def test_everyone_keeps_one_card_and_passes_the_rest_to_the_left(players):
    match = Match(BASE, players, seed=3)
    packs = [cards(match.game.pack[seat]) for seat in range(players)]
    hands = [set() for _ in range(players)]
    options = match.advance()
    for _ in range(4):
        for seat in range(players):
            assert (match.seat, match.task) == (seat, Task.PICK_CARD)
            assert set(options) == packs[seat]
            kept = max(options)
            packs[seat].remove(kept)
            hands[seat].add(kept)
            options = match.choose(kept)
        packs = [packs[seat - 1] for seat in range(players)]
    hands = [hand | pack for hand, pack in zip(hands, packs, strict=True)]  # the fifth is no choice
    assert [cards(match.game.hand[seat]) for seat in range(players)] == hands
    assert not match.game.pack.any()


@covers("set-up", "draft")
def test_first_developments_come_after_the_draft():
    match = Match(BASE, 2, seed=3, cities=[BASE.city_ids.index("corinth"), BASE.city_ids.index("athens")])
    options = match.advance()
    while match.task == Task.PICK_CARD:
        assert match.game.development.tolist()[:2] == [0, 0]
        assert match.game.drachmas[0] == 4
        options = match.choose(options[0])
    assert match.game.development.tolist()[:2] == [1, 1]
    assert match.game.drachmas[0] == 4 + 4
    assert match.game.philosophy[1] >= 3  # Growing Population may have added one
    assert (match.game.round_number, match.game.phase) == (1, Phase.DICE)


@covers("option", "no draft")
def test_without_a_draft_the_hands_are_kept_as_dealt():
    with_draft, without = Match(BASE, 3, seed=8), Match(BASE, 3, seed=8, settings=0)
    dealt = with_draft.game.pack.tolist()
    without.advance()
    assert without.game.hand.tolist() == dealt
    assert without.game.hand_size.tolist()[:3] == [5, 5, 5]
    assert without.task != Task.PICK_CARD
    assert not without.game.settings & Setting.DRAFT
