"""Philosophy and scrolls: it gathers philosophy tokens and spends them where they save more than they cost.

The philosophy tile goes on any die for nothing. A token is three citizens, or an extra level in a progress
phase, and two stand in for any missing knowledge, so it needs fewer explorations than others and climbs
several levels in one round.
"""

from khora_sim.strategy.toolkit import Action, Gain, Traits, rate_by_prices, rule, sensible_prices

TRAITS = Traits(
    name="philosopher",
    family="archetype",
    summary="Philosophy and scrolls: tokens of philosophy for citizens, levels and missing knowledge.",
    deterministic=True,
    source="the three uses of philosophy tokens, and Athens",
)


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.tile[Action.PHILOSOPHY] = 0.8
    prices.use[Action.PHILOSOPHY] = 0.6
    prices.gain[Gain.PHILOSOPHY] *= 1.25
    prices.gain[Gain.ECONOMY] *= 1.2
    prices.gain[Gain.CULTURE] *= 1.2
    prices.gain[Gain.CARDS] *= 0.8
    rate_by_prices(view, options, scores, prices)
