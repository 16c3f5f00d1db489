"""Set-up: cities, deck, dealt hands, draft, events, first developments, first player."""

from enum import IntEnum

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Phase, Task, pop, push
from khora_sim.engine.bits import BIT, list_members, lowest, size, without_lowest
from khora_sim.engine.chance import (
    Stream,
    draw,
    empty_order,
    fill_gaps,
    insert_new,
    ordered,
    put_in_order,
    random_bits,
    random_key,
)
from khora_sim.engine.compiling import inlined
from khora_sim.engine.effects import hand_add, refresh_standing, run_source
from khora_sim.engine.ledger import Source
from khora_sim.engine.record import AGENDA, SEATS, UNKNOWN
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    COLOURS,
    DICE,
    MAX_CARDS,
    MAX_DRAWN,
    MAX_ROUNDS,
    TRACKS,
    Slot,
    Trigger,
)

RANDOM = -1  # a city or first player left to chance


@inlined
def choose_cities(game, tables, cities):
    """Give each seat the city asked for; the rest get random ones of those left, all distinct.

    Where a city of the base game is missing, the first one that would not have come takes its place.
    """
    order, bits = empty_order(), random_bits(game.seed, Stream.CITIES, 0, 0, 0)
    known = tables.city_count - tables.new_cities
    count = known + tables.missing_cities
    for number in range(count):
        city = number if number < known else number + tables.new_cities
        order.drawn[number] = random_key(city, tables.city_digest[city], bits)
    put_in_order(order, count)
    for city in range(known, tables.city_count):
        insert_new(order, count, random_key(city, tables.city_digest[city], bits), game.players)
        count += 1
    fill_gaps(order, count, game.players, tables.city_count)
    taken = np.int64(0)
    for seat in range(game.players):
        if cities[seat] != RANDOM:
            taken |= BIT[cities[seat]]
    place = 0
    for seat in range(game.players):
        if cities[seat] != RANDOM:
            game.city[seat] = cities[seat]
            continue
        while taken & BIT[ordered(order, place)]:
            place += 1
        game.city[seat] = ordered(order, place)
        place += 1


@inlined
def order_events(game, tables, announced):
    """The first event, random ones of the middle, the last event; the rounds `announced` keep theirs.

    Where an event of the base game is missing, the first one that would not have come takes its round.
    """
    came = np.int64(0)
    for place in range(announced):
        came |= BIT[game.events[place]]
    order, bits, count = empty_order(), random_bits(game.seed, Stream.EVENTS, 0, 0, 0), 0
    known = tables.event_count - tables.new_events
    first = max(announced, 1)
    places = tables.rounds - 1 - first
    for event in range(tables.event_count + tables.missing_events):
        if event < tables.event_count:
            slot = tables.events[event].slot
            if slot == Slot.FIRST:
                game.events[0] = event
            elif slot == Slot.LAST:
                game.events[tables.rounds - 1] = event
            if slot != Slot.MIDDLE or event >= known or came & BIT[event]:
                continue
        order.drawn[count] = random_key(event, tables.event_digest[event], bits)
        count += 1
    put_in_order(order, count)
    for event in range(known, tables.event_count):
        if tables.events[event].slot == Slot.MIDDLE and came & BIT[event] == 0:
            insert_new(order, count, random_key(event, tables.event_digest[event], bits), places)
            count += 1
    fill_gaps(order, count, places, tables.event_count)
    for place in range(places):
        game.events[first + place] = ordered(order, place)


@inlined
def shuffle_deck(game, tables):
    """Shuffle all politics cards into the deck."""
    for place in range(tables.card_count, MAX_CARDS):
        game.deck[place] = UNKNOWN
    for card in range(tables.card_count):
        game.deck[card] = card
    shuffle_cards(game.deck, tables.card_count, tables, game.seed, Stream.DECK)
    game.deck_top = 0
    game.deck_size = tables.card_count


@inlined
def shuffle_cards(cards, count, tables, seed, stream):
    """Put cards in the random order of a stream."""
    order, bits = empty_order(), random_bits(seed, stream, 0, 0, 0)
    for place in range(count):
        card = cards[place]
        order.drawn[place] = random_key(card, tables.card_digest[card], bits)
    put_in_order(order, count)
    for place in range(count):
        cards[place] = ordered(order, place)


@inlined
def new_game(game, tables, ledger, seed, players, settings, cities, first_player):
    """Set up a game from a seed; cities and first player are RANDOM or given."""
    game.seed = seed
    game.players = players
    game.settings = settings
    game.round_number = 0
    game.phase = Phase.DRAFT
    game.step = 0
    game.agenda_size = 0
    game.fault = 0
    for place in range(AGENDA):
        for part in range(3):
            game.agenda[place, part] = 0
    game.explored = 0
    for drawn in range(MAX_DRAWN):
        game.drawn[drawn] = UNKNOWN
    for achievement in range(ACHIEVEMENTS):
        game.achieved[achievement] = 0
    choose_cities(game, tables, cities)
    for place in range(MAX_ROUNDS):
        game.events[place] = UNKNOWN
    order_events(game, tables, 0)
    shuffle_deck(game, tables)
    game.first_player = first_player
    if first_player == RANDOM:
        game.first_player = draw(game.seed, Stream.FIRST_PLAYER, 0, 0, 0, players)
    for player in range(SEATS):
        if player >= players:
            game.city[player] = UNKNOWN
        _set_up_player(game, tables, player)
    deal(game, tables, ledger)


@inlined
def _set_up_player(game, tables, player):
    """The board of one player before the draft."""
    game.development[player] = 0
    game.drachmas[player] = tables.start_drachmas
    game.vp[player] = tables.start_vp
    game.citizens[player] = tables.start_citizens
    game.tax[player] = tables.start_tax
    game.glory[player] = tables.start_glory
    game.troops[player] = tables.start_troops
    for track in range(TRACKS):
        game.level[player, track] = tables.start_level[track]
    game.philosophy[player] = 0
    for colour in range(COLOURS):
        game.minor[player, colour] = 0
        game.major[player, colour] = 0
    game.hand[player] = 0
    game.hand_size[player] = 0
    game.in_play[player] = 0
    game.pack[player] = 0
    game.dice_count[player] = tables.start_dice
    for die in range(DICE):
        game.dice[player, die] = 0
        game.tile[player, die] = UNKNOWN
    game.ready[player] = 0
    game.active[player] = 0
    game.climbed[player] = 0
    game.decided[player] = 0
    refresh_standing(game, tables, player)


@inlined
def deal(game, tables, ledger):
    """Deal from the deck, hand by hand; without a draft the hands are kept as they are."""
    for player in range(game.players):
        for _ in range(tables.hand_dealt):
            game.pack[player] |= BIT[game.deck[game.deck_top]]
            game.deck_top += 1
        game.deck_size -= tables.hand_dealt
        ledger.dealt[player] = game.pack[player]
    push(game, Task.DRAFT, 0, 0)


@inlined
def draft(game, tables, ledger, picked):
    """Everyone picks one card, then passes the rest to the left, until all are picked."""
    pop(game)
    if game.pack[0] == 0 or not game.settings & Setting.DRAFT:
        _end_draft(game, ledger)
        return
    if picked > 0:
        last = game.pack[game.players - 1]
        for player in range(game.players - 1, 0, -1):
            game.pack[player] = game.pack[player - 1]
        game.pack[0] = last
    push(game, Task.DRAFT, 0, picked + 1)
    for player in range(game.players - 1, -1, -1):
        push(game, Task.PICK_CARD, player, 0)


@inlined
def _end_draft(game, ledger):
    """Take what is left in the packs to hand and go on with the first developments."""
    for player in range(game.players):
        while game.pack[player] != 0:
            hand_add(game, player, lowest(game.pack[player]))
            game.pack[player] = without_lowest(game.pack[player])
        if ledger.swapped == player + 1:
            swap_drafted(game, player, ledger.swap_number)
        ledger.drafted[player] = game.hand[player]
    push(game, Task.ROUND, 0, 0)
    push(game, Task.FIRST_DEVELOPMENTS, 0, 0)


@inlined
def list_picks(game, player, out):
    """PICK_CARD: any card of the pack."""
    return list_members(game.pack[player], out)


@inlined
def pick_card(game, player, card):
    """PICK_CARD: keep one card of the pack."""
    pop(game)
    game.pack[player] &= ~BIT[card]
    hand_add(game, player, card)


@inlined
def first_developments(game, tables, ledger):
    """Each city's first development takes effect; it is no action, so nothing else fires."""
    pop(game)
    for player in range(game.players):
        game.development[player] = 1
        development = tables.developments[game.city[player], 0]
        refresh_standing(game, tables, player)
        run_source(game, tables, ledger, player, development, Trigger.AT_ONCE, Source.DEVELOPMENT)


class Swap(IntEnum):
    """Moment when a card of the deck and a card of a player change places, to see what a card is worth.

    Which cards they are is drawn from a stream of chance of its own, independently for each seat, city and
    number of a swap, so that nothing else moves. A swap is no rule of the game: the set-up of a game may ask
    for one, and no player can foresee it.
    """

    NONE = 0
    DEALT = 1  # before the draft, a card of those dealt
    DRAFTED = 2  # after the draft, a card of those kept


@inlined
def swap_dealt(game, ledger, player, number):
    """A random card of those dealt to a player and a random card of the deck change places."""
    game.pack[player] = _swapped(game, player, number, game.pack[player])
    ledger.dealt[player] = game.pack[player]


@inlined
def swap_drafted(game, player, number):
    """A random card that the draft left to a player and a random card of the deck change places."""
    game.hand[player] = _swapped(game, player, number, game.hand[player])


@inlined
def _swapped(game, player, number, cards):
    """A set of cards after a swap; the same set where the deck or the set is empty."""
    if cards == 0 or game.deck_size == 0:
        return cards
    city = game.city[player]
    given = game.deck_top + draw(game.seed, Stream.SWAP, player, number, 2 * city, game.deck_size)
    left = cards
    for _ in range(draw(game.seed, Stream.SWAP, player, number, 2 * city + 1, size(cards))):
        left = without_lowest(left)
    taken = lowest(left)
    after = (cards & ~BIT[taken]) | BIT[game.deck[given]]
    game.deck[given] = taken
    return after
