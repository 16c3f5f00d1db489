"""Chance is addressed, not drawn: a number is a hash of (seed, stream, player, round, index).

The dice of seat 2 in round 5 are what they are, whatever anyone decided before; so two studies that differ in
a strategy or in a number of the rules have the same random draws. Cards, events and cities stand in the order
of random keys of their own ids: whether another one is there does not reorder them.
"""

from enum import IntEnum

import numpy as np
from numba.extending import overload

from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.memory import scratch_record
from khora_sim.rules.terms import MAX_CARDS


class Stream(IntEnum):
    """Purposes of random numbers; each stream is independent of the others."""

    CITIES = 1
    DECK = 2
    EVENTS = 3
    FIRST_PLAYER = 4
    DICE = 5
    REROLL = 6
    STRATEGY = 7
    UNSEEN = 8  # filling in a view
    STUDY = 9  # seeds of the games of a study
    WORLD = 10  # worlds that a player imagines
    SLIP = 11  # moves at random in games that a value is learned from
    SWAP = 12  # cards that change places, where a game is set up with a swap


_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ALL = 0xFFFFFFFFFFFFFFFF
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SHIFT_30 = np.uint64(30)
_SHIFT_27 = np.uint64(27)
_SHIFT_31 = np.uint64(31)
_SHIFT_32 = np.uint64(32)
_LOW_32 = np.uint64(0xFFFFFFFF)
LAST_BITS = 63


def _mix(number, times, more):
    """SplitMix64's finaliser of number x times + more: every bit of the input moves every bit of it."""
    mixed = (int(number) * int(times) + int(more)) & _ALL
    mixed = (mixed ^ mixed >> 30) * int(_FIRST) & _ALL
    mixed = (mixed ^ mixed >> 27) * int(_SECOND) & _ALL
    return np.uint64(mixed ^ mixed >> 31)


@overload(_mix, jit_options={"forceinline": True})
def _mix_compiled(number, times, more):
    def mix(number, times, more):
        number = number * times + more
        number = (number ^ (number >> _SHIFT_30)) * _FIRST
        number = (number ^ (number >> _SHIFT_27)) * _SECOND
        return number ^ (number >> _SHIFT_31)

    return mix


@inlined
def random_bits(seed, stream, player, round_, index):
    """64 random bits at an address."""
    address = np.uint64(stream + (np.int64(player) << 8) + (np.int64(round_) << 16) + (np.int64(index) << 24))
    return _mix(_mix(seed, _ONE, _GOLDEN) ^ _mix(address, _GOLDEN, _FIRST), _ONE, _ZERO)


@inlined
def shown_bits(bits, seed):
    """Random bits that a player may see of its decision; the seed cannot be worked out from them."""
    return bits ^ _mix(seed, _ONE, _GOLDEN)


@inlined
def random_below(bits, limit):
    """A number from 0 to limit - 1 out of 64 random bits."""
    return np.int64((((bits >> _SHIFT_32) * np.uint64(limit)) >> _SHIFT_32) & _LOW_32)


@inlined
def draw(seed, stream, player, round_, index, limit):
    """The number from 0 to limit - 1 at an address."""
    return random_below(random_bits(seed, stream, player, round_, index), limit)


@inlined
def shuffle(items, count, seed, stream):
    """Put the first `count` items in the random order of a stream."""
    for last in range(count - 1, 0, -1):
        other = draw(seed, stream, 0, 0, last, last + 1)
        items[last], items[other] = items[other], items[last]


#: Cards, events or cities with random keys of their ids; the last 6 bits of a key are the number.
ORDER = np.dtype(
    [
        ("drawn", "i8", (MAX_CARDS,)),  # as they come
        ("key", "i8", (MAX_CARDS,)),  # in order
    ]
)
empty_order = scratch_record(ORDER)


@inlined
def ordered(order, place):
    """The number of the card, event or city at a place of an order."""
    return order.key[place] & LAST_BITS


@inlined
def random_key(number, digest, bits):
    """The random key of an id, by the random bits of its stream; its last bits hold the number."""
    return (np.int64(_mix(bits ^ digest, _ONE, _ZERO) >> _ONE) & ~LAST_BITS) | number


@rule
def put_in_order(order, count):
    """Put the first keys that were drawn in order: each goes behind as many as are smaller.

    All are compared with all, which the processor does four at a time: faster than sorting so few.
    """
    for place in range(count):
        key = order.drawn[place]
        smaller = 0
        for other in range(count):
            smaller += order.drawn[other] < key
        order.key[smaller] = key


@rule
def insert_new(order, count, key, places):
    """Add one that the base game does not have, so that the first `places` keep what they hold.

    If it belongs among them, it takes a place over, and who was there is the first one behind them.
    """
    place = 0
    for other in range(count):
        place += order.key[other] < key
    behind = max(place, min(places, count))
    for other in range(count, behind, -1):
        order.key[other] = order.key[other - 1]
    order.key[behind] = order.key[place]
    order.key[place] = key


@rule
def fill_gaps(order, count, places, numbers):
    """Give the places of what is missing here, from a number on, to the first ones behind them."""
    behind = places
    for place in range(places):
        if ordered(order, place) >= numbers:
            while behind < count - 1 and ordered(order, behind) >= numbers:
                behind += 1
            order.key[place] = order.key[behind]
            behind += 1
