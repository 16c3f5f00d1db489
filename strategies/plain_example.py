"""A template in plain Python: takes what brings most at once, and explores the dearest space it can reach.

Plain Python is the easiest way to try an idea out: `choose` gets a view and the options and gives one of them
back. It prefers tiles that cost no citizens, culture above all, climbs culture first, and never declines what
it can have. Copy this file, change `choose`, and run `khora strategies check` on the copy.
"""

from functools import cache

from khora_sim.engine.agenda import Task
from khora_sim.rules.terms import Action, Track
from khora_sim.strategy.toolkit import Traits

TRAITS = Traits(
    name="plain-example",
    family="example",
    summary="Plain Python: cheap tiles, culture first, never declines.",
    deterministic=True,
    source="a template",
)

LIKED = {Action.CULTURE: 3, Action.TRADE: 2, Action.MILITARY: 2, Action.LEGISLATION: 1}


class Player:
    """One player for one game; what it keeps in `self` it keeps for that game."""

    def choose(self, view, options):
        """One of the options."""
        decision = view.decision
        if decision is Task.PLACE_TILES:
            worth = worth_of_tiles(tuple(view.dice[view.me].tolist()))
            return max(options, key=worth.__getitem__)
        if decision is Task.CLIMB and Track.CULTURE in options:
            return int(Track.CULTURE)
        if decision is Task.EXPLORE:
            return max(options)
        return options[0]


@cache
def worth_of_tiles(dice):
    """What every placement of tiles on these dice is worth: liked tiles, less the citizens they cost."""
    tiles = range(len(Action))
    digits = [(one, two, three) for three in tiles for two in tiles for one in tiles]
    return [
        sum(LIKED.get(tile, 0) - max(tile - die, 0) for tile, die in zip(placed, dice, strict=True) if die)
        for placed in digits
    ]
