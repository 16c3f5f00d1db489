"""A position for a player: its features, and what they come to."""

import numpy as np

from khora_sim.engine.achievements import reached
from khora_sim.engine.agenda import Phase, Task
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    ACTIONS,
    COLOURS,
    DEVELOPMENTS,
    GAINS,
    MAX_CARDS,
    TRACKS,
    Gain,
    Special,
)
from khora_sim.strategy.compiling import inlined, rule, short
from khora_sim.strategy.evaluator.features import (
    ADDED_UP,
    ENOUGH_CITIZENS,
    ENOUGH_DRACHMAS,
    FEATURES,
    Feature,
)
from khora_sim.strategy.evaluator.worth import time_left, unit_values, worth_at_once, worth_later
from khora_sim.strategy.toolkit.costs import has_next_development, missing_tokens
from khora_sim.strategy.toolkit.holdings import citizens, drachmas, majors, minors, rounds_left
from khora_sim.strategy.toolkit.standing import (
    event_looks_at_troops,
    least_troops_of_others,
    most_troops_of_others,
    points_if_over,
)
from khora_sim.strategy.toolkit.worth import has_special

#: Room for one decision, in one array: where each part of it begins.
UNIT = 0  # what one more of each Gain is worth: first, so that the room itself serves as list of units
CARD = UNIT + GAINS  # what a card brings at once and later, if it is in hand
CARD_LATER = CARD + MAX_CARDS  # what a card in play still brings
CITY = CARD_LATER + MAX_CARDS  # the same for developments: at once and later
CITY_LATER = CITY + DEVELOPMENTS
KNOWN = CITY_LATER + DEVELOPMENTS  # the features of cards and tokens as they stand before the decision
FACTS = KNOWN + FEATURES  # features of the position at hand
COLOUR = FACTS + FEATURES  # what one more token of a colour is worth
ALONE = COLOUR + COLOURS  # what each action is worth by itself
TOGETHER = ALONE + ACTIONS  # what two actions are worth beyond that
ROOM = TOGETHER + ACTIONS * ACTIONS


@rule
def prepare(view, weights, room):
    """Work out once per decision what the cards and developments are worth that it may touch."""
    unit_values(view, weights, room)
    cards = view.game.hand[view.me]
    if view.decision == Task.TAKE_BACK_CARD or _may_take_back(view):
        cards |= view.game.in_play[view.me]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        prepare_card(view, weights, room, card)
    had = view.game.development[view.me]
    for step in range(had, min(had + 2, DEVELOPMENTS)):
        development = view.tables.developments[view.game.city[view.me], step]
        later = worth_later(view, development, room, weights)
        room[CITY + step] = worth_at_once(view, development, room, weights) + later
        room[CITY_LATER + step] = later
    _cards_and_city(view, weights, room, KNOWN)


@inlined
def _may_take_back(view):
    """Whether a card in hand, or a development to come, brings a card back from play to hand."""
    had = view.game.development[view.me]
    for step in range(had, min(had + 2, DEVELOPMENTS)):
        development = view.tables.developments[view.game.city[view.me], step]
        for place in range(development.effect_count):
            if development.effects[place].special == Special.TAKE_BACK_CARD:
                return True
    cards = view.game.hand[view.me]
    while cards != 0:
        if has_special(view, lowest(cards), Special.TAKE_BACK_CARD):
            return True
        cards = without_lowest(cards)
    return False


@inlined
def prepare_card(view, weights, room, card):
    """Work out what one card is worth, less its price."""
    source = view.tables.cards[card]
    later = worth_later(view, source, room, weights)
    now = worth_at_once(view, source, room, weights)
    room[CARD_LATER + card] = later
    room[CARD + card] = max(now + later - source.cost * room[UNIT + Gain.DRACHMAS], 0.0)


@short
def nearness(missing, weights):
    """The share of its worth that a card or development keeps while it misses tokens."""
    return max(1.0 - missing * weights[Feature.MISSING_TOKEN], 0.0)


@short
def _same_cards_and_tokens(view):
    """Whether the player's cards, tokens and developments are what they were before the decision."""
    game, before, me = view.game, view.desk[0], view.me
    changed = (game.hand[me] ^ before.hand[me]) | (game.in_play[me] ^ before.in_play[me])
    changed |= game.development[me] ^ before.development[me]
    changed |= game.hand_size[me] ^ before.hand_size[me]
    for colour in range(COLOURS):
        changed |= game.minor[me, colour] ^ before.minor[me, colour]
        changed |= game.major[me, colour] ^ before.major[me, colour]
    return changed == 0


@inlined
def _later(room, cards):
    """What a set of cards still brings while in play."""
    total = 0.0
    while cards != 0:
        total += room[CARD_LATER + lowest(cards)]
        cards = without_lowest(cards)
    return total


@rule
def _cards_and_city(view, weights, room, at):
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
        in_hand += room[CARD + card] * nearness(missing_tokens(view, tables.cards[card]), weights)
    room[at + Feature.HAND] = time * in_hand
    room[at + Feature.UNKNOWN_CARDS] = time * (game.hand_size[me] - known)
    before = view.desk[0]
    room[at + Feature.WORKING] = _later(room, game.in_play[me] & ~before.in_play[me]) - _later(
        room, before.in_play[me] & ~game.in_play[me]
    )
    for step in range(before.development[me], game.development[me]):
        room[at + Feature.WORKING] += room[CITY_LATER + step]
    room[at + Feature.DEVELOPMENT] = 0.0
    room[at + Feature.CITY_TOKENS] = 0.0
    if has_next_development(view):
        city = tables.developments[game.city[me]]
        coming = np.int64(game.development[me])
        near = nearness(missing_tokens(view, city[coming]), weights)
        room[at + Feature.DEVELOPMENT] = time * near * room[CITY + coming]
        room[at + Feature.CITY_TOKENS] = time * missing_tokens(view, city[DEVELOPMENTS - 1])


@inlined
def _achievements(view, room, at):
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
    room[at + Feature.ACHIEVEMENTS_MET] = met * time_left(view)
    room[at + Feature.ACHIEVEMENTS_NEAR] = near * time_left(view)


@inlined
def _event(view, room, at):
    """How the troops stand in the eyes of this round's event."""
    room[at + Feature.MOST_TROOPS] = 0.0
    room[at + Feature.FEWEST_TROOPS] = 0.0
    if view.game.phase <= Phase.PROGRESS and event_looks_at_troops(view):
        own = view.game.troops[view.me]
        room[at + Feature.MOST_TROOPS] = 1.0 if own >= most_troops_of_others(view) else 0.0
        event = view.tables.events[view.game.events[view.game.round_number - 1]]
        if event.has_lowest == 1 and own <= least_troops_of_others(view):
            room[at + Feature.FEWEST_TROOPS] = 1.0


@inlined
def measure(view, weights, room, at):
    """Write down all features of a position for its player."""
    game, me = view.game, view.me
    time = time_left(view)
    rounds = rounds_left(view)
    major = majors(view)
    room[at + Feature.POINTS] = points_if_over(view)
    if _same_cards_and_tokens(view):
        for feature in range(Feature.WORKING, Feature.CITY_TOKENS + 1):
            room[at + feature] = room[KNOWN + feature]
    else:
        _cards_and_city(view, weights, room, at)
    purse = drachmas(view)
    room[at + Feature.DRACHMAS] = time * min(purse, ENOUGH_DRACHMAS)
    room[at + Feature.DRACHMAS_BEYOND] = time * max(purse - ENOUGH_DRACHMAS, 0)
    people = min(citizens(view), view.tables.max_citizens)
    room[at + Feature.CITIZENS] = time * min(people, ENOUGH_CITIZENS)
    room[at + Feature.CITIZENS_BEYOND] = time * max(people - ENOUGH_CITIZENS, 0)
    room[at + Feature.TROOPS] = time * min(game.troops[me], view.tables.max_troops)
    room[at + Feature.TAX] = rounds * game.tax[me]
    room[at + Feature.GLORY] = rounds * game.glory[me]
    room[at + Feature.MAJORS] = rounds * major
    room[at + Feature.MINORS] = time * (minors(view) + major)
    for track in range(TRACKS):
        room[at + Feature.ECONOMY + track] = rounds * game.level[me, track]
    room[at + Feature.THIRD_DIE] = rounds * (game.dice_count[me] - view.tables.start_dice)
    room[at + Feature.PHILOSOPHY] = time * game.philosophy[me]
    _achievements(view, room, at)
    _event(view, room, at)


@rule
def value(view, weights, room):
    """What a position is worth to its player, in points."""
    measure(view, weights, room, FACTS)
    even = 0.0  # two sums: the processor adds them at the same time
    odd = 0.0
    for feature in range(0, ADDED_UP, 2):
        even += weights[feature] * room[FACTS + feature]
        odd += weights[feature + 1] * room[FACTS + feature + 1]
    return even + odd
