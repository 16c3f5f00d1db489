"""What selling glory is worth, by itself and for an achievement."""

from khora_sim.engine.achievements import reached
from khora_sim.engine.effects import effect_of
from khora_sim.engine.glory import earned_by_sales
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import ACHIEVEMENTS, Gain
from khora_sim.strategy.decorators import inlined
from khora_sim.strategy.value.effect_worths import gain_worth


@inlined
def sale_worth(view, unit):
    """What selling 1 glory brings, minus the glory."""
    effect = effect_of(view.game, view.tables, view.me, view.game.glory_buyer[view.me], Special.SELLS_GLORY)
    return gain_worth(unit, effect.gain, effect.gain_kinds) - unit[Gain.GLORY]


@inlined
def _reward(view, achievement, unit):
    """What an achievement brings: tax or glory, or tax if somebody else meets it as well."""
    game, tables = view.game, view.tables
    tax = unit[Gain.TAX] if game.tax[view.me] < tables.max_tax else 0.0
    for seat in range(game.players):
        if seat != view.me and reached(game, seat, achievement) >= tables.achievement_needs[achievement]:
            return tax
    return max(tax, unit[Gain.GLORY])


@inlined
def sales_for_achievements(view, unit):
    """What selling as much glory as is best brings, with the achievements that it earns, minus the glory."""
    one = sale_worth(view, unit)
    best = one
    for sales in range(1, view.game.glory[view.me] + 1):
        worth = sales * one
        for achievement in range(ACHIEVEMENTS):
            if earned_by_sales(view.game, view.tables, view.me, achievement, sales):
                worth += _reward(view, achievement, unit)
        best = max(best, worth)
    return best
