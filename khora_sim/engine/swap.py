"""A card of the deck and a card of a player change places: an intervention, to see what a card is worth.

Which cards they are is drawn from a stream of chance of its own, independently for each seat, city and number
of a swap, so that nothing else moves. A swap is no rule of the game: the set-up of a game may ask for one,
and no player can foresee it.
"""

from enum import IntEnum

from khora_sim.engine.bits import BIT, lowest, size, without_lowest
from khora_sim.engine.chance import Stream, draw
from khora_sim.engine.compiling import inlined


class Swap(IntEnum):
    """Moment when a card is swapped, if at all."""

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
