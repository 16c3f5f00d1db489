"""Plays as another strategy does, but must do some things wherever it can, and may not do others.

The strategy it builds on (`base`) rates the options. Those that do what is forced then come before all
others, and those that do what is barred come last, each in the order of the base. So a game can always be
played on, and whatever is neither forced nor barred is decided as the base would. What a development, a track
or an action is worth to a player shows when it must be used, or must not.
"""

import numpy as np

from khora_sim.strategy.toolkit import (
    DEVELOPMENTS,
    YES,
    Action,
    Traits,
    action_parameter,
    advise,
    can_develop,
    developments,
    is_card_to_play,
    is_development,
    is_exploration,
    is_free_action,
    is_free_level,
    is_level_to_pay,
    is_payment,
    is_tiles,
    is_token_to_buy,
    is_token_to_gain,
    is_unpaid,
    level,
    look_ahead,
    misses_for_development,
    needs_philosophy_to_climb,
    parameter,
    pays_for,
    places,
    round_number,
    rule,
    space_parameter,
    track_parameter,
)

TRAITS = Traits(
    name="restricted",
    family="wrapper",
    summary="Plays as its base does, with things that it must do and things that it may not.",
    deterministic=True,
    source="restricted play: what a thing is worth shows when it is forced or barred",
    spares=1,
    policies=("steward",),
)

force_development = parameter(
    0,
    least=0,
    most=DEVELOPMENTS,
    help="unlock developments up to this one as soon as they can be paid; 0: none",
)
force_track = track_parameter(help="climb this track before all others whenever a level can be paid")
force_level = parameter(99, least=1, most=99, help="with force_track: up to this level")
force_action = action_parameter(help="take this action whenever its tile can be paid")
every = parameter(1, least=1, most=99, help="with force_action: only in every so many rounds")
from_round = parameter(1, least=1, most=99, help="what is forced is forced from this round on")
bar_development = parameter(
    0, least=0, most=DEVELOPMENTS, help="never unlock this development or later ones; 0: none"
)
bar_track = track_parameter(help="never climb this track where another choice is there")
bar_action = action_parameter(help="never take this action where another choice is there")
bar_space = space_parameter(help="never explore this space")

BASE = 0  # the policy that rates what is neither forced nor barred
SPARE = 1


@rule
def takes(view, option, action):
    """Whether an option takes an action, or makes sure of it: a tile that is placed, or paid for."""
    if is_tiles(view):
        return places(view, option, action)
    if is_payment(view):
        return pays_for(view, option, action)
    return is_free_action(view) and option == action


@rule
def climbs(view, option, track):
    """Whether an option is a level of a track."""
    return (is_level_to_pay(view) or is_free_level(view)) and option == track


@rule
def leaves_too_little(view, option):
    """Whether an option spends what the next development costs."""
    spends = is_level_to_pay(view) or is_card_to_play(view) or is_token_to_buy(view)
    return spends and can_develop(view) and not can_develop(look_ahead(view, option, SPARE))


@rule
def towards_development(view, option):
    """1 for an option that brings the next development nearer, -1 for one that takes it out of reach."""
    if is_development(view):
        return 1 if option == YES else 0
    is_token = (is_token_to_buy(view) or is_token_to_gain(view)) and option >= 0
    if is_token and misses_for_development(view, option) > 0:
        return 1
    if takes(view, option, Action.DEVELOPMENT) and can_develop(view):
        return 0 if is_tiles(view) and is_unpaid(view, option, Action.DEVELOPMENT) else 1
    return -1 if leaves_too_little(view, option) else 0


@rule
def is_forced(view, option):
    """Whether an option takes the forced action or climbs the forced track."""
    track, action = int(force_track(view)), int(force_action(view))
    if track >= 0 and climbs(view, option, track) and level(view, track) < force_level(view):
        return not needs_philosophy_to_climb(view)
    if action >= 0 and round_number(view) % every(view) == 0 and takes(view, option, action):
        return not (is_tiles(view) and is_unpaid(view, option, action))
    return False


@rule
def is_barred(view, option):
    """Whether an option does what the player may not do."""
    if is_development(view) and option == YES and 0 < bar_development(view) <= developments(view) + 1:
        return True
    track, action, space = int(bar_track(view)), int(bar_action(view)), int(bar_space(view))
    if space >= 0 and is_exploration(view) and option == space:
        return True
    return (track >= 0 and climbs(view, option, track)) or (action >= 0 and takes(view, option, action))


@rule
def standing(view, option):
    """Where an option stands: below 0 what is barred, above 0 what is forced."""
    if is_barred(view, option):
        return -2
    if round_number(view) < from_round(view):
        return 0
    if is_forced(view, option):
        return 1
    return towards_development(view, option) if developments(view) < force_development(view) else 0


@rule
def rate(view, options, scores):
    """The ratings of the base, moved apart by where the options stand."""
    advise(view, BASE, scores)
    apart = np.max(scores) - np.min(scores) + 1.0
    for number in range(len(options)):
        scores[number] += apart * standing(view, np.int64(options[number]))
