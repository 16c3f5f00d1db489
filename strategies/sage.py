"""Looks ahead: tries promising options in worlds that could be, and takes what leads to the best positions.

Its candidates are what a strong fast player likes best and the first choices of players with other plans. Each
is tried in worlds that it cannot tell from the real one, the same worlds for all candidates, and played on to
the start of the next round. What the position is worth there is a learned value: the chance to win. Its own
moves on the way are made by several plans in turn, and a candidate is worth what the best makes of it.
"""

import numpy as np

from khora_sim.strategy.toolkit import (
    DICE,
    MAX_OPTIONS,
    End,
    Traits,
    advise,
    determinize,
    die,
    in_spare,
    is_tiles,
    look_ahead,
    parameter,
    place_hidden_tiles,
    play_on,
    rule,
    scratch,
    tile_on,
    win_chance,
)

TRAITS = Traits(
    name="sage",
    family="balanced",
    summary="Plays its candidates on to the next round in possible worlds, and trusts a learned value there.",
    deterministic=True,
    source="rollouts with policy switching, common random numbers and a value from self-play",
    spares=2,
    policies=("expert", "steward", "merchant", "patron", "conqueror", "developer"),
    learned="sage.npz",
)

worlds = parameter(1, least=1, most=1000, help="worlds that every candidate is tried in")
policies = parameter(4, least=1, most=6, help="plans that its own moves follow in turn, on from a candidate")
breadth = parameter(6, least=1, most=250, help="candidates that the fast player suggests")

FAST = 0  # the policy that plays for everybody else, and suggests most candidates
WORLD, TRIAL = 1, 2  # spare games
NEVER = -1.0
TILE_SETS = 128
PLANS = 6
TOTALS = PLANS * MAX_OPTIONS


@rule
def tile_set(view, option):
    """The tiles that a placement uses, whichever die they lie on."""
    used = 0
    for place in range(DICE):
        if die(view, place) > 0:
            used |= 1 << tile_on(option, place)
    return used


@rule
def best_of(scores, count):
    """The place of the first of the highest ratings."""
    best = 0
    for place in range(1, count):
        if scores[place] > scores[best]:
            best = place
    return best


@rule
def mark_candidates(view, options, scores, is_candidate):
    """Mark the best options of the fast player, no two placements of the same tiles, and the first choices of
    the other plans."""
    count = len(options)
    seen = scratch(TILE_SETS)
    advise(view, FAST, scores)
    for _ in range(min(int(breadth(view)), count)):
        best = best_of(scores, count)
        if scores[best] == -np.inf:
            break
        is_candidate[best] = 1.0
        if is_tiles(view):
            seen[tile_set(view, options[best])] = 1.0
            for place in range(count):
                if seen[tile_set(view, options[place])] > 0:
                    scores[place] = -np.inf
        scores[best] = -np.inf
    for policy in range(1, PLANS):
        advise(view, policy, scores)
        best = best_of(scores, count)
        if not is_tiles(view) or seen[tile_set(view, options[best])] == 0:
            is_candidate[best] = 1.0
            if is_tiles(view):
                seen[tile_set(view, options[best])] = 1.0


@rule
def rate(view, options, scores):
    """Rate the candidates by what they lead to; all other options are below them."""
    count, plans = len(options), int(policies(view))
    is_candidate, total = scratch(MAX_OPTIONS), scratch(TOTALS)
    mark_candidates(view, options, scores, is_candidate)
    for world in range(int(worlds(view))):
        determinize(view, WORLD, world)
        place_hidden_tiles(view, WORLD, FAST)
        for place in range(count):
            if is_candidate[place] > 0:
                for plan in range(plans):
                    look_ahead(in_spare(view, WORLD), np.int64(options[place]), TRIAL)
                    play_on(view, TRIAL, plan, FAST, End.ROUND)
                    total[place * PLANS + plan] += win_chance(in_spare(view, TRIAL))
    for place in range(count):
        scores[place] = NEVER
        if is_candidate[place] > 0:
            for plan in range(plans):
                scores[place] = max(scores[place], total[place * PLANS + plan] / worlds(view))
