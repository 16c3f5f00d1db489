"""One game is one record: every field on one line with its range, nested arrays by seat.

A batch is an array of these, a copy is a memcpy, and a view is the same record with what its player
cannot know blanked out. Every field is signed, so that the source means the same compiled and uncompiled.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.compiling import inlined
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    COLOURS,
    DICE,
    MAX_CARDS,
    MAX_DRAWN,
    MAX_PLAYERS,
    MAX_ROUNDS,
    TRACKS,
)

SEATS = MAX_PLAYERS
AGENDA = 32  # things still to do at once; random play of all variants needs fewer than 24
UNKNOWN = -1  # no card, event or tile, or one that a view hides
HIDDEN = -2  # in a view: a card that another player has drawn
MOST = 32_767  # drachmas, points or philosophy tokens of a player: what 16 bits hold
MOST_TOKENS = 9_999  # minor tokens of one colour: those of all colours together fit 16 bits as well

GAME = np.dtype(
    [
        # the seed and the options of this game
        ("seed", "u8"),  # addresses all chance; 0 in a view
        ("settings", "i2"),  # set of Setting bits
        ("players", "i2"),  # 2-4
        # where the game stands
        ("round_number", "i2"),  # 0 before the first, then 1-9
        ("phase", "i2"),  # Phase
        ("first_player", "i2"),  # seat
        ("step", "i4"),  # decisions taken so far by players
        ("agenda_size", "i2"),
        ("fault", "i1"),  # Fault: why the game had to stop; 0: it goes on
        ("agenda", "i1", (AGENDA, 3)),  # a stack of (Task, seat, value), the last is next
        # the board
        ("explored", "i8"),  # set of spaces whose tokens are taken
        ("events", "i1", (MAX_ROUNDS,)),  # event of each round; UNKNOWN in views until announced
        ("deck_top", "i2"),  # position of the next card in `deck`, which is a ring
        ("deck_size", "i2"),
        ("deck", "i1", (MAX_CARDS,)),
        ("achieved", "i1", (ACHIEVEMENTS,)),  # set of seats that earned it; 0: still open
        ("drawn", "i1", (MAX_DRAWN,)),  # cards on offer in a legislation action; UNKNOWN: none
        # each player
        ("city", "i1", (SEATS,)),
        ("development", "i1", (SEATS,)),  # 0 before the set-up, then 1-4
        ("drachmas", "i2", (SEATS,)),  # 0-MOST
        ("vp", "i2", (SEATS,)),  # 0-MOST; score track; the final score once the game is over
        ("citizens", "i2", (SEATS,)),  # 0-15, more only between legislation and the end of the phase
        ("tax", "i2", (SEATS,)),  # 0-10
        ("glory", "i2", (SEATS,)),  # 0-10
        ("troops", "i2", (SEATS,)),  # 0-15, more only inside a military action
        ("level", "i2", (SEATS, TRACKS)),  # 1-7
        ("philosophy", "i2", (SEATS,)),  # 0-MOST
        ("minor", "i2", (SEATS, COLOURS)),  # 0-MOST_TOKENS; minor knowledge tokens
        ("major", "i2", (SEATS, COLOURS)),  # 0-240: four lie on each of 60 spaces at most
        ("hand", "i8", (SEATS,)),  # set of cards; empty for others in a view
        ("hand_size", "i1", (SEATS,)),  # known to all
        ("in_play", "i8", (SEATS,)),  # set of cards
        ("pack", "i8", (SEATS,)),  # cards to pick from in the draft
        # this round
        ("dice_count", "i1", (SEATS,)),  # 2-3, what the next roll uses
        ("dice", "i1", (SEATS, DICE)),  # 1-6; 0: no such die this round
        ("tile", "i1", (SEATS, DICE)),  # Action on each die; UNKNOWN before it is known
        ("ready", "i1", (SEATS,)),  # set of dice whose tile has been paid for
        ("active", "i1", (SEATS,)),  # set of Actions whose tile has been paid for
        ("climbed", "i1", (SEATS,)),  # levels moved up in this progress phase
        (
            "decided",
            "i4",
            (SEATS,),
        ),  # decisions taken in this round: they address the player's own random bits
        # what cards and developments change for good (worked out again when they change)
        ("awaited", "i2", (SEATS,)),  # set of Triggers that something in play waits for
        ("token_price", "i1", (SEATS,)),
        ("discount", "i2", (SEATS,)),  # drachmas off every level paid for; 9 from each card at most
        ("progress_discount", "i2", (SEATS,)),  # the same, in the progress phase only
        ("progress_levels", "i2", (SEATS,)),  # levels in a progress phase without philosophy
        ("free_economy", "i1", (SEATS,)),  # 1: economy levels are free in the progress phase
        ("spared_troops", "i2", (SEATS,)),  # troops less to lose when exploring
        ("explorations", "i1", (SEATS,)),  # in one military action
        ("glory_buyer", "i1", (SEATS,)),  # the source that lets glory be sold; -1: none
    ],
    align=True,
)


def new_records(count: int, dtype: np.dtype = GAME) -> np.recarray:
    """An array of blank records with attribute access, as compiled code and people read them."""
    return np.zeros(count, dtype).view(np.recarray)


# What a game can count, and what stops it: a number is right, or the game ends with the reason.
#
# Rules have no upper limit for drachmas, points and tokens, but 16 bits do. Only variants come near.


class Fault(IntEnum):
    """Reasons why a game had to stop, by the fault of its rules; 0: it did not."""

    AGENDA = 1
    VP = 2
    DRACHMAS = 3
    PHILOSOPHY = 4
    TOKENS = 5


_WHY = {
    Fault.AGENDA: (
        f"the rules give more than {AGENDA} things to do at once: effects that take actions set each other "
        "off; let fewer of them do so"
    ),
    Fault.VP: f"the rules give a player more than {MOST:,} victory points",
    Fault.DRACHMAS: f"the rules give a player more than {MOST:,} drachmas",
    Fault.PHILOSOPHY: f"the rules give a player more than {MOST:,} philosophy tokens",
    Fault.TOKENS: f"the rules give a player more than {MOST_TOKENS:,} minor knowledge tokens of one colour",
}


def why_stopped(rules_name: str, fault: int) -> str:
    """The one line about a game that had to stop."""
    why = _WHY[Fault(int(fault))]
    if fault != Fault.AGENDA:
        why += ", and no game counts further; let effects give fewer"
    return f"{rules_name}: {why}"


@inlined
def held(game, before, change, most, fault):
    """Amount after a gain or a loss, which stops at 0; past the most the game has to stop."""
    after = np.int64(before) + change
    if after > most:
        game.fault = fault
        return np.int64(most)
    return max(after, np.int64(0))
