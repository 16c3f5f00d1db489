"""Phase C: roll, find the first player, place tiles in secret; `citizens.py` has what follows."""

from khora_sim.engine.agenda import Phase, Setting, Task, pop, push, push_in_turn_order
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
def list_dice(told, out):
    """TELL_DICE: every outcome of the dice that are rolled, as digits in base 6."""
    count = 0
    for third in range(PIPS if told & 4 else 1):
        for second in range(PIPS if told & 2 else 1):
            for first in range(PIPS if told & 1 else 1):
                out[count] = first + PIPS * second + PIPS * PIPS * third
                count += 1
    return count


@inlined
def tell_dice(game, player, told, outcome):
    """TELL_DICE: the dice fall as told."""
    pop(game)
    for die in range(DICE):
        if told >> die & 1:
            game.dice[player, die] = 1 + outcome % PIPS
        outcome //= PIPS


@inlined
def find_first_player(game):
    """The lowest sum is first; among equals the one closest clockwise to the previous first player."""
    if game.settings & Setting.SHARED_DICE:
        if game.round_number > 1:
            game.first_player = (game.first_player + 1) % game.players
        return
    first = game.first_player
    for place in range(1, game.players):
        player = (game.first_player + place) % game.players
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
        player = (game.first_player + place) % game.players
        for die in range(DICE):
            if game.dice[player, die] > 0:
                ledger.pips[player] += game.dice[player, die]
                ledger.dice_rolled[player] += 1
        if event.on == Trigger.DICE_PHASE:
            run_effect(game, tables, ledger, player, event, Source.EVENT)
    push(game, Task.REVEAL, 0, 0)
    push_in_turn_order(game, Task.PLACE_TILES, 0)


@inlined
def list_placements(game, player, out):
    """PLACE_TILES: a different tile on each die, as digits in base 7; equal dice are interchangeable."""
    first, second, third = game.dice[player, 0], game.dice[player, 1], game.dice[player, 2]
    count = 0
    for one in range(TILES):
        if second == 0:
            out[count] = one
            count += 1
            continue
        for two in range(TILES):
            if two == one or (first == second and two < one):
                continue
            if third == 0:
                out[count] = one + TILES * two
                count += 1
                continue
            for three in range(TILES):
                if three in (one, two):
                    continue
                if (third == first and three < one) or (third == second and three < two):
                    continue
                out[count] = one + TILES * two + TILES * TILES * three
                count += 1
    return count


@inlined
def place_tiles(game, player, placement):
    """PLACE_TILES: put the tiles on the dice, face down."""
    pop(game)
    for die in range(DICE):
        if game.dice[player, die] > 0:
            game.tile[player, die] = placement % TILES
            placement //= TILES
