"""Sight of a learned policy: the position and every option as short lists of columns and amounts.

A column is a fact, or a card, development, event or space in some role. The net adds up one row of weights
for each entry of a list; training reads the same lists. Cards, developments, events and spaces are known
only by what they do (`policy.py` works their rows out), so a new one has its rows at once.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from khora_sim.engine.achievements import reached
from khora_sim.engine.agenda import FIRST_DECISION, NONE, SELL, Phase, Task
from khora_sim.engine.bits import lowest, size, without_lowest
from khora_sim.engine.compiling import inlined
from khora_sim.engine.dice import citizens_left, paid_dice, tokens_spent
from khora_sim.engine.memory import address_in, scratch, scratch_record
from khora_sim.engine.record import SEATS
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    ACTIONS,
    COLOURS,
    DEVELOPMENTS,
    DICE,
    MAX_CARDS,
    MAX_CITIES,
    MAX_EVENTS,
    MAX_LEVEL,
    MAX_SPACES,
    MAX_TROOPS,
    TRACKS,
    Action,
    Gain,
    Track,
    Trigger,
)
from khora_sim.strategy.decorators import rule
from khora_sim.strategy.learned import facts as places
from khora_sim.strategy.learned.facts import COUNT, fact_numbers, no_facts
from khora_sim.strategy.reading.costs import can_develop, missing_tokens, playable_cards
from khora_sim.strategy.reading.decisions import in_spare, player, try_option
from khora_sim.strategy.reading.gains import gain_on
from khora_sim.strategy.reading.holdings import (
    event_looks_at_troops,
    least_troops_of_others,
    majors,
    minors,
    most_troops_of_others,
)
from khora_sim.strategy.reading.tiles import citizens_for, tile_on, unpaid_dice

TASKS = len(Task) - FIRST_DECISION
PHASES = len(Phase)
PAIRS = ACTIONS * ACTIONS  # of tiles, the smaller number first
MOST_LEFT = 10  # citizens are told apart up to so many
MOST_COST = 8

#: What is seen of each rival, in turn order after the player.
RIVAL = np.dtype(
    [
        ("here", "f4"),
        ("lead", "f4"),  # points beyond the player's, if the game ended now
        ("drachmas", "f4"),
        ("citizens", "f4"),
        ("troops", "f4"),
        ("tax", "f4"),
        ("glory", "f4"),
        ("majors", "f4"),
        ("minors", "f4"),
        ("level", "f4", (TRACKS,)),
        ("developments", "f4"),
        ("hand", "f4"),
        ("in_play", "f4"),
        ("active", "f4", (ACTIONS,)),  # tiles that it has paid for this round
    ]
)
RIVAL_LENGTH = RIVAL.itemsize // 4

#: The columns of a position; every kind on one line.
STATE = np.dtype(
    [
        ("facts", "f4", (COUNT,)),
        ("task", "f4", (TASKS,)),  # 1 at the decision to make
        ("task_value", "f4", (TASKS,)),  # its number, where that counts something
        ("phase", "f4", (PHASES,)),
        ("action_left", "f4", (ACTIONS,)),  # own tiles paid for whose action is still to come this round
        ("placed", "f4", (ACTIONS,)),  # own tiles placed, not yet paid for
        ("next_wants", "f4", (COLOURS,)),  # tokens of a colour that the next development misses
        ("last_wants", "f4", (COLOURS,)),
        ("hand_wants", "f4", (COLOURS,)),  # that the cards in hand miss, added up
        ("short_by_trade", "f4"),  # drachmas that the next development misses even after a trade action
        ("rival", RIVAL, (SEATS - 1,)),
        ("in_play", "f4", (MAX_CARDS,)),
        ("in_play_by_round", "f4", (MAX_CARDS,)),
        ("in_hand", "f4", (MAX_CARDS,)),
        ("in_hand_by_round", "f4", (MAX_CARDS,)),
        ("ready", "f4", (MAX_CARDS,)),  # in hand, and the player has the knowledge that it needs
        ("unlocked", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("unlocked_by_round", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("next", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("next_by_round", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("next_ready", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("later", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("later_by_round", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("event", "f4", (MAX_EVENTS,)),
        ("space", "f4", (MAX_SPACES,)),  # unexplored and in reach of a military action
    ]
)

#: What changes for the player by an option, as far as it happens at once.
CHANGE = np.dtype(
    [
        ("vp", "f4"),
        ("points", "f4"),  # if the game ended now
        ("drachmas", "f4"),
        ("drachmas_left", "f4"),
        ("citizens", "f4"),
        ("troops", "f4"),
        ("troops_left", "f4"),
        ("tax", "f4"),
        ("glory", "f4"),
        ("philosophy", "f4"),
        ("minor", "f4", (COLOURS,)),
        ("major", "f4", (COLOURS,)),
        ("level", "f4", (TRACKS,)),
        ("hand", "f4"),
        ("in_play", "f4"),
        ("dice", "f4"),
        ("development", "f4"),
        ("next_missing", "f4"),  # tokens that the next development misses
        ("second_missing", "f4"),  # and the one after that
        ("last_missing", "f4"),
        ("hand_missing", "f4"),  # tokens that the cards in hand miss
        ("ready", "f4"),  # cards in hand whose knowledge is there
        ("playable", "f4"),  # cards in hand that could be paid for
        ("can_develop", "f4"),
        ("achievement", "f4", (ACHIEVEMENTS,)),  # open, and met by this
        ("most_troops", "f4"),  # this round's event would reward the player
        ("fewest_troops", "f4"),  # it would hurt it
        ("waits", "f4"),  # a choice of the player's own follows
    ]
)
CHANGES = CHANGE.itemsize // 4

#: The columns of an option. All are told apart by the group of the decision, except those with a role.
OPTION = np.dtype(
    [
        ("none", "f4", (TASKS,)),
        ("sell", "f4", (TASKS,)),
        ("number", "f4", (TASKS, 8)),  # options that are a track, colour or number
        ("change", "f4", (TASKS, CHANGES)),
        ("level", "f4", (TRACKS, MAX_LEVEL + 1)),  # climbing: the level that it leads to
        ("action", "f4", (ACTIONS,)),  # a free action
        ("tile", "f4", (ACTIONS,)),  # placed, and its citizens are there
        ("tile_brings", "f4", (ACTIONS,)),  # what its action would bring now, see `see_actions`
        ("tile_unpaid", "f4", (ACTIONS,)),
        ("pair", "f4", (PAIRS,)),  # of tiles whose citizens are there
        ("develop_by_trade", "f4"),  # trade and development together, where it needs both
        ("play_by_trade", "f4"),  # trade and politics: cards that it needs both for
        ("best_space", "f4", (3,)),  # military: wanted tokens of the best space in reach, its majors, VP
        ("cost", "f4", (MOST_COST + 1,)),  # citizens
        ("left", "f4", (MOST_LEFT + 1,)),  # citizens
        ("short", "f4"),  # citizens that are missing
        ("paid", "f4", (ACTIONS,)),
        ("pay_brings", "f4", (ACTIONS,)),
        ("set_aside", "f4", (ACTIONS,)),
        ("spent", "f4"),  # philosophy
        ("pay_left", "f4", (MOST_LEFT + 1,)),
        ("rerolled", "f4", (7,)),  # dice by their pips
        ("picked", "f4", (MAX_CARDS,)),
        ("picked_ready", "f4", (MAX_CARDS,)),
        ("picked_missing", "f4"),
        ("kept", "f4", (MAX_CARDS,)),
        ("kept_by_round", "f4", (MAX_CARDS,)),
        ("kept_ready", "f4", (MAX_CARDS,)),
        ("kept_missing", "f4"),
        ("kept_short", "f4"),  # drachmas
        ("played", "f4", (MAX_CARDS,)),
        ("played_by_round", "f4", (MAX_CARDS,)),
        ("discarded", "f4", (MAX_CARDS,)),
        ("discarded_by_round", "f4", (MAX_CARDS,)),
        ("discarded_ready", "f4", (MAX_CARDS,)),
        ("taken_back", "f4", (MAX_CARDS,)),
        ("taken_back_by_round", "f4", (MAX_CARDS,)),
        ("developed", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("developed_by_round", "f4", (MAX_CITIES, DEVELOPMENTS)),
        ("explored", "f4", (MAX_SPACES,)),
    ]
)
STATE_COLUMNS, OPTION_COLUMNS = STATE.itemsize // 4, OPTION.itemsize // 4


def _at(kind: np.dtype, name: str) -> int:
    """The first column of a name."""
    assert kind.fields is not None
    return kind.fields[name][1] // 4


def columns_of(kind: np.dtype, name: str) -> slice:
    """The columns of a name."""
    first = _at(kind, name)
    return slice(first, first + kind[name].itemsize // 4)


def _places(name: str, kind: np.dtype) -> Any:
    """The first column of each name, for compiled code."""
    names = kind.names or ()
    return namedtuple(name, names)(*(_at(kind, one) for one in names))  # type: ignore


IN_STATE, IN_OPTION = _places("InState", STATE), _places("InOption", OPTION)
IN_RIVAL = _places("InRival", RIVAL)
NUMBERS = 8  # options that are a number below this have a column of their own

#: Entries of a list: more than any position of any variant has.
MOST_ENTRIES = 1024
SIGHT = np.dtype(
    [("count", "i8"), ("column", "i2", (MOST_ENTRIES,)), ("amount", "f4", (MOST_ENTRIES,))], align=True
)
new_sight = scratch_record(SIGHT, blank=False)
#: What the player has before the decision, to compare with, and what its actions would bring.
BEFORE = np.dtype(
    [
        ("own", CHANGE),
        ("brings", "f4", (ACTIONS,)),
        ("by_trade", "f4"),
        ("play_by_trade", "f4"),
        ("best_space", "f4", (3,)),
    ],
    align=True,
)
no_before = scratch_record(BEFORE)
blank_change = scratch_record(CHANGE)
VALUES_COUNT = np.zeros(len(Task), np.int64)  # 1 at tasks whose value is a number of things
VALUES_COUNT[[Task.EXPLORE, Task.CLIMB, Task.GAIN_TOKEN, Task.DISCARD]] = 1


@inlined
def note(sight, column, amount):
    """Add an entry to a list."""
    place = sight.count
    sight.column[place] = column
    sight.amount[place] = amount
    sight.count = place + 1


@inlined
def note_if(sight, column, amount):
    """Add an entry that is not 0."""
    if amount != 0:
        note(sight, column, amount)


@inlined
def _points_if_over(view):
    """Points if the game ended now; most players have nothing yet that the end would score."""
    points = view.game.vp[view.me] + view.game.glory[view.me] * majors(view)
    if view.game.awaited[view.me] >> Trigger.FINAL_SCORING & 1:
        points += gain_on(view, Trigger.FINAL_SCORING, Gain.VP)
    return points


@inlined
def _see_cards(view, rounds, sight):
    cards = view.game.in_play[view.me]
    while cards != 0:
        card = lowest(cards)
        note(sight, IN_STATE.in_play + card, 1)
        note(sight, IN_STATE.in_play_by_round + card, rounds)
        cards = without_lowest(cards)
    cards = view.game.hand[view.me]
    while cards != 0:
        card = lowest(cards)
        note(sight, IN_STATE.in_hand + card, 1)
        note(sight, IN_STATE.in_hand_by_round + card, rounds)
        if missing_tokens(view, view.tables.cards[card]) == 0:
            note(sight, IN_STATE.ready + card, 1)
        cards = without_lowest(cards)


@inlined
def _see_city(view, rounds, sight):
    city, unlocked = view.game.city[view.me] * DEVELOPMENTS, view.game.development[view.me]
    for step in range(DEVELOPMENTS):
        if step < unlocked:
            note(sight, IN_STATE.unlocked + city + step, 1)
            note(sight, IN_STATE.unlocked_by_round + city + step, rounds)
        elif step == unlocked:
            note(sight, IN_STATE.next + city + step, 1)
            note(sight, IN_STATE.next_by_round + city + step, rounds)
            if missing_tokens(view, view.tables.developments[view.game.city[view.me], step]) == 0:
                note(sight, IN_STATE.next_ready + city + step, 1)
        else:
            note(sight, IN_STATE.later + city + step, 1)
            note(sight, IN_STATE.later_by_round + city + step, rounds)


@inlined
def _see_rivals(view, points, sight):
    game = view.game
    for turn in range(1, game.players):
        seat = view.me + turn
        if seat >= game.players:
            seat -= game.players
        first = IN_STATE.rival + (turn - 1) * RIVAL_LENGTH
        other = player(view, seat)
        note(sight, first + IN_RIVAL.here, 1)
        note_if(sight, first + IN_RIVAL.lead, points[seat] - points[view.me])
        note_if(sight, first + IN_RIVAL.drachmas, game.drachmas[seat])
        note_if(sight, first + IN_RIVAL.citizens, game.citizens[seat])
        note_if(sight, first + IN_RIVAL.troops, game.troops[seat])
        note_if(sight, first + IN_RIVAL.tax, game.tax[seat])
        note_if(sight, first + IN_RIVAL.glory, game.glory[seat])
        note_if(sight, first + IN_RIVAL.majors, majors(other))
        note_if(sight, first + IN_RIVAL.minors, minors(other))
        for track in range(TRACKS):
            note(sight, first + IN_RIVAL.level + track, game.level[seat, track])
        note(sight, first + IN_RIVAL.developments, game.development[seat])
        note_if(sight, first + IN_RIVAL.hand, game.hand_size[seat])
        note_if(sight, first + IN_RIVAL.in_play, size(game.in_play[seat]))
        active = game.active[seat]
        for action in range(ACTIONS):
            if active >> action & 1:
                note(sight, first + IN_RIVAL.active + action, 1)


@inlined
def _see_wants(view, sight):
    """List what developments and cards in hand miss: tokens by colour, drachmas that trade does not bring."""
    game, tables, me = view.game, view.tables, view.me
    city, unlocked = tables.developments[game.city[me]], np.int64(game.development[me])
    for colour in range(COLOURS):
        owned = game.minor[me, colour] + game.major[me, colour]
        if unlocked < DEVELOPMENTS:
            note_if(sight, IN_STATE.next_wants + colour, max(city[unlocked].needs[colour] - owned, 0))
            note_if(sight, IN_STATE.last_wants + colour, max(city[DEVELOPMENTS - 1].needs[colour] - owned, 0))
        wanted = 0
        cards = game.hand[me]
        while cards != 0:
            wanted += max(tables.cards[lowest(cards)].needs[colour] - owned, 0)
            cards = without_lowest(cards)
        note_if(sight, IN_STATE.hand_wants + colour, wanted)
    if unlocked < DEVELOPMENTS:
        after = game.drachmas[me] + game.level[me, Track.ECONOMY] + tables.trade_bonus
        note_if(sight, IN_STATE.short_by_trade, max(city[unlocked].cost - after, 0))


@inlined
def _see_tiles(view, sight):
    """Own tiles: those whose actions are still to come, or those that are placed and not yet paid for."""
    game, me = view.game, view.me
    if game.phase == Phase.ACTION:
        done = np.int64(0)
        for place in range(game.agenda_size):
            if game.agenda[place, 0] == Task.ACTIONS:
                done = np.int64(game.agenda[place, 2])
        seat_place = me - game.first_player
        if seat_place < 0:
            seat_place += game.players
        for action in range(ACTIONS):
            if game.active[me] >> action & 1 and action * SEATS + seat_place >= done:
                note(sight, IN_STATE.action_left + action, 1)
    elif game.phase == Phase.CITIZENS:
        for die in range(DICE):
            if game.dice[me, die] > 0:
                note(sight, IN_STATE.placed + game.tile[me, die], 1)


@rule
def see_state(view, sight):
    """List the position as its player sees it."""
    game = view.game
    sight.count = 0
    points = scratch(SEATS)
    for seat in range(game.players):
        points[seat] = _points_if_over(player(view, seat))
    facts = no_facts()
    places.gather(view, view.me, points, facts)
    numbers = fact_numbers(address_in(facts), COUNT)
    for number in range(COUNT):
        if numbers[number] != 0:
            note(sight, IN_STATE.facts + number, numbers[number])
    rounds = view.tables.rounds - game.round_number + 1
    note(sight, IN_STATE.task + view.decision - FIRST_DECISION, 1)
    if VALUES_COUNT[view.decision] != 0:
        note(sight, IN_STATE.task_value + view.decision - FIRST_DECISION, view.value)
    note(sight, IN_STATE.phase + game.phase, 1)
    _see_tiles(view, sight)
    _see_wants(view, sight)
    _see_cards(view, rounds, sight)
    _see_city(view, rounds, sight)
    event = game.events[max(game.round_number, 1) - 1]
    if event >= 0:
        note(sight, IN_STATE.event + event, 1)
    strength = min(game.troops[view.me] + game.level[view.me, Track.MILITARY], MAX_TROOPS)
    spaces = view.tables.spaces_within[strength] & ~game.explored
    while spaces != 0:
        note(sight, IN_STATE.space + lowest(spaces), 1)
        spaces = without_lowest(spaces)
    _see_rivals(view, points, sight)


@inlined
def _measure_holdings(view, own):
    """Write down what the player has, in the terms of a change."""
    game, me = view.game, view.me
    own.vp = game.vp[me]
    own.points = _points_if_over(view)
    own.drachmas = game.drachmas[me]
    own.citizens = game.citizens[me]
    own.troops = game.troops[me]
    own.tax = game.tax[me]
    own.glory = game.glory[me]
    own.philosophy = game.philosophy[me]
    for colour in range(COLOURS):
        own.minor[colour] = game.minor[me, colour]
        own.major[colour] = game.major[me, colour]
    for track in range(TRACKS):
        own.level[track] = game.level[me, track]
    own.hand = game.hand_size[me]
    own.in_play = size(game.in_play[me])
    own.dice = game.dice_count[me]
    own.development = game.development[me]
    if game.round_number > 0 and game.phase <= Phase.PROGRESS and event_looks_at_troops(view):
        own.most_troops = game.troops[me] >= most_troops_of_others(view)
        event = view.tables.events[game.events[game.round_number - 1]]
        own.fewest_troops = event.has_lowest == 1 and game.troops[me] <= least_troops_of_others(view)
    for achievement in range(ACHIEVEMENTS):
        if game.achieved[achievement] == 0:
            have = reached(game, me, achievement)
            own.achievement[achievement] = have >= view.tables.achievement_needs[achievement]


@inlined
def _measure_needs(view, own):
    """Write down what the player's cards and developments still need."""
    game, me = view.game, view.me
    drachmas, philosophy = game.drachmas[me], game.philosophy[me]
    if game.development[me] < DEVELOPMENTS:
        city = view.tables.developments[game.city[me]]
        coming = np.int64(game.development[me])
        missing = missing_tokens(view, city[coming])
        own.next_missing = missing
        own.second_missing = missing_tokens(view, city[min(coming + 1, DEVELOPMENTS - 1)])
        own.last_missing = missing_tokens(view, city[DEVELOPMENTS - 1])
        pays = missing * view.tables.philosophy_per_need <= philosophy
        own.can_develop = pays and city[coming].cost <= drachmas
    missing, ready, playable = 0, 0, 0
    cards = game.hand[me]
    while cards != 0:
        card = view.tables.cards[lowest(cards)]
        lacking = missing_tokens(view, card)
        missing += lacking
        ready += lacking == 0
        playable += card.cost <= drachmas and lacking * view.tables.philosophy_per_need <= philosophy
        cards = without_lowest(cards)
    own.hand_missing = missing
    own.ready = ready
    own.playable = playable


@inlined
def _has_the_same_needs(after, before):
    """Tell if neither means nor tokens, cards and developments differ, and with them what is still needed."""
    then, now, me = before.game, after.game, after.me
    changed = (then.drachmas[me] ^ now.drachmas[me]) | (then.philosophy[me] ^ now.philosophy[me])
    changed |= then.development[me] ^ now.development[me]
    for colour in range(COLOURS):
        changed |= then.minor[me, colour] ^ now.minor[me, colour]
        changed |= then.major[me, colour] ^ now.major[me, colour]
    return changed == 0 and then.hand[me] == now.hand[me]


@inlined
def _see_best_space(view, spaces, before):
    """Find the space with most tokens that the city wants, and note these, its major tokens and its VP."""
    game, me = view.game, view.me
    city = view.tables.developments[game.city[me], DEVELOPMENTS - 1]
    best = -1
    while spaces != 0:
        space = view.tables.spaces[lowest(spaces)]
        spaces = without_lowest(spaces)
        wanted, majors_there = 0, 0
        for colour in range(COLOURS):
            there = space.minor[colour] + space.major[colour]
            owned = game.minor[me, colour] + game.major[me, colour]
            wanted += min(max(city.needs[colour] - owned, 0), there)
            majors_there += space.major[colour]
        worth = 4 * wanted + 2 * majors_there + space.vp
        if worth > best:
            best = worth
            before.best_space[0], before.best_space[1] = wanted, majors_there
            before.best_space[2] = space.vp


@inlined
def _see_actions(view, before):
    """Work out what each action would bring now: so many drachmas, points, cards that can be played."""
    game, tables, me = view.game, view.tables, view.me
    brings = before.brings
    brings[Action.PHILOSOPHY] = tables.philosophy_tokens
    brings[Action.LEGISLATION] = min(tables.max_citizens - game.citizens[me], tables.legislation_citizens)
    brings[Action.CULTURE] = game.level[me, Track.CULTURE] + gain_on(view, Trigger.CULTURE, Gain.VP)
    income = game.level[me, Track.ECONOMY] + tables.trade_bonus + gain_on(view, Trigger.TRADE, Gain.DRACHMAS)
    brings[Action.TRADE] = income
    strength = min(game.troops[me] + game.level[me, Track.MILITARY], MAX_TROOPS)
    brings[Action.MILITARY] = min(size(tables.spaces_within[strength] & ~game.explored), 3)
    brings[Action.POLITICS] = min(playable_cards(view), 3)
    brings[Action.DEVELOPMENT] = can_develop(view)
    before.by_trade = 0
    if game.development[me] < DEVELOPMENTS and not can_develop(view):
        wanted = tables.developments[game.city[me], np.int64(game.development[me])]
        before.by_trade = missing_tokens(view, wanted) == 0 and game.drachmas[me] + income >= wanted.cost
    cards = game.hand[me]
    while cards != 0:
        card = tables.cards[lowest(cards)]
        if card.cost > game.drachmas[me] and card.cost <= game.drachmas[me] + income:
            lacking = missing_tokens(view, card) * tables.philosophy_per_need
            before.play_by_trade += lacking <= game.philosophy[me]
        cards = without_lowest(cards)
    _see_best_space(view, tables.spaces_within[strength] & ~game.explored, before)


@rule
def see_before(view, before):
    """Work out once for a decision what its options are compared with."""
    if view.decision == Task.PLACE_TILES or view.decision == Task.PAY_CITIZENS:
        _see_actions(view, before)
    elif view.decision != Task.PICK_CARD and view.decision != Task.KEEP_CARD:
        _measure_holdings(view, before.own)
        _measure_needs(view, before.own)


@inlined
def _see_change(view, option, before, sight):
    """List what an option changes at once."""
    waiting = try_option(view, option, 1)
    after = in_spare(view, 1)
    own = blank_change()
    _measure_holdings(after, own)
    if _has_the_same_needs(after, view):
        own.next_missing, own.last_missing = before.own.next_missing, before.own.last_missing
        own.second_missing = before.own.second_missing
        own.hand_missing, own.ready = before.own.hand_missing, before.own.ready
        own.playable, own.can_develop = before.own.playable, before.own.can_develop
    else:
        _measure_needs(after, own)
    own.drachmas_left = own.drachmas
    own.troops_left = own.troops
    own.waits = waiting > 1
    first = IN_OPTION.change + (view.decision - FIRST_DECISION) * CHANGES
    now, then = fact_numbers(address_in(own), CHANGES), fact_numbers(address_in(before.own), CHANGES)
    for number in range(CHANGES):
        changed = now[number] - then[number]
        if changed != 0:
            note(sight, first + number, changed)


@inlined
def _see_placement(view, option, before, sight):
    """List the tiles of a placement, what their actions would bring, and what it costs."""
    purse = np.int64(view.game.citizens[view.me])
    unpaid = unpaid_dice(view, option, purse)
    cost = citizens_for(view, option)
    paid = np.int64(0)
    for die in range(DICE):
        if view.game.dice[view.me, die] > 0:
            tile = np.int64(tile_on(option, die))
            if unpaid >> die & 1:
                note(sight, IN_OPTION.tile_unpaid + tile, 1)
            else:
                note(sight, IN_OPTION.tile + tile, 1)
                note_if(sight, IN_OPTION.tile_brings + tile, before.brings[tile])
                others = paid
                while others != 0:
                    other = lowest(others)
                    note(sight, IN_OPTION.pair + min(tile, other) * ACTIONS + max(tile, other), 1)
                    others = without_lowest(others)
                paid |= 1 << tile
    if paid >> Action.TRADE & 1 and paid >> Action.DEVELOPMENT & 1:
        note_if(sight, IN_OPTION.develop_by_trade, before.by_trade)
    if paid >> Action.TRADE & 1 and paid >> Action.POLITICS & 1:
        note_if(sight, IN_OPTION.play_by_trade, before.play_by_trade)
    if paid >> Action.MILITARY & 1:
        for number in range(3):
            note_if(sight, IN_OPTION.best_space + number, before.best_space[number])
    note(sight, IN_OPTION.cost + min(cost, MOST_COST), 1)
    note(sight, IN_OPTION.left + min(max(purse - cost, 0), MOST_LEFT), 1)
    note_if(sight, IN_OPTION.short, max(cost - purse, 0))


@inlined
def _see_payment(view, option, before, sight):
    """List the tiles that a payment pays for, the tokens spent and the citizens left."""
    paid = paid_dice(option)
    for die in range(DICE):
        if view.game.dice[view.me, die] > 0:
            tile = view.game.tile[view.me, die]
            if paid >> die & 1:
                note(sight, IN_OPTION.paid + tile, 1)
                note_if(sight, IN_OPTION.pay_brings + tile, before.brings[tile])
            else:
                note(sight, IN_OPTION.set_aside + tile, 1)
    note_if(sight, IN_OPTION.spent, tokens_spent(option))
    note(sight, IN_OPTION.pay_left + min(citizens_left(option), MOST_LEFT), 1)


@inlined
def _see_card(view, card, rounds, sight):
    """List a card by what would happen to it."""
    task = view.decision
    missing = missing_tokens(view, view.tables.cards[card])
    if task == Task.PICK_CARD:
        note(sight, IN_OPTION.picked + card, 1)
        if missing == 0:
            note(sight, IN_OPTION.picked_ready + card, 1)
        note_if(sight, IN_OPTION.picked_missing, missing)
    elif task == Task.KEEP_CARD:
        note(sight, IN_OPTION.kept + card, 1)
        note(sight, IN_OPTION.kept_by_round + card, rounds)
        if missing == 0:
            note(sight, IN_OPTION.kept_ready + card, 1)
        note_if(sight, IN_OPTION.kept_missing, missing)
        note_if(
            sight, IN_OPTION.kept_short, max(view.tables.cards[card].cost - view.game.drachmas[view.me], 0)
        )
    elif task == Task.PLAY_CARD:
        note(sight, IN_OPTION.played + card, 1)
        note(sight, IN_OPTION.played_by_round + card, rounds)
    elif task == Task.DISCARD:
        note(sight, IN_OPTION.discarded + card, 1)
        note(sight, IN_OPTION.discarded_by_round + card, rounds)
        if missing == 0:
            note(sight, IN_OPTION.discarded_ready + card, 1)
    else:
        note(sight, IN_OPTION.taken_back + card, 1)
        note(sight, IN_OPTION.taken_back_by_round + card, rounds)


@rule
def see_option(view, option, before, sight):
    """List an option of the decision at hand."""
    sight.count = 0
    task = view.decision
    kind = task - FIRST_DECISION
    if task == Task.PLACE_TILES:
        _see_placement(view, option, before, sight)
        return
    if task == Task.PAY_CITIZENS:
        _see_payment(view, option, before, sight)
        return
    rounds = view.tables.rounds - view.game.round_number + 1
    if option == NONE:
        note(sight, IN_OPTION.none + kind, 1)
    elif option == SELL:
        note(sight, IN_OPTION.sell + kind, 1)
    elif (
        task == Task.PICK_CARD
        or task == Task.KEEP_CARD
        or task == Task.PLAY_CARD
        or task == Task.DISCARD
        or task == Task.TAKE_BACK_CARD
    ):
        _see_card(view, option, rounds, sight)
    elif task == Task.EXPLORE:
        note(sight, IN_OPTION.explored + option, 1)
    elif task == Task.REROLL:
        for die in range(DICE):
            if option >> die & 1:
                note(sight, IN_OPTION.rerolled + view.game.dice[view.me, die], 1)
    elif task == Task.CHOOSE_ACTION:
        note(sight, IN_OPTION.action + option, 1)
    else:
        if option < NUMBERS:
            note(sight, IN_OPTION.number + kind * NUMBERS + option, 1)
        if task == Task.CLIMB or task == Task.CLIMB_CHEAPER or task == Task.CHOOSE_TRACK:
            level = min(view.game.level[view.me, option] + 1, MAX_LEVEL)
            note(sight, IN_OPTION.level + option * (MAX_LEVEL + 1) + level, 1)
        if task == Task.DEVELOP:
            step = view.game.city[view.me] * DEVELOPMENTS + min(
                view.game.development[view.me], DEVELOPMENTS - 1
            )
            note(sight, IN_OPTION.developed + step, 1)
            note(sight, IN_OPTION.developed_by_round + step, rounds)
    if task != Task.PICK_CARD and task != Task.KEEP_CARD and task != Task.REROLL:
        _see_change(view, option, before, sight)
