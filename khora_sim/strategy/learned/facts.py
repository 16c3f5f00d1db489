"""Facts of a learned value: cards, developments and events as vectors of what they ask for and do.

It knows them by these alone, so that a card, city or event that nobody has played with has a
value at once, and a changed one another value than before.
"""

from typing import Any

import numpy as np

from khora_sim.engine.achievements import reached
from khora_sim.engine.bits import lowest, size, without_lowest
from khora_sim.engine.compiling import inlined
from khora_sim.engine.memory import numbers_at, scratch_record
from khora_sim.rules import Rules
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    ACTIONS,
    COLOURS,
    DEVELOPMENTS,
    DICE,
    GAINS,
    MAX_CARDS,
    MAX_CITIES,
    MAX_EVENTS,
    MAX_LEVEL,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_TROOPS,
    TRACKS,
    Condition,
    Gain,
    Kind,
    Quantity,
    Track,
    Trigger,
)
from khora_sim.strategy.decorators import rule
from khora_sim.strategy.reading.costs import missing_tokens, playable_cards
from khora_sim.strategy.reading.gains import gain_on
from khora_sim.strategy.reading.holdings import (
    event_looks_at_troops,
    least_troops_of_others,
    majors,
    most_troops_of_others,
)

#: What describes an effect, in this order, with the length of each.
EFFECT_PARTS = {
    "gain": GAINS,  # whatever sets it off
    "gain_on": len(Trigger) * GAINS,
    "at_the_end_per": len(Quantity),  # points of the final scoring by what they are counted by
    "otherwise_per": len(Quantity),
    "condition": len(Condition),
    "special": len(Special),
    "special_number": len(Special),
    "taken_action": ACTIONS,
    "choice": GAINS,  # the mean of gains to choose from
}
EFFECT_LENGTH = sum(EFFECT_PARTS.values())
SOURCE_LENGTH = 1 + COLOURS + 1 + len(Kind) + EFFECT_LENGTH  # cost, needs, all needs, kind, effects
EVENT_LENGTH = 2 + 2 * EFFECT_LENGTH  # by troops, hurts the lowest, both effects


def effect_vector(effect: Any) -> np.ndarray:
    """One effect of the tables as a vector."""
    parts = {name: np.zeros(length, np.float32) for name, length in EFFECT_PARTS.items()}
    gain = np.asarray(effect["gain"], np.float32)
    if effect["per"] != Quantity.ONE:
        ends = effect["on"] == Trigger.FINAL_SCORING
        parts["at_the_end_per" if ends else "otherwise_per"][effect["per"]] = gain.sum() / effect["every"]
    else:
        parts["gain"] += gain
        parts["gain_on"][effect["on"] * GAINS : (effect["on"] + 1) * GAINS] = gain
    parts["condition"][effect["condition"]] = effect["condition"] != Condition.NONE
    if effect["special"] != Special.NONE:
        parts["special"][effect["special"]] = 1
        parts["special_number"][effect["special"]] = effect["number"]
    if effect["special"] == Special.TAKE_ACTIONS:
        parts["taken_action"][effect["action"]] = effect["number"]
    if effect["choice_count"] > 0:
        choices = np.asarray(effect["choices"], np.float32)[: effect["choice_count"]]
        parts["choice"] += choices.mean(axis=0)
    return np.concatenate(list(parts.values()))


def source_vector(source: Any) -> np.ndarray:
    """A card or development of the tables as a vector."""
    needs = np.asarray(source["needs"], np.float32)
    kind = np.zeros(len(Kind), np.float32)
    kind[source["kind"]] = 1
    effects = np.zeros(EFFECT_LENGTH, np.float32)
    for place in range(source["effect_count"]):
        effects += effect_vector(source["effects"][place])
    return np.concatenate([[source["cost"]], needs, [needs.sum()], kind, effects]).astype(np.float32)


def event_vector(event: Any) -> np.ndarray:
    """An event of the tables as a vector."""
    head = np.array([event["by_troops"], event["has_lowest"]], np.float32)
    lowest = effect_vector(event["lowest"]) * event["has_lowest"]
    return np.concatenate([head, effect_vector(event["effect"]), lowest]).astype(np.float32)


def card_vectors(rules: Rules) -> np.ndarray:
    """The cards of the rules, a row each; rows past the last card are 0."""
    tables = rules.tables
    rows = np.zeros((MAX_CARDS, SOURCE_LENGTH), np.float32)
    for card in range(tables["card_count"]):
        rows[card] = source_vector(tables["cards"][card])
    return rows


def development_vectors(rules: Rules) -> np.ndarray:
    """The developments of all cities: cities x developments, a row each."""
    tables = rules.tables
    rows = np.zeros((MAX_CITIES, DEVELOPMENTS, SOURCE_LENGTH), np.float32)
    for city in range(tables["city_count"]):
        for step in range(DEVELOPMENTS):
            rows[city, step] = source_vector(tables["developments"][city, step])
    return rows


def event_vectors(rules: Rules) -> np.ndarray:
    """The events of the rules, a row each."""
    tables = rules.tables
    rows = np.zeros((MAX_EVENTS, EVENT_LENGTH), np.float32)
    for event in range(tables["event_count"]):
        rows[event] = event_vector(tables["events"][event])
    return rows


ENOUGH = 4  # tokens of a colour that are counted one by one
PIPS = 6
SPACE_NEEDS = (3, 6, 9, 12, 30)  # spaces are counted by the troops that they need

#: The numbers that a learned value sees of one player's place, beside its cards, developments and the event;
#: every fact on one line. All are whole numbers that anybody at the table knows. They are taken at the first
#: decision of a round, with taxes paid and dice rolled, and hold for every variant: none of them is the
#: number of a card, city or event. `rounds` are those still to be played, the one at hand included.
FACTS = np.dtype(
    [
        ("rounds", "f4", (MAX_ROUNDS + 1,)),  # 1 at their number
        ("points", "f4"),  # if the game ended now
        ("points_by_round", "f4"),  # the same x rounds
        ("lead", "f4"),  # points beyond the best other player's
        ("lead_by_round", "f4"),
        ("beyond_mean", "f4"),  # points beyond the mean of the others
        ("score_track", "f4"),
        ("drachmas", "f4"),
        ("first_drachmas", "f4"),  # up to 8
        ("citizens", "f4"),
        ("first_citizens", "f4"),  # up to 6
        ("troops", "f4"),
        ("tax", "f4"),
        ("tax_by_round", "f4"),
        ("glory", "f4"),
        ("glory_by_round", "f4"),
        ("glory_points", "f4"),  # glory x major tokens
        ("majors", "f4"),
        ("majors_by_round", "f4"),
        ("philosophy", "f4"),
        ("philosophy_by_round", "f4"),
        ("minor", "f4", (COLOURS,)),
        ("major", "f4", (COLOURS,)),
        ("tokens_at_least", "f4", (COLOURS, ENOUGH)),
        ("level", "f4", (TRACKS,)),
        ("level_by_round", "f4", (TRACKS,)),
        ("level_is", "f4", (TRACKS, MAX_LEVEL + 1)),
        ("third_die", "f4"),
        ("third_die_by_round", "f4"),
        ("hand_size", "f4"),
        ("hand_by_round", "f4"),
        ("cards_in_play", "f4"),
        ("developments", "f4", (DEVELOPMENTS + 1,)),  # 1 at their number
        ("next_missing", "f4"),  # tokens that the next development misses
        ("next_short", "f4"),  # drachmas that it misses
        ("last_missing", "f4"),  # tokens that the city's last development misses
        ("playable", "f4"),  # own cards that could be paid for now; 0 for others
        ("achievement_open", "f4", (ACHIEVEMENTS,)),
        ("achievement_met", "f4", (ACHIEVEMENTS,)),  # open, and the player has what it asks for
        ("achievement_missing", "f4", (ACHIEVEMENTS,)),  # open: how much the player lacks
        ("most_troops", "f4"),  # 1 if this round's event would reward the player now
        ("fewest_troops", "f4"),  # 1 if it would hurt it
        ("troops_beyond", "f4"),  # troops beyond the most of the others
        ("reach", "f4"),  # unexplored spaces in reach of a military action
        ("dice_is", "f4", (PIPS + 1,)),  # dice by their pips
        ("turn", "f4", (MAX_PLAYERS,)),  # 1 at its place in turn order
        ("trade_income", "f4"),
        ("culture_points", "f4"),
        ("tax_income", "f4"),  # beyond the tax level
        ("spaces_left", "f4", (len(SPACE_NEEDS),)),
    ]
)
COUNT = FACTS.itemsize // 4
FIRST_DRACHMAS, FIRST_CITIZENS = 8, 6
no_facts = scratch_record(FACTS)
fact_numbers = numbers_at(np.float32)  # of such a record, in a row


@inlined
def _holdings(view, rounds, facts):
    """Facts of what the player has, and for how long it still helps."""
    game, me = view.game, view.me
    facts.rounds[rounds] = 1
    facts.score_track = game.vp[me]
    facts.drachmas = game.drachmas[me]
    facts.first_drachmas = min(game.drachmas[me], FIRST_DRACHMAS)
    facts.citizens = game.citizens[me]
    facts.first_citizens = min(game.citizens[me], FIRST_CITIZENS)
    facts.troops = game.troops[me]
    facts.tax = game.tax[me]
    facts.tax_by_round = game.tax[me] * rounds
    facts.glory = game.glory[me]
    facts.glory_by_round = game.glory[me] * rounds
    facts.glory_points = game.glory[me] * majors(view)
    facts.majors = majors(view)
    facts.majors_by_round = majors(view) * rounds
    facts.philosophy = game.philosophy[me]
    facts.philosophy_by_round = game.philosophy[me] * rounds
    facts.hand_size = game.hand_size[me]
    facts.hand_by_round = game.hand_size[me] * rounds
    facts.cards_in_play = size(game.in_play[me])
    facts.third_die = game.dice_count[me] - view.tables.start_dice
    facts.third_die_by_round = facts.third_die * rounds


@inlined
def _tokens_and_levels(view, rounds, facts):
    game, me = view.game, view.me
    for colour in range(COLOURS):
        facts.minor[colour] = game.minor[me, colour]
        facts.major[colour] = game.major[me, colour]
        for least in range(ENOUGH):
            facts.tokens_at_least[colour, least] = game.minor[me, colour] + game.major[me, colour] > least
    for track in range(TRACKS):
        level = game.level[me, track]
        facts.level[track] = level
        facts.level_by_round[track] = level * rounds
        facts.level_is[track, level] = 1


@inlined
def _city(view, facts):
    """Facts of the player's city, and of what its next and its last development still miss."""
    unlocked = view.game.development[view.me]
    facts.developments[unlocked] = 1
    if unlocked == DEVELOPMENTS:
        return
    city = view.tables.developments[view.game.city[view.me]]
    facts.next_missing = missing_tokens(view, city[unlocked])
    facts.next_short = max(city[unlocked].cost - view.game.drachmas[view.me], 0)
    facts.last_missing = missing_tokens(view, city[DEVELOPMENTS - 1])


@inlined
def _achievements(view, facts):
    for achievement in range(ACHIEVEMENTS):
        if view.game.achieved[achievement] == 0:
            missing = view.tables.achievement_needs[achievement] - reached(view.game, view.me, achievement)
            facts.achievement_open[achievement] = 1
            facts.achievement_met[achievement] = missing <= 0
            facts.achievement_missing[achievement] = max(missing, 0)


@inlined
def _troops(view, facts):
    game, me = view.game, view.me
    facts.troops_beyond = game.troops[me] - most_troops_of_others(view)
    if event_looks_at_troops(view):
        facts.most_troops = game.troops[me] >= most_troops_of_others(view)
        facts.fewest_troops = game.troops[me] <= least_troops_of_others(view)
    strength = game.troops[me] + game.level[me, Track.MILITARY]
    left = ~game.explored
    facts.reach = size(view.tables.spaces_within[min(strength, MAX_TROOPS)] & left)
    before = np.int64(0)
    for kind in range(len(SPACE_NEEDS)):
        within = size(view.tables.spaces_within[SPACE_NEEDS[kind]] & left)
        facts.spaces_left[kind] = within - before
        before = within


@inlined
def _round(view, facts):
    """The dice, the place in turn order, and what the usual actions bring."""
    game, me = view.game, view.me
    for die in range(DICE):
        if game.dice[me, die] > 0:
            facts.dice_is[game.dice[me, die]] += 1
    place = me - game.first_player
    facts.turn[place if place >= 0 else place + game.players] = 1
    facts.trade_income = gain_on(view, Trigger.TRADE, Gain.DRACHMAS)
    facts.culture_points = gain_on(view, Trigger.CULTURE, Gain.VP)
    facts.tax_income = gain_on(view, Trigger.TAX_PHASE, Gain.DRACHMAS)


@inlined
def standing(view, rounds, points, facts):
    """Facts of the player's lead, given everybody's points if the game ended now."""
    mine = points[view.me]
    best, total = -10_000.0, 0.0
    for seat in range(view.game.players):
        if seat != view.me:
            best = max(best, points[seat])
            total += points[seat]
    facts.points = mine
    facts.points_by_round = mine * rounds
    facts.lead = mine - best
    facts.lead_by_round = (mine - best) * rounds
    facts.beyond_mean = mine - total // max(view.game.players - 1, 1)


@rule
def gather(view, viewer, points, facts):
    """Write down the facts of a player's place as `viewer` may know them; all of them are 0 before."""
    rounds = np.int64(view.tables.rounds - view.game.round_number + 1)
    _holdings(view, rounds, facts)
    _tokens_and_levels(view, rounds, facts)
    _city(view, facts)
    _achievements(view, facts)
    _troops(view, facts)
    _round(view, facts)
    standing(view, rounds, points, facts)
    if view.me == viewer:
        facts.playable = playable_cards(view)


@inlined
def ready_cards(view):
    """The set of cards in hand whose knowledge the player has."""
    ready = np.int64(0)
    cards = view.game.hand[view.me]
    while cards != 0:
        if missing_tokens(view, view.tables.cards[lowest(cards)]) == 0:
            ready |= cards & -cards
        cards = without_lowest(cards)
    return ready
