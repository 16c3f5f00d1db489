"""Culture and the third die: it climbs the culture track until the third die is won, and takes the culture
tile whenever it can.

Three tiles a round instead of two for half of the game are worth more than any card, and every level on the
way makes all later culture actions better. Cards and developments that fire on culture actions are its
favourites.
"""

from khora_sim.strategy.toolkit import Action, Gain, Traits, rate_by_prices, rule, sensible_prices

TRAITS = Traits(
    name="patron",
    family="archetype",
    summary="Culture and the third die: points every round, and a die more to earn them.",
    deterministic=True,
    source="players' talk: whoever has the third die first has the game",
)


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.tile[Action.CULTURE] = 0.8
    prices.use[Action.CULTURE] = 0.8
    prices.gain[Gain.CULTURE] *= 4.0
    prices.gain[Gain.DICE] *= 1.5
    rate_by_prices(view, options, scores, prices)
