"""Holdings of a player, and the state of the game."""

import numpy as np

from khora_sim.engine import achievements
from khora_sim.engine.bits import has, size
from khora_sim.rules.terms import COLOURS, Gain, Track, Trigger
from khora_sim.strategy.decorators import macro, public, public_rule
from khora_sim.strategy.reading.decisions import player
from khora_sim.strategy.reading.gains import gain_on


@macro
def round_number(view):
    """1 to 9; 0 in the draft."""
    return view.game.round_number


@macro
def rounds_left(view):
    """Rounds still to come after this one."""
    return view.tables.rounds - view.game.round_number


@macro
def table_size(view):
    """Players at the table."""
    return view.game.players


@macro
def is_last_round(view):
    """Tell if nothing comes after this round."""
    return view.game.round_number >= view.tables.rounds


@macro
def drachmas(view):
    """Drachmas of the player."""
    return view.game.drachmas[view.me]


@macro
def points(view):
    """Points on the score track; see `points_if_over` for what the end would add."""
    return view.game.vp[view.me]


@macro
def citizens(view):
    """Citizens of the player."""
    return view.game.citizens[view.me]


@macro
def troops(view):
    """Troops of the player."""
    return view.game.troops[view.me]


@macro
def tax(view):
    """Tax level."""
    return view.game.tax[view.me]


@macro
def glory(view):
    """Glory level."""
    return view.game.glory[view.me]


@macro
def philosophy(view):
    """Philosophy tokens."""
    return view.game.philosophy[view.me]


@macro
def level(view, track):
    """Level on a progress track (Track)."""
    return view.game.level[view.me, track]


@macro
def economy(view):
    """Economy level."""
    return view.game.level[view.me, Track.ECONOMY]


@macro
def culture(view):
    """Culture level."""
    return view.game.level[view.me, Track.CULTURE]


@macro
def military(view):
    """Military level."""
    return view.game.level[view.me, Track.MILITARY]


@public
def minors(view):
    """Minor knowledge tokens of all colours."""
    total = 0
    for colour in range(COLOURS):
        total += view.game.minor[view.me, colour]
    return total


@public
def majors(view):
    """Major knowledge tokens of all colours."""
    total = 0
    for colour in range(COLOURS):
        total += view.game.major[view.me, colour]
    return total


@macro
def knowledge(view, colour):
    """Knowledge tokens of a colour, minor and major alike."""
    return view.game.minor[view.me, colour] + view.game.major[view.me, colour]


@macro
def hand(view):
    """The set of cards in hand; `lowest` and `without_lowest` walk through it."""
    return view.game.hand[view.me]


@macro
def hand_size(view):
    """Cards in hand, also of other players."""
    return view.game.hand_size[view.me]


@macro
def holds_card(view, card):
    """Tell if a card is in the player's hand."""
    return has(view.game.hand[view.me], card)


@macro
def has_in_play(view, card):
    """Tell if a card is in play before the player."""
    return has(view.game.in_play[view.me], card)


@macro
def cards_in_play(view):
    """Number of cards that the player has in play."""
    return size(view.game.in_play[view.me])


@macro
def developments(view):
    """Developments unlocked, the one of the set-up included: 1 to 4."""
    return view.game.development[view.me]


@macro
def dice_next_round(view):
    """Dice the player will roll next time: 2 or 3."""
    return view.game.dice_count[view.me]


@macro
def city(view):
    """The player's city, as its place among the cities of the rules; see the parameter `city`."""
    return np.int64(view.game.city[view.me])


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
    """Tell if nobody has earned an Achievement yet."""
    return view.game.achieved[achievement] == 0


@public_rule
def missing_for_achievement(view, achievement):
    """Amount that a player lacks for an Achievement; 0: it has enough now."""
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
    """Tell if this round's event rewards the most troops or hurts the fewest."""
    if view.game.round_number == 0:
        return False
    return view.tables.events[view.game.events[view.game.round_number - 1]].by_troops == 1
