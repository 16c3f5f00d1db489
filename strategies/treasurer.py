"""Tax and achievements: it raises its tax level by every means and races for the achievements.

Tax pays every round without a tile. A level gained in round two has paid seven drachmas by the end, so
early levels are worth any detour: achievements before the others have them, culture levels that raise
taxes, cards that do.
"""

from khora_sim.strategy.toolkit import Gain, Traits, rate_by_prices, rule, sensible_prices

TRAITS = Traits(
    name="treasurer",
    family="archetype",
    summary="Tax and achievements: income without actions, and the achievements that raise it.",
    deterministic=True,
    source="compound interest",
)


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.gain[Gain.TAX] *= 1.75
    prices.gain[Gain.ECONOMY] *= 1.5
    prices.gain[Gain.DRACHMAS] *= 1.1
    prices.achievement *= 3.0
    rate_by_prices(view, options, scores, prices)
