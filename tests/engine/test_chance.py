"""Chance is addressed: the same luck whatever anyone decides, and fair dice."""

import random
from collections import Counter

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Task
from khora_sim.engine.match import Match
from tests.engine.scene import BASE


def dice_by_round(players, seed, settings, luck):
    """All dice of a game played at random, as they are when tiles are placed."""
    match, rolled = Match(BASE, players, seed, settings), {}
    options = match.advance()
    while options:
        if match.task == Task.PLACE_TILES:
            rolled[int(match.game.round_number)] = match.game.dice[:players, :2].tolist()
        options = match.choose(luck.choice(options))
    return rolled


@pytest.mark.parametrize("settings", [Setting.DRAFT, Setting.SHARED_DICE])
def test_dice_are_what_they_are_whatever_was_decided(settings):
    for seed in range(10):
        games = [dice_by_round(3, seed, settings, random.Random(play)) for play in range(4)]
        assert len(games[0]) == 9
        assert all(game == games[0] for game in games)


def test_dice_of_a_seat_do_not_depend_on_how_many_play():
    for seed in range(10):
        two = dice_by_round(2, seed, 0, random.Random(1))
        four = dice_by_round(4, seed, 0, random.Random(2))
        assert all(two[number] == four[number][:2] for number in two)


def test_dice_are_fair():
    pips = Counter()
    for seed in range(300):
        for rolled in dice_by_round(2, seed, 0, random.Random(seed)).values():
            pips.update(pip for dice in rolled for pip in dice)
    expected = sum(pips.values()) / 6
    assert sorted(pips) == [1, 2, 3, 4, 5, 6]
    assert sum((count - expected) ** 2 / expected for count in pips.values()) < 20.5  # 99.9 % of fair dice


def test_the_same_seed_is_the_same_set_up_and_another_seed_another():
    def set_up(seed):
        game = Match(BASE, 4, seed).game
        return game.deck.tolist(), game.events.tolist(), game.city.tolist(), int(game.first_player)

    assert set_up(7) == set_up(7)
    assert len({str(set_up(seed)) for seed in range(100)}) == 100


def test_what_is_left_to_chance_does_not_hang_on_what_is_fixed():
    free, fixed = Match(BASE, 3, 9).game, Match(BASE, 3, 9, cities=[6, 5, 4], first_player=2).game
    assert free.deck.tolist() == fixed.deck.tolist()
    assert free.events.tolist() == fixed.events.tolist()
