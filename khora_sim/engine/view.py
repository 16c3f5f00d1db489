"""The view of a player, and how what it cannot see is filled in at random.

A view is the record with what its player cannot know blanked out: others' hands and packs, the order of
the deck, coming events, tiles before the reveal, the seed and with it all chance to come.
"""

import numpy as np

from khora_sim.engine.agenda import Phase, Task, next_up
from khora_sim.engine.bits import BIT, lowest, without_lowest
from khora_sim.engine.chance import Stream, draw
from khora_sim.engine.compiling import inlined
from khora_sim.engine.dice import TILES
from khora_sim.engine.memory import copy_record
from khora_sim.engine.record import HIDDEN, UNKNOWN
from khora_sim.engine.setup import order_events, shuffle_cards
from khora_sim.rules.terms import DICE, MAX_CARDS, MAX_DRAWN, MAX_ROUNDS


@inlined
def show(game, player, seen):
    """Write what a player may see of a game into another record."""
    copy_record(seen, game)
    seen.seed = 0
    seen.step = 0
    for card in range(MAX_CARDS):
        seen.deck[card] = UNKNOWN
    for coming in range(game.round_number, MAX_ROUNDS):
        seen.events[coming] = UNKNOWN
    mine = game.agenda_size > 0 and next_up(game)[1] == player
    if not mine:
        for drawn in range(MAX_DRAWN):
            if seen.drawn[drawn] != UNKNOWN:
                seen.drawn[drawn] = HIDDEN
    for other in range(game.players):
        seen.decided[other] = 0
        if other == player:
            continue
        seen.hand[other] = 0
        seen.pack[other] = 0
        if game.phase == Phase.DICE:
            for die in range(DICE):
                seen.tile[other, die] = UNKNOWN


@inlined
def unseen_cards(seen, tables, player):
    """The set of cards a player has not before its eyes."""
    unseen = np.int64(0)
    for card in range(tables.card_count):
        unseen |= BIT[card]
    for other in range(seen.players):
        unseen &= ~seen.in_play[other]
    unseen &= ~seen.hand[player]
    unseen &= ~seen.pack[player]
    for drawn in range(MAX_DRAWN):
        if seen.drawn[drawn] >= 0:
            unseen &= ~BIT[seen.drawn[drawn]]
    return unseen


@inlined
def determinize(seen, tables, player, seed):
    """Fill a view in at random from what its player has not seen: one game that could be."""
    seen.seed = seed
    _fill_cards(seen, tables, player)
    order_events(seen, tables, seen.round_number)
    if seen.phase == Phase.DICE:
        for other in range(seen.players):
            if other != player and seen.dice[other, 0] > 0 and not still_places(seen, other):
                _fill_tiles(seen, other)


@inlined
def _fill_cards(seen, tables, player):
    """Shuffle the unseen cards; deal them to hands, packs and drawn cards; the rest is the deck."""
    unseen = unseen_cards(seen, tables, player)
    count = 0
    while unseen != 0:
        seen.deck[count] = lowest(unseen)
        unseen = without_lowest(unseen)
        count += 1
    shuffle_cards(seen.deck, count, tables, seen.seed, Stream.UNSEEN)
    for other in range(seen.players):
        if other == player:
            continue
        for _ in range(seen.hand_size[other]):
            count -= 1
            seen.hand[other] |= BIT[seen.deck[count]]
        if seen.phase == Phase.DRAFT:
            for _ in range(tables.hand_dealt - seen.hand_size[other]):
                count -= 1
                seen.pack[other] |= BIT[seen.deck[count]]
    for drawn in range(MAX_DRAWN):
        if seen.drawn[drawn] == HIDDEN:
            count -= 1
            seen.drawn[drawn] = seen.deck[count]
    for place in range(count, MAX_CARDS):
        seen.deck[place] = UNKNOWN
    seen.deck_top = 0
    seen.deck_size = count


@inlined
def still_places(seen, player):
    """Tell if a player has yet to place its tiles."""
    for place in range(seen.agenda_size):
        if seen.agenda[place, 0] == Task.PLACE_TILES and seen.agenda[place, 1] == player:
            return True
        if seen.agenda[place, 0] == Task.ROLLED:
            return True
    return False


@inlined
def _fill_tiles(seen, player):
    """Put random different tiles on the dice of another player."""
    used = np.int64(0)
    for die in range(DICE):
        if seen.dice[player, die] == 0:
            continue
        chosen = draw(seen.seed, Stream.UNSEEN, player, seen.round_number, MAX_CARDS + die, TILES)
        while used & BIT[chosen]:
            chosen = (chosen + 1) % TILES
        used |= BIT[chosen]
        seen.tile[player, die] = chosen
