"""Does as little as the rules allow.

It places the tiles it can pay for least, above all those that do nothing without drachmas or tokens, declines
everything that can be declined, and takes its taxes home. Nothing may lose to it: a strategy that does wastes
more than it gains.
"""

from khora_sim.strategy.toolkit import (
    DICE,
    Action,
    Traits,
    citizens,
    declines,
    is_payment,
    is_tiles,
    paid_dice,
    rule,
    tile_on,
    tokens_spent,
    unpaid_dice,
)

TRAITS = Traits(
    name="idle",
    family="control",
    summary="Declines all it can, and places tiles that do nothing.",
    deterministic=True,
    source="the usual null model",
)


@rule
def tile_bother(tile):
    """How much a tile does that is paid for: politics and development ask first, the others just happen."""
    if tile == Action.POLITICS or tile == Action.DEVELOPMENT:
        return 0.0
    if tile == Action.PHILOSOPHY:
        return 1.0
    if tile == Action.MILITARY:
        return 1.5
    return 2.0


@rule
def placement_bother(view, option):
    """What a placement makes happen."""
    unpaid = unpaid_dice(view, option, citizens(view))
    total = 0.0
    for place in range(DICE):
        if view.game.dice[view.me, place] > 0 and not unpaid >> place & 1:
            total += tile_bother(tile_on(option, place))
    return total


@rule
def payment_bother(view, option):
    """What a payment makes happen; a token spent is a bother too."""
    total = float(tokens_spent(option))
    for place in range(DICE):
        if paid_dice(option) >> place & 1:
            total += tile_bother(view.game.tile[view.me, place])
    return total


@rule
def score(view, option):
    """Nothing is best."""
    if is_tiles(view):
        return -placement_bother(view, option)
    if is_payment(view):
        return -payment_bother(view, option)
    return 1.0 if declines(option) else 0.0
