"""Explores minors for developments: it takes the military tile early and often, for the cheap spaces, and
wants exactly the colours that its city asks for.

Minor tokens count for cards and developments as much as major ones and cost few troops. Taken in the first
rounds they open the city while the others still save; the spaces that lose no troops go first.
"""

from khora_sim.strategy.toolkit import Action, Gain, Traits, rate_by_prices, rule, sensible_prices

TRAITS = Traits(
    name="explorer",
    family="archetype",
    summary="Explores minors for its developments: cheap spaces early, the city soon.",
    deterministic=True,
    source="the board: the cheapest spaces lose one troop or none",
)


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.tile[Action.MILITARY] = 0.4
    prices.use[Action.MILITARY] = 0.6
    prices.minor *= 3.0
    prices.next_development *= 1.3
    prices.last_development *= 1.3
    prices.gain[Gain.TROOPS] *= 1.3
    rate_by_prices(view, options, scores, prices)
