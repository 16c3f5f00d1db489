"""What a game can count, and what stops it: a number is right, or the game ends with the reason.

Rules have no upper limit for drachmas, points and tokens, but 16 bits do. Only variants come near.
"""

from enum import IntEnum

import numpy as np

from khora_sim.engine.compiling import inlined
from khora_sim.engine.record import AGENDA, MOST, MOST_TOKENS


class Fault(IntEnum):
    """Why a game had to stop, by the fault of its rules; 0: it did not."""

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
    """What a player holds after a gain or a loss, which stops at 0; past the most the game has to stop."""
    after = np.int64(before) + change
    if after > most:
        game.fault = fault
        return np.int64(most)
    return max(after, np.int64(0))
