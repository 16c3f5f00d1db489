"""Selling glory (Thebes' second development).

It may be used at any time; the engine offers it where it can matter: as one more option of every decision
that pays drachmas, after which the same decision stands again; before the achievements of a round, while
sales can earn one; and before the final scoring.
"""

from khora_sim.engine.achievements import reached
from khora_sim.engine.agenda import NONE, SELL, Phase, Task, pop, push, seat_at
from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.effects import collect, effect_of, within
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import ACHIEVEMENTS, Achievement, Gain

BEFORE_FINAL_SCORING = 0  # values of SELL_GLORY
BEFORE_ACHIEVEMENTS = 1


@inlined
def may_sell(game, player):
    """Tell if a player has glory and somebody to sell it to."""
    return game.glory_buyer[player] >= 0 and game.glory[player] > 0


@inlined
def list_sale(game, player, out, count):
    """Close a list of options that cost drachmas: sell 1 glory first, if that can be, or do nothing."""
    if may_sell(game, player):
        out[count] = SELL
        count += 1
    out[count] = NONE
    return count + 1


@rule
def sell_glory(game, tables, ledger, player):
    """SELL, in any decision: give up 1 glory for what the development pays; it then stands again."""
    source = game.glory_buyer[player]
    effect = effect_of(game, tables, player, source, Special.SELLS_GLORY)
    game.glory[player] -= 1
    collect(game, tables, ledger, player, effect.gain, 1, source)


@inlined
def reached_by_sales(game, tables, player, achievement, sales):
    """Count of a player for an achievement, after selling so much glory.

    Sold glory brings neither levels nor cards in play: the check of the rules sees to that.
    """
    have = reached(game, player, achievement)
    gain = effect_of(game, tables, player, game.glory_buyer[player], Special.SELLS_GLORY).gain
    if achievement == Achievement.VICTORY_POINTS:
        return have + sales * gain[Gain.VP]
    if achievement == Achievement.CITIZENS:
        return within(have, sales * gain[Gain.CITIZENS], tables.max_citizens)
    if achievement == Achievement.TROOPS:
        return within(have, sales * gain[Gain.TROOPS], tables.max_troops)
    return have


@inlined
def earned_by_sales(game, tables, player, achievement, sales):
    """Tell if an open achievement that a player does not meet is met after selling so much glory."""
    needed = tables.achievement_needs[achievement]
    return (
        game.achieved[achievement] == 0
        and reached(game, player, achievement) < needed
        and reached_by_sales(game, tables, player, achievement, sales) >= needed
    )


@rule
def sales_can_earn(game, tables, player):
    """Tell if a player can meet an achievement by selling glory, and only so."""
    if may_sell(game, player):
        for achievement in range(ACHIEVEMENTS):
            if earned_by_sales(game, tables, player, achievement, game.glory[player]):
                return True
    return False


@inlined
def offer_before_achievements(game, tables):
    """Whoever can earn an achievement by selling glory is asked, from the first player clockwise."""
    for place in range(game.players - 1, -1, -1):
        player = seat_at(game, place)
        if sales_can_earn(game, tables, player):
            game.phase = Phase.ACHIEVEMENT
            push(game, Task.SELL_GLORY, player, BEFORE_ACHIEVEMENTS)


@inlined
def list_sale_only(game, tables, player, when, out):
    """SELL_GLORY: sell, if that can matter, or not; before the achievements only while sales can earn one."""
    if when == BEFORE_ACHIEVEMENTS and not sales_can_earn(game, tables, player):
        out[0] = NONE
        return 1
    return list_sale(game, player, out, 0)


@inlined
def decline_sale(game):
    """SELL_GLORY: no more is sold."""
    pop(game)
