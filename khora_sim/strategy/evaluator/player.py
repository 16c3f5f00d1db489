"""The player behind every weights file: one set of weights in its city, another elsewhere."""

from khora_sim.engine.seat import weights_of
from khora_sim.strategy.decorators import rule
from khora_sim.strategy.evaluator.looking_ahead import rate_with
from khora_sim.strategy.reading.holdings import city
from khora_sim.strategy.value.features import FEATURES

#: Places of the parameters: the city, the weights in that city, the weights elsewhere.
CITY = 0
HERE = 1
ELSEWHERE = HERE + FEATURES
END = ELSEWHERE + FEATURES


@rule
def rate(view, options, scores):
    """Rate all options with the weights that hold for the player's city."""
    numbers = weights_of(view.seat)
    first = HERE if city(view) == numbers[CITY] else ELSEWHERE
    rate_with(view, options, scores, numbers[first : first + FEATURES])
