"""The net behind a learned value: the same for every seat, from facts and items to a win chance and a score.

Items are cards, developments and the event. What each adds to the first layer is worked out when the rules
are known (`learned_value.py`), so that here an item is one row of numbers, whatever it does.
"""

import numpy as np

from khora_sim.engine.agenda import Phase
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.compiling import inlined
from khora_sim.engine.memory import address_in, records_at, scratch
from khora_sim.engine.record import SEATS
from khora_sim.rules.terms import DEVELOPMENTS, MAX_CARDS, MAX_CITIES, MAX_EVENTS
from khora_sim.strategy.decorators import public_rule, rule
from khora_sim.strategy.learned import facts as places
from khora_sim.strategy.learned.facts import COUNT, fact_numbers, no_facts, ready_cards
from khora_sim.strategy.learned.layers import add_product, add_row, layer_of, weighted_sum
from khora_sim.strategy.reading.costs import missing_tokens
from khora_sim.strategy.reading.decisions import player
from khora_sim.strategy.reading.holdings import points_if_over

FIRST, SECOND, OUTPUTS = 64, 32, 2  # units of the layers
STRENGTH, SCORE = 0, 1  # outputs; the final score is learned beside it, since it teaches more than who won
SOFTNESS = 2.0  # points by which a finished playout may be wrong: the players in it are not the real ones

_city = (MAX_CITIES, DEVELOPMENTS, FIRST)
_card = (MAX_CARDS, FIRST)

#: One net, for one number of players and the rules at hand. `_by_round` rows count once for each round left.
NET = np.dtype(
    [
        ("bias", "f4", (FIRST,)),
        ("facts", "f4", (COUNT, FIRST)),
        ("card_in_play", "f4", _card),
        ("card_in_play_by_round", "f4", _card),
        ("card_in_hand", "f4", _card),
        ("card_in_hand_by_round", "f4", _card),
        ("card_ready", "f4", _card),  # in hand, and the player has the knowledge that it needs
        ("unlocked", "f4", _city),
        ("unlocked_by_round", "f4", _city),
        ("next", "f4", _city),
        ("next_by_round", "f4", _city),
        ("next_ready", "f4", _city),
        ("later", "f4", _city),
        ("later_by_round", "f4", _city),
        ("event", "f4", (MAX_EVENTS, FIRST)),
        ("second", "f4", (FIRST, SECOND)),
        ("second_bias", "f4", (SECOND,)),
        ("out", "f4", (SECOND, OUTPUTS)),
        ("out_bias", "f4", (OUTPUTS,)),
    ]
)
net_at = records_at(NET)


@inlined
def _add_cards(view, viewer, net, rounds, hidden):
    cards = view.game.in_play[view.me]
    while cards != 0:
        card = lowest(cards)
        add_row(hidden, net.card_in_play, card, np.float32(1))
        add_row(hidden, net.card_in_play_by_round, card, rounds)
        cards = without_lowest(cards)
    if view.me != viewer:
        return
    cards, ready = view.game.hand[view.me], ready_cards(view)
    while cards != 0:
        card = lowest(cards)
        add_row(hidden, net.card_in_hand, card, np.float32(1))
        add_row(hidden, net.card_in_hand_by_round, card, rounds)
        if ready >> card & 1:
            add_row(hidden, net.card_ready, card, np.float32(1))
        cards = without_lowest(cards)


@inlined
def _add_city(view, net, rounds, hidden):
    city, unlocked = view.game.city[view.me], view.game.development[view.me]
    one = np.float32(1)
    for step in range(DEVELOPMENTS):
        if step < unlocked:
            add_row(hidden, net.unlocked[city], step, one)
            add_row(hidden, net.unlocked_by_round[city], step, rounds)
        elif step == unlocked:
            add_row(hidden, net.next[city], step, one)
            add_row(hidden, net.next_by_round[city], step, rounds)
            if missing_tokens(view, view.tables.developments[city, step]) == 0:
                add_row(hidden, net.next_ready[city], step, one)
        else:
            add_row(hidden, net.later[city], step, one)
            add_row(hidden, net.later_by_round[city], step, rounds)


@rule
def strength(view, viewer, points, net):
    """Strength of one player's place, as `viewer` sees it; the softmax of all is the chance to win."""
    facts = no_facts()
    places.gather(view, viewer, points, facts)
    first = layer_of(net.bias, FIRST)
    numbers = fact_numbers(address_in(facts), COUNT)
    for number in range(COUNT):
        if numbers[number] != 0:
            add_row(first, net.facts, number, numbers[number])
    rounds = np.float32(view.tables.rounds - view.game.round_number + 1)
    _add_cards(view, viewer, net, rounds, first)
    _add_city(view, net, rounds, first)
    event = view.game.events[max(view.game.round_number, 1) - 1]
    if event >= 0:
        add_row(first, net.event, event, np.float32(1))
    second = layer_of(net.second_bias, SECOND)
    add_product(second, first, net.second)
    return weighted_sum(second, net.out[:, STRENGTH], net.out_bias[STRENGTH])


@inlined
def _exponential(number):
    """e to the power of a number, from -40 to 40: the same bits everywhere, as no library promises."""
    small = min(max(number, -40.0), 40.0) / 1024
    power = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4)))
    for _ in range(10):
        power *= power
    return power


@inlined
def _share(strengths, players, me):
    """The softmax of one player among all."""
    total = 0.0
    for seat in range(players):
        total += _exponential(strengths[seat] - strengths[me])
    return 1 / total


@rule
def chance_of(view, viewer, net):
    """The chance that the player of a view wins, as `viewer` sees it."""
    points = scratch(SEATS)
    for seat in range(view.game.players):
        other = player(view, seat)
        points[seat] = points_if_over(other) if view.game.phase != Phase.OVER else view.game.vp[seat]
    strengths = scratch(SEATS)
    if view.game.phase == Phase.OVER:
        for seat in range(view.game.players):
            strengths[seat] = points[seat] / SOFTNESS
    else:
        for seat in range(view.game.players):
            strengths[seat] = strength(player(view, seat), viewer, points, net)
    return _share(strengths, view.game.players, view.me)


@public_rule
def win_chance(view):
    """The chance to win from a position at the first decision of a round, by the learned value; at the end of
    the game nearly 1 or 0, less certain the closer it was."""
    return chance_of(view, view.me, net_at(view.seat.learned_at, view.game.players - 2))
