"""The special effects: what each is in words, when it may happen, and which keys it takes.

What one does is in `engine/effects.py`; what it asks the player is in the file of its phase.
"""

from enum import IntEnum
from typing import NamedTuple

from khora_sim.rules.terms import word


class Special(IntEnum):
    """Effects that are more than a gain; each is one function of the engine."""

    NONE = 0
    # standing modifiers (on = "always")
    TOKEN_PRICE = 1  # a minor token costs `number` drachmas in a trade action
    CHEAPER_LEVELS = 2  # every level paid for is `number` drachmas cheaper
    CHEAPER_PROGRESS = 3  # the same, in the progress phase only
    PROGRESS_LEVELS = 4  # `number` levels in total in the progress phase
    FREE_ECONOMY = 5  # economy levels are free in the progress phase
    SPARES_TROOPS = 6  # exploring loses `number` troops less
    EXPLORATIONS = 7  # a military action may explore `number` times
    SELLS_GLORY = 8  # 1 glory may be given up for the gain, as often as wished
    # at once
    TAKE_BACK_CARD = 9  # one of the player's other cards in play returns to hand
    TAKE_ACTIONS = 10  # take `number` actions of kind `action`
    CHOOSE_GAIN = 11  # one of `choices`
    CHOOSE_TRACKS = 12  # +1 free level on each of `number` different tracks
    # events
    LOSE_PHILOSOPHY = 13  # all philosophy tokens
    LOSE_TOKEN = 14  # one knowledge token of choice; who lost one gets the gain
    DISCARD = 15  # `number` cards of choice
    CHEAPER_STEP = 16  # may move up 1 level for `number` drachmas less (on `track`, or on any)
    ANY_ACTION = 17  # may take one action other than military


class SpecialEffect(NamedTuple):
    """Knowledge of the rules about a special effect."""

    words: str  # with {number}, {gain} ... where they are filled in
    on: str = "at-once"  # the trigger it goes with; "actions": at once, or whenever an action is taken
    number: tuple[int, int] | None = None  # the range of `number`, if it takes one
    takes: tuple[str, ...] = ()  # of gain, action, track and choices
    at_set_up: bool = False  # whether a first development may have it; those on "always" may


SPECIALS = {
    Special.TOKEN_PRICE: SpecialEffect("a minor token costs {drachmas} in a trade action", "always", (0, 99)),
    Special.CHEAPER_LEVELS: SpecialEffect("every level paid for is {drachmas} cheaper", "always", (1, 9)),
    Special.CHEAPER_PROGRESS: SpecialEffect(
        "every level paid for in the progress phase is {drachmas} cheaper", "always", (1, 9)
    ),
    Special.PROGRESS_LEVELS: SpecialEffect(
        "levels in total in the progress phase: {number}", "always", (1, 9)
    ),
    Special.FREE_ECONOMY: SpecialEffect("economy levels are free in the progress phase", "always"),
    Special.SPARES_TROOPS: SpecialEffect("exploring loses {troops} less", "always", (1, 9)),
    Special.EXPLORATIONS: SpecialEffect("explorations in a military action: {number}", "always", (1, 4)),
    Special.SELLS_GLORY: SpecialEffect(
        "1 glory may be given up for {gain}, as often as wished", "always", takes=("gain",)
    ),
    Special.TAKE_BACK_CARD: SpecialEffect("take another card in play back to hand"),
    Special.TAKE_ACTIONS: SpecialEffect(
        "take {number} x the {action} action", number=(1, 4), takes=("action",)
    ),
    Special.CHOOSE_GAIN: SpecialEffect(
        "choose one: {choices}", "actions", takes=("choices",), at_set_up=True
    ),
    Special.CHOOSE_TRACKS: SpecialEffect(
        "1 free level on each of {number} different tracks", number=(1, 3), at_set_up=True
    ),
    Special.LOSE_PHILOSOPHY: SpecialEffect("lose all philosophy tokens"),
    Special.LOSE_TOKEN: SpecialEffect(
        "lose a knowledge token of choice; who lost one gets {gain}", takes=("gain",)
    ),
    Special.DISCARD: SpecialEffect("discard {cards} of choice", number=(1, 9)),
    Special.CHEAPER_STEP: SpecialEffect(
        "may move up 1 level on {track} track for {drachmas} less", number=(0, 9), takes=("track",)
    ),
    Special.ANY_ACTION: SpecialEffect("may take one action other than military"),
}

BY_WORD = {word(special): facts for special, facts in SPECIALS.items()}
STANDING = tuple(name for name, facts in BY_WORD.items() if facts.on == "always")
#: What a first development may have: nobody has cards in play, and no action is taken yet.
AT_SET_UP = (*STANDING, "none", *(name for name, facts in BY_WORD.items() if facts.at_set_up))


def takers(key: str) -> tuple[str, ...]:
    """The special effects that take a key."""
    return tuple(name for name, facts in BY_WORD.items() if key in facts.takes)
