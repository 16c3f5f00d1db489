"""Troops and the exploration zone: what can be reached, what it costs, what lies there."""

from khora_sim.engine.bits import has
from khora_sim.engine.effects import knowledge
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, Gain, Track, Trigger
from khora_sim.strategy.decorators import macro, public_rule
from khora_sim.strategy.reading.gains import gain_on


@public_rule
def troops_after_muster(view):
    """Troops of the player inside a military action taken now, before it explores."""
    return (
        view.game.troops[view.me]
        + view.game.level[view.me, Track.MILITARY]
        + gain_on(view, Trigger.MILITARY, Gain.TROOPS)
    )


@macro
def is_unexplored(view, space):
    """Whether a space still has its tokens."""
    return not has(view.game.explored, space)


@macro
def can_reach(view, space, troops):
    """Whether a space is unexplored and so many troops suffice."""
    return is_unexplored(view, space) and view.tables.spaces[space].needed <= troops


@macro
def troops_lost(view, space):
    """Troops the player would lose in exploring a space."""
    return max(view.tables.spaces[space].lost - view.game.spared_troops[view.me], 0)


@public_rule
def space_majors(view, space):
    """Major tokens on a space."""
    total = 0
    for colour in range(COLOURS):
        total += view.tables.spaces[space].major[colour]
    return total


@public_rule
def space_minors(view, space):
    """Minor tokens on a space."""
    total = 0
    for colour in range(COLOURS):
        total += view.tables.spaces[space].minor[colour]
    return total


@public_rule
def space_wanted(view, space):
    """Tokens on a space that the city's developments still miss."""
    if view.game.development[view.me] >= DEVELOPMENTS:
        return 0
    last = view.tables.developments[view.game.city[view.me], DEVELOPMENTS - 1]
    total = 0
    for colour in range(COLOURS):
        lying = view.tables.spaces[space].minor[colour] + view.tables.spaces[space].major[colour]
        total += min(lying, max(last.needs[colour] - knowledge(view.game, view.me, colour), 0))
    return total


@public_rule
def space_worth(view, space, major, wanted, troop):
    """A plain worth of a space: its points and drachmas, so much for each major token and each wanted one,
    less so much for each troop lost.
    """
    lying = view.tables.spaces[space]
    return (
        lying.vp
        + 0.5 * lying.drachmas
        + 0.5 * space_minors(view, space)
        + major * space_majors(view, space)
        + wanted * space_wanted(view, space)
        - troop * troops_lost(view, space)
    )


@public_rule
def best_space(view, troops, major, wanted, troop):
    """The space within reach of so many troops with the highest `space_worth`; -1: none."""
    best = -1
    most = 0.0
    for space in range(view.tables.space_count):
        if can_reach(view, space, troops):
            worth = space_worth(view, space, major, wanted, troop)
            if best < 0 or worth > most:
                best = space
                most = worth
    return best
