"""City first: it unlocks the developments of its city one after the other, and gathers whatever the next
one asks for.

Developments are stronger than cards and nobody can take them away, but the dear ones need many tokens. It
explores and buys in the colours its city wants, keeps the drachmas for the next step, and takes the
development tile as soon as it can be used.
"""

from khora_sim.strategy.toolkit import Action, Gain, Traits, rate_by_prices, rule, sensible_prices

TRAITS = Traits(
    name="developer",
    family="archetype",
    summary="Developer: the city first, all four developments as soon as may be.",
    deterministic=True,
    source="the city boards",
)


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.tile[Action.DEVELOPMENT] = 3.0
    prices.last_development *= 1.5
    prices.opens *= 3.0
    prices.gain[Gain.TROOPS] *= 1.2
    rate_by_prices(view, options, scores, prices)
