"""Phase C: roll, find the first player, place tiles in secret; `citizens.py` has what follows."""

from itertools import product

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Phase, Task, pop, push, push_in_turn_order, seat_at
from khora_sim.engine.chance import Stream, draw
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import dice_sum, run_effect
from khora_sim.engine.ledger import Source
from khora_sim.engine.record import SEATS, UNKNOWN
from khora_sim.rules.terms import ACTIONS, DICE, Trigger

PIPS = 6
TILES = ACTIONS


@inlined
def roll(game, ledger):
    """All roll all their dice, once."""
    pop(game)
    game.phase = Phase.DICE
    push(game, Task.ROLLED, 0, 0)
    if game.settings & Setting.REROLL:
        push_in_turn_order(game, Task.REROLL, 0)
    for player in range(game.players):
        for die in range(DICE):
            game.dice[player, die] = 0
            game.tile[player, die] = UNKNOWN
        game.ready[player] = 0
        game.active[player] = 0
        if game.settings & Setting.OPEN_DICE:
            push(game, Task.TELL_DICE, player, (1 << game.dice_count[player]) - 1)
            continue
        for die in range(game.dice_count[player]):
            shared = game.settings & Setting.SHARED_DICE and die < 2
            roller = SEATS if shared else player
            game.dice[player, die] = 1 + draw(game.seed, Stream.DICE, roller, game.round_number, die, PIPS)


@inlined
def own_dice(game, player):
    """The dice a player may reroll: with shared dice only the third is its own."""
    if game.settings & Setting.SHARED_DICE:
        return (1 << game.dice_count[player]) - 1 & 4
    return (1 << game.dice_count[player]) - 1


@inlined
def list_rerolls(game, player, out):
    """REROLL: any set of the player's own dice, the empty one last."""
    own = own_dice(game, player)
    count = 0
    for chosen in range((1 << DICE) - 1, -1, -1):
        if chosen & own == chosen:
            out[count] = chosen
            count += 1
    return count


@inlined
def reroll(game, player, chosen):
    """REROLL: roll the chosen dice again."""
    pop(game)
    if game.settings & Setting.OPEN_DICE:
        if chosen != 0:
            push(game, Task.TELL_DICE, player, chosen)
        return
    for die in range(DICE):
        if chosen >> die & 1:
            game.dice[player, die] = 1 + draw(game.seed, Stream.REROLL, player, game.round_number, die, PIPS)


@inlined
def list_dice(dice, out):
    """TELL_DICE: every outcome of the dice that are rolled, as digits in base 6."""
    count = 0
    for third in range(PIPS if dice & 4 else 1):
        for second in range(PIPS if dice & 2 else 1):
            for first in range(PIPS if dice & 1 else 1):
                out[count] = first + PIPS * second + PIPS * PIPS * third
                count += 1
    return count


@inlined
def tell_dice(game, player, dice, outcome):
    """TELL_DICE: the dice show what whoever runs the game chose."""
    pop(game)
    for die in range(DICE):
        if dice >> die & 1:
            game.dice[player, die] = 1 + outcome % PIPS
        outcome //= PIPS


@inlined
def find_first_player(game):
    """The lowest sum is first; among equals the one closest clockwise to the previous first player."""
    if game.settings & Setting.SHARED_DICE:
        if game.round_number > 1:
            game.first_player = seat_at(game, 1)
        return
    first = game.first_player
    for place in range(1, game.players):
        player = seat_at(game, place)
        if dice_sum(game, player) < dice_sum(game, first):
            first = player
    game.first_player = first


@inlined
def after_roll(game, tables, ledger):
    """First player, Growing Population, then all place tiles and reveal them."""
    pop(game)
    find_first_player(game)
    event = tables.events[game.events[game.round_number - 1]].effect
    for place in range(game.players):
        player = seat_at(game, place)
        for die in range(DICE):
            if game.dice[player, die] > 0:
                ledger.pips[player] += game.dice[player, die]
                ledger.dice_rolled[player] += 1
        if event.on == Trigger.DICE_PHASE:
            run_effect(game, tables, ledger, player, event, Source.EVENT)
    push(game, Task.REVEAL, 0, 0)
    push_in_turn_order(game, Task.PLACE_TILES, 0)


def _placements(first: int, second: int, third: int) -> list[int]:
    """All ways to put a different tile on each die (0: there is none); equal dice are interchangeable."""
    found = []
    for tiles in product(range(TILES), range(TILES if second else 1), range(TILES if third else 1)):
        one, two, three = tiles
        if (second and (two == one or (first == second and two < one))) or (
            third
            and (three in (one, two) or (third == first and three < one) or (third == second and three < two))
        ):
            continue
        found.append(one + TILES * two + TILES * TILES * three)
    return found


@inlined
def _alike(first, second, third):
    """Which dice there are and which of them are equal: all that placements depend on."""
    if third > 0:
        return (first == second) + 2 * (first == third) + 4 * (second == third)
    return 8 + (second == 0) + 2 * (first == second)


#: Of each kind of roll, by `_alike`: how many placements there are, and all of them.
PLACEMENT_COUNT = np.zeros(16, np.int64)
PLACEMENTS = np.zeros((16, TILES * (TILES - 1) * (TILES - 2)), np.int16)
for _roll in ((1, 0, 0), *product((1, 2, 3), (1, 2, 3), (0, 1, 2, 3))):
    _listed = _placements(*_roll)
    PLACEMENT_COUNT[_alike(*_roll)] = len(_listed)
    PLACEMENTS[_alike(*_roll), : len(_listed)] = _listed


@inlined
def list_placements(game, player, out):
    """PLACE_TILES: a different tile on each die, as digits in base 7; equal dice are interchangeable."""
    alike = _alike(game.dice[player, 0], game.dice[player, 1], game.dice[player, 2])
    for place in range(PLACEMENT_COUNT[alike]):
        out[place] = PLACEMENTS[alike, place]
    return PLACEMENT_COUNT[alike]


@inlined
def place_tiles(game, player, placement):
    """PLACE_TILES: put the tiles on the dice, face down."""
    pop(game)
    for die in range(DICE):
        if game.dice[player, die] > 0:
            game.tile[player, die] = placement % TILES
            placement //= TILES
