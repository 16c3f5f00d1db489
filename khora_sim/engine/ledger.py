"""The ledger: what a study wants to know beyond the state, kept beside the record.

Look-ahead writes into a ledger that nobody reads, so that the record stays small.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.bits import size
from khora_sim.engine.compiling import inlined
from khora_sim.engine.record import SEATS
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    ACTIONS,
    COLOURS,
    DEVELOPMENTS,
    DICE,
    MAX_CARDS,
    MAX_ROUNDS,
    Track,
)


class Source(IntEnum):
    """Sources of points; a card is its own number, 0-63."""

    DEVELOPMENT = MAX_CARDS  # the first of four
    EVENT = MAX_CARDS + DEVELOPMENTS
    EVENT_LOWEST = MAX_CARDS + DEVELOPMENTS + 1
    TRACK_LEVEL = MAX_CARDS + DEVELOPMENTS + 2
    CULTURE_ACTION = MAX_CARDS + DEVELOPMENTS + 3
    EXPLORATION = MAX_CARDS + DEVELOPMENTS + 4
    GLORY = MAX_CARDS + DEVELOPMENTS + 5  # glory level x major tokens


SOURCES = Source.GLORY + 1


class Spending(IntEnum):
    """The three uses of philosophy tokens."""

    CITIZENS = 0
    KNOWLEDGE = 1
    LEVELS = 2


class Column(IntEnum):
    """Numbers that are written down of every player after every round."""

    VP = 0
    DRACHMAS = 1
    CITIZENS = 2
    TROOPS = 3
    TAX = 4
    GLORY = 5
    PHILOSOPHY = 6
    ECONOMY = 7
    CULTURE = 8
    MILITARY = 9
    MINOR_TOKENS = 10
    MAJOR_TOKENS = 11
    CARDS_IN_PLAY = 12
    HAND = 13
    DEVELOPMENT = 14
    TILES_USED = 15  # set of Actions
    TILES_SET_ASIDE = 16  # set of Actions
    DICE_SUM = 17


#: 32 bits where a game may pay and take back again and again, and so comes to more than anyone ever holds.
#: No rules let a player take 1,000 actions: 3 dice a round, and what cards, developments and events grant.
LEDGER = np.dtype(
    [
        ("points", "i4", (SEATS, SOURCES)),  # by Source; they sum to the score
        ("card_round", "i1", (SEATS, MAX_CARDS)),  # round in which a card was first played; 0: never
        ("actions", "i2", (SEATS, ACTIONS)),  # actions taken, extra ones too
        ("returns", "i4", (SEATS, ACTIONS)),  # what they brought: see `brought`
        ("set_aside", "i1", (SEATS, ACTIONS)),  # tiles whose citizens could not be paid
        ("achieved_round", "i1", (SEATS, ACHIEVEMENTS)),  # 0: not earned
        ("citizens_spent", "i2", (SEATS,)),
        ("philosophy_spent", "i4", (SEATS, len(Spending))),
        ("pips", "i2", (SEATS,)),  # of all dice as they stood when tiles were placed
        ("dice_rolled", "i2", (SEATS,)),
        ("dealt", "i8", (SEATS,)),  # set of cards dealt at the set-up
        ("drafted", "i8", (SEATS,)),  # set of cards held after the draft
        ("swapped", "i1"),  # the seat, counted from 1, that swaps a card after the draft; 0: nobody
        ("swap_number", "i1"),  # of several such swaps
        ("after_round", "i2", (MAX_ROUNDS, SEATS, len(Column))),
    ],
    align=True,
)


@inlined
def brought(ledger, player, action, amount):
    """Note what an action brought, in its own coin.

    Philosophy tokens, cards kept, points of culture, drachmas of trade, spaces explored, cards played,
    developments unlocked.
    """
    ledger.returns[player, action] += amount


@inlined
def write_round(game, ledger):
    """Write down how every player stands after a round."""
    for player in range(game.players):
        row = ledger.after_round[game.round_number - 1, player]
        row[Column.VP] = game.vp[player]
        row[Column.DRACHMAS] = game.drachmas[player]
        row[Column.CITIZENS] = game.citizens[player]
        row[Column.TROOPS] = game.troops[player]
        row[Column.TAX] = game.tax[player]
        row[Column.GLORY] = game.glory[player]
        row[Column.PHILOSOPHY] = game.philosophy[player]
        row[Column.ECONOMY] = game.level[player, Track.ECONOMY]
        row[Column.CULTURE] = game.level[player, Track.CULTURE]
        row[Column.MILITARY] = game.level[player, Track.MILITARY]
        row[Column.MINOR_TOKENS] = 0
        row[Column.MAJOR_TOKENS] = 0
        for colour in range(COLOURS):
            row[Column.MINOR_TOKENS] += game.minor[player, colour]
            row[Column.MAJOR_TOKENS] += game.major[player, colour]
        row[Column.CARDS_IN_PLAY] = size(game.in_play[player])
        row[Column.HAND] = game.hand_size[player]
        row[Column.DEVELOPMENT] = game.development[player]
        row[Column.TILES_USED] = game.active[player]
        row[Column.TILES_SET_ASIDE] = 0
        row[Column.DICE_SUM] = 0
        for die in range(DICE):
            row[Column.DICE_SUM] += game.dice[player, die]
            if game.dice[player, die] > 0 and not game.ready[player] >> die & 1:
                row[Column.TILES_SET_ASIDE] |= 1 << game.tile[player, die]
