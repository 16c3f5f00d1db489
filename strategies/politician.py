"""Politics engine: it draws with legislation, plays a card whenever it can pay for one, and prefers those
that go on paying.

A card is an action that keeps working. Citizens from legislation pay for the dear politics tile, the third
card in play earns an achievement, and cards that reward playing cards come first.
"""

from khora_sim.strategy.toolkit import Action, Gain, Traits, rate_by_prices, rule, sensible_prices

TRAITS = Traits(
    name="politician",
    family="archetype",
    summary="Politics engine: draws cards, plays cards, and lives from what they do.",
    deterministic=True,
    source="engine building, as in any card game",
)


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.tile[Action.POLITICS] = 1.5
    prices.tile[Action.LEGISLATION] = 0.4
    prices.use[Action.POLITICS] = 0.7
    prices.gain[Gain.CARDS] *= 1.2
    prices.card_in_hand *= 1.2
    rate_by_prices(view, options, scores, prices)
