"""What a player has, and where the game stands."""

import numpy as np

from khora_sim.engine.bits import has, size
from khora_sim.rules.terms import COLOURS, Track
from khora_sim.strategy.decorators import macro, public


@macro
def round_number(view):
    """1 to 9; 0 in the draft."""
    return view.game.round_number


@macro
def rounds_left(view):
    """Rounds still to come after this one."""
    return view.tables.rounds - view.game.round_number


@macro
def table_size(view):
    """Players at the table."""
    return view.game.players


@macro
def is_last_round(view):
    """Whether nothing comes after this round."""
    return view.game.round_number >= view.tables.rounds


@macro
def drachmas(view):
    """Drachmas of the player."""
    return view.game.drachmas[view.me]


@macro
def points(view):
    """Points on the score track; see `points_if_over` for what the end would add."""
    return view.game.vp[view.me]


@macro
def citizens(view):
    """Citizens of the player."""
    return view.game.citizens[view.me]


@macro
def troops(view):
    """Troops of the player."""
    return view.game.troops[view.me]


@macro
def tax(view):
    """Tax level."""
    return view.game.tax[view.me]


@macro
def glory(view):
    """Glory level."""
    return view.game.glory[view.me]


@macro
def philosophy(view):
    """Philosophy tokens."""
    return view.game.philosophy[view.me]


@macro
def level(view, track):
    """Level on a progress track (Track)."""
    return view.game.level[view.me, track]


@macro
def economy(view):
    """Economy level."""
    return view.game.level[view.me, Track.ECONOMY]


@macro
def culture(view):
    """Culture level."""
    return view.game.level[view.me, Track.CULTURE]


@macro
def military(view):
    """Military level."""
    return view.game.level[view.me, Track.MILITARY]


@public
def minors(view):
    """Minor knowledge tokens of all colours."""
    total = 0
    for colour in range(COLOURS):
        total += view.game.minor[view.me, colour]
    return total


@public
def majors(view):
    """Major knowledge tokens of all colours."""
    total = 0
    for colour in range(COLOURS):
        total += view.game.major[view.me, colour]
    return total


@macro
def knowledge(view, colour):
    """Knowledge tokens of a colour, minor and major alike."""
    return view.game.minor[view.me, colour] + view.game.major[view.me, colour]


@macro
def hand(view):
    """The set of cards in hand; `lowest` and `without_lowest` walk through it."""
    return view.game.hand[view.me]


@macro
def hand_size(view):
    """Cards in hand, also of other players."""
    return view.game.hand_size[view.me]


@macro
def holds_card(view, card):
    """Whether a card is in the player's hand."""
    return has(view.game.hand[view.me], card)


@macro
def has_in_play(view, card):
    """Whether a card is in play before the player."""
    return has(view.game.in_play[view.me], card)


@macro
def cards_in_play(view):
    """How many cards the player has in play."""
    return size(view.game.in_play[view.me])


@macro
def developments(view):
    """Developments unlocked, the one of the set-up included: 1 to 4."""
    return view.game.development[view.me]


@macro
def dice_next_round(view):
    """Dice the player will roll next time: 2 or 3."""
    return view.game.dice_count[view.me]


@macro
def city(view):
    """The player's city, as its place among the cities of the rules; see the parameter `city`."""
    return np.int64(view.game.city[view.me])
