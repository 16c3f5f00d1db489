"""Selling glory (Thebes' second development), offered wherever drachmas may be paid.

It may be used at any time; the engine offers it where it can matter: as one more option of every decision
that pays drachmas, after which the same decision stands again, and before the final scoring.
"""

from khora_sim.engine.agenda import NONE, SELL, pop
from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.effects import collect, effect_of
from khora_sim.rules.terms import Special


@inlined
def list_sale(game, player, out, count):
    """Close a list of options that cost drachmas: sell 1 glory first, if that can be, or do nothing."""
    if game.glory_buyer[player] >= 0 and game.glory[player] > 0:
        out[count] = SELL
        count += 1
    out[count] = NONE
    return count + 1


@rule
def sell_glory(game, tables, ledger, player):
    """Give up 1 glory for what the development pays."""
    source = game.glory_buyer[player]
    effect = effect_of(game, tables, player, source, Special.SELLS_GLORY)
    game.glory[player] -= 1
    collect(game, tables, ledger, player, effect.gain, 1, source)


@inlined
def decide_sale(game, tables, ledger, player, choice):
    """SELL_GLORY: before the final scoring, as often as wished."""
    if choice == SELL:
        sell_glory(game, tables, ledger, player)
    else:
        pop(game)
