"""How the player stands: points if the game ended now, rank, income, achievements."""

import numpy as np

from khora_sim.engine import achievements
from khora_sim.rules.terms import Gain, Track, Trigger
from khora_sim.strategy.decorators import public, public_rule
from khora_sim.strategy.reading.ahead import player
from khora_sim.strategy.reading.gains import gain_on
from khora_sim.strategy.reading.holdings import majors


@public
def points_if_over(view):
    """Points if the game ended now: score track, end-game cards and developments, glory x major tokens."""
    return (
        view.game.vp[view.me]
        + gain_on(view, Trigger.FINAL_SCORING, Gain.VP)
        + view.game.glory[view.me] * majors(view)
    )


@public_rule
def best_rival_points(view):
    """The most points another player would have if the game ended now."""
    best = np.int64(0)
    for seat in range(view.game.players):
        if seat != view.me:
            best = max(best, points_if_over(player(view, seat)))
    return best


@public_rule
def rank(view):
    """The player's place if the game ended now: 1 is the lead."""
    mine = points_if_over(view)
    place = 1
    for seat in range(view.game.players):
        if seat != view.me:
            place += points_if_over(player(view, seat)) > mine
    return place


@public_rule
def income(view):
    """Drachmas a round brings by itself: tax, and what is had in the tax phase."""
    return view.game.tax[view.me] + gain_on(view, Trigger.TAX_PHASE, Gain.DRACHMAS)


@public_rule
def trade_income(view):
    """Drachmas of a trade action."""
    return (
        view.game.level[view.me, Track.ECONOMY]
        + view.tables.trade_bonus
        + gain_on(view, Trigger.TRADE, Gain.DRACHMAS)
    )


@public_rule
def culture_points(view):
    """Points of a culture action."""
    return view.game.level[view.me, Track.CULTURE] + gain_on(view, Trigger.CULTURE, Gain.VP)


@public_rule
def is_achievement_open(view, achievement):
    """Whether nobody has earned an Achievement yet."""
    return view.game.achieved[achievement] == 0


@public_rule
def missing_for_achievement(view, achievement):
    """How much a player lacks for an Achievement; 0: it has enough now."""
    needed = view.tables.achievement_needs[achievement]
    return max(needed - achievements.reached(view.game, view.me, achievement), 0)


@public
def most_troops_of_others(view):
    """The most troops another player has."""
    most = np.int64(0)
    for seat in range(view.game.players):
        if seat != view.me:
            most = max(most, np.int64(view.game.troops[seat]))
    return most


@public
def least_troops_of_others(view):
    """The fewest troops another player has."""
    least = np.int64(1000)
    for seat in range(view.game.players):
        if seat != view.me:
            least = min(least, np.int64(view.game.troops[seat]))
    return least


@public
def event_looks_at_troops(view):
    """Whether this round's event rewards the most troops or hurts the fewest."""
    if view.game.round_number == 0:
        return False
    return view.tables.events[view.game.events[view.game.round_number - 1]].by_troops == 1
