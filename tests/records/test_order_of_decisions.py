"""Who decides in which order, as the page on records says."""

import random
from itertools import groupby

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Task
from khora_sim.engine.match import Match
from tests.engine.scene import BASE


def asked(seed: int, players: int):
    """Every decision of a random game with reroll: task, seat, round, and who is first at that time."""
    match, luck = Match(BASE, players, seed, Setting.DRAFT | Setting.REROLL), random.Random(seed)
    options = match.advance()
    while options:
        yield match.task, match.seat, int(match.game.round_number), int(match.game.first_player)
        options = match.choose(luck.choice(options))


def clockwise(seats: list[int], first: int, players: int) -> bool:
    """Whether seats come in their order from the first player on, none twice."""
    places = [(seat - first) % players for seat in seats]
    return places == sorted(set(places))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_draft_by_seats_and_all_else_from_the_first_player_clockwise(players):
    met = set()
    for seed in range(6):
        decisions = list(asked(seed, players))
        picks = [seat for task, seat, _, _ in decisions if task == Task.PICK_CARD]
        assert picks == [*range(players)] * 4  # the fifth card is no choice
        found_first = {number: first for task, _, number, first in decisions if task == Task.PLACE_TILES}
        for (number, task), group in groupby(decisions, key=lambda one: (one[2], one[0])):
            seats = [seat for _, seat, _, _ in group]
            if task == Task.REROLL and number > 1:
                assert seats == [(found_first[number - 1] + place) % players for place in range(players)]
            elif task == Task.PLACE_TILES:
                assert seats == [(found_first[number] + place) % players for place in range(players)]
            elif task == Task.PAY_CITIZENS:
                assert clockwise(seats, found_first[number], players)
                met.add(len(seats))
    assert len(met) > 1
