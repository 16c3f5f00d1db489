"""Military with majors and glory: it raises troops, climbs the military track and explores for major
tokens.

At the end every major token is worth the glory level, so it gathers both, takes glory for achievements, and
counts on the last rounds, when one more major is worth five points and more. Having the most troops also
wins it the events.
"""

from khora_sim.strategy.toolkit import Action, Gain, Traits, rate_by_prices, rule, sensible_prices

TRAITS = Traits(
    name="conqueror",
    family="archetype",
    summary="Military with majors and glory: troops, the dear spaces, and glory to multiply them.",
    deterministic=True,
    source="the scoring formula: glory level x major tokens",
)


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.tile[Action.MILITARY] = 1.0
    prices.use[Action.MILITARY] = 0.8
    prices.gain[Gain.MILITARY] *= 4.0
    prices.gain[Gain.TROOPS] *= 1.5
    prices.gain[Gain.GLORY] += 2.0
    prices.major += 2.0
    prices.most_troops *= 1.5
    rate_by_prices(view, options, scores, prices)
