"""Seeds for making players, for choosing among them and for judging them: ranges that never meet.

A player that was chosen by its luck on some seeds looks stronger on these than it is. So every study that
trains a player takes its seed from `TRAINING`, every one that chooses between players (a setting, a stage, a
candidate) from `CHOOSING`, and every published strength comes from `JUDGING`. The games of a panel, whose
decisions grade players, have seeds of `PANEL`. Other seeds are the user's.
"""

TRAINING = range(1_000_000_000, 2_000_000_000)
CHOOSING = range(2_000_000_000, 3_000_000_000)
JUDGING = range(3_000_000_000, 4_000_000_000)
PANEL = range(4_000_000_000, 5_000_000_000)


def seed_in(seeds: range, number: int) -> int:
    """The seed with a number in a range; numbers past its end begin again."""
    return seeds[number % len(seeds)]
