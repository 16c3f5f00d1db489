"""The agenda: what is still to do, as a stack in the record, and the names of all things to do.

Rules never call each other in circles: an effect that starts an action puts it on the agenda. So nested
choices (a card inside an event inside a card) need no path of their own.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.compiling import inlined
from khora_sim.engine.record import AGENDA, Fault
from khora_sim.rules.specials import Special


class Phase(IntEnum):
    """Parts of a round."""

    DRAFT = 0
    EVENT_ANNOUNCEMENT = 1
    TAX = 2
    DICE = 3  # until the tiles are revealed
    CITIZENS = 4  # the rest of the dice phase: tiles are revealed and paid for
    ACTION = 5
    PROGRESS = 6
    EVENT_RESOLUTION = 7
    ACHIEVEMENT = 8
    FINAL_SCORING = 9
    OVER = 10


class Task(IntEnum):
    """Everything that can stand on the agenda; from PICK_CARD on, somebody must decide."""

    # the engine's own work
    DRAFT = 0  # value: cards each player has picked so far
    FIRST_DEVELOPMENTS = 1
    ROUND = 2
    TAX = 3
    ROLL = 4
    ROLLED = 5
    REVEAL = 6
    ACTIONS = 7  # value: SEATS x tile + place in turn order, the first that is not done
    END_ACTIONS = 8
    PROGRESS = 9  # value: how many players are done
    END_PROGRESS = 10
    EVENT = 11
    EVENT_HALF = 12  # value: 0 the effect, 1 what happens to the lowest
    END_EVENT = 13
    ACHIEVEMENTS = 14  # value: how many achievements are done
    END_ROUND = 15
    ACTION = 16  # value: Action
    END_MILITARY = 17
    FINAL_SCORING = 18
    # somebody's decision
    PICK_CARD = 19  # draft: a card
    TELL_DICE = 20  # chance, with open dice; value: set of dice; pips - 1 of each, in base 6
    REROLL = 21  # a set of dice to roll again
    PLACE_TILES = 22  # a tile for each die
    PAY_CITIZENS = 23  # a whole payment: see `citizens.payment`
    KEEP_CARD = 24  # legislation: a drawn card or none
    BUY_TOKEN = 25  # trade: a colour or none
    EXPLORE = 26  # value: explorations left; a space or none
    PLAY_CARD = 27  # politics: a card or none
    DEVELOP = 28  # development: yes or no
    CLIMB = 29  # progress phase; value: levels left without philosophy; a track or none
    CLIMB_CHEAPER = 30  # event; value: its source; a track or none
    GAIN_TOKEN = 31  # value: tokens to gain; a colour
    TAKE_BACK_CARD = 32  # value: the source, which cannot be taken itself; a card in play
    CHOOSE_GAIN = 33  # value: the source; one of its gains
    CHOOSE_TRACK = 34  # value: set of tracks out of the question + 8 x levels to gain; a track or none
    LOSE_TOKEN = 35  # value: the source; a colour, + 3 for a major token
    DISCARD = 36  # value: cards to discard
    CHOOSE_ACTION = 37  # value: the source; an action other than military, or none
    TAX_OR_GLORY = 38  # achievement earned alone
    SELL_GLORY = 39  # value: glory.BEFORE_FINAL_SCORING or glory.BEFORE_ACHIEVEMENTS


FIRST_DECISION = Task.PICK_CARD

#: The decision that a special effect puts before the player, its value the source; -1: none, or one with
#: another value.
ASKED = np.full(len(Special), -1)
ASKED[Special.TAKE_BACK_CARD] = Task.TAKE_BACK_CARD
ASKED[Special.CHOOSE_GAIN] = Task.CHOOSE_GAIN
ASKED[Special.LOSE_TOKEN] = Task.LOSE_TOKEN
ASKED[Special.CHEAPER_STEP] = Task.CLIMB_CHEAPER
ASKED[Special.ANY_ACTION] = Task.CHOOSE_ACTION

# Options of decisions that are not a card, space, colour, track or number of their own.
NONE = -1  # do not
SELL = -2  # give up 1 glory first (Thebes)
YES = 1


@inlined
def next_up(game):
    """Top of the agenda: Task, seat, value.

    Places and seats have no sign on the way: the compiler need not ask whether they count from the end.
    """
    top = np.uint8(game.agenda_size - 1)
    task, seat, value = game.agenda[top, 0], np.uint8(game.agenda[top, 1]), game.agenda[top, 2]
    return np.int64(task), np.int64(seat), np.int64(value)


@inlined
def push(game, task, player, value):
    """Put something on top of the agenda: it is next. Only variants that nest actions dozens deep fill it."""
    place = np.int64(np.uint8(game.agenda_size))
    if place == AGENDA:
        game.fault = Fault.AGENDA
        return
    game.agenda[place, 0] = task
    game.agenda[place, 1] = player
    game.agenda[place, 2] = value
    game.agenda_size = place + 1


@inlined
def pop(game):
    """Take the top off the agenda."""
    game.agenda_size -= 1


@inlined
def seat_at(game, place):
    """The seat at a place in turn order, 0 to the number of players; without a division, which is slow."""
    seat = game.first_player + place
    return seat - game.players if seat >= game.players else seat


@inlined
def push_in_turn_order(game, task, value):
    """Put the same thing on the agenda for everyone, the first player on top."""
    for place in range(game.players - 1, -1, -1):
        push(game, task, seat_at(game, place), value)


@inlined
def or_none(out, count):
    """Close a list of options that nobody may decline: NONE only if there is nothing else."""
    if count == 0:
        out[0] = NONE
        return 1
    return count
