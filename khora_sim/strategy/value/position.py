"""Value of a position to its player: its features, and what they come to by their weights."""

import numpy as np

from khora_sim.engine.achievements import reached
from khora_sim.engine.agenda import Phase
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.memory import scratch
from khora_sim.engine.seat import shown
from khora_sim.rules.terms import ACHIEVEMENTS, COLOURS, DEVELOPMENTS, TRACKS, Gain, Trigger
from khora_sim.strategy.decorators import inlined, macro, rule
from khora_sim.strategy.reading.costs import has_next_development, missing_tokens
from khora_sim.strategy.reading.gains import gain_on
from khora_sim.strategy.reading.holdings import (
    citizens,
    drachmas,
    event_looks_at_troops,
    least_troops_of_others,
    majors,
    minors,
    most_troops_of_others,
    rounds_left,
)
from khora_sim.strategy.value.features import ADDED_UP, ENOUGH_CITIZENS, ENOUGH_DRACHMAS, FEATURES, Feature
from khora_sim.strategy.value.prices import time_left
from khora_sim.strategy.value.worths import nearness


@macro
def _same_cards_and_tokens(view):
    """Tell if the player's cards, tokens and developments are what they were before the decision."""
    game, before, me = view.game, shown(view.seat), view.me
    changed = (game.hand[me] ^ before.hand[me]) | (game.in_play[me] ^ before.in_play[me])
    changed |= game.development[me] ^ before.development[me]
    changed |= game.hand_size[me] ^ before.hand_size[me]
    for colour in range(COLOURS):
        changed |= game.minor[me, colour] ^ before.minor[me, colour]
        changed |= game.major[me, colour] ^ before.major[me, colour]
    return changed == 0


@inlined
def _later(worths, cards):
    """Worth that a set of cards still brings while in play."""
    total = 0.0
    while cards != 0:
        total += worths.card_later[lowest(cards)]
        cards = without_lowest(cards)
    return total


@rule
def measure_cards(view, weights, worths, facts):
    """Cards in hand and in play, developments had and to come."""
    game, tables, me = view.game, view.tables, view.me
    time = time_left(view)
    in_hand = 0.0
    cards = game.hand[me]
    known = 0
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        known += 1
        missing = missing_tokens(view, tables.cards[card])
        in_hand += worths.card[card] * nearness(missing, weights[Feature.MISSING_TOKEN])
    facts[Feature.HAND] = time * in_hand
    facts[Feature.UNKNOWN_CARDS] = time * (game.hand_size[me] - known)
    before = shown(view.seat)
    played = _later(worths, game.in_play[me] & ~before.in_play[me])
    facts[Feature.WORKING] = played - _later(worths, before.in_play[me] & ~game.in_play[me])
    for step in range(before.development[me], game.development[me]):
        facts[Feature.WORKING] += worths.city_later[step]
    facts[Feature.DEVELOPMENT] = 0.0
    facts[Feature.CITY_TOKENS] = 0.0
    if has_next_development(view):
        city = tables.developments[game.city[me]]
        coming = np.int64(game.development[me])
        near = nearness(missing_tokens(view, city[coming]), weights[Feature.MISSING_TOKEN])
        facts[Feature.DEVELOPMENT] = time * near * worths.city[coming]
        facts[Feature.CITY_TOKENS] = time * missing_tokens(view, city[DEVELOPMENTS - 1])


@macro
def citizens_worth(view, weights, people):
    """Worth of so many citizens."""
    people = min(people, view.tables.max_citizens)
    return time_left(view) * (
        weights[Feature.CITIZENS] * min(people, ENOUGH_CITIZENS)
        + weights[Feature.CITIZENS_BEYOND] * max(people - ENOUGH_CITIZENS, 0)
    )


@inlined
def _achievements(view, facts):
    """Open achievements: met, or near."""
    met = 0
    near = 0.0
    for achievement in range(ACHIEVEMENTS):
        if view.game.achieved[achievement] == 0:
            needed = view.tables.achievement_needs[achievement]
            have = reached(view.game, view.me, achievement)
            if have >= needed:
                met += 1
            else:
                near += have / needed
    facts[Feature.ACHIEVEMENTS_MET] = met * time_left(view)
    facts[Feature.ACHIEVEMENTS_NEAR] = near * time_left(view)


@inlined
def _event(view, facts):
    """Features of the troops in the eyes of this round's event."""
    facts[Feature.MOST_TROOPS] = 0.0
    facts[Feature.FEWEST_TROOPS] = 0.0
    if view.game.phase <= Phase.PROGRESS and event_looks_at_troops(view):
        own = view.game.troops[view.me]
        facts[Feature.MOST_TROOPS] = 1.0 if own >= most_troops_of_others(view) else 0.0
        event = view.tables.events[view.game.events[view.game.round_number - 1]]
        if event.has_lowest == 1 and own <= least_troops_of_others(view):
            facts[Feature.FEWEST_TROOPS] = 1.0


@inlined
def measure(view, weights, worths, facts):
    """Write down all features of a position for its player."""
    game, me = view.game, view.me
    time = time_left(view)
    rounds = rounds_left(view)
    major = majors(view)
    facts[Feature.POINTS] = game.vp[me] + game.glory[me] * major
    if game.awaited[me] >> Trigger.FINAL_SCORING & 1:
        facts[Feature.POINTS] += gain_on(view, Trigger.FINAL_SCORING, Gain.VP)
    if _same_cards_and_tokens(view):
        for feature in range(Feature.WORKING, Feature.CITY_TOKENS + 1):
            facts[feature] = worths.known[feature]
    else:
        measure_cards(view, weights, worths, facts)
    purse = drachmas(view)
    facts[Feature.DRACHMAS] = time * min(purse, ENOUGH_DRACHMAS)
    facts[Feature.DRACHMAS_BEYOND] = time * max(purse - ENOUGH_DRACHMAS, 0)
    people = min(citizens(view), view.tables.max_citizens)
    facts[Feature.CITIZENS] = time * min(people, ENOUGH_CITIZENS)
    facts[Feature.CITIZENS_BEYOND] = time * max(people - ENOUGH_CITIZENS, 0)
    facts[Feature.TROOPS] = time * min(game.troops[me], view.tables.max_troops)
    facts[Feature.TAX] = rounds * game.tax[me]
    facts[Feature.GLORY] = rounds * game.glory[me]
    facts[Feature.MAJORS] = rounds * major
    facts[Feature.MINORS] = time * (minors(view) + major)
    for track in range(TRACKS):
        facts[Feature.ECONOMY + track] = rounds * game.level[me, track]
    facts[Feature.THIRD_DIE] = rounds * (game.dice_count[me] - view.tables.start_dice)
    facts[Feature.PHILOSOPHY] = time * game.philosophy[me]
    _achievements(view, facts)
    _event(view, facts)


@rule
def value(view, weights, worths):
    """Value of a position to its player, in points."""
    facts = scratch(FEATURES)
    measure(view, weights, worths, facts)
    even = 0.0  # two sums: the processor adds them at the same time
    odd = 0.0
    for feature in range(0, ADDED_UP, 2):
        even += weights[feature] * facts[feature]
        odd += weights[feature + 1] * facts[feature + 1]
    return even + odd
