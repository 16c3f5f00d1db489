"""Looks ahead: tries promising options in worlds that could be, and takes what leads to the best positions.

Its candidates are what a strong fast player likes best, and the first choices of players with other plans.
Each is tried in a world that it cannot tell from the real one, the same for all candidates, and played on to
the start of the next round. What the position is worth there is a learned value: the chance to win. Its own
moves on the way are made by the fast player, and for the best candidates by the other plans too; a candidate
is worth what the best of them makes of it. One world flatters what is lucky in it, so the few best are
compared again in more worlds. The fast player also moves for a single opponent. Two or three opponents
matter less one by one, so players that cost less move for them.
"""

from typing import Any, NamedTuple

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
    keep_trail,
    leave_trail,
    look_ahead,
    parameter,
    place_hidden_tiles,
    play_on,
    rule,
    scratch,
    table_size,
    tile_on,
    win_chance,
)

TRAITS = Traits(
    name="sage",
    family="balanced",
    summary="Plays candidates on to the next round in possible worlds, and trusts a learned value there.",
    deterministic=True,
    source="rollouts with policy switching, common random numbers and a value from self-play",
    spares=2157,  # a trial, 12 trails of 13 positions, 2,000 worlds
    policies=("adept", "expert", "merchant", "patron", "conqueror", "developer"),
    learned="sage.npz",
)

worlds = parameter(1, least=1, most=1000, help="worlds that every candidate is tried in")
policies = parameter(4, least=1, most=6, help="plans that its own moves follow in turn")
breadth = parameter(6, least=1, most=250, help="candidates that the fast player suggests")
finalists = parameter(4, least=1, most=250, help="candidates that all plans are tried with")
rivals = parameter(3, least=2, most=250, help="candidates that are compared again in more worlds")
more_worlds = parameter(4, least=0, most=1000, help="worlds in which rivals are compared again")

FAST = 0  # the policy that suggests most candidates
PLANS = 6  # all policies
#: The policies that move for everybody else at tables of 2, 3 and 4: the more players, the less they cost.
OTHERS = np.array([FAST, 1, 2])
TRIAL, FIRST_WORLD = 1, 2  # spare games; trails are behind the last world
TRAILS, ROOM = 12, 12  # first tries that keep a trail, and own decisions of each
CHOICES, STARTS = TRAILS * ROOM, TRAILS + 1
NEVER = -1.0  # below any chance to win
BEHIND = 0.999  # whatever is no rival stays behind the last of them
TILE_SETS = 128


class Tries(NamedTuple):
    """First tries of the candidates, one in each of the first worlds; the first of them keep a trail."""

    first: Any  # number of its first try, by candidate
    starts: Any  # spare game where a trail starts: one begins behind the other
    choices: Any  # ROOM for each trail
    decisions: Any  # by trail
    chances: Any  # at the end of each trail


@rule
def tile_set(view, option):
    """The tiles that a placement uses, whichever die they lie on; 0 for any other option."""
    used = 0
    for place in range(DICE):
        if is_tiles(view) and die(view, place) > 0:
            used |= 1 << tile_on(option, place)
    return used


@rule
def best_of(scores):
    """The place of the first of the highest ratings."""
    best = 0
    for place in range(1, len(scores)):
        if scores[place] > scores[best]:
            best = place
    return best


@rule
def mark(view, options, place, chances, seen):
    """Make an option a candidate, unless it places the same tiles as another one."""
    used = tile_set(view, options[place])
    if seen[used] == 0:
        chances[place] = 0.0
        seen[used] = is_tiles(view)


@rule
def find_candidates(view, options, scores, chances):
    """Mark the best options of the fast player and the first choices of the other plans."""
    seen = scratch(TILE_SETS)
    for place in range(len(options)):
        chances[place] = NEVER
    for policy in range(PLANS):
        advise(view, policy, scores)
        for _ in range(min(int(breadth(view)), len(options)) if policy == FAST else 1):
            best = best_of(scores)
            mark(view, options, best, chances, seen)
            for place in range(len(options)):
                if place == best or (is_tiles(view) and seen[tile_set(view, options[place])] > 0):
                    scores[place] = -np.inf


@rule
def others(view):
    """The policy that plays for everybody else."""
    return OTHERS[table_size(view) - 2]


@rule
def draw_worlds(view, first, last):
    """Fill spare games with worlds that could be, others' hidden tiles placed."""
    for world in range(first, last):
        determinize(view, FIRST_WORLD + world, world)
        place_hidden_tiles(view, FIRST_WORLD + world, FAST)


@rule
def chance_in(view, option, plan, world):
    """The chance to win in a world after an option, if the player's own moves follow a plan."""
    look_ahead(in_spare(view, FIRST_WORLD + world), option, TRIAL)
    play_on(view, TRIAL, plan, others(view), End.ROUND)
    return win_chance(in_spare(view, TRIAL))


@rule
def chance_by_trail(view, option, plan, world, number, tries):
    """The same in a world where the first plan keeps a trail: others only play what differs from it."""
    trail, choices = int(tries.starts[number]), tries.choices[number * ROOM : (number + 1) * ROOM]
    if plan == FAST:
        look_ahead(in_spare(view, FIRST_WORLD + world), option, TRIAL)
        made = keep_trail(view, TRIAL, plan, others(view), End.ROUND, trail, choices)
        tries.decisions[number], tries.chances[number] = made, win_chance(in_spare(view, TRIAL))
        tries.starts[number + 1] = trail + 1 + min(made, ROOM)
    else:
        made = int(tries.decisions[number])
        if leave_trail(view, TRIAL, plan, others(view), End.ROUND, trail, choices, made):
            return win_chance(in_spare(view, TRIAL))
    return tries.chances[number]


@rule
def chance_at_first(view, options, place, plan, tries):
    """The mean chance to win over the first worlds after an option; the first plan comes before others."""
    total, count = 0.0, int(worlds(view))
    for world in range(count):
        number = int(tries.first[place]) + world
        if number < TRAILS:
            total += chance_by_trail(view, np.int64(options[place]), plan, world, number, tries)
        else:
            total += chance_in(view, np.int64(options[place]), plan, world)
    return total / count


@rule
def try_plans(view, options, scores, chances, plans, tries):
    """Try all plans with the best candidates: each is worth what the best plan makes of it."""
    for _ in range(min(int(finalists(view)), len(options))):
        best = best_of(chances[: len(options)])
        if chances[best] == NEVER:
            return
        chances[best] = NEVER
        for plan in range(1, int(policies(view))):
            chance = chance_at_first(view, options, best, plan, tries)
            if chance > scores[best]:
                scores[best], plans[best] = chance, plan


@rule
def chance_later(view, option, plan, first, last):
    """The mean chance to win over further worlds after an option with a plan."""
    total = 0.0
    for world in range(first, last):
        total += chance_in(view, option, plan, world)
    return total / (last - first)


@rule
def compare_again(view, options, scores, chances, plans):
    """Compare the best candidates in more worlds, each with the plan that was best for it."""
    first, last = int(worlds(view)), int(worlds(view) + more_worlds(view))
    draw_worlds(view, first, last)
    chances[: len(options)] = scores
    lowest = 1.0
    for _ in range(min(int(rivals(view)), len(options))):
        best = best_of(chances[: len(options)])
        if chances[best] != NEVER:
            chances[best] = NEVER
            again = chance_later(view, np.int64(options[best]), int(plans[best]), first, last)
            scores[best] = (scores[best] * first + again * (last - first)) / last
            lowest = min(lowest, scores[best])
    for place in range(len(options)):
        if chances[place] != NEVER:
            scores[place] = min(scores[place], BEHIND * lowest)


@rule
def rate(view, options, scores):
    """Rate the candidates by what they lead to; all other options are below them."""
    chances, plans = scratch(MAX_OPTIONS), scratch(MAX_OPTIONS)
    tries = Tries(scratch(MAX_OPTIONS), scratch(STARTS), scratch(CHOICES), scratch(TRAILS), scratch(TRAILS))
    tries.starts[0] = FIRST_WORLD + worlds(view) + more_worlds(view)
    find_candidates(view, options, scores, chances)
    draw_worlds(view, 0, int(worlds(view)))
    made = 0
    for place in range(len(options)):
        if chances[place] != NEVER:
            tries.first[place] = made
            made += int(worlds(view))
            chances[place] = chance_at_first(view, options, place, FAST, tries)
        scores[place] = chances[place]
    try_plans(view, options, scores, chances, plans, tries)
    if more_worlds(view) > 0:
        compare_again(view, options, scores, chances, plans)
