"""Economy and trade: it takes the trade tile whenever it can, climbs the economy track early and plays the
cards that make trading pay.

Drachmas buy levels, cards, developments and tokens alike, so a player who always has them never waits for
anything. Until `patience` rounds before the end a drachma is worth more to it than to others; then it spends
what it has, and a token bought in a trade is worth more to it than one that troops must be lost for.
"""

from khora_sim.strategy.toolkit import (
    Action,
    Gain,
    Traits,
    parameter,
    rate_by_prices,
    rounds_left,
    rule,
    sensible_prices,
)

TRAITS = Traits(
    name="merchant",
    family="archetype",
    summary="Economy and trade: money first, then everything that money buys.",
    deterministic=True,
    source="the plan every rulebook reader tries first: trade pays for the rest",
)

patience = parameter(3, least=0, most=9, help="rounds before the end at which it stops saving")


@rule
def rate(view, options, scores):
    """Plain good sense, at prices of its own."""
    prices = sensible_prices(view)
    prices.tile[Action.TRADE] = 1.2
    prices.use[Action.TRADE] = 0.8
    prices.gain[Gain.ECONOMY] *= 4.0
    prices.gain[Gain.CULTURE] *= 1.5
    if rounds_left(view) > patience(view):
        prices.gain[Gain.DRACHMAS] *= 1.3
    rate_by_prices(view, options, scores, prices)
